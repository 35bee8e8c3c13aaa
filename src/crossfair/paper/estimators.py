"""The estimators of both experiments: the paper's three with its parameters, and two more."""

from __future__ import annotations

from crossfair.estimators.base import Estimator
from crossfair.estimators.bayes import Bayes
from crossfair.estimators.bootstrap import Bootstrap
from crossfair.estimators.guaranteed import Guaranteed
from crossfair.estimators.hierarchical import Hierarchical
from crossfair.estimators.smoothed import Smoothed
from crossfair.paper.published import ALPHA, BETA, DRAWS, PRIOR

LEVEL = 0.95

PAPERS: dict[str, Estimator] = {
    "smoothed": Smoothed(ALPHA, BETA),
    "bootstrap": Bootstrap(DRAWS, ALPHA, BETA),
    "bayes": Bayes(PRIOR, PRIOR, DRAWS),
}
OURS: dict[str, Estimator] = {"hierarchical": Hierarchical(DRAWS), "guaranteed": Guaranteed()}
ESTIMATORS = PAPERS | OURS
