"""Everything after the counts: does its time depend on the number of records, and how long are 700 cells?"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import crossfair as cf
from benchmarks.common import FAIRLEARN, best, peer, ratio, seconds, table

CELLS = (28, 25)
ESTIMATORS = (cf.Smoothed(), cf.Bayes(draws=1000), cf.Bootstrap(), cf.Hierarchical(), cf.Guaranteed())


def people(records: int, seed: int = 0) -> dict[str, NDArray[Any]]:
    """Records in 700 cells of very different size, with a label and a prediction that depends on it."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(CELLS[0] * CELLS[1], 0.8))
    cell = rng.choice(len(shares), size=records, p=shares)
    base = rng.beta(3, 9, size=len(shares))
    label = rng.random(records) < base[cell]
    prediction = rng.random(records) < np.where(label, 0.6, 0.1)
    return {
        "a": cell // CELLS[1],
        "b": cell % CELLS[1],
        "label": label.astype(np.int64),
        "prediction": prediction.astype(np.int64),
    }


def after_the_counts() -> str:
    """The table of times after the counts, for growing numbers of records."""
    rows = []
    tables = {
        records: cf.count(people(records), by=["a", "b"], label="label", prediction="prediction")
        for records in (100_000, 1_000_000, 10_000_000)
    }
    for estimator in ESTIMATORS:
        times = [best(partial(cf.audit, counts, estimator=estimator), 5) for counts in tables.values()]
        rows.append([f"`{type(estimator).__name__}`", *map(seconds, times), ratio(times[-1], times[0])])
    headings = ["estimator", *(f"{records:,} records" for records in tables), "last / first"]
    return table(headings, rows)


def beside_fairlearn(records: int = 1_000_000) -> str:
    """The same per-cell rates with Fairlearn's MetricFrame, and the whole audit, from the same columns."""
    data = people(records)
    theirs = peer("fairlearn", FAIRLEARN, "peer_metric_frame.py", {"records": records})

    def count() -> cf.Counts:
        return cf.count(data, by=["a", "b"], label="label", prediction="prediction")

    counting = best(count, 3)
    whole = best(lambda: cf.audit(count(), estimator=cf.Bayes()), 3)
    rows = [
        ["Fairlearn `MetricFrame`: selection rate, TPR, FPR, count", seconds(theirs["seconds"]), "1 ×"],
        ["`cf.count`: all rates", seconds(counting), ratio(counting, theirs["seconds"])],
        ["`cf.audit`: all metrics, `Bayes(draws=1000)`", seconds(whole), ratio(whole, theirs["seconds"])],
    ]
    ours = cf.audit(count(), metrics="statistical_parity", estimator=cf.Smoothed(0, 0)).groups()
    largest = max(abs(a - b) for a, b in zip(ours["raw"], theirs["selection_rate"], strict=True))
    agreement = (
        f"\nThe selection rates of all cells agree to {largest:.1e} (fairlearn {theirs['version']}).\n"
    )
    return table([f"{records:,} records, 700 cells", "seconds", "ratio"], rows) + agreement


def section() -> str:
    """The section of docs/benchmarks.md."""
    return (
        "## Measuring\n\nEverything after the counts (all metrics, 700 cells), which does not depend on the "
        f"number of records:\n\n{after_the_counts()}\n"
        f"The same per-cell rates as a peer, from the records:\n\n{beside_fairlearn()}"
    )


if __name__ == "__main__":
    print(section())
