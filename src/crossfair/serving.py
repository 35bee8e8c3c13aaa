"""Serving: a policy on data of any kind, for what needs no column of the caller's library back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crossfair import changes as changing
from crossfair import decisions, shards
from crossfair.changes import Changes
from crossfair.counts import Counts
from crossfair.curve import Curves
from crossfair.errors import invalid
from crossfair.policy import Policy
from crossfair.read_sample import read_like
from crossfair.sample import Sample


def changes(policy: Policy, data: Any, key: str | None, columns: Mapping[str, str]) -> Changes:
    """Return what the policy changes in each cell; see `Policy.changes`."""
    data = shards.load(data)
    if not isinstance(data, Counts | Curves | Sample):
        return decisions.changes(policy, data, columns, key)
    if key is not None or columns:
        raise invalid("key, columns", "name columns of records, but the data are counted already")
    return changing.of_sample(policy, read_like(policy, data, {}))
