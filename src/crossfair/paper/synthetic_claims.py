"""The paper's claims on the estimators, checked on the synthetic data where the truth is known.

The paper does not say which sizes are small; `SMALL` says it here. Comparisons count as decided beyond two
standard errors of the difference over the same data sets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from crossfair.paper.claim import Claim
from crossfair.paper.names import ESTIMATORS, joined
from crossfair.paper.rows import Figures, Row, select

#: Sizes at which the sparse cell has 2.5 positive labels or fewer on average.
SMALL = 1_000


def converge(figures: Figures) -> Claim:
    """All estimators converge to the truth."""
    found = []
    for name in ("smoothed", "bootstrap", "bayes"):
        rows = select(figures["synthetic"]["summaries"], estimator=name)
        found.append((name, max(row["mse"] for row in rows), rows[-1]["mse"], rows[-1]["size"]))
    return Claim(
        "All three estimators converge to the true ε as the data grow",
        all(last < worst / 20 for _, worst, last, _ in found),
        "; ".join(
            f"{ESTIMATORS[name]}: mean squared error {worst:.2f} at its worst, {last:.3f} at {size:,} records"
            for name, worst, last, size in found
        ),
    )


def bayes_best(figures: Figures) -> Claim:
    """Bayesian best by squared error at every size."""
    rivals = {name: _decided(figures, "bayes", name) for name in ("smoothed", "bootstrap")}
    return Claim(
        "The Bayesian estimate has the smallest mean squared error at every size",
        not any(higher for _, higher in rivals.values()),
        "; ".join(
            f"against the {ESTIMATORS[name]} estimate: smaller at {_sizes(lower)}, larger at "
            + (joined([_errors(figures, size, name) for size in higher]) if higher else "no size")
            for name, (lower, higher) in rivals.items()
        ),
    )


def bootstrap_worse(figures: Figures) -> Claim:
    """Bootstrap worse than empirical at small sizes."""
    lower, higher = _decided(figures, "bootstrap", "smoothed")
    small = [row["size"] for row in _pairs(figures, "bootstrap", "smoothed") if row["size"] <= SMALL]
    return Claim(
        "For small data sets the bootstrap estimate is worse than the smoothed empirical one",
        all(size in higher for size in small),
        f"its mean squared error is larger at {_sizes(higher)}, smaller at {_sizes(lower)}",
    )


def bootstrap_wider(figures: Figures) -> Claim:
    """Bootstrap intervals wider than Bayesian at small sizes."""
    widths = {(r["size"], r["estimator"]): r["width"] for r in figures["synthetic"]["summaries"]}
    sizes = list(dict.fromkeys(size for size, _ in widths))
    wider = [size for size in sizes if widths[size, "bootstrap"] > widths[size, "bayes"]]
    shown = ", ".join(
        f"{widths[size, 'bootstrap']:.2f} against {widths[size, 'bayes']:.2f} at {size:,}"
        for size in sizes
        if size <= SMALL
    )
    return Claim(
        "For small data sets bootstrap intervals are generally wider than Bayesian ones",
        all(size in wider for size in sizes if size <= SMALL),
        f"median widths: {shown}; the bootstrap's are wider at {_sizes(wider)}",
    )


CLAIMS: tuple[Callable[[Figures], Claim], ...] = (converge, bayes_best, bootstrap_worse, bootstrap_wider)


def faster(seconds: Sequence[Row]) -> Claim:
    """The claim about speed, which needs what is measured in seconds."""
    spent = {(row["size"], row["estimator"]): row["seconds"] for row in seconds}
    sizes = list(dict.fromkeys(row["size"] for row in seconds))
    ratios = [spent[size, "bootstrap"] / spent[size, "bayes"] for size in sizes]
    return Claim(
        "Bayesian estimation is faster than the bootstrap",
        min(ratios) > 1,
        f"the bootstrap takes {min(ratios):.1f} to {max(ratios):.1f} times as long per data set, although "
        "resampling here is one multinomial draw and builds no data sets",
    )


def _pairs(figures: Figures, first: str, second: str) -> list[Row]:
    return select(figures["synthetic"]["pairs"], first=first, second=second)


def _decided(figures: Figures, first: str, second: str) -> tuple[list[int], list[int]]:
    """Sizes at which the first has the smaller mean squared error, and the larger one, beyond doubt."""
    rows = [
        (r["size"], r["mse_difference"], 2 * r["mse_difference_error"])
        for r in _pairs(figures, first, second)
    ]
    lower = [size for size, difference, margin in rows if difference < -margin]
    return lower, [size for size, difference, margin in rows if difference > margin]


def _errors(figures: Figures, size: int, other: str) -> str:
    """A size with the mean squared errors of the Bayesian and another estimate."""
    errors = {r["estimator"]: r["mse"] for r in select(figures["synthetic"]["summaries"], size=size)}
    return f"{size:,} ({errors['bayes']:.4f} against {errors[other]:.4f})"


def _sizes(sizes: Sequence[int]) -> str:
    return joined([f"{size:,}" for size in sizes]) if sizes else "no size"
