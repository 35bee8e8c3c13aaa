"""Write tests/golden/posterior.json: the posterior of ε on three data sets by PyMC, for a test.

`python -m benchmarks.golden_posterior` takes some minutes. PyMC samples each family of the prior on its own
and estimates its marginal likelihood; here the families are put together by these and the prior weights.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import betaln

from benchmarks.common import peer
from crossfair import files
from crossfair.estimators.hierarchical import FAMILIES as WEIGHTS

GOLDEN = Path(__file__).parent.parent / "tests" / "golden" / "posterior.json"
LEVELS = (0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975)
SEED = 1

DATA: dict[str, dict[str, Any]] = {
    "four cells": {
        "successes": [30, 12, 9, 2],
        "trials": [100, 80, 30, 20],
        "codes": [[0, 0], [0, 1], [1, 0], [1, 1]],
    },
    "eight cells, main effects": {
        "successes": [14, 40, 6, 35, 33, 90, 21, 60],
        "trials": [120, 200, 80, 210, 150, 260, 90, 170],
        "codes": [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)],
    },
    "six cells, one apart": {
        "successes": [40, 55, 3, 38, 5, 61],
        "trials": [160, 210, 70, 140, 18, 250],
        "codes": [[a, b] for a in (0, 1) for b in (0, 1, 2)],
    },
}


def main() -> None:
    """Sample, put together, write."""
    families = [family for family in WEIGHTS if family != "all equal"]
    sampled = peer("pymc", ["pymc"], "peer_posterior.py", {"data": DATA, "families": families, "seed": SEED})
    golden = {name: {**data, **_golden(data, sampled[name])} for name, data in DATA.items()}
    with files.replacing(GOLDEN) as unfinished:
        unfinished.write_text(json.dumps({"levels": LEVELS, "data": golden}, indent=1) + "\n")


def _golden(data: dict[str, Any], sampled: dict[str, Any]) -> dict[str, Any]:
    """Quantiles of ε and log evidence, family by family and over all families."""
    yes, n = sum(data["successes"]), sum(data["trials"])
    found = {family: (np.mean(own["evidence"]), np.array(own["epsilon"])) for family, own in sampled.items()}
    found["all equal"] = (betaln(yes + 1, n - yes + 1), np.zeros(1))
    logs = {family: np.log(WEIGHTS[family]) + evidence for family, (evidence, _) in found.items()}
    shares = {family: np.exp(log - np.logaddexp.reduce(list(logs.values()))) for family, log in logs.items()}
    draws = np.concatenate([epsilon for _, epsilon in found.values()])
    weights = np.concatenate([np.full(len(e), shares[f] / len(e)) for f, (_, e) in found.items()])
    return {
        "families": {
            family: {
                "evidence": round(float(evidence), 4),
                "share": round(float(shares[family]), 4),
                "epsilon": np.quantile(epsilon, LEVELS).round(4).tolist(),
            }
            for family, (evidence, epsilon) in found.items()
        },
        "epsilon": np.quantile(draws, LEVELS, weights=weights, method="inverted_cdf").round(4).tolist(),
    }


if __name__ == "__main__":
    main()
