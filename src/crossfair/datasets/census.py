"""The Adult census income data, with the scores of the model that the paper describes.

Licence and citation of the data: NOTICE.md beside this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crossfair.datasets import bundle
from crossfair.datasets.columns import Columns
from crossfair.errors import choose

__all__ = ["BUNDLE", "RAW_COLUMNS", "adult", "merged_race", "over_50", "training_rows"]

#: The bundled file: the fifteen raw columns, `split` and `score`. What follows from them is not stored.
BUNDLE = Path(__file__).with_name("adult.npz")

#: The columns of the raw files, in their order.
RAW_COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
    "income",
)


def adult(split: Literal["all", "train", "test"] = "all") -> Columns:
    """Return the Adult census income data as a dict of columns.

    The fifteen raw columns are as the published files have them: whole numbers and text, with "?" (a value
    like any other) where workclass, occupation or native_country is unknown. Only the dot that ends the
    incomes of the test file is gone. Five columns are added:

    - `age_over_50`: True or False;
    - `race_4`: race, with Amer-Indian-Eskimo merged into Other;
    - `score`: the model's probability of an income above 50K. The model gives 32 bits; they are held in
      64, which changes no value and lets the score survive CSV files and databases;
    - `prediction`: 1 where the score is at least 0.5, else 0;
    - `split`: the file that the record comes from, "train" or "test".

    "all" gives the 48,842 records in their order, training file first. "train" leaves out the one record
    from Holand-Netherlands, as the paper does: 32,560 records, those the model was trained on. "test" gives
    16,281.

    >>> people = adult("train")
    >>> len(people["income"]), float((people["income"] == ">50K").mean().round(3))
    (32560, 0.241)
    >>> list(people)[15:]
    ['age_over_50', 'race_4', 'score', 'prediction', 'split']
    """
    choose("split", split, ["all", "train", "test"])
    stored = bundle.read(BUNDLE)
    columns = Columns({name: stored[name] for name in RAW_COLUMNS})
    columns["age_over_50"] = over_50(stored["age"])
    columns["race_4"] = merged_race(stored["race"])
    columns["score"] = stored["score"].astype(np.float64)
    columns["prediction"] = (columns["score"] >= 0.5).astype(np.int64)
    columns["split"] = stored["split"]
    if split == "all":
        return columns
    kept = training_rows(stored) if split == "train" else stored["split"] == "test"
    return Columns({name: column[kept] for name, column in columns.items()})


def over_50(age: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the paper's attribute for age.

    >>> over_50(np.array([50, 51])).tolist()
    [False, True]
    """
    return np.asarray(age > 50)


def merged_race(race: NDArray[Any]) -> NDArray[Any]:
    """Return the paper's attribute for race: the two smallest of five values made one.

    >>> merged_race(np.array(["Amer-Indian-Eskimo", "White"])).tolist()
    ['Other', 'White']
    """
    return np.where(race == "Amer-Indian-Eskimo", "Other", race)


def training_rows(columns: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Return a mask of the training records less the one from a country that the test file does not know.

    >>> training_rows({"split": np.array(["train"]), "native_country": np.array(["Holand-Netherlands"])})
    array([False])
    """
    return np.asarray((columns["split"] == "train") & (columns["native_country"] != "Holand-Netherlands"))
