"""One record at a time, as a service decides: plain Python values in, microseconds, no frame library."""

from __future__ import annotations

import bisect
import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crossfair import coins, recognise, values
from crossfair.cells import Cell, Cells, show_cell
from crossfair.coins import Key
from crossfair.errors import invalid, nearest
from crossfair.parsing import parse_number
from crossfair.values import Value

if TYPE_CHECKING:
    from crossfair.rule import Rule

Record = Mapping[str, Any]

# Values of attributes whose level is remembered, per attribute.
REMEMBERED = 4096


@dataclass(frozen=True)
class Explanation:
    """One decision with all that led to it, so that it can be recomputed by hand.

    `cell` is the record's deciding cell, `seen` whether the policy was fitted to it. The score lies in
    [at_least, below) and so is accepted with probability `acceptance`. If that needs a coin, it is the
    first 13 hexadecimal digits of the MD5 of `hashed`, divided by 16¹³; below `acceptance` it decides 1.

    >>> told = Explanation(("F",), True, 0.7, 0.6, None, 0.5, "demo:17", 0.25, 1)
    >>> print(told)
    cell:        F
    score:       0.7, which is 0.6 or more
    acceptance:  0.5
    coin:        0.25, from md5("demo:17")
    decision:    1, since the coin is below the acceptance probability
    """

    cell: Cell
    seen: bool
    score: float
    at_least: float | None
    below: float | None
    acceptance: float
    hashed: str | None
    coin: float | None
    decision: int

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**vars(self), "cell": [values.to_json(value) for value in self.cell]}

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Return what it says line by line."""
        bounds = [f"{self.at_least!r} or more"] if self.at_least is not None else []
        bounds += [f"below {self.below!r}"] if self.below is not None else []
        step = f", which is {' and '.join(bounds)}" if bounds else ""
        new = "" if self.seen else " (not seen when the policy was fitted)"
        lines = [
            f"cell:        {show_cell(self.cell)}{new}",
            f"score:       {self.score!r}{step}",
            f"acceptance:  {self.acceptance!r}",
        ]
        why = "for sure"
        if self.coin is not None:
            lines.append(f'coin:        {self.coin!r}, from md5("{self.hashed}")')
            relation = "below" if self.decision else "not below"
            why = f"since the coin is {relation} the acceptance probability"
        return [*lines, f"decision:    {self.decision}, {why}"]


class Single:
    """A policy made ready for single records: each attribute's reader, and the rows of steps as lists."""

    def __init__(self, policy: Rule) -> None:
        cells = policy.deciding_cells
        self._policy = policy
        self._readers = [(name, _reader(cells, i)) for i, name in enumerate(cells.by)]
        self._rows = {tuple(codes): i for i, codes in enumerate(cells.codes.tolist())}
        self._steps = [*policy.steps, *policy.fallback]
        self._unseen = None if policy.unseen == "error" else len(policy.steps)

    def decide(
        self,
        record: Record,
        score: Any,
        prediction: Any,
        key: Key | None,
        names: Mapping[str, str],
    ) -> int:
        """Return 0 or 1 for one record."""
        breaks, probabilities = self._steps[self._find(record, names)]
        p = probabilities[bisect.bisect_right(breaks, self._height(score, prediction))]
        if 0.0 < p < 1.0:
            return int(coins.coin(self._policy.salt, _check_key(key)) < p)
        return int(p)

    def explain(
        self,
        record: Record,
        score: Any,
        prediction: Any,
        key: Key | None,
        names: Mapping[str, str],
    ) -> Explanation:
        """Return the decision on one record with all that led to it."""
        row = self._find(record, names)
        breaks, probabilities = self._steps[row]
        height = self._height(score, prediction)
        step = bisect.bisect_right(breaks, height)
        p = probabilities[step]
        known = None if p in (0.0, 1.0) else _check_key(key)
        salt = self._policy.salt
        coin = None if known is None else coins.coin(salt, known)
        seen = row < len(self._policy.steps)
        return Explanation(
            self._policy.deciding_cells.values[row] if seen else self._given_cell(record, names),
            seen,
            height,
            breaks[step - 1] if step else None,
            breaks[step] if step < len(breaks) else None,
            p,
            None if known is None else f"{salt}:{known}",
            coin,
            int(p) if coin is None else int(coin < p),
        )

    def _find(self, record: Record, names: Mapping[str, str]) -> int:
        """The row of the record's cell; that of the fallback where the policy has not seen the cell."""
        try:
            if names:
                codes = tuple([read(record[names.get(name, name)]) for name, read in self._readers])
            else:
                codes = tuple([read(record[name]) for name, read in self._readers])
        except KeyError as error:
            raise self._absent(error.args[0], record) from None
        except (TypeError, IndexError):
            if hasattr(record, "keys"):
                raise
            raise invalid("record", "must map names of attributes to values", got=repr(record)) from None
        row = self._rows.get(codes, self._unseen)
        if row is None:
            raise invalid(
                "record",
                "the policy has not seen every cell, and unseen='error' refuses the others",
                got=f"the cell {self._given_cell(record, names)}",
                hint="Fit it with unseen='pooled' or unseen='given'.",
            )
        return row

    def _given_cell(self, record: Record, names: Mapping[str, str]) -> Cell:
        bins = self._policy.deciding_cells.bins
        raw = {name: record[names.get(name, name)] for name, _ in self._readers}
        return tuple(item if name in bins else values.normalise(item, name) for name, item in raw.items())

    def _absent(self, name: Any, record: Record) -> Exception:
        return invalid(
            "record", f"has no {name!r}", got=", ".join(map(str, record)) or "an empty record",
            hint=nearest(str(name), map(str, record)) or "A value that is missing is given as None.",
        )  # fmt: skip

    def _height(self, score: Any, prediction: Any) -> float:
        scored = self._policy.source.kind == "score"
        given, other = (score, prediction) if scored else (prediction, score)
        if given is None or other is not None:
            raise self._wrong_input(scored, given, other)
        if not scored:
            return self._flag(prediction)
        found = score if type(score) is float else parse_number(score, "score", self._policy.input_name)
        if found is None or not math.isfinite(found):
            raise invalid("score", "must be a finite number", got=repr(score))
        return found

    def _flag(self, prediction: Any) -> float:
        value = values.normalise(prediction, "prediction")
        known = self._policy.source.outcomes
        found = None if value is None else recognise.flag(value, known)
        if found is None:
            raise recognise.unknown_prediction([value], known)
        return float(found)

    def _wrong_input(self, scored: bool, given: Any, other: Any) -> Exception:
        wanted, not_wanted = ("score", "prediction") if scored else ("prediction", "score")
        if other is not None:
            return invalid(
                not_wanted, f"is not what the policy reads: it decides by a {wanted}", got=repr(other)
            )
        return invalid(wanted, f"must be given: the policy decides by a {wanted}", got=repr(given))


def _check_key(key: Any) -> Key:
    if key is None:
        raise invalid(
            "key",
            "this decision needs a coin, so it needs a key",
            hint="Give an integer or a text that identifies the person for good.",
        )
    return coins.check_key(key)


def _reader(cells: Cells, place: int) -> Callable[[Any], int]:
    """How to read the code of an attribute's level from a raw value, −1 for a value that is none."""
    name, level = cells.by[place], cells.levels[place]
    if name in cells.bins:
        return _range_reader(cells.bins[name], level, name)

    @functools.lru_cache(REMEMBERED, typed=True)  # 1, 1.0 and True are equal and yet not the same value
    def read(raw: Any) -> int:
        return int(recognise.levels([values.normalise(raw, name)], level, name)[0])

    def checked(raw: Any) -> int:
        try:
            return read(raw)
        except TypeError:  # no value of an attribute is unhashable: this says which kinds are
            values.normalise(raw, name)
            raise

    return checked


def _range_reader(edges: tuple[float, ...], level: tuple[Value, ...], name: str) -> Callable[[Any], int]:
    codes = recognise.ranges(edges, level, name).tolist()

    def read(raw: Any) -> int:
        number = parse_number(raw, "bins", name)
        if number is None:
            raise invalid("bins", f"{name!r} must hold numbers", got=repr(raw))
        finite = math.isfinite(number)
        return int(codes[bisect.bisect_left(edges, number) if finite else len(edges) + 1])

    return read
