"""One run of both experiments, on few synthetic data sets, for all tests of what is made of it."""

from __future__ import annotations

import pytest

from crossfair.paper import experiment
from crossfair.paper.summaries import KEPT


@pytest.fixture(scope="session")
def progress() -> list[float]:
    """The shares of the work that the run told of."""
    return []


@pytest.fixture(scope="session")
def results(progress: list[float]) -> experiment.Results:
    """A run with seed 0, on as many data sets as a run keeps one by one."""
    return experiment.run(KEPT, seed=0, workers=1, advance=progress.append)


@pytest.fixture(scope="session")
def figures(results: experiment.Results) -> dict:
    """Its figures; a test that changes them changes a copy."""
    return results.figures
