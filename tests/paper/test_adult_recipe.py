"""The recipe writes the bundled Adult data anew, from the published files to the last bit of the scores."""

import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from components import require
from crossfair.datasets import bundle
from crossfair.datasets.census import BUNDLE, RAW_COLUMNS
from crossfair.errors import FormatError, MissingDependencyError
from crossfair.paper.adult import features, main, read_raw, recompute_scores

BESIDE = Path(__file__).parents[3] / "shared" / "data" / "adult"
PUBLISHED = {
    "adult.data": "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    "adult.test": "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
}


@pytest.fixture(scope="module")
def stored():
    return bundle.read(BUNDLE)


@pytest.fixture(scope="module")
def raw(stored, tmp_path_factory):
    """The raw files where they lie beside the project, else as the bundled columns spell them."""
    if BESIDE.exists():
        return BESIDE
    directory = tmp_path_factory.mktemp("raw")
    for name, text in spelled(stored).items():
        (directory / name).write_bytes(text)
    return directory


def spelled(stored):
    """Write the raw columns as the published files have them, a last blank line included."""
    records = [", ".join(row) for row in zip(*(stored[name].astype(str).tolist() for name in RAW_COLUMNS))]
    tests = stored["split"] == "test"
    train = [record for record, test in zip(records, tests) if not test]
    test = [record + "." for record, test in zip(records, tests) if test]
    data = {"adult.data": [*train, "", ""], "adult.test": ["|1x3 Cross validator", *test, "", ""]}
    return {name: "\n".join(lines).encode() for name, lines in data.items()}


def test_the_bundle_holds_every_byte_of_the_published_files(stored):
    assert {name: sha256(text).hexdigest() for name, text in spelled(stored).items()} == PUBLISHED


def test_the_recipe_regenerates_the_bundle(raw, stored, tmp_path):
    require("xgboost")
    out = tmp_path / "adult.npz"
    main(["--raw", str(raw), "--out", str(out)])
    assert {name: sha256((raw / name).read_bytes()).hexdigest() for name in PUBLISHED} == PUBLISHED
    # Member by member: what differs between versions of zlib is the packing alone.
    with np.load(out) as found, np.load(BUNDLE) as expected:
        assert list(found) == list(expected)
        for name in expected:
            assert found[name].dtype == expected[name].dtype
            assert found[name].tobytes() == expected[name].tobytes(), name


def test_scores_can_be_recomputed_from_the_bundle_alone(stored):
    require("xgboost")
    assert recompute_scores().tobytes() == stored["score"].tobytes()


def test_features_know_the_training_records_only(stored):
    columns = {**stored, "capital_gain": stored["capital_gain"].copy()}
    columns["capital_gain"][stored["split"] == "test"] = 10**6
    kept = stored["split"] == "train"
    assert np.array_equal(features(columns)[kept], features(stored)[kept])


def test_a_missing_xgboost_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(MissingDependencyError, match=r"xgboost.*crossfair\[paper\]"):
        recompute_scores()


def test_a_cut_record_is_refused(tmp_path):
    (tmp_path / "adult.data").write_text("39, State-gov, 77516\n")
    with pytest.raises(FormatError, match=r"adult\.data: every record must have 15 fields; got \['39'"):
        read_raw(tmp_path)
