"""Files that the commands of the tests read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli_files import write_csv
from crossfair.datasets import adult

COLUMNS = ("sex", "age", "race_4", "income", "prediction", "score", "fnlwgt")


@pytest.fixture(scope="session")
def people() -> dict[str, list[Any]]:
    """The training records of Adult, as a dict of columns."""
    bundled = adult("train")
    return {name: list(bundled[name]) for name in COLUMNS}


@pytest.fixture(scope="session")
def people_csv(people: dict[str, list[Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same records as a CSV file."""
    return write_csv(tmp_path_factory.mktemp("data") / "people.csv", people)
