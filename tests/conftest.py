"""Settings shared by all tests."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from servers import group_by_server, postgres, spark, workers

__all__ = ["postgres", "spark", "workers"]  # fixtures for any test

# No example has a deadline, since machines and loads differ; in CI the examples are the same in every run.
settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.hookimpl(tryfirst=True)  # before the tests are shared out among processes
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    group_by_server(items)
