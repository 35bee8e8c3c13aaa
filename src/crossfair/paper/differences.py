"""Where the paper and a run differ in what matters, each with the figures that show the reason."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from crossfair import api
from crossfair.counts import Counts
from crossfair.estimators.smoothed import Smoothed
from crossfair.paper import published
from crossfair.paper.names import cell_words, joined
from crossfair.paper.published import GIVEN, LIMITED, PERFORMANCE, UNCONSTRAINED

Figures = Mapping[str, Any]


class Difference(NamedTuple):
    """A difference in a few words, and the figures."""

    words: str
    figures: str


def list_all(figures: Figures) -> list[Difference]:
    """Return every difference, in the order of the paper."""
    return [one(figures) for one in DIFFERENCES]


def model(figures: Figures) -> Difference:
    """The model differs slightly from its description."""
    test, printed = _own(figures, "test", GIVEN), PERFORMANCE["test"][GIVEN]
    ours, paper = _own(figures, "train", GIVEN), PERFORMANCE["train"][GIVEN]
    return Difference(
        "A model of the paper's description is close to the paper's, but not the same",
        f"It has TPR {ours['tpr']:.4f} and FPR {ours['fpr']:.4f} on the training data; "
        f"the paper prints {paper.tpr:.4f} and {paper.fpr:.4f}. On the test data it has "
        f"{test['tpr']:.4f} and {test['fpr']:.4f}, against {printed.tpr:.4f} and {printed.fpr:.4f}. "
        "What follows from the scores agrees to no more digits than these.",
    )


def prior(figures: Figures) -> Difference:
    """ε ≈ 8.14 rests on a cell with no false positive."""
    rows = figures["census"]["audit"]
    found = next(
        row
        for row in rows
        if (row["split"], row["estimator"], row["metric"]) == ("train", "smoothed", "fpr_parity")
    )
    shown = ", ".join(f"{r['epsilon']:.2f} at {r['alpha']:.4g}" for r in figures["census"]["alpha"])
    return Difference(
        "ε ≈ 8.14 of FPR parity rests on a cell without a single false positive",
        f"The lowest cell is {found['lowest']}, the highest {found['highest']}. With no false positive in "
        f"it, α and β set ε, not the data: by α = β it is {shown}.",
    )


def optimiser(figures: Figures) -> Difference:
    """The paper's overall costs more than its sequential."""
    paper = PERFORMANCE["train"]
    ours = {row["method"]: row for row in figures["census"]["certificates"]}
    return Difference(
        "The paper's optimiser had not converged for `overall`",
        f"Every `sequential` policy is also an `overall` one, so the optimum of `overall` costs no more; the "
        f"paper prints {paper['overall'].loss:.4f} against {paper['sequential'].loss:.4f}. Here `overall` "
        f"costs {ours['overall']['objective']:.6f} and `sequential` {ours['sequential']['objective']:.6f}, "
        f"proven optimal to {max(ours['overall']['gap'], ours['sequential']['gap'], 1e-9):.0e}.",
    )


def determinism(figures: Figures) -> Difference:
    """The deterministic method is not expensive."""
    paper, ours = PERFORMANCE["train"], _own(figures, "train", "threshold")["loss"]
    certificate = next(r for r in figures["census"]["certificates"] if r["method"] == "threshold")
    here = ours - _own(figures, "train", UNCONSTRAINED)["loss"]
    printed = paper["threshold"].loss - paper[UNCONSTRAINED].loss
    return Difference(
        "Doing without randomness is cheap",
        f"In the paper thresholds alone cost {printed:.4f} more than the optimum without limits, here "
        f"{here:.4f}, which is {100 * here / printed:.0f} % of that. The thresholds are proven optimal "
        f"to {max(certificate['gap'], 1e-9):.0e}; the paper searched with L-BFGS-B and a Gaussian process.",
    )


def test_table(figures: Figures) -> Difference:
    """The test table's loss of the given predictor contradicts its own rates."""
    positive = figures["census"]["positive"]
    gaps = {
        (split, name): abs(row.loss - ((1 - row.tpr) * positive[split] + row.fpr * (1 - positive[split])))
        for split, columns in PERFORMANCE.items()
        for name, row in columns.items()
    }
    row = PERFORMANCE["test"][GIVEN]
    implied = (1 - row.tpr) * positive["test"] + row.fpr * (1 - positive["test"])
    others = max(gap for key, gap in gaps.items() if key != ("test", GIVEN))
    return Difference(
        "The paper's test table prints the training loss for the given predictor",
        f"It prints {row.loss:.4f}, as the training table does; its own TPR and FPR give {implied:.4f}. All "
        f"other losses of both tables follow from their rates to within {others:.4f}.",
    )


def caption(figures: Figures) -> Difference:
    """One caption says 0.157 where 2.15 is meant."""
    return Difference(
        "One caption prints another limit",
        f"The caption of the test table says 8.14 − log(400) ≈ {published.LIMIT_IN_TEST_CAPTION}; it is "
        f"{figures['census']['limit']:.4f}.",
    )


def flips(figures: Figures) -> Difference:
    """The table of flips names two cells twice."""
    listed = [cell for cell, *_ in published.FLIPS]
    twice = [cell for cell, n in Counter(listed).items() if n > 1]
    rows = [row for row in figures["census"]["flips"] if tuple(row["cell"]) not in listed]
    ours = [
        f"{cell_words(row['cell'])} ({row['rejected']:.4f} and {row['accepted']:.4f})"
        for row in rows
        if row["rejected"] or row["accepted"]
    ]
    return Difference(
        "The paper's table of flips names two cells twice",
        f"{joined([cell_words(cell) for cell in twice])} stand there two times, the latter with 0.09 and 1 "
        "and with 0 and 0.35. Here these cells, which the paper does not name, have flips: "
        f"{'; '.join(ours)}.",
    )


def penalty(figures: Figures) -> Difference:  # noqa: ARG001  # needs no run
    """The inequality in the penalty term is reversed."""
    equal = np.full(3, 0.4)
    ratios = equal[:, None] / equal
    return Difference(
        "The inequality in the penalty term is reversed",
        f"The term is to charge for a ratio of selection rates below 0.8, but is printed with > 0.8. With "
        f"three cells of equal rates, which are perfectly fair, the printed indicator is "
        f"{int((ratios > 0.8).any())} and the reversed one {int((ratios < 0.8).any())}: each cell's ratio "
        "with itself is 1.",
    )


def theorem(figures: Figures) -> Difference:  # noqa: ARG001
    """Smoothed estimates do not obey the theorem."""
    columns = {
        "first": list("aabbbb"),
        "second": [1, 2, 1, 1, 2, 2],
        "label": [0, 0, 0, 1, 0, 1],
        "n": [1] * 6,
    }
    counts = Counts.from_table(columns, by=["first", "second"], label="label")
    whole, part = (
        api.audit(counts, by=by, metrics="impact_ratio", estimator=Smoothed(0.5, 0.5))["impact_ratio"].epsilon
        for by in (["first", "second"], ["first"])
    )
    return Difference(
        "The theorem does not hold for smoothed estimates",
        f"It says that ε over fewer attributes is no larger. Positive labels 0/1, 0/1, 1/2 and 1/2 in the "
        f"cells (a, 1), (a, 2), (b, 1), (b, 2) give, at α = β = 0.5, ε = {whole:.4f} = ln "
        f"{math.exp(whole):.0f} for both attributes and {part:.4f} = ln {math.exp(part):.0f} for the first "
        "one alone.",
    )


def equivalence(figures: Figures) -> Difference:  # noqa: ARG001
    """Proposition 6 states an equivalence of which one direction fails."""
    steps = np.array([(2, 0), (0, 8), (8, 2)])
    above = np.concatenate([[[0, 0]], np.cumsum(steps, axis=0)])
    total = above[-1]
    plain = above[:, 1] + total[0] - above[:, 0]
    flipped = total[1] - above[:, 1] + above[:, 0]
    return Difference(
        "Proposition 6 holds in one direction only",
        f"One cell has, from the highest score down, steps with (positives, negatives) = (2, 0), (0, 8), (8, "
        f"2). The best threshold makes {plain.min()} errors and meets the condition, yet flipping all "
        f"decisions of another threshold makes {flipped.min()}. If all thresholds meet the condition, flips "
        "cannot help.",
    )


def overfitting(figures: Figures) -> Difference:
    """Limits met on the sample fail on the test split."""
    limit = figures["census"]["limit"]
    rows = [
        r
        for r in figures["census"]["repaired"]
        if r["split"] == "test" and r["decisions"] in (*LIMITED, "derived")
    ]
    points = {r["decisions"]: r["epsilon"] for r in rows if r["estimator"] == "smoothed"}
    chances = {r["decisions"]: r["within"] for r in rows if r["estimator"] == "hierarchical"}
    return Difference(
        "Limits met on the sample fail on the test data",
        "By the smoothed estimate the repaired models have, on the test data, "
        + joined([f"{name} {value:.2f}" for name, value in points.items()])
        + f", against a limit of {limit:.2f}. By the hierarchical estimate of the test data the probability "
        f"of keeping it is at most {max(chances.values()):.2f}.",
    )


DIFFERENCES: tuple[Callable[[Figures], Difference], ...] = (
    theorem,
    penalty,
    equivalence,
    model,
    prior,
    optimiser,
    determinism,
    overfitting,
    test_table,
    caption,
    flips,
)


def _own(figures: Figures, split: str, decisions: str) -> Mapping[str, float]:
    rows = figures["census"]["performance"]
    return next(r for r in rows if (r["split"], r["decisions"]) == (split, decisions))
