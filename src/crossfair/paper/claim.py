"""A claim of the paper, found held or not held on the figures of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

Figures = Mapping[str, Any]
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Claim:
    """What the paper says, whether it held, and the figures that say so."""

    words: str
    held: bool
    figures: str

    def row(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)
