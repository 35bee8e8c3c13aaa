"""What a run found, in a few sentences, each with its figures."""

from __future__ import annotations

from crossfair.paper.census_claims import ROUNDING
from crossfair.paper.names import joined
from crossfair.paper.published import FPR_EPSILON, LIMITED, PERFORMANCE, UNCONSTRAINED
from crossfair.paper.rows import Figures, one, select
from crossfair.paper.synthetic_claims import SMALL

INTERVALS = {"bootstrap": "the bootstrap", "bayes": "Bayes", "hierarchical": "the hierarchical estimator"}
REPAIRS = (*LIMITED, "derived")


def points(figures: Figures) -> list[str]:
    """Return the findings, the most general first."""
    return [_claims(figures), _audit(figures), _losses(figures), _held_out(figures), _coverage(figures)]


def _claims(figures: Figures) -> str:
    claims = figures["claims"]
    return (
        f"**{sum(claim['held'] for claim in claims)} of {len(claims)} claims held.** The figures behind each "
        "verdict stand beside it."
    )


def _audit(figures: Figures) -> str:
    rows = select(figures["census"]["audit"], split="train", metric="fpr_parity")
    smoothed, joint = (one(rows, estimator=name) for name in ("smoothed", "hierarchical"))
    lowest = smoothed["lowest"]
    return (
        f"**ε of FPR parity is {smoothed['epsilon']:.4f}** (paper: ≈ {FPR_EPSILON}), and rests on a cell "
        f"with {lowest['successes']:.0f} false positives in {lowest['trials']:.0f}: the choice of α = β sets "
        f"it. A prior inferred from all cells gives {joint['epsilon']:.2f}, 95 % interval "
        f"{joint['low']:.2f} to {joint['high']:.2f}."
    )


def _losses(figures: Figures) -> str:
    ours = {row["decisions"]: row["loss"] for row in select(figures["census"]["performance"], split="train")}
    paper = PERFORMANCE["train"]
    price = ours["threshold"] - ours[UNCONSTRAINED]
    printed = paper["threshold"].loss - paper[UNCONSTRAINED].loss
    return (
        f"**Fairness without coins is cheap.** Under the limit, thresholds alone cost {price:.4f} more than "
        f"the optimum without limits, where the paper has {printed:.4f}; every repair here comes with a "
        "proof that no policy of its kind costs less."
    )


def _held_out(figures: Figures) -> str:
    train, test = (_repaired(figures, split) for split in ("train", "test"))
    limit = figures["census"]["limit"] + ROUNDING
    kept = [sum(value <= limit for value in found) or "none" for found in (train, test)]
    return (
        f"**A limit met on the sample need not hold beyond it.** Of {len(train)} repairs, {kept[0]} keep ε ≤ "
        f"{limit:.2f} on the training data, {kept[1]} on the test data, where ε is {min(test):.2f} to "
        f"{max(test):.2f}."
    )


def _repaired(figures: Figures, split: str) -> list[float]:
    """Smoothed ε of every repair."""
    rows = select(figures["census"]["repaired"], split=split, estimator="smoothed")
    return [row["epsilon"] for row in rows if row["decisions"] in REPAIRS]


def _coverage(figures: Figures) -> str:
    rows = [row for row in figures["synthetic"]["summaries"] if row["size"] <= SMALL]
    spans = {
        words: [100 * row["coverage"] for row in select(rows, estimator=name)]
        for name, words in INTERVALS.items()
    }
    shown = [f"{min(found):.0f} to {max(found):.0f} % by {words}" for words, found in spans.items()]
    return (
        f"**Intervals on small data.** Up to {SMALL:,} records, by size, the share of 95 % intervals that "
        f"hold the true ε is {joined(shown)}."
    )
