"""Stable coins: the same person gets the same answer in any batch, order or engine.

A coin is u = (the first 13 hexadecimal digits of md5(salt ":" key)) / 16¹³, which an auditor can recompute by
hand and every database can compute. MD5 spreads the keys evenly; it keeps no secret here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossfair import checks, md5
from crossfair.errors import InputError, invalid

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Key = int | str
Keys = Sequence[Key] | NDArray[Any]

# How to look up the keys of some records by their places: only those that need a coin are asked for.
Lookup = Callable[[Ints], Sequence[Any]]

SIDES = 16**13


def coin(salt: str, key: Key) -> float:
    """Return the coin of one key, a number from 0 up to but not including 1.

    >>> coin("demo", 17) == int("7dcc42d7d12d1", 16) / 16**13
    True
    >>> coin("demo", 17) == coin("demo", "17")
    True
    """
    digest = hashlib.md5(_message(salt, key), usedforsecurity=False).digest()
    return (int.from_bytes(digest[:7], "big") >> 4) / SIDES


def decide(acceptance: Floats, salt: str, keys: Lookup | None, seed: int | None) -> Ints:
    """Return 1 where the coin of a record falls below its acceptance probability, else 0.

    Only records with a probability between 0 and 1 need a coin: of their key, or drawn anew from `seed`.

    >>> decide(np.array([0.0, 0.5, 0.5, 1.0]), "demo", lookup([16, 17, 18, 19], 4), None).tolist()
    [0, 1, 0, 1]
    """
    if keys is not None and seed is not None:
        raise invalid("key, seed", "give one of them: a seed draws coins anew in each call", got="both")
    if seed is not None:
        checks.whole("seed", seed)
    decided = acceptance >= 1.0
    unsure = np.flatnonzero((acceptance > 0.0) & ~decided)
    if len(unsure):
        decided[unsure] = _coins(unsure, len(acceptance), salt, keys, seed) < acceptance[unsure]
    return decided.astype(np.int64)


def lookup(keys: Keys, records: int) -> Lookup:
    """Return how to look up the keys of records in a list or an array of all keys."""
    if len(keys) != records:
        raise invalid("key", f"must have one key per record, {records}", got=len(keys))
    return lambda places: [keys[place] for place in places.tolist()]


def draw_salt(seed: int) -> str:
    """Return a salt drawn from a seed.

    >>> len(draw_salt(0)), draw_salt(0) == draw_salt(1)
    (16, False)
    """
    return np.random.default_rng([seed, SIDES]).bytes(8).hex()


def check_salt(salt: object) -> str:
    """Return a salt that was given, a text that is not empty.

    >>> check_salt("")
    Traceback (most recent call last):
    ...
    crossfair.errors.InputError: salt: must be a text that is not empty; got ''.
    """
    if not isinstance(salt, str) or not salt:
        raise invalid("salt", "must be a text that is not empty", got=repr(salt))
    if any("\ud800" <= letter <= "\udfff" for letter in salt):
        raise invalid("salt", "must be Unicode text", got=ascii(salt))
    return salt


def _coins(unsure: Ints, records: int, salt: str, keys: Lookup | None, seed: int | None) -> Floats:
    if seed is not None:
        return np.random.default_rng(seed).random(records)[unsure]
    if keys is None:
        raise invalid(
            "key",
            f"{len(unsure)} of {records} records have a probability between 0 and 1, so they need a key",
            hint="Name a column that identifies each record for good, or say seed=… for coins that change "
            "with each call.",
        )
    return _coins_of(salt, keys(unsure))


def _coins_of(salt: str, keys: Sequence[Any]) -> Floats:
    """The coin of each key, as `coin` gives it."""
    typed = keys if set(map(type, keys)) <= {int, str} else [check_key(key) for key in keys]
    words = md5.first_words([_message(salt, key) for key in typed])
    return np.asarray((words >> np.uint64(12)) / SIDES)  # 13 of their 16 digits


def _message(salt: str, key: Key) -> bytes:
    try:
        return f"{salt}:{key}".encode()
    except UnicodeEncodeError:
        raise bad_key(f"{key!r}, which is no Unicode text") from None


def check_key(key: Any) -> Key:
    """Return a key that gives a stable coin: an integer or a text.

    >>> check_key(2.5)
    Traceback (most recent call last):
    ...
    crossfair.errors.InputError: key: must be integers or text; got 2.5 of type float. A coin is ...
    """
    if type(key) in (int, str):
        return key  # type: ignore[no-any-return]
    if isinstance(key, (np.integer, np.str_)):
        return key.item()
    missing = key is None or key != key or type(key).__name__ == "NAType"  # noqa: PLR0124  # NaN
    raise bad_key("a missing value" if missing else f"{key!r} of type {type(key).__name__}")


def check_column(name: Any) -> None:
    """Refuse what is no name of a column of keys; None is none.

    >>> check_column(["id"])
    Traceback (most recent call last):
    ...
    crossfair.errors.InputError: key: must name the column of the keys; got ['id'].
    """
    if name is not None and not isinstance(name, str):
        raise invalid("key", "must name the column of the keys", got=repr(name))


def bad_key(came: str) -> InputError:
    """Build the error for a key that is missing, or neither integer nor text."""
    return invalid(
        "key",
        "must be integers or text",
        got=came,
        hint="A coin is stable only if each record has a key that stays the same.",
    )
