"""FairClassifier: a classifier whose decisions keep limits on unfairness, at home in scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import cross_val_predict
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _routing_enabled,
    process_routing,
)
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _num_samples, check_consistent_length, check_is_fitted, column_or_1d

from crossfair import coins
from crossfair.errors import invalid
from crossfair.repair import mitigate
from crossfair.sklearn import columns

Floats = NDArray[np.float64]

RESPONSES = ("predict_proba", "decision_function")
GIVEN = {"predict_proba": 0.5, "decision_function": 0.0}  # the thresholds of a classifier's own decisions


class FairClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier repaired by `mitigate`: its scores, decided by a policy within limits on unfairness.

    `by` names the sensitive columns of X, by name or, in an array, by position; or they come beside X as
    `sensitive_features` (metadata routing carries them through pipelines and searches). The policy is fitted
    to cross-fitted scores (`cv`), which do not share the optimism of scores on training data; `cv=None` takes
    these all the same, and `prefit=True` takes a classifier that was fitted to other data; for searches,
    which clone it, freeze that one by `sklearn.frozen.FrozenEstimator`.

    `predict_proba` gives the acceptance probabilities. Where these lie strictly between 0 and 1, `predict`
    needs a `key` for each record, or a `seed`; `method="threshold"` never needs one. The other parameters are
    those of `mitigate`; `policy_` is what it gave back.

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> sex, skill = rng.integers(2, size=400), rng.normal(size=400)
    >>> X, y = np.column_stack([sex, skill]), (skill + sex + rng.normal(size=400) > 0.5).astype(int)
    >>> fair = FairClassifier(
    ...     LogisticRegression(), by=[0], limits={"statistical_parity": 0.1}, method="threshold"
    ... ).fit(X, y)
    >>> fair.policy_.by, fair.predict(X[:3]).tolist(), fair.predict_proba(X[:3]).tolist()
    (('x0',), [0, 0, 1], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    """

    def __init__(
        self,
        estimator: Any,
        *,
        by: Any = None,
        limits: Any = None,
        method: str | None = None,
        bins: Any = None,
        positive: Any = None,
        loss: Any = None,
        monotone: bool | None = None,
        decide_by: Any = None,
        min_support: int = 10,
        alpha: float = 0.01,
        beta: float = 0.01,
        unseen: str = "error",
        salt: str | None = None,
        cv: Any = 5,
        prefit: bool = False,
        key: Any = None,
        seed: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.by = by
        self.limits = limits
        self.method = method
        self.bins = bins
        self.positive = positive
        self.loss = loss
        self.monotone = monotone
        self.decide_by = decide_by
        self.min_support = min_support
        self.alpha = alpha
        self.beta = beta
        self.unseen = unseen
        self.salt = salt
        self.cv = cv
        self.prefit = prefit
        self.key = key
        self.seed = seed
        self.n_jobs = n_jobs

    def fit(
        self, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None, **params: Any
    ) -> FairClassifier:
        """Fit the classifier unless it is `prefit`, then the policy to its scores and the attributes."""
        if sample_weight is not None:
            sample_weight = column_or_1d(sample_weight)
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y, sample_weight)
        classes, codes = self._classes(y, sample_weight)
        attributes = columns.attributes(X, self.by, sensitive_features)
        self.response_ = self._response()
        scores = self._fit_scores(X, y, self._routed(params, sensitive_features, sample_weight))
        if list(self.estimator_.classes_) != list(classes):
            raise invalid(
                "estimator", f"must know the classes {list(classes)}", got=list(self.estimator_.classes_)
            )
        self.classes_, self.positive_code_ = classes, self._positive_code(classes)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        label = (codes == self.positive_code_).astype(np.int64)
        self.policy_ = self._repair(attributes, label, self._towards_positive(scores), sample_weight)
        return self

    def predict_proba(self, X: Any, *, sensitive_features: Any = None) -> Floats:
        """Return per class the probability that the policy decides for it."""
        accepted = self._acceptance(X, sensitive_features)
        pair = [1 - accepted, accepted] if self.positive_code_ == 1 else [accepted, 1 - accepted]
        return np.column_stack(pair)

    def predict(
        self, X: Any, *, sensitive_features: Any = None, key: Any = None, seed: int | None = None
    ) -> Any:
        """Return the class decided for each record, by the coin of its key where it needs one.

        `key` holds one per record, or names a column of X, as the parameter `key` of the classifier does. A
        seed, here or as the parameter, draws coins anew in each call.
        """
        accepted = self._acceptance(X, sensitive_features)
        if key is None and seed is None:
            key = self.key
        if isinstance(key, (str, int)):
            key = columns.column(X, key, "key")
        chosen = self.seed if seed is None and key is None else seed
        keys = None
        if key is not None:
            keys = coins.lookup(columns.listed(key, len(accepted), "key"), len(accepted))
        decided = coins.decide(accepted, self.policy_.salt, keys, chosen)
        return self.classes_[np.where(decided == 1, self.positive_code_, 1 - self.positive_code_)]

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, sensitive_features: Any = None) -> float:
        """Return the expected share of correct decisions, whatever the coins; it needs no key."""
        chances = self.predict_proba(X, sensitive_features=sensitive_features)
        truth = np.asarray(y)[:, None] == self.classes_[None, :]
        return float(np.average((chances * truth).sum(axis=1), weights=sample_weight))

    def get_metadata_routing(self) -> Any:
        """Return what this classifier asks for itself, and what goes to the one it wraps."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    def _classes(self, labels: Any, weights: Any) -> tuple[Any, Any]:
        check_classification_targets(labels)
        found, codes = np.unique(labels, return_inverse=True)
        counted = codes if weights is None else codes[np.asarray(weights) > 0]
        if len(np.unique(counted)) == 1:
            raise invalid(
                "y", "Classifier can't train when only one class is present", got=str(found.tolist())
            )
        if len(found) != 2:
            kind = type_of_target(labels, input_name="y")
            message = f"Only binary classification is supported. The type of the target is {kind}"
            raise invalid("y", message, got=f"{len(found)} classes")
        return found, codes

    def _positive_code(self, classes: Any) -> int:
        if self.positive is None:
            return 1
        if self.positive not in classes.tolist():
            raise invalid(
                "positive", f"must be one of the classes {classes.tolist()}", got=repr(self.positive)
            )
        return classes.tolist().index(self.positive)  # type: ignore[no-any-return]

    def _response(self) -> str:
        for response in RESPONSES:
            if hasattr(self.estimator, response):
                return response
        raise invalid("estimator", "must have predict_proba or decision_function", got=repr(self.estimator))

    def _routed(self, params: dict[str, Any], sensitive_features: Any, sample_weight: Any) -> dict[str, Any]:
        """What goes to the fit of the wrapped classifier: with metadata routing, what it asked for."""
        if sample_weight is not None:
            params = {**params, "sample_weight": sample_weight}
        if not _routing_enabled():
            return params
        if sensitive_features is not None:
            params = {**params, "sensitive_features": sensitive_features}
        return dict(process_routing(self, "fit", **params).estimator.fit)

    def _fit_scores(self, X: Any, y: Any, params: dict[str, Any]) -> Floats:
        """Fit the classifier, and return a score for each record, cross-fitted if asked for."""
        if self.prefit:
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
            return np.asarray(getattr(self.estimator_, self.response_)(X), dtype=np.float64)
        found = None
        if self.cv is not None:
            found = cross_val_predict(
                clone(self.estimator),
                X,
                y,
                cv=self.cv,
                method=self.response_,
                params=params,
                n_jobs=self.n_jobs,
            )
        self.estimator_ = clone(self.estimator).fit(X, y, **params)
        if found is None:
            found = getattr(self.estimator_, self.response_)(X)
        return np.asarray(found, dtype=np.float64)

    def _towards_positive(self, scores: Floats) -> Floats:
        """The score of the positive class."""
        if self.response_ == "predict_proba":
            return scores[:, self.positive_code_]
        return scores if self.positive_code_ == 1 else -scores

    def _repair(self, attributes: columns.Columns, label: Any, scores: Floats, weights: Any) -> Any:
        names = columns.apart(["label", "score", "weight"], attributes)
        data = {**attributes, names["label"]: label, names["score"]: scores}
        if weights is not None:
            data[names["weight"]] = np.asarray(weights, dtype=np.float64)
        bins = {columns.name_of(name): edges for name, edges in (self.bins or {}).items()}
        return mitigate(
            data,
            by=list(attributes),
            bins=bins,
            label=names["label"],
            score=names["score"],
            threshold=GIVEN[self.response_],
            weight=None if weights is None else names["weight"],
            limits=self.limits,
            loss=self.loss,
            method=self.method,
            monotone=self.monotone,
            decide_by=self._decide_by(),
            min_support=self.min_support,
            alpha=self.alpha,
            beta=self.beta,
            unseen=self.unseen,  # type: ignore[arg-type]  # checked by mitigate
            salt=self.salt,
        )

    def _decide_by(self) -> list[str] | None:
        if self.decide_by is None:
            return None
        one = isinstance(self.decide_by, (str, int))
        return [columns.name_of(name) for name in ([self.decide_by] if one else self.decide_by)]

    def _acceptance(self, X: Any, sensitive_features: Any) -> Floats:
        check_is_fitted(self, "policy_")
        scores = np.asarray(getattr(self.estimator_, self.response_)(X), dtype=np.float64)
        needed = self.policy_.decide_by
        given = columns.attributes(X, self.by, sensitive_features) if needed else {}
        absent = [name for name in needed if name not in given]
        if absent:
            rule = f"must have {', '.join(needed)}, as when it was fitted"
            raise invalid("sensitive_features", rule, got=f"{', '.join(given)} without {', '.join(absent)}")
        table = {name: columns.listed(given[name], _num_samples(X), name) for name in needed}
        return self.policy_.acceptance({**table, self.policy_.input_name: self._towards_positive(scores)})  # type: ignore[no-any-return]
