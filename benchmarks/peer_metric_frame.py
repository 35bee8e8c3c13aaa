"""Fairlearn's MetricFrame on the records of `benchmarks.audit`; runs in an environment of its own."""

import json
import sys
import time

import fairlearn
import numpy as np
import pandas as pd
from fairlearn.metrics import MetricFrame, count, false_positive_rate, selection_rate, true_positive_rate

CELLS = (28, 25)


def people(records: int, seed: int = 0) -> pd.DataFrame:
    """The records of benchmarks.audit, made anew: this environment has no crossfair."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(CELLS[0] * CELLS[1], 0.8))
    cell = rng.choice(len(shares), size=records, p=shares)
    base = rng.beta(3, 9, size=len(shares))
    label = rng.random(records) < base[cell]
    prediction = rng.random(records) < np.where(label, 0.6, 0.1)
    columns = {"a": cell // CELLS[1], "b": cell % CELLS[1], "label": label, "prediction": prediction}
    return pd.DataFrame(columns).astype("int64")


data = people(json.load(sys.stdin)["records"])
start = time.perf_counter()
frame = MetricFrame(
    metrics={"selection": selection_rate, "tpr": true_positive_rate, "fpr": false_positive_rate, "n": count},
    y_true=data["label"],
    y_pred=data["prediction"],
    sensitive_features=data[["a", "b"]],
)
rates = frame.by_group
seconds = time.perf_counter() - start
print(
    json.dumps(
        {
            "seconds": seconds,
            "version": fairlearn.__version__,
            "selection_rate": rates["selection"].dropna().tolist(),
        }
    )
)
