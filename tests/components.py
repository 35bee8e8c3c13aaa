"""Tests that need a component which may be absent: skipped visibly, or failed where all are required.

With ``CROSSFAIR_REQUIRE_ALL=1`` (as in continuous integration) an absent component is a failure.
"""

from __future__ import annotations

import importlib
import os
import shutil
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest


def require(module: str) -> ModuleType:
    """Import and return the module; skip the test, or fail, if it is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        absent(f"Python module {error.name}")


def require_program(name: str) -> str:
    """Return the path of the program; skip the test, or fail, if it is not on the PATH."""
    return shutil.which(name) or absent(f"program {name}")


def require_path(path: str | Path) -> Path:
    """Return the path; skip the test, or fail, if nothing is there."""
    found = Path(path)
    return found if found.exists() else absent(f"path {found}")


def absent(what: str) -> NoReturn:
    """Skip the running test or module, or fail it where every component is required."""
    message = f"absent component: {what}"
    if os.environ.get("CROSSFAIR_REQUIRE_ALL") == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message, allow_module_level=True)
