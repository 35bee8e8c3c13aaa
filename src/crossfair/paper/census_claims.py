"""The paper's claims on Adult: the audit, the repairs, and what they cost.

The paper does not say how near close is; `CLOSE` says it here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from crossfair.paper import published
from crossfair.paper.claim import Claim
from crossfair.paper.names import ESTIMATORS, METRICS, cell_words, joined, signed
from crossfair.paper.published import GIVEN, LIMITED, UNCONSTRAINED
from crossfair.paper.rows import Figures, Row, one, select

#: The paper's price of doing without randomness, and the tenth of it up to which losses are close.
PRICE = published.PERFORMANCE["train"]["threshold"].loss - published.PERFORMANCE["train"][UNCONSTRAINED].loss
CLOSE = PRICE / 10

ROUNDING = 1e-9


def elift_cell(figures: Figures) -> Claim:
    """ε of elift is set by women of another race, in the running example."""
    example = figures["census"]["example"]
    return Claim(
        "In the running example (sex × race) women of race “Other” set ε of elift",
        tuple(example["race"]["cell"]) == published.ELIFT_CELL,
        f"with the raw codes of race {cell_words(example['race']['cell'])} does; with "
        f"Amer-Indian-Eskimo merged into Other, {cell_words(example['race_4']['cell'])}",
    )


def worst_metric(figures: Figures) -> Claim:
    """FPR parity is the worst metric, at 8.14."""
    found = {row["metric"]: row["epsilon"] for row in _audit(figures, "smoothed")}
    others = {name: value for name, value in found.items() if name not in ("fpr_parity", "equalized_odds")}
    return Claim(
        "The given model is unfair by every metric, by FPR parity most (ε ≈ 8.14)",
        found["fpr_parity"] > max(others.values()) and min(found.values()) > 0,
        f"FPR parity {found['fpr_parity']:.4f}; next "
        + ", ".join(
            f"{METRICS[name]} {others[name]:.3f}" for name in sorted(others, key=others.__getitem__)[::-1]
        ),
    )


def bayes_wider_on_census(figures: Figures) -> Claim:
    """Bayesian intervals are generally wider on Adult."""
    bayes, bootstrap = (_audit(figures, name) for name in ("bayes", "bootstrap"))
    pairs = [(b["metric"], b["high"] - b["low"], s["high"] - s["low"]) for b, s in zip(bayes, bootstrap)]
    wider = [name for name, mine, other in pairs if mine > other]
    return Claim(
        "On Adult, Bayesian intervals are generally wider than bootstrap ones",
        len(wider) > len(pairs) / 2,
        f"wider for {len(wider)} of {len(pairs)} metrics: {joined([METRICS[name] for name in wider])}",
    )


def limit_met(figures: Figures) -> Claim:
    """The limit is met by the smoothed estimate for all methods."""
    found = {name: _repaired(figures, "train", name, "smoothed")["epsilon"] for name in LIMITED}
    limit = figures["census"]["limit"]
    return Claim(
        "All repaired models keep the limit ε ≤ 2.15 by the smoothed estimate, training data",
        max(found.values()) <= limit + ROUNDING,
        f"limit {limit:.4f}; " + ", ".join(f"{name} {value:.4f}" for name, value in found.items()),
    )


def limit_in_intervals(figures: Figures) -> Claim:
    """2.15 lies in the 95 % bootstrap and Bayesian intervals after repair."""
    limit = figures["census"]["limit"]
    inside: list[str] = []
    outside: list[str] = []
    for name in LIMITED:
        for estimator in ("bootstrap", "bayes"):
            row = _repaired(figures, "train", name, estimator)
            words = f"{name} {ESTIMATORS[estimator]} {row['low']:.2f} to {row['high']:.2f}"
            (inside if row["low"] <= limit <= row["high"] else outside).append(words)
    return Claim(
        "After repair 2.15 lies in the 95 % bootstrap and Bayesian intervals, training data",
        not outside,
        f"inside: {', '.join(inside) or 'none'}; outside: {', '.join(outside) or 'none'}",
    )


def bad_cell(figures: Figures) -> Claim:
    """Randomising a bad cell can improve the loss."""
    better = [row for row in figures["census"]["cells"] if row["repaired"] < row["given"] - ROUNDING]
    return Claim(
        "Randomising the predictions of a small, badly served cell can lower its loss",
        bool(better),
        "; ".join(
            f"{cell_words(row['cell'])} ({row['records']:.0f} records): {row['given']:.4f} before, "
            f"{row['repaired']:.4f} after"
            for row in better
        )
        or "in no cell",
    )


def bad_cell_mostly_wrong(figures: Figures) -> Claim:
    """The model is wrong more often than right in that cell."""
    better = [row for row in figures["census"]["cells"] if row["repaired"] < row["given"] - ROUNDING]
    return Claim(
        "In that cell the given model is wrong more often than right",
        bool(better) and all(row["given"] > 0.5 for row in better),
        "; ".join(
            f"{cell_words(row['cell'])}: {100 * row['given']:.1f} % of all its predictions are wrong, and "
            f"{row['predicted'] - row['right']:.0f} of its {row['predicted']:.0f} positive ones"
            for row in better
        )
        or "there is no such cell",
    )


def randomize_close(figures: Figures) -> Claim:
    """Randomization alone costs almost nothing."""
    return _costs(
        "Randomization alone costs almost no performance", figures, GIVEN, ["randomize"], close=True
    )


def coins_close(figures: Figures) -> Claim:
    """Sequential and overall are close to the unconstrained optimum."""
    words = "Sequential and overall post-processing are close to the optimum without limits"
    return _costs(words, figures, UNCONSTRAINED, ["sequential", "overall"], close=True)


def threshold_far(figures: Figures) -> Claim:
    """The deterministic method is far from the unconstrained optimum."""
    words = "Deterministic post-processing costs significantly more than the other methods"
    return _costs(words, figures, UNCONSTRAINED, ["threshold"], close=False)


def no_overfitting(figures: Figures) -> Claim:
    """No overfitting is observed: the limit is kept on the test split too."""
    found = {name: _repaired(figures, "test", name, "smoothed")["epsilon"] for name in LIMITED}
    train, test = (_losses(figures, split) for split in ("train", "test"))
    limit, rises = figures["census"]["limit"], [test[name] - train[name] for name in LIMITED]
    kept = [name for name, value in found.items() if value <= limit + ROUNDING]
    return Claim(
        "No overfitting is observed: what is met on the training data is met on the test data",
        len(kept) == len(found),
        f"{len(kept)} of {len(found)} methods keep the limit {limit:.4f} there by the smoothed estimate: "
        + ", ".join(f"{name} {value:.2f}" for name, value in found.items())
        + f"; the losses change by {signed(min(rises))} to {signed(max(rises))}, the given predictor's by "
        f"{signed(test[GIVEN] - train[GIVEN])}",
    )


CLAIMS: tuple[Callable[[Figures], Claim], ...] = (
    elift_cell,
    worst_metric,
    bayes_wider_on_census,
    limit_met,
    limit_in_intervals,
    bad_cell,
    bad_cell_mostly_wrong,
    randomize_close,
    coins_close,
    threshold_far,
    no_overfitting,
)


def _costs(words: str, figures: Figures, base: str, methods: Sequence[str], *, close: bool) -> Claim:
    """A claim on how much more than a baseline some methods cost on the training data."""
    loss = _losses(figures, "train")
    printed = {name: row.loss for name, row in published.PERFORMANCE["train"].items()}
    prices = {name: loss[name] - loss[base] for name in methods}
    return Claim(
        words,
        all((price <= CLOSE) is close for price in prices.values()),
        "; ".join(
            f"{name} costs {price:.6f} more than the {published.COLUMNS[base]} "
            f"(paper: {printed[name] - printed[base]:.4f})"
            for name, price in prices.items()
        )
        + f"; close is up to {CLOSE:.5f}",
    )


def _losses(figures: Figures, split: str) -> dict[str, float]:
    return {row["decisions"]: row["loss"] for row in select(figures["census"]["performance"], split=split)}


def _audit(figures: Figures, estimator: str) -> list[Row]:
    return select(figures["census"]["audit"], split="train", estimator=estimator)


def _repaired(figures: Figures, split: str, decisions: str, estimator: str) -> Row:
    rows = figures["census"]["repaired"]
    return one(rows, split=split, decisions=decisions, estimator=estimator)
