"""A scorer for ε: what a search minimises, or a cross-validation reports, beside the accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import UNUSED

from crossfair import auditing, frames
from crossfair.estimators.smoothed import Smoothed
from crossfair.metrics import metric as known_metric
from crossfair.reading import Reading
from crossfair.sample import expected_counts
from crossfair.sklearn import columns
from crossfair.sklearn.classifier import FairClassifier


class _EpsilonScorer(BaseEstimator):
    """Call it as scikit-learn calls scorers: (estimator, X, y). Greater is better, so it gives −ε."""

    def __init__(
        self, metric: str, *, by: Any, bins: Any, min_support: int, alpha: float, beta: float
    ) -> None:
        self.metric = metric
        self.by = by
        self.bins = bins
        self.min_support = min_support
        self.alpha = alpha
        self.beta = beta

    # The request for metadata is read off the signature of `score`, where the estimator is none.
    __metadata_request__score = {"estimator": UNUSED}  # noqa: RUF012

    def score(
        self, estimator: Any, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None
    ) -> float:
        """Return −ε of the estimator's decisions on X; for a FairClassifier, of what its policy expects."""
        final, reached = _last(estimator, X)
        repaired = isinstance(final, FairClassifier)
        own = repaired and self.by is None
        by, table = (final.by, reached) if own else (self.by, X)
        bins = final.bins if own and self.bins is None else self.bins
        attributes = columns.attributes(table, by, sensitive_features)
        if repaired:
            positive = final.classes_[final.positive_code_]
            pair = final.predict_proba(reached, sensitive_features=sensitive_features)
            chances = pair[:, final.positive_code_]
        else:
            positive = estimator.classes_[1]
            chances = (np.asarray(estimator.predict(X)) == positive).astype(np.float64)
        return -self._epsilon(attributes, bins, np.asarray(y) == positive, chances, sample_weight)

    def __call__(self, estimator: Any, X: Any, y: Any, **metadata: Any) -> float:
        """Return `score`."""
        return self.score(estimator, X, y, **metadata)

    def _epsilon(self, attributes: Any, bins: Any, label: Any, chances: Any, weights: Any) -> float:
        """ε of the expected counts: the chance stands for the score, and is what it is accepted with."""
        names = columns.apart(["label", "score", "weight"], attributes)
        size = len(label)
        reading = Reading(
            by=list(attributes),
            bins={columns.name_of(name): edges for name, edges in (bins or {}).items()},
            label=names["label"],
            score=names["score"],
            weight=None if weights is None else names["weight"],
        )
        table = {
            **{name: columns.listed(items, size, name) for name, items in attributes.items()},
            names["label"]: label.astype(np.int64),
            names["score"]: chances,
        }
        if weights is not None:
            table[names["weight"]] = np.asarray(weights, dtype=np.float64)
        curves = frames.read_curves(table, reading)
        counts = expected_counts(curves, curves.scores)
        settings = auditing.Settings(Smoothed(self.alpha, self.beta), min_support=self.min_support)
        return float(auditing.run_audit(counts, settings, [self.metric])[self.metric].epsilon)

    def __repr__(self) -> str:
        return f"epsilon_scorer({self.metric!r})"


def epsilon_scorer(
    metric: str,
    *,
    by: Any = None,
    bins: Any = None,
    min_support: int = 1,
    alpha: float = 0.01,
    beta: float = 0.01,
) -> _EpsilonScorer:
    """Return a scorer that gives −ε of a classifier's decisions, smoothed by alpha and beta.

    The attributes are the columns `by` of X, or those that a FairClassifier at the end of a pipeline sees; or
    they come as `sensitive_features`: `epsilon_scorer(…).set_score_request(sensitive_features=True)`.

    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = np.array([[0], [0], [1], [1]]), np.array([0, 1, 0, 1])
    >>> epsilon_scorer("statistical_parity", by=[0])(DummyClassifier().fit(X, y), X, y)
    -0.0
    """
    return _EpsilonScorer(
        known_metric(metric, "metric").name, by=by, bins=bins, min_support=min_support, alpha=alpha, beta=beta
    )


def _last(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The last step of a pipeline, or of a search's best one, and X as it reaches that step."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif isinstance(estimator, Pipeline):
            X = estimator[:-1].transform(X) if len(estimator) > 1 else X
            estimator = estimator[-1]
        else:
            return estimator, X
