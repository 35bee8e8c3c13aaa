"""All claims of the paper that are checked, in its order."""

from __future__ import annotations

from crossfair.paper import census_claims, synthetic_claims
from crossfair.paper.claim import Claim
from crossfair.paper.rows import Figures

__all__ = ["check"]


def check(figures: Figures) -> list[Claim]:
    """Check every claim but the one about speed, which needs what is measured in seconds."""
    return [one(figures) for one in (*synthetic_claims.CLAIMS, *census_claims.CLAIMS)]
