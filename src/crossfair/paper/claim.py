"""What is said of the paper: a claim of its own, found held or not, and a difference with its reason."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Claim:
    """What the paper says, whether it held, and the figures that say so."""

    words: str
    held: bool
    figures: str

    def row(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


class Difference(NamedTuple):
    """Where paper and run differ, in a few words, and the figures that show the reason."""

    words: str
    figures: str
