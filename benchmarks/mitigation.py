"""Repairs: what each method loses and how long it takes after the curves."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np

import crossfair as cf
from benchmarks.common import best, seconds, table
from benchmarks.scored import scored
from crossfair.cells import Cells

ADULT: dict[str, Any] = {"by": ["sex", "age_over_50", "race_4"], "label": "income", "positive": ">50K"}
ODDS = {"equalized_odds": 8.14 - math.log(400)}
EPSILONS = (0.1, 0.5)
VERTICES = 60


def section() -> str:
    """The section of docs/benchmarks.md."""
    return f"""## Repairing

Seconds are those of the whole call `cf.mitigate(curves, …)`: from curves that are there to a policy that has
been re-checked, with what it and its rivals are expected to give. All limits are on equalized odds.

Adult, 16 cells, ε ≤ {ODDS["equalized_odds"]:.4f}:

{adult()}
300 cells with one million distinct scores:

{distinct_scores()}
1,000 cells whose polygons have {VERTICES} vertices each:

{many_vertices()}
10,000 cells and 10,000,000 records with distinct scores, ε ≤ 0.5, in a process of its own, whose peak of
memory includes the records:

{ten_million()}"""


def row(name: str, curves: cf.Curves, repeat: int = 5, **options: Any) -> list[str]:
    """A repair's name, limit, loss, certificate and time."""
    options = {"limits": ODDS, "min_support": 1, **options}
    policy = cf.mitigate(curves, **options)
    spent = best(partial(cf.mitigate, curves, **options), repeat)
    found = policy.certificate
    assert found is not None
    limit = max(options["limits"].values())
    return [
        name,
        f"{limit:.4g}",
        f"{found.objective:.6f}",
        f"{found.gap:.1e}",
        str(found.nodes),
        seconds(spent),
    ]


HEADINGS = ("method", "ε", "loss", "gap", "nodes", "seconds")


def adult() -> str:
    """All methods on the bundled data."""
    people = cf.datasets.adult("train")
    curves = cf.curves(people, score="score", **ADULT)
    rows = [row(f"`{method}`", curves, method=method)
            for method in ("randomize", "threshold", "sequential", "overall", "derived")]  # fmt: skip
    rows.append(row("`derived`, any acceptance", curves, method="derived", monotone=False))
    return table(HEADINGS, rows)


def distinct_scores() -> str:
    """Threshold and derived for 300 cells and a million steps."""
    curves = cf.curves(scored(300, 1_000_000), by=["a", "b"], label="label", score="score")
    return table(
        HEADINGS,
        [
            row(f"`{method}`", curves, 3, method=method, limits={"equalized_odds": epsilon})
            for method in ("threshold", "derived")
            for epsilon in EPSILONS
        ],
    )


def many_vertices(cells: int = 1_000, seed: int = 0) -> str:
    """Derived and overall where every score is a corner: the share of positives falls with each step."""
    rng = np.random.default_rng(seed)
    total = 10 * VERTICES
    positives = np.sort(rng.permuted(np.tile(np.arange(1, total), (cells, 1)), axis=1)[:, :VERTICES], axis=1)
    place = np.repeat(np.arange(cells), VERTICES)
    score = np.tile(np.arange(1, VERTICES + 1) / VERTICES, cells)
    curves = cf.Curves.from_table(
        Cells.of(["cell"], [(i,) for i in range(cells)]),
        np.tile(place, 2),
        np.tile(score, 2),
        np.repeat([False, True], len(place)),
        np.concatenate([total - positives.ravel(), positives.ravel()]),
    )
    return table(
        HEADINGS,
        [
            row(f"`{method}`", curves, 3, method=method, limits={"equalized_odds": epsilon})
            for method in ("derived", "threshold", "sequential")
            for epsilon in EPSILONS
        ],
    )


def ten_million() -> str:
    """Curves, derived and threshold, in a process of their own."""
    command = [sys.executable, "-m", "benchmarks.mitigation_task", "10000", "10000000"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    rows = [[name, *map(str, line)] for name, *line in found["rows"]]
    rows.append(["all together", "", "", seconds(found["seconds"])])
    return table(["step", "loss", "gap", "seconds"], rows) + f"\nPeak of memory {found['peak']:,.0f} MB.\n"


if __name__ == "__main__":
    print(section())
