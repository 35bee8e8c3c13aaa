"""The paper's Adult experiment: what it reads, the audit of data and model, and its running example."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from crossfair import api
from crossfair.auditing import Audit
from crossfair.counts import Counts
from crossfair.datasets import adult
from crossfair.estimators.smoothed import Smoothed
from crossfair.evidence import Side
from crossfair.paper.estimators import ESTIMATORS, LEVEL
from crossfair.paper.published import ALPHA, BETA, PRIOR

Row = dict[str, Any]
Split = Literal["train", "test"]

SPLITS: tuple[Split, ...] = ("train", "test")
ATTRIBUTES = ("sex", "age_over_50", "race_4")
LABEL: dict[str, Any] = {"label": "income", "positive": ">50K"}

#: The paper's metrics: on the data, and on the model.
METRICS = (
    "elift",
    "impact_ratio",
    "statistical_parity",
    "tpr_parity",
    "fpr_parity",
    "equalized_odds",
)

#: Where ε of FPR parity is shown against α = β.
ALPHAS = (0.0001, 0.001, ALPHA, 0.1, PRIOR, 1.0)


def audits(seed: int) -> dict[str, Any]:
    """Audit data and model on both splits with every estimator; cells without records have no rate."""
    counts = {split: _counts(split) for split in SPLITS}
    found = {
        (split, name): api.audit(counts[split], metrics=METRICS, estimator=estimator, level=LEVEL, seed=seed)
        for split in SPLITS
        for name, estimator in ESTIMATORS.items()
    }
    return {
        "files": _files(),
        "records": {split: counts[split].records for split in SPLITS},
        "positive": {split: _positive_share(counts[split]) for split in SPLITS},
        "number_of_cells": len(counts["train"].cells),
        "audit": [row for (split, name), audit in found.items() for row in _findings(split, name, audit)],
        "alpha": _against_alpha(found["train", "smoothed"]),
        "example": running_example(),
        "races": _with_races(),
    }


def running_example() -> dict[str, Any]:
    """The paper's running example, sex and race: high incomes, and the cell that sets ε of elift.

    Race as the raw data code it and as the experiment merges it, since the paper does not say which.
    """
    found: dict[str, Any] = {}
    for race in ("race", "race_4"):
        counts = api.count(adult("train"), by=["sex", race], **LABEL)
        elift = api.audit(counts, metrics="elift", estimator=Smoothed(ALPHA, BETA))["elift"]
        positive = counts.n[:, counts.outcomes.positive_code].sum(axis=1)
        found[race] = {
            "epsilon": elift.epsilon,
            "cell": next(list(side.cell) for side in (elift.highest, elift.lowest) if side and side.cell),
            "rates": [
                {"cell": list(cell), "records": int(n), "rate": float(k / n)}
                for cell, n, k in zip(counts.cells.values, counts.support, positive)
            ],
        }
    return found


def _files() -> dict[str, Row]:
    """Records of each file as it was published, and the share of white people among them."""
    everyone = adult("all")
    found: dict[str, Row] = {}
    for split in SPLITS:
        races = everyone["race"][everyone["split"] == split]
        found[split] = {"records": len(races), "white": float(np.mean(races == "White"))}
    return found


def _with_races() -> Row:
    """Smoothed ε of FPR parity by how many values race has: five as coded, four as merged."""
    smoothed = Smoothed(ALPHA, BETA)
    found = {
        race: api.audit(_counts("train", race), metrics="fpr_parity", estimator=smoothed)["fpr_parity"]
        for race in ("race", "race_4")
    }
    return {race: finding.epsilon for race, finding in found.items()}


def _counts(split: Split, race: str = "race_4") -> Counts:
    by = [*ATTRIBUTES[:2], race]
    return api.count(adult(split), by=by, prediction="prediction", **LABEL)


def _positive_share(counts: Counts) -> float:
    return float(counts.n[:, counts.outcomes.positive_code].sum() / counts.n.sum())


def _findings(split: str, estimator: str, audit: Audit) -> list[Row]:
    rows = []
    for finding in audit.findings.values():
        rows.append(
            {
                "split": split,
                "estimator": estimator,
                "metric": finding.name,
                "epsilon": finding.epsilon,
                "low": finding.low,
                "high": finding.high,
                "highest": _side(finding.highest),
                "lowest": _side(finding.lowest),
                "prior_dominated": finding.evidence.prior_dominated,
            }
        )
    return rows


def _side(side: Side | None) -> Row | None:
    if side is None:
        return None
    cell = None if side.cell is None else list(side.cell)
    return {"cell": cell, "successes": side.successes, "trials": side.trials}


def _against_alpha(audit: Audit) -> list[Row]:
    finding = audit["fpr_parity"]
    return [{"alpha": alpha, "epsilon": finding.epsilon_at(alpha)} for alpha in ALPHAS]
