"""The bundled Adult data: what is in them, and the paper's figures computed here with numpy alone."""

import os
import subprocess
import sys

import numpy as np
import pytest

from crossfair.datasets import adult
from crossfair.datasets.census import RAW_COLUMNS
from crossfair.errors import InputError

ALPHA = 0.01


@pytest.fixture(scope="module")
def everyone():
    return adult()


@pytest.fixture(scope="module")
def train():
    return adult("train")


def test_all_records_stand_in_the_order_of_the_files(everyone):
    assert {len(column) for column in everyone.values()} == {48_842}
    assert everyone["split"].tolist() == ["train"] * 32_561 + ["test"] * 16_281
    first, last = ({name: everyone[name][i].item() for name in RAW_COLUMNS} for i in (0, -1))
    assert list(first.values()) == [
        *(39, "State-gov", 77516, "Bachelors", 13, "Never-married", "Adm-clerical", "Not-in-family"),
        *("White", "Male", 2174, 0, 40, "United-States", "<=50K"),
    ]
    assert list(last.values()) == [
        *(35, "Self-emp-inc", 182148, "Bachelors", 13, "Married-civ-spouse", "Exec-managerial", "Husband"),
        *("White", "Male", 0, 0, 60, "United-States", ">50K"),
    ]


def test_the_training_split_leaves_out_one_record(everyone, train):
    abroad = everyone["native_country"] == "Holand-Netherlands"
    assert abroad.sum() == 1
    assert 0 < everyone["score"][abroad].item() < 1
    kept = ~abroad & (everyone["split"] == "train")
    assert all(np.array_equal(train[name], everyone[name][kept]) for name in everyone)
    assert len(train["age"]) == 32_560


def test_the_test_split_is_the_rest(everyone):
    assert all(np.array_equal(column, everyone[name][32_561:]) for name, column in adult("test").items())


def test_derived_columns_follow_from_the_raw_ones(everyone):
    assert list(everyone) == [*RAW_COLUMNS, "age_over_50", "race_4", "score", "prediction", "split"]
    assert everyone["age_over_50"].dtype == bool
    assert everyone["age"][~everyone["age_over_50"]].max() == 50
    assert everyone["age"][everyone["age_over_50"]].min() == 51
    pairs = set(zip(everyone["race"].tolist(), everyone["race_4"].tolist()))
    kept = ["White", "Black", "Other", "Asian-Pac-Islander"]
    assert pairs == {("Amer-Indian-Eskimo", "Other"), *zip(kept, kept)}
    assert set(everyone["income"].tolist()) == {"<=50K", ">50K"}
    assert everyone["prediction"].tolist() == [int(score >= 0.5) for score in everyone["score"].tolist()]


def test_scores_lose_nothing_in_64_bits(everyone):
    scores = everyone["score"]
    assert scores.dtype == np.float64
    assert np.array_equal(scores, scores.astype(np.float32))


def test_unknown_values_stay_a_value_of_their_own(everyone):
    with_unknowns = {name for name in RAW_COLUMNS if "?" in everyone[name].tolist()}
    assert with_unknowns == {"workclass", "occupation", "native_country"}


def test_callers_cannot_change_what_the_next_one_gets():
    adult()["age"][:] = 0
    assert adult()["age"].min() == 17


def test_an_unknown_split_is_refused_with_the_choices():
    with pytest.raises(
        InputError, match=r"split: must be one of 'all', 'train', 'test'; got tests. Did you mean 'test'"
    ):
        adult("tests")


def test_numpy_is_all_it_needs():
    others = "{'pandas', 'polars', 'pyarrow', 'narwhals', 'scipy', 'xgboost', 'duckdb'}"
    code = f"import sys; from crossfair.datasets import adult; adult(); print({others} & set(sys.modules))"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert out.stdout.strip() == "set()"


class Cells:
    """The sixteen cells of sex, age over 50 and race, and sums over them."""

    def __init__(self, columns):
        self.columns = columns
        keys = np.rec.fromarrays([columns["sex"], columns["age_over_50"], columns["race_4"]])
        self.cell = np.unique(keys, return_inverse=True)[1]
        self.positive = columns["income"] == ">50K"
        self.accepted = columns["prediction"] == 1

    def sums(self, mask):
        return np.bincount(self.cell, weights=mask, minlength=16)

    def rates(self, numerator, denominator, alpha=ALPHA):
        return (self.sums(numerator & denominator) + alpha) / (self.sums(denominator) + 2 * alpha)


@pytest.fixture(scope="module")
def cells(train):
    return Cells(train)


def parity(rates):
    return np.log(rates.max() / rates.min())


def test_reference_loss_of_the_given_prediction(cells):
    assert np.mean(cells.accepted != cells.positive) == pytest.approx(0.142936, abs=5e-7)
    assert cells.accepted[cells.positive].mean() == pytest.approx(0.5425, abs=5e-5)
    assert cells.accepted[~cells.positive].mean() == pytest.approx(0.0432, abs=5e-5)


def test_reference_loss_of_the_best_threshold_in_each_cell(cells):
    scores = cells.columns["score"]
    errors = 0
    for cell in range(16):
        score, positive = scores[cells.cell == cell], cells.positive[cells.cell == cell]
        errors += min(np.sum((score >= t) != positive) for t in [*np.unique(score), np.inf])
    assert errors / len(scores) == pytest.approx(0.139343, abs=5e-7)


def test_reference_epsilon_of_the_prediction(cells):
    everyone = np.ones(len(cells.positive), dtype=bool)
    assert parity(cells.rates(cells.accepted, ~cells.positive)) == pytest.approx(8.147651, abs=5e-7)
    assert parity(cells.rates(cells.accepted, cells.positive)) == pytest.approx(4.267486, abs=5e-7)
    assert parity(cells.rates(cells.accepted, everyone)) == pytest.approx(6.906971, abs=5e-7)


@pytest.mark.parametrize(
    ("alpha", "elift", "impact_ratio"), [(ALPHA, 1.825197, 2.375099), (0, 1.834378, 2.384279)]
)
def test_reference_epsilon_of_the_data(cells, alpha, elift, impact_ratio):
    rates = cells.rates(cells.positive, np.ones(len(cells.positive), dtype=bool), alpha)
    assert np.abs(np.log(rates / cells.positive.mean())).max() == pytest.approx(elift, abs=5e-7)
    assert parity(rates) == pytest.approx(impact_ratio, abs=5e-7)


def test_reference_number_of_curve_points(cells):
    steps = np.unique(np.rec.fromarrays([cells.cell, cells.columns["score"]]))
    assert len(steps) == 681 - 16  # 681 counts the origin of each curve as well
