"""Changes: how many decisions a policy moves in each cell, beside those that were given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crossfair import audit_tables, documents
from crossfair.cells import Cells

if TYPE_CHECKING:
    from crossfair.policy import Policy
    from crossfair.sample import Sample

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

KIND, VERSION = "changes", 1
FIGURES = ("records", "given", "repaired", "up", "down")


@dataclass(frozen=True, eq=False)
class Changes:
    """Per cell its records, and of these how many are moved up, from rejected to accepted, and down.

    `given` and `repaired` are the numbers accepted before and after. Where no coins were tossed they are
    expected numbers, which may be fractions.

    >>> from crossfair.cells import Cells
    >>> cells = Cells.of(["sex"], [("F",), ("M",)])
    >>> found = Changes.of(cells, np.array([0, 0, 1]), np.array([1, 0, 1]), np.array([1.0, 1.0, 0.25]))
    >>> found.up.tolist(), found.down.tolist(), found.total("repaired")
    ([1.0, 0.0], [0.0, 0.75], 2.25)
    """

    cells: Cells
    records: Floats
    given: Floats
    up: Floats
    down: Floats
    like: Any = None

    @classmethod
    def of(
        cls, cells: Cells, cell: Ints, given: Any, accepted: Any, records: Any = None, like: Any = None
    ) -> Changes:
        """Add up records, or `records` of them at once: their cells, and the shares of them accepted."""
        n = np.ones(len(cell)) if records is None else np.asarray(records, dtype=np.float64)
        before, after = np.asarray(given, dtype=np.float64), np.asarray(accepted, dtype=np.float64)
        columns = n, n * before, n * (1.0 - before) * after, n * before * (1.0 - after)
        records, given, up, down = (_summed(column, cell, len(cells)) for column in columns)
        return cls(cells, records, given, up, down, like)

    @property
    def repaired(self) -> Floats:
        """The number accepted by the policy, per cell."""
        return self.given + self.up - self.down

    def total(self, figure: str) -> float:
        """Return one of the figures for everyone."""
        return float(getattr(self, figure).sum())

    def columns(self) -> dict[str, list[Any]]:
        """Return the table as plain columns: the attributes, and the figures of each cell."""
        figures = {name: _plain(getattr(self, name)) for name in FIGURES}
        attributes = audit_tables.attribute_columns(self.cells)
        return {**attributes, **audit_tables.unclashed(figures, self.cells.by)}

    def table(self) -> Any:
        """Return the table as a tidy frame of the data's library, a dict of columns where there is none."""
        if self.like is None:
            return self.columns()
        from crossfair import frames

        return frames.give(self.columns(), self.like)

    def to_json(self) -> str:
        """Return the table as JSON text."""
        body = {"cells": self.cells.to_json(), **{name: _plain(getattr(self, name)) for name in FIGURES}}
        return documents.dump(KIND, VERSION, body)

    def __repr__(self) -> str:
        moved = f"{self.total('up'):,.6g} decisions up and {self.total('down'):,.6g} down"
        return f"<Changes: {moved} of {self.total('records'):,.0f}, in {len(self.cells)} cells>"


def of_sample(policy: Policy, sample: Sample) -> Changes:
    """Return the changes expected on a sample, from its curves."""
    curves = sample.curves
    return Changes.of(
        curves.cells,
        curves.cell_of_step,
        sample.given,
        sample.followed(policy),
        curves.n.sum(axis=1),
        sample.like,
    )


def _summed(column: Floats, cell: Ints, cells: int) -> Floats:
    return np.bincount(cell, column, cells).astype(np.float64)


def _plain(column: Floats) -> list[float]:
    """Whole numbers as integers, where all are."""
    whole = bool((column == np.floor(column)).all())
    return list((column.astype(np.int64) if whole else column).tolist())
