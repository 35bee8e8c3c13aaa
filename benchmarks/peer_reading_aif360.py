"""AIF360's ClassificationMetric on the records of `benchmarks.reading`; runs in an environment of its own.

It takes one privileged and one unprivileged group at a time, so that each cell is asked for by itself.
As that takes long, `cells` of them are timed, spread over all, and the time of all is in proportion.
"""

import itertools
import json
import logging
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import pandas as pd

warnings.filterwarnings("ignore")
logging.disable()  # it warns of every part whose package is absent
from aif360.datasets import BinaryLabelDataset  # noqa: E402
from aif360.metrics import ClassificationMetric  # noqa: E402

BY = ["sex", "race", "age", "region"]

arguments = json.load(sys.stdin)
data = pd.read_parquet(arguments["path"])
data[BY] = data[BY].apply(lambda column: column.astype("category").cat.codes)  # it takes numbers alone
cells = list(itertools.product(*(sorted(data[name].unique()) for name in BY)))


def dataset(label: str) -> BinaryLabelDataset:
    return BinaryLabelDataset(
        df=data[[*BY, label]].rename(columns={label: "outcome"}),
        label_names=["outcome"],
        protected_attribute_names=BY,
    )


start = time.perf_counter()
true, predicted = dataset("label"), dataset("prediction")
prepared = time.perf_counter() - start
asked = cells[:: max(len(cells) // arguments["cells"], 1)][: arguments["cells"]]
rates = []
start = time.perf_counter()
for cell in asked:
    group, other = ([dict(zip(BY, map(float, one)))] for one in (cell, cells[0 if cell != cells[0] else 1]))
    metric = ClassificationMetric(true, predicted, unprivileged_groups=group, privileged_groups=other)
    rates.append([
        metric.num_instances(privileged=False),
        metric.selection_rate(privileged=False),
        metric.true_positive_rate(privileged=False),
        metric.false_positive_rate(privileged=False),
    ])  # fmt: skip
per_cell = (time.perf_counter() - start) / len(asked)
status = Path("/proc/self/status").read_text(encoding="ascii")
print(
    json.dumps(
        {
            "name": f"AIF360 {version('aif360')} `ClassificationMetric`: the same, cell by cell "
            f"({len(asked)} of {len(cells)} cells timed)",
            "cells": len(cells),
            "seconds": prepared + per_cell * len(cells),
            "peak": int(status.partition("VmHWM:")[2].split()[0]) / 1024,
        }
    )
)
