"""How the page writes cells, estimators and lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

ESTIMATORS = {
    "smoothed": "smoothed empirical",
    "bootstrap": "bootstrap",
    "bayes": "Bayesian",
    "hierarchical": "hierarchical",
    "guaranteed": "guaranteed",
}

METRICS = {
    "elift": "elift",
    "impact_ratio": "impact ratio",
    "statistical_parity": "statistical parity",
    "tpr_parity": "TPR parity",
    "fpr_parity": "FPR parity",
    "equalized_odds": "equalized odds",
}


def cell_words(cell: Sequence[Any]) -> str:
    """Return a cell of Adult in words; True and False say whether age is over 50.

    >>> cell_words(["Female", True, "Other"]), cell_words(["Female", "Other"])
    ('Female, age > 50, Other', 'Female, Other')
    """
    ages = {True: "age > 50", False: "age ≤ 50"}
    return ", ".join(ages[value] if isinstance(value, bool) else str(value) for value in cell)


def signed(difference: float, digits: int = 4) -> str:
    """Return a difference with its sign, a true minus.

    >>> signed(0.0013), signed(-0.25, 2)
    ('+0.0013', '−0.25')
    """
    return f"{difference:+.{digits}f}".replace("-", "−")


def joined(words: Sequence[str]) -> str:
    """Return a list in words.

    >>> joined(["a", "b", "c"]), joined(["a"]), joined([])
    ('a, b and c', 'a', 'none')
    """
    if not words:
        return "none"
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
