"""Run the study and write docs/accuracy.md: `python -m benchmarks.accuracy`.

What was run is kept in build/accuracy, so that an interrupted run goes on where it was; a change of the
estimators starts it anew.
"""

from __future__ import annotations

import argparse
import os

# One thread per process: the matrices are small, and the processes are many.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from benchmarks.accuracy import page, study


def main() -> None:
    """Run what is missing, then write the page from all that is there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--runs", type=int, default=study.RUNS, help="data sets per row")
    parser.add_argument("--estimator", action="append", choices=study.ESTIMATORS, help="only this one")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--page", action="store_true", help="only write the page")
    options = parser.parse_args()
    if not options.page:
        study.run(options.runs, options.estimator or study.ESTIMATORS, options.workers)
    page.write(list(study.kept(options.runs)))


if __name__ == "__main__":
    main()
