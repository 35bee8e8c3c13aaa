"""The recipe of the bundled Adult data: from the two raw files to the file that the package ships.

    python -m crossfair.paper.adult --raw DIRECTORY

The model is the paper's: gradient boosting with default parameters but for 20 rounds and a learning rate
of 0.01, on age as a 0/1 feature (over 50), the other numbers standardised and the rest as dummy variables,
trained on the 32,560 training records. The paper used XGBoost 0.81; `PARAMETERS` spells out that version's
defaults where later ones have others.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossfair.datasets import bundle
from crossfair.datasets.census import BUNDLE, RAW_COLUMNS, adult, merged_race, over_50, training_rows
from crossfair.errors import malformed, missing_extra

__all__ = ["PARAMETERS", "ROUNDS", "features", "main", "read_raw", "recompute_scores", "regenerate"]

ROUNDS = 20
PARAMETERS = {
    "objective": "binary:logistic",
    "learning_rate": 0.01,
    "max_depth": 6,
    "base_score": 0.5,  # now estimated from the labels
    "tree_method": "exact",  # now histograms
    "nthread": 1,  # one order of summation, whatever the machine
}

RAW_FILES = {"train": "adult.data", "test": "adult.test"}
NUMBERS = ("fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week")
TEXTS = (
    "workclass",
    "education",
    "marital_status",
    "occupation",
    "relationship",
    "race_4",
    "sex",
    "native_country",
)


def read_raw(directory: Path) -> dict[str, NDArray[Any]]:
    """Return the fifteen columns of adult.data and adult.test, and `split`, in the order of the files."""
    rows: list[list[str]] = []
    for split, name in RAW_FILES.items():
        rows += [[*row, split] for row in _records(directory / name)]
    columns = {name: np.array(column) for name, column in zip((*RAW_COLUMNS, "split"), zip(*rows))}
    for name in ("age", *NUMBERS):
        columns[name] = columns[name].astype(np.int64)
    # Only the test file ends its incomes in a dot.
    columns["income"] = np.char.rstrip(columns["income"], ".")
    return columns


def _records(path: Path) -> list[list[str]]:
    with path.open(encoding="ascii", newline="") as file:
        lines = [row for row in csv.reader(file, skipinitialspace=True) if row]
    # The test file opens with a comment.
    rows = lines[1:] if lines and lines[0][0].startswith("|") else lines
    for row in rows:
        if len(row) != len(RAW_COLUMNS):
            raise malformed(str(path), f"every record must have {len(RAW_COLUMNS)} fields", got=row)
    return rows


def features(columns: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
    """Return the model's inputs, one row per record; scale and values come from the training records.

    >>> features(adult()).shape
    (48842, 106)
    """
    given = {**columns, "race_4": merged_race(columns["race"])}
    training = training_rows(columns)
    blocks = [over_50(columns["age"])[:, None]]
    for name in NUMBERS:
        known = given[name][training]
        blocks.append(((given[name] - known.mean()) / known.std())[:, None])
    blocks += [given[name][:, None] == np.unique(given[name][training]) for name in TEXTS]
    return np.hstack(blocks).astype(np.float32)


def recompute_scores(columns: Mapping[str, NDArray[Any]] | None = None) -> NDArray[np.float32]:
    """Train the model again and return the score of every record; by default on the bundled raw columns."""
    try:
        import xgboost
    except ModuleNotFoundError as error:
        raise missing_extra("xgboost", "paper", "Training the paper's model") from error
    given = adult() if columns is None else columns
    inputs, training = features(given), training_rows(given)
    labels = given["income"][training] == ">50K"
    model = xgboost.train(PARAMETERS, xgboost.DMatrix(inputs[training], labels), ROUNDS)
    return np.asarray(model.predict(xgboost.DMatrix(inputs)))


def regenerate(raw: Path, out: Path = BUNDLE) -> None:
    """Write the bundled file anew from the directory of the raw files."""
    columns = read_raw(raw)
    bundle.write(out, {**columns, "score": recompute_scores(columns)})


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the recipe from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m crossfair.paper.adult", description="Regenerate the data."
    )
    parser.add_argument("--raw", type=Path, required=True, help="directory of adult.data and adult.test")
    parser.add_argument("--out", type=Path, default=BUNDLE, help="file to write (default: the bundled one)")
    options = parser.parse_args(arguments)
    regenerate(options.raw, options.out)


if __name__ == "__main__":
    main()
