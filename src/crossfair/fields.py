"""Reading JSON objects field by field, where every value is checked and a fault is named by its place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from crossfair import documents
from crossfair.errors import malformed

T = TypeVar("T")


class Fields:
    """A JSON object with exactly the named fields (None: any); each is read as one kind of value or refused.

    >>> Fields({"salt": 7}, "policy.json", "the policy", {"salt"}).text("salt")
    Traceback (most recent call last):
    ...
    crossfair.errors.FormatError: policy.json: salt of the policy must be a text; got 7.
    """

    def __init__(self, data: Any, source: str, what: str, names: set[str] | None) -> None:
        if not isinstance(data, dict):
            raise malformed(source, f"{what} must be an object", got=repr(data))
        expected = set(data) if names is None else names
        missing, unknown = sorted(expected - set(data)), sorted(set(data) - expected)
        if missing or unknown:
            came = [f"{name} is missing" for name in missing] + [f"{name} is not known" for name in unknown]
            raise malformed(
                source, f"{what} must have the fields {', '.join(sorted(expected))}", got="; ".join(came)
            )
        self.data, self.source, self.what = data, source, what

    def _read(self, name: str, rule: str, valid: bool) -> Any:
        if not valid:
            raise malformed(self.source, f"{name} of {self.what} must be {rule}", got=repr(self.data[name]))
        return self.data[name]

    def item(self, name: str) -> Any:
        """A value that its own reader checks."""
        return self.data[name]

    def text(self, name: str) -> str:
        """A text."""
        return str(self._read(name, "a text", isinstance(self.data[name], str)))

    def texts(self, name: str) -> list[str]:
        """A list of texts."""
        found = self.data[name]
        valid = isinstance(found, list) and all(isinstance(item, str) for item in found)
        return list(self._read(name, "a list of texts", valid))

    def number(self, name: str) -> float:
        """A finite number, or "Infinity"."""
        found = self.data[name]
        if found in ("Infinity", "-Infinity"):
            return documents.from_number(found, self.source)
        finite = type(found) in (int, float) and abs(found) < math.inf
        return float(self._read(name, "a number", finite))

    def finite(self, name: str) -> float:
        """A finite number."""
        found = self.number(name)
        return float(self._read(name, "a finite number", math.isfinite(found)))

    def numbers(self, name: str) -> list[float]:
        """A list of numbers, "Infinity" among them."""
        return [documents.from_number(item, self.source) for item in self.items(name)]

    def items(self, name: str) -> list[Any]:
        """A list of what its own reader checks."""
        return list(self._read(name, "a list", isinstance(self.data[name], list)))

    def whole(self, name: str) -> int:
        """An integer of at least 0."""
        found = self.data[name]
        return int(self._read(name, "an integer, 0 or more", type(found) is int and found >= 0))

    def wholes(self, name: str) -> list[int]:
        """A list of integers of at least 0."""
        found = self.data[name]
        valid = isinstance(found, list) and all(type(item) is int and item >= 0 for item in found)
        return list(self._read(name, "a list of integers, 0 or more", valid))

    def flag(self, name: str) -> bool:
        """A boolean."""
        return bool(self._read(name, "true or false", isinstance(self.data[name], bool)))

    def part(self, name: str, names: set[str] | None = None) -> Fields:
        """An object with the named fields, or with any."""
        return Fields(self.data[name], self.source, f"{name} of {self.what}", names)

    def optional(self, name: str, read: Callable[[str], T]) -> T | None:
        """What `read` gives for the field, or None where it is null."""
        return None if self.data[name] is None else read(name)
