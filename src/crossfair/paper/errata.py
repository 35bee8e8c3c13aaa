"""Where the paper is at odds with itself, each with the figures that show it."""

from __future__ import annotations

import math

import numpy as np

from crossfair import api
from crossfair.counts import Counts
from crossfair.estimators.smoothed import Smoothed
from crossfair.paper import published
from crossfair.paper.claim import Difference
from crossfair.paper.flips import readings, unnamed
from crossfair.paper.names import cell_words
from crossfair.paper.published import GIVEN, PERFORMANCE
from crossfair.paper.rows import Figures


def theorem(figures: Figures) -> Difference:  # noqa: ARG001  # needs no run
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
        "one alone. For rates without smoothing it holds.",
    )


def penalty(figures: Figures) -> Difference:  # noqa: ARG001
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


def races(figures: Figures) -> Difference:
    """Section 4.2 has five values of race, the appendix four."""
    found = figures["census"]["races"]
    return Difference(
        "Race has four values in the experiment, not five",
        "Section 4.2 says five; the appendix merges Amer-Indian-Eskimo into Other. Smoothed ε of FPR parity "
        f"is {found['race_4']:.4f} with four and {found['race']:.4f} with five; the paper prints "
        f"{published.FPR_EPSILON}.",
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
    rows = figures["census"]["flips"]
    repaired = [one for one in readings(rows) if one.read != one.printed]
    read = "; ".join(
        f"the second row of {cell_words(one.printed)} prints {one.paper[0]:.2f} and {one.paper[1]:.2f}, "
        f"which is what {cell_words(one.read)} has here ({one.ours[0]:.4f} and {one.ours[1]:.4f})"
        for one in repaired
    )
    rest = max((max(row["rejected"], row["accepted"]) for row in unnamed(rows)), default=0.0)
    return Difference(
        "The paper's table of flips names two cells twice",
        f"Read by its figures, {read}. Then no cell that the table leaves out flips more than {rest:.4f} "
        "here. Its caption speaks of sex and age, its rows of race too.",
    )
