"""Repairs inside scikit-learn: a classifier that keeps limits on unfairness, and a scorer for ε.

>>> import crossfair as cf
>>> cf.sklearn.epsilon_scorer("equalized_odds")
epsilon_scorer('equalized_odds')
"""

from __future__ import annotations

from crossfair.errors import missing_extra

try:
    import sklearn as _installed  # noqa: F401
except ModuleNotFoundError:
    raise missing_extra("scikit-learn", "sklearn", "crossfair.sklearn") from None

from crossfair.sklearn.classifier import FairClassifier
from crossfair.sklearn.scorer import epsilon_scorer

__all__ = ["FairClassifier", "epsilon_scorer"]
