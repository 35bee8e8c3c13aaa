"""Measure and repair unfairness of classifiers over intersections of sensitive attributes.

The public names; each is imported when it is first used, so that `import crossfair` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Audit": "auditing",
    "Bayes": "estimators.bayes",
    "Bootstrap": "estimators.bootstrap",
    "Cells": "cells",
    "Changes": "changes",
    "Counts": "counts",
    "CrossfairError": "errors",
    "Curves": "curve",
    "Drift": "drift",
    "Evaluation": "evaluation",
    "Finding": "finding",
    "FormatError": "errors",
    "Frontier": "frontiers",
    "Guaranteed": "estimators.guaranteed",
    "Hierarchical": "estimators.hierarchical",
    "InfeasibleError": "errors",
    "InputError": "errors",
    "Loss": "mitigation.problem",
    "MissingDependencyError": "errors",
    "Policy": "policy",
    "SimilarCellsWarning": "errors",
    "Smoothed": "estimators.smoothed",
    "SolverError": "errors",
    "audit": "api",
    "compare": "api",
    "count": "api",
    "curves": "api",
    "four_fifths": "api",
    "frontier": "frontiers",
    "mitigate": "repair",
}

__all__ = ["__version__", "datasets", "sklearn", *_HOME]  # noqa: PLE0604

if TYPE_CHECKING:
    from crossfair import datasets, sklearn
    from crossfair.api import audit as audit
    from crossfair.api import compare as compare
    from crossfair.api import count as count
    from crossfair.api import curves as curves
    from crossfair.api import four_fifths as four_fifths
    from crossfair.auditing import Audit as Audit
    from crossfair.cells import Cells as Cells
    from crossfair.changes import Changes as Changes
    from crossfair.counts import Counts as Counts
    from crossfair.curve import Curves as Curves
    from crossfair.drift import Drift as Drift
    from crossfair.errors import CrossfairError as CrossfairError
    from crossfair.errors import FormatError as FormatError
    from crossfair.errors import InfeasibleError as InfeasibleError
    from crossfair.errors import InputError as InputError
    from crossfair.errors import MissingDependencyError as MissingDependencyError
    from crossfair.errors import SimilarCellsWarning as SimilarCellsWarning
    from crossfair.errors import SolverError as SolverError
    from crossfair.estimators.bayes import Bayes as Bayes
    from crossfair.estimators.bootstrap import Bootstrap as Bootstrap
    from crossfair.estimators.guaranteed import Guaranteed as Guaranteed
    from crossfair.estimators.hierarchical import Hierarchical as Hierarchical
    from crossfair.estimators.smoothed import Smoothed as Smoothed
    from crossfair.evaluation import Evaluation as Evaluation
    from crossfair.finding import Finding as Finding
    from crossfair.frontiers import Frontier as Frontier
    from crossfair.frontiers import frontier as frontier
    from crossfair.mitigation.problem import Loss as Loss
    from crossfair.policy import Policy as Policy
    from crossfair.repair import mitigate as mitigate


def __getattr__(name: str) -> Any:
    if name in ("datasets", "sklearn"):
        return importlib.import_module(f"crossfair.{name}")
    if name not in _HOME:
        message = f"module 'crossfair' has no attribute {name!r}"
        raise AttributeError(message)
    found = getattr(importlib.import_module(f"crossfair.{_HOME[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
