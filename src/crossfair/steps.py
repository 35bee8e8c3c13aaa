"""Steps: acceptance probabilities as step functions of the score, one per row, for all rows at once."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossfair.errors import invalid, malformed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Count = Callable[[Ints, Floats], Ints]

# Records looked up at a time: their temporary arrays stay in the processor's cache.
BLOCK = 2**14

# Up to so many breaks a row, comparing with each of them is faster than bisecting.
FEW = 4


@dataclass(frozen=True, eq=False)
class Steps:
    """Per row, ascending breaks t₁ < … < tₖ and probabilities p₀ … pₖ: a score of tᵢ or more takes pᵢ.

    `offsets` (rows + 1) delimits each row's breaks; a row's probabilities are one more than its breaks.

    >>> steps = Steps.of([([0.5], [0.0, 1.0]), ([], [0.25])])
    >>> steps.at(np.array([0, 0, 1]), np.array([0.4, 0.5, 0.9])).tolist()
    [0.0, 1.0, 0.25]
    """

    offsets: Ints
    breaks: Floats
    probabilities: Floats

    @classmethod
    def of(cls, rows: Iterable[tuple[Sequence[float], Sequence[float]]]) -> Self:
        """Build from (breaks, probabilities) per row."""
        listed = list(rows)
        sizes = [len(breaks) for breaks, _ in listed]
        return cls(
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.array([edge for breaks, _ in listed for edge in breaks], dtype=np.float64),
            np.array([p for _, probabilities in listed for p in probabilities], dtype=np.float64),
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[tuple[list[float], list[float]]]:
        return (self.row(i) for i in range(len(self)))

    def row(self, i: int) -> tuple[list[float], list[float]]:
        """Return the breaks and the probabilities of one row."""
        low, high = int(self.offsets[i]), int(self.offsets[i + 1])
        return self.breaks[low:high].tolist(), self.probabilities[low + i : high + i + 1].tolist()

    def joined(self, other: Self) -> Self:
        """Return these rows followed by those of the other."""
        return type(self)(
            np.concatenate([self.offsets, self.offsets[-1] + other.offsets[1:]]),
            np.concatenate([self.breaks, other.breaks]),
            np.concatenate([self.probabilities, other.probabilities]),
        )

    def at(self, rows: Ints, scores: Floats) -> Floats:
        """Return the acceptance probability of each record, from its row and its finite score."""
        found = np.empty(len(scores), dtype=np.float64)
        most = int(np.diff(self.offsets).max(initial=0))
        count = self._counted(most) if most <= FEW else self._bisected(most)
        first = self.offsets[:-1] + np.arange(len(self))  # of each row's probabilities
        for start in range(0, len(scores), BLOCK):
            block = slice(start, start + BLOCK)
            here = rows[block]
            found[block] = self.probabilities[first[here] + count(here, scores[block])]
        return found

    def _counted(self, most: int) -> Count:
        """How many of its row's breaks a score reaches, by comparing it with each."""
        columns = np.full((most, len(self)), np.inf)
        for row, (low, high) in enumerate(itertools.pairwise(self.offsets.tolist())):
            columns[: high - low, row] = self.breaks[low:high]

        def count(rows: Ints, scores: Floats) -> Ints:
            reached = np.zeros(len(rows), dtype=np.int64)
            for column in columns:
                reached += column[rows] <= scores
            return reached

        return count

    def _bisected(self, most: int) -> Count:
        """The same by bisecting the breaks of every record's own row at once."""
        padded = np.append(self.breaks, np.inf)

        def count(rows: Ints, scores: Floats) -> Ints:
            start = low = self.offsets[rows]
            high = self.offsets[rows + 1]
            for _ in range(most.bit_length()):
                middle = (low + high) >> 1
                above = (padded[middle] <= scores) & (middle < high)
                low = np.where(above, middle + 1, low)
                high = np.where(above, high, middle)
            return low - start

        return count

    def check(self, name: Callable[[int], str]) -> None:
        """Refuse breaks that do not rise and probabilities that are none; `name` says which row it is."""
        if self._sound():
            return
        for i, (breaks, probabilities) in enumerate(self):
            wrong = [p for p in probabilities if not 0 <= p <= 1]
            if wrong:
                raise invalid(
                    "steps",
                    "acceptance probabilities must lie between 0 and 1",
                    got=f"{wrong[0]} in {name(i)}",
                )
            increasing = all(low < high for low, high in itertools.pairwise(breaks))
            if not increasing or not all(map(math.isfinite, breaks)):
                raise invalid("steps", "breaks must be finite and increasing", got=f"{breaks} in {name(i)}")

    def _sound(self) -> bool:
        """Whether all breaks rise and all probabilities are some, at once."""
        starts = np.zeros(len(self.breaks) + 1, np.bool_)
        starts[self.offsets] = True
        rising = bool(((np.diff(self.breaks) > 0) | starts[1:-1]).all() and np.isfinite(self.breaks).all())
        return rising and bool(((self.probabilities >= 0) & (self.probabilities <= 1)).all())

    def to_json(self) -> list[dict[str, list[float]]]:
        """Return the JSON form, one object per row; the numbers are read back exactly."""
        return [{"breaks": breaks, "acceptance": probabilities} for breaks, probabilities in self]

    @classmethod
    def from_json(cls, data: Any, source: str) -> Self:
        """Read the JSON form; whether the numbers make sense is for `check`."""
        if not isinstance(data, list):
            raise malformed(source, "its steps must be a list", got=type(data).__name__)
        return cls.of(_row(item, source, f"row {i}") for i, item in enumerate(data))


def _row(item: Any, source: str, name: str) -> tuple[list[float], list[float]]:
    if not isinstance(item, dict) or set(item) != {"breaks", "acceptance"}:
        raise malformed(
            source, "each of its steps must have breaks and acceptance", got=f"{item!r} in {name}"
        )
    breaks, probabilities = (
        _numbers(item[key], source, f"{key} in {name}") for key in ("breaks", "acceptance")
    )
    if len(probabilities) != len(breaks) + 1:
        raise malformed(
            source,
            "steps have one probability more than breaks",
            got=f"{len(breaks)} breaks and {len(probabilities)} probabilities in {name}",
        )
    return breaks, probabilities


def _numbers(data: Any, source: str, what: str) -> list[float]:
    numeric = isinstance(data, list) and all(
        type(item) in (int, float) and abs(item) <= sys.float_info.max for item in data
    )
    if not numeric:
        raise malformed(source, "its steps must hold lists of finite numbers", got=f"{data!r} as {what}")
    return [float(item) for item in data]
