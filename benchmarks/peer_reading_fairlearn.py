"""Fairlearn's MetricFrame from the records of `benchmarks.reading`; runs in an environment of its own."""

import json
import sys
import time
from pathlib import Path

import fairlearn
import pandas as pd
from fairlearn.metrics import MetricFrame, count, false_positive_rate, selection_rate, true_positive_rate

BY = ["sex", "race", "age", "region"]

data = pd.read_parquet(json.load(sys.stdin)["path"]).astype(dict.fromkeys(BY, "category"))
start = time.perf_counter()
rates = MetricFrame(
    metrics={"selection": selection_rate, "tpr": true_positive_rate, "fpr": false_positive_rate, "n": count},
    y_true=data["label"],
    y_pred=data["prediction"],
    sensitive_features=data[BY],
).by_group
seconds = time.perf_counter() - start
status = Path("/proc/self/status").read_text(encoding="ascii")
print(
    json.dumps(
        {
            "name": f"Fairlearn {fairlearn.__version__} `MetricFrame`: selection rate, TPR, FPR, count",
            "cells": len(rates.dropna()),
            "seconds": seconds,
            "peak": int(status.partition("VmHWM:")[2].split()[0]) / 1024,
        }
    )
)
