"""The command line: arguments, files and exit codes. It does no arithmetic."""

from __future__ import annotations

import signal
import sys

__all__ = ["main"]

USAGE_ERROR = 2


def main() -> None:
    """Run the command line and exit with its code; without its libraries, say how to get them."""
    try:
        from crossfair.cli.app import run
    except ModuleNotFoundError as error:
        if error.name not in {"click", "rich"}:
            raise
        sys.stderr.write("crossfair: the command line needs click and rich: pip install 'crossfair[cli]'\n")
        sys.exit(USAGE_ERROR)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # it too leaves no unfinished file
    sys.exit(run(sys.argv[1:]))
