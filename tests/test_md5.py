"""MD5 by numpy, against the standard library's."""

from __future__ import annotations

import hashlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crossfair import md5


def expected(messages):
    return [int.from_bytes(hashlib.md5(one).digest()[:8], "big") for one in messages]


@given(st.lists(st.binary(max_size=70), max_size=20))
def test_any_messages(messages):
    assert md5.first_words(messages).tolist() == expected(messages)


def test_every_length_around_the_end_of_a_block():
    messages = [bytes(range(256))[:size] for size in range(md5.LONGEST + 1)]
    assert md5.first_words(messages).tolist() == expected(messages)
    messages += [b"\0" * size for size in range(54, 130)]  # what ends in zeros is not cut off
    assert md5.first_words(messages).tolist() == expected(messages)


def test_more_messages_than_are_hashed_at_a_time():
    size = md5.BLOCK + 7
    messages = [f"salt:{number}".encode() for number in np.random.default_rng(0).integers(2**60, size=size)]
    assert md5.first_words(messages).tolist() == expected(messages)
