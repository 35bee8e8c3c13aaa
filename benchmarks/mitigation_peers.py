"""Repairs beside two peers on the same records, at the limits that both can express."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import crossfair as cf
from benchmarks.common import CACHE, best, peer, ratio, seconds, table
from benchmarks.scored import BY, scored

PEERS = {"fairlearn": ["fairlearn", "pandas"], "error_parity": ["error-parity", "pandas"]}
GIVEN_UP = 600
SIZES = (2, 16, 100, 400, 1_600, 6_400)

Floats = NDArray[np.float64]


def section() -> str:
    """The section of docs/benchmarks.md: both peers, for more and more cells."""
    return f"""## Repairing, beside peers

Fairlearn's `ThresholdOptimizer` and error-parity's `RelaxedThresholdOptimizer`, equalized odds, from the
same records to a fitted policy. What both sides can express is equal rates: ε = 0, a difference of 0. A
difference above 0 is no ratio. So in every line `cf.mitigate` had to keep the ε of FPR and of TPR that the
peer's own answer has on these records, without smoothing; its loss must then be no higher; where that ε
is infinite, nothing limits ours. Fairlearn is timed with its usual grid of 1,000 points and, up to 100
cells, judged by the better loss of that and a grid of 100,000; error-parity keeps all points of its ROC
curves. The number of cells grows fourfold until a peer takes, or would take, more than
{GIVEN_UP // 60} minutes.

Fairlearn:

{compared("fairlearn", 0.0, SIZES)}
error-parity, a difference of 0:

{compared("error_parity", 0.0, SIZES)}
error-parity, a difference of up to 0.05:

{compared("error_parity", 0.05, SIZES[:3])}"""


def compared(name: str, tolerance: float, sizes: Sequence[int]) -> str:
    """The table of one peer."""
    rows: list[list[str]] = []
    taken = [0.0, 0.0]
    for cells in sizes:
        if taken[-1] ** 2 > GIVEN_UP * max(taken[-2], 1.0):  # growing on like this it would take too long
            rows.append([f"{cells:,}", "", "", "", f"would take over {GIVEN_UP} s", "", ""])
            break
        line, spent = at_size(name, cells, tolerance)
        rows.append([f"{cells:,}", *line])
        taken.append(spent)
        if not math.isfinite(spent):
            break
    headings = ["cells", "ε of FPR, TPR", "loss, peer", "loss, `derived`", "peer", "`derived`", "ratio"]
    return table(headings, rows)


def at_size(name: str, cells: int, tolerance: float) -> tuple[list[str], float]:
    """A line of the table, and the seconds the peer took."""
    path, data = records(cells)
    theirs = ask(name, path, tolerance=tolerance)
    if "stopped" in theirs:
        return ["", "", "", theirs["stopped"], "", ""], math.inf
    fpr, tpr = np.array(theirs["fpr"]), np.array(theirs["tpr"])
    losses = [loss(data, fpr, tpr)]
    if name == "fairlearn" and cells <= 100:
        finer = ask(name, path, grid_size=100_000)
        losses.append(loss(data, np.array(finer["fpr"]), np.array(finer["tpr"])))
    limits = {"fpr_parity": spread(fpr), "tpr_parity": spread(tpr)}
    mine, spent = repaired(data, limits)
    shown = ", ".join(f"{epsilon:.2g}" for epsilon in limits.values())
    line = [shown, f"{min(losses):.6f}", f"{mine:.6f}", seconds(theirs["seconds"]), seconds(spent)]
    return [*line, ratio(theirs["seconds"], spent)], float(theirs["seconds"])


def repaired(data: dict[str, Any], limits: dict[str, float]) -> tuple[float, float]:
    """Our loss at these limits, and the seconds from records to policy."""

    def ours() -> cf.Policy:
        curves = cf.curves(data, by=BY, label="label", score="score")
        return cf.mitigate(curves, limits=limits, method="derived", alpha=0, beta=0, min_support=0)

    return ours().expected["repaired"].loss, best(ours, 3)


def records(cells: int) -> tuple[Path, dict[str, Any]]:
    """Records for so many cells, at least 500 for each, also in a file for the peer."""
    data = scored(cells, max(20_000, 500 * cells))
    path = CACHE / f"repair-{cells}.npz"
    CACHE.mkdir(parents=True, exist_ok=True)
    wide = int(data["b"].max()) + 1
    place = np.unique(data["a"] * wide + data["b"], return_inverse=True)[1]
    np.savez(path, cell=place, label=data["label"], score=data["score"])
    return path, {**data, "cell": place}


def ask(name: str, path: Path, *, tolerance: float = 0.0, grid_size: int = 1_000) -> Any:
    """What the peer finds for these records."""
    asked = {
        "peer": name,
        "path": str(path),
        "seconds": GIVEN_UP,
        "grid_size": grid_size,
        "tolerance": tolerance,
    }
    return peer(f"repair-{name}", PEERS[name], "peer_mitigation.py", asked)


def spread(rates: Floats) -> float:
    """ε of some rates."""
    return math.log(rates.max() / rates.min()) if rates.min() > 0 else math.inf


def loss(data: dict[str, Any], fpr: Floats, tpr: Floats) -> float:
    """The share of wrong decisions on the records."""
    positive = data["label"] == 1
    wrong = fpr[data["cell"][~positive]].sum() + (1 - tpr[data["cell"][positive]]).sum()
    return float(wrong / len(positive))


if __name__ == "__main__":
    print(section())
