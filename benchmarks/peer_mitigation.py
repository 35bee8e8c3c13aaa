"""A repair by a peer on the records of benchmarks.mitigation; runs in an environment of its own.

Standard input names the peer, the file of records, how many seconds it may take, and its settings. The
rates that its policy gives each cell on these records are printed, so that the loss and ε come from them.
"""

import importlib.metadata
import json
import logging
import signal
import sys
import time
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Result = tuple[float, list[list[float]]]


def fairlearn(cell: Ints, label: Ints, score: Floats, settings: dict[str, Any]) -> Result:
    """Equalized odds, exactly equal rates; the chance of acceptance of every record."""
    from fairlearn.postprocessing import ThresholdOptimizer
    from sklearn.base import BaseEstimator

    class Scores(BaseEstimator):  # type: ignore[misc]
        """A fitted model whose prediction is the score."""

        fitted_ = True

        def fit(self, *_: Any) -> Self:
            return self

        def predict(self, records: Floats) -> Floats:
            return np.asarray(records)[:, 0]

    repair = ThresholdOptimizer(
        estimator=Scores(),
        constraints="equalized_odds",
        prefit=True,
        predict_method="predict",
        grid_size=settings["grid_size"],
    )
    model_input = score[:, None]
    start = time.perf_counter()
    repair.fit(model_input, label, sensitive_features=cell)
    seconds = time.perf_counter() - start
    accepted = repair._pmf_predict(model_input, sensitive_features=cell)[:, 1]
    size = int(cell.max()) + 1
    rates = [
        np.bincount(cell[of], accepted[of], size) / np.bincount(cell[of], minlength=size)
        for of in (label == 0, label == 1)
    ]
    return seconds, [rate.tolist() for rate in rates]  # of negatives, of positives


def error_parity(cell: Ints, label: Ints, score: Floats, settings: dict[str, Any]) -> Result:
    """Equalized odds within a difference; the point of every cell in ROC space."""
    from error_parity import RelaxedThresholdOptimizer

    repair = RelaxedThresholdOptimizer(
        predictor=lambda records: records[:, 0], tolerance=settings["tolerance"], max_roc_ticks=None
    )
    start = time.perf_counter()
    repair.fit(score[:, None], label, group=cell, y_scores=score)
    seconds = time.perf_counter() - start
    points = np.array(repair.groupwise_roc_points)
    return seconds, [points[:, 0].tolist(), points[:, 1].tolist()]


def out_of_time(*_: Any) -> None:
    print(json.dumps({"stopped": f"more than {asked['seconds']} s"}))
    sys.exit()


asked = json.load(sys.stdin)
warnings.simplefilter("ignore")
logging.disable()
records = np.load(asked["path"])
signal.signal(signal.SIGALRM, out_of_time)
signal.alarm(asked["seconds"])
try:
    seconds, rates = globals()[asked["peer"]](records["cell"], records["label"], records["score"], asked)
    version = importlib.metadata.version(asked["peer"].replace("_", "-"))
    print(json.dumps({"seconds": seconds, "fpr": rates[0], "tpr": rates[1], "version": version}))
except Exception as error:  # what a peer cannot do is a result
    print(json.dumps({"stopped": f"{type(error).__name__}: {error}"}))
