"""Curves of many records, and repairs, in a process of its own, so that its peak of memory is its own."""

from __future__ import annotations

import json
import resource
import sys
import time

import crossfair as cf
from benchmarks.common import seconds
from benchmarks.scored import BY, scored

METHODS = ("derived", "threshold")
EPSILON = 0.5


def main(cells: int, records: int) -> None:
    """Print times, losses and the peak of memory in megabytes as JSON."""
    data = scored(cells, records)
    begin = time.perf_counter()
    curves = cf.curves(data, by=BY, label="label", score="score")
    rows = [["`cf.curves`", "", "", seconds(time.perf_counter() - begin)]]
    for method in METHODS:
        start = time.perf_counter()
        found = cf.mitigate(curves, limits={"equalized_odds": EPSILON}, method=method).certificate
        spent = time.perf_counter() - start
        assert found is not None
        rows.append([f"`{method}`", f"{found.objective:.6f}", f"{found.gap:.1e}", seconds(spent)])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    print(json.dumps({"rows": rows, "seconds": time.perf_counter() - begin, "peak": peak}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
