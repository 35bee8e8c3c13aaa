"""Files that the commands of the tests read."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

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


def write_csv(path: Path, columns: dict[str, list[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))
    return path
