"""A browser for the tests of pages, started once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from browser import chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Headless Chromium."""
    with chromium() as running:
        yield running
