"""Stable coins, against the recipe written out by hand and against their own statistics."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossfair import coins
from crossfair.coins import check_salt, coin, draw_salt
from crossfair.errors import InputError


def decide(acceptance, salt, keys, seed):
    found = None if keys is None else coins.lookup(keys, len(acceptance))
    return coins.decide(acceptance, salt, found, seed)


@given(st.text(), st.integers() | st.text())
def test_a_coin_can_be_recomputed_by_hand(salt, key):
    digits = hashlib.md5(f"{salt}:{key}".encode()).hexdigest()[:13]
    assert coin(salt, key) == int(digits, 16) / 16**13
    assert 0 <= coin(salt, key) < 1


def test_many_coins_are_those_of_single_keys():
    keys = [*range(-50, 50), *map(str, range(50)), "é", ""]
    single = np.array([coin("salt", key) for key in keys])
    # A record is accepted with its coin's own probability just when the coin is below it, so never here.
    assert decide(single, "salt", keys, None).sum() == 0
    assert decide(np.nextafter(single, 1), "salt", keys, None).sum() == len(keys)


def test_acceptance_rates_are_within_four_standard_errors():
    keys = range(1_000_000)
    chances = np.array([0.0001, 0.001, 0.25, 0.5, 0.93])
    for salt in ("salt", "0123456789abcdef"):
        # One coin per key, whatever the probability.
        found = np.array([coin(salt, key) for key in keys])
        shares = (found[:, None] < chances).mean(axis=0)
        assert (np.abs(shares - chances) < 4 * np.sqrt(chances * (1 - chances) / len(keys))).all()
        share = decide(np.full(len(keys), 0.25), salt, keys, None).mean()
        assert share == shares[2]


def test_coins_of_different_salts_are_independent():
    first, second = (np.array([coin(salt, key) for key in range(20_000)]) for salt in ("a", "b"))
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(len(first))


def test_sure_decisions_need_no_key():
    assert decide(np.array([0.0, 1.0]), "salt", None, None).tolist() == [0, 1]
    assert decide(np.array([0.0, 1.0]), "salt", [None, 1.5], None).tolist() == [0, 1]


def test_keys_of_any_sequence_decide_alike():
    p = np.full(50, 0.5)
    plain = decide(p, "salt", list(range(50)), None).tolist()
    assert decide(p, "salt", np.arange(50, dtype=np.int32), None).tolist() == plain
    assert decide(p, "salt", [str(key) for key in range(50)], None).tolist() == plain
    assert decide(p, "salt", np.array([str(key) for key in range(50)]), None).tolist() == plain
    assert decide(p, "salt", [np.int64(key) for key in range(50)], None).tolist() == plain


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (None, "key: 2 of 3 records have a probability between 0 and 1, so they need a key"),
        ([1, None, 3], "key: must be integers or text; got a missing value"),
        ([1, float("nan"), 3], "got a missing value"),
        ([1, 2.0, 3], r"got 2\.0 of type float"),
        ([1, True, 3], "got True of type bool"),
        ([1, 2], "must have one key per record, 3; got 2"),
    ],
)
def test_keys_that_give_no_stable_coin_are_refused(keys, message):
    with pytest.raises(InputError, match=message):
        decide(np.array([0.0, 0.5, 0.5]), "salt", keys, None)


def test_a_seed_draws_coins_anew_and_excludes_keys():
    p = np.full(1000, 0.5)
    assert decide(p, "salt", None, 1).tolist() == decide(p, "other", None, 1).tolist()
    assert decide(p, "salt", None, 1).tolist() != decide(p, "salt", None, 2).tolist()
    with pytest.raises(InputError, match="key, seed: give one of them"):
        decide(p, "salt", list(range(1000)), 1)


def test_salts():
    assert draw_salt(7) == draw_salt(7) != draw_salt(8)
    with pytest.raises(InputError, match="salt: must be a text that is not empty; got 5"):
        check_salt(5)
