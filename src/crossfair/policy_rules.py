"""The rules that the parts of a policy keep among each other, wherever it comes from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from crossfair import coins
from crossfair.errors import InputError, choose, invalid
from crossfair.performance import ROWS
from crossfair.steps import Steps

if TYPE_CHECKING:
    from crossfair.policy import Policy

UNSEEN = ("error", "pooled", "given")


def check(policy: Policy) -> None:
    """Refuse a policy whose parts do not fit each other."""
    choose("unseen", policy.unseen, UNSEEN)
    coins.check_salt(policy.salt)
    _check_steps(policy, policy.steps)
    if policy.unconstrained is not None:
        _check_steps(policy, policy.unconstrained)
    if len(policy.fallback) != (policy.unseen != "error"):
        raise invalid("unseen", "a policy for unseen cells has one row, none with 'error'", got=policy.unseen)
    policy.fallback.check(lambda _: "unseen cells")
    _check_expected(policy)
    _check_certificate(policy)
    _check_population(policy)


def refuse_unseen(unseen: int, records: int, example: str = "") -> InputError:
    """Build the error for records in cells that the policy has not seen."""
    return invalid(
        "cells",
        "the policy has not seen every cell, and unseen='error' refuses the others",
        got=f"{unseen} of {records} records in unseen cells{example}",
        hint="Fit it with unseen='pooled' or unseen='given'.",
    )


def _check_expected(policy: Policy) -> None:
    for name, row in policy.expected.items():
        choose("expected", name, ROWS)
        rates = [rate for rate in (row.tpr, row.fpr) if rate is not None]
        if not (0 <= row.loss < math.inf and all(0 <= rate <= 1 for rate in rates)):
            raise invalid("expected", f"loss must be 0 or more and rates from 0 to 1, of {name} too", got=row)
        if not all(epsilon >= 0 for epsilon in row.epsilon.values()):
            raise invalid("expected", f"ε must be 0 or more, of {name} too", got=dict(row.epsilon))


def _check_certificate(policy: Policy) -> None:
    found = policy.certificate
    if found is None:
        return
    if not found.bound <= found.objective < math.inf:
        came = f"objective {found.objective!r} and bound {found.bound!r}"
        raise invalid("certificate", "must have a bound that is not above its objective", got=came)
    for positions in (*found.exempt.values(), found.pooled):
        if any(position >= len(policy.cells) for position in positions):
            raise invalid("certificate", "exempt cells must be cells of the policy", got=list(positions))


def _check_population(policy: Policy) -> None:
    found = policy.population
    if found is None:
        return
    positives = found.mass if found.positives is None else found.positives
    came = repr(found.to_json())
    if {len(found.mass), len(found.squares), len(positives)} != {len(policy.cells)} or not found.mass.any():
        raise invalid("population", f"must have numbers for each of {len(policy.cells)} cells", got=came)
    if (positives > found.mass).any():
        raise invalid("population", "no cell has more positives than records", got=came)


def _check_steps(policy: Policy, steps: Steps) -> None:
    cells = policy.deciding_cells
    if len(steps) != len(cells):
        hint = f"{', '.join(policy.decide_by) or 'no attribute'}: {len(cells)} cells."
        raise invalid("steps", "must have one row per deciding cell", got=f"{len(steps)} rows", hint=hint)
    steps.check(cells.show)
