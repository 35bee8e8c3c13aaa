"""Shards of counts and of curves: they add up to the whole in any order, and what does not fit is refused."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import crossfair as cf
from crossfair import shards
from crossfair.errors import FormatError, InputError

READ = {"by": ["sex", "age"], "bins": {"age": [50]}, "label": "y", "weight": "w"}


def people(records: int = 3_000, seed: int = 0) -> dict[str, list[object]]:
    rng = np.random.default_rng(seed)
    return {
        "sex": [("F", "M", None)[i] for i in rng.integers(3, size=records)],
        "age": rng.integers(18, 90, size=records).tolist(),
        "y": rng.integers(2, size=records).tolist(),
        "yhat": rng.integers(2, size=records).tolist(),
        "p": (rng.integers(0, 64, size=records) / 64).tolist(),
        "w": rng.random(records).tolist(),
    }


def cut(columns: dict[str, list[object]], parts: int) -> list[dict[str, list[object]]]:
    return [{name: column[i::parts] for name, column in columns.items()} for i in range(parts)]


@pytest.fixture
def counted(tmp_path: Path) -> list[str]:
    """Twenty files of counts."""
    names = [str(tmp_path / f"part-{i:02}.counts") for i in range(20)]
    for name, part in zip(names, cut(people(), 20)):
        cf.count(part, **READ, prediction="yhat").save(name)
    return names


@pytest.fixture
def scored(tmp_path: Path) -> list[str]:
    """Seven files of curves."""
    names = [str(tmp_path / f"part-{i}.curves") for i in range(7)]
    for name, part in zip(names, cut(people(), 7)):
        cf.curves(part, **READ, score="p").save(name)
    return names


@pytest.mark.parametrize("seed", range(5))
def test_counts_in_any_order_are_those_of_the_whole(counted: list[str], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(counted).tolist()
    assert cf.count(order) == cf.count(people(), **READ, prediction="yhat")


def test_curves_in_any_order_are_those_of_the_whole(scored: list[str]) -> None:
    whole = cf.curves(people(), **READ, score="p")
    assert cf.curves(scored) == cf.curves(scored[::-1]) == whole


def test_an_audit_of_shards_is_that_of_the_records(counted: list[str], tmp_path: Path) -> None:
    whole = cf.audit(people(), **READ, prediction="yhat")
    assert cf.audit(counted).to_json() == whole.to_json()
    assert cf.audit(str(tmp_path / "*.counts")).to_json() == whole.to_json()


def test_shards_are_audited_over_fewer_attributes(counted: list[str]) -> None:
    read = {"by": "sex", "label": "y", "prediction": "yhat", "weight": "w"}
    assert cf.audit(counted, by="sex").to_json() == cf.audit(people(), **read).to_json()


def test_a_repair_from_shards_is_that_from_the_records(scored: list[str]) -> None:
    limits = {"equalized_odds": 0.1}
    whole = cf.mitigate(people(), **READ, score="p", limits=limits)
    parts = cf.mitigate(scored, limits=limits)
    assert np.array_equal(parts.steps.breaks, whole.steps.breaks)
    assert np.array_equal(parts.steps.probabilities, whole.steps.probabilities)
    assert parts.evaluate(scored).trials["repaired"].audit.counts.records == 3_000


def test_a_repair_from_counts_is_that_from_the_records(counted: list[str]) -> None:
    limits = {"equalized_odds": 0.1}
    whole = cf.mitigate(people(), **READ, prediction="yhat", limits=limits)
    assert cf.mitigate(counted, limits=limits).certificate.objective == whole.certificate.objective


def test_a_file_of_counts_is_small_and_holds_no_record(tmp_path: Path) -> None:
    few, many = (tmp_path / name for name in ("few.counts", "many.counts"))
    cf.count(people(2_000), by="sex", label="y").save(few)
    cf.count(people(200_000), by="sex", label="y").save(many)
    assert many.stat().st_size < few.stat().st_size + 50


@pytest.mark.parametrize("kind", ["counts", "curves"])
def test_a_file_cut_short_anywhere_is_refused(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    files = request.getfixturevalue("counted" if kind == "counts" else "scored")[:2]
    data = Path(files[0]).read_bytes()
    short = tmp_path / f"short.{kind}"
    for length in {*range(0, len(data), max(1, len(data) // 50)), len(data) - 1}:
        short.write_bytes(data[:length])
        with pytest.raises(FormatError, match=r"short\.(counts|curves).*cut short"):
            shards.load([str(short), files[1]])


def test_one_damaged_byte_is_noticed(counted: list[str], tmp_path: Path) -> None:
    data = bytearray(Path(counted[0]).read_bytes())
    damaged = tmp_path / "damaged.counts"
    for place in range(12, len(data) - 8, 7):  # behind the header of gzip
        damaged.write_bytes(bytes([*data[:place], data[place] ^ 1, *data[place + 1 :]]))
        with pytest.raises(FormatError):
            shards.load(damaged)


OTHERS = {
    "attributes": ({"by": ["sex"], "bins": None}, "same attributes"),
    "order": ({"by": ["age", "sex"]}, "same attributes in the same order"),
    "bins": ({"bins": {"age": [40]}}, "cut at the same edges"),
    "no weights": ({"weight": None}, "counts with weights and counts without"),
    "no label": ({"label": None}, "same columns"),
    "positive": ({"positive": 0}, "same positive outcome"),
}


@pytest.mark.parametrize(("other", "message"), OTHERS.values(), ids=OTHERS.keys())
def test_shards_counted_otherwise_are_refused(
    counted: list[str], tmp_path: Path, other: dict[str, object], message: str
) -> None:
    odd = tmp_path / "odd.counts"
    cf.count(people(), **{**READ, "prediction": "yhat", **other}).save(odd)
    with pytest.raises(InputError, match=rf"odd\.counts do(es)? not add up; got .*{message}"):
        shards.load([*counted, odd])


def test_shards_of_another_label_map_are_refused(counted: list[str], tmp_path: Path) -> None:
    words = people()
    for column in ("y", "yhat"):
        words[column] = [("no", "yes")[int(flag)] for flag in words[column]]
    odd = tmp_path / "odd.counts"
    cf.count(words, **READ, prediction="yhat").save(odd)
    with pytest.raises(InputError, match="same outcomes; got 0, 1 and 'no', 'yes'"):
        shards.load([counted[0], odd])


def test_a_shard_in_which_nobody_succeeds_adds_up(tmp_path: Path) -> None:
    table = {"sex": ["F", "M", "F", "M"], "hired": ["no", "no", "yes", "no"]}
    read = {"by": "sex", "label": "hired", "positive": "yes"}
    for i, part in enumerate(cut(table, 2)):
        cf.count(part, **read).save(tmp_path / f"{i}.counts")
    assert cf.count(str(tmp_path / "*.counts")) == cf.count(table, **read)


def test_curves_of_other_bins_are_refused(scored: list[str], tmp_path: Path) -> None:
    cf.curves(people(), **READ, score="p", bits=3).save(tmp_path / "binned.curves")
    with pytest.raises(InputError, match="same grid of scores to be added; got exact scores and 8 bins"):
        shards.load([scored[0], tmp_path / "binned.curves"])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (["{0}", "people.csv"], "must be of one kind; got counts, records"),
        (["{0}", "x.curves"], "must be of one kind; got counts, curves"),
        (["no-such.counts"], "no-such.counts: there is no such counts file"),
        (["no-such.curves"], "no-such.curves: there is no such curves file"),
        (["nothing-*.counts"], "matches no file"),
    ],
)
def test_what_cannot_be_added_up_is_refused(counted: list[str], data: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        shards.load([item.format(counted[0]) for item in data])


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"label": "y"}, "label: says how to read records, but the data are counts already"),
        ({"bins": {"age": [50]}}, "bins: says how"),
        ({"by": "height"}, "by: must be one of 'sex', 'age'"),
    ],
)
def test_reading_options_have_no_meaning_for_counts(
    counted: list[str], option: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        cf.audit(counted, **option)


def test_curves_are_no_counts_and_counts_no_curves(counted: list[str], scored: list[str]) -> None:
    with pytest.raises(InputError, match="must be records or counts; got curves"):
        cf.audit(scored)
    with pytest.raises(InputError, match="must be records or curves; got counts"):
        cf.curves(counted)
    with pytest.raises(InputError, match="score: says how to read records, but the data are curves"):
        cf.curves(scored, score="p")


def test_a_file_named_twice_is_refused(counted: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="data: must name each file once, or its records count twice; got"):
        cf.audit([*counted, counted[0]])
    (tmp_path / "people.csv").write_text("sex,y\nF,1\nM,0\n")
    with pytest.raises(InputError, match="data: must name each file once"):
        cf.count([tmp_path, tmp_path / "people.csv"], by="sex", label="y")


def test_names_with_the_signs_of_globs_are_files_first(tmp_path: Path) -> None:
    path = tmp_path / "part[1].counts"
    cf.count(people(), by="sex", label="y").save(path)
    assert cf.count(os.fspath(path)).records == 3_000


def test_a_threshold_inside_a_bin_is_never_decided(scored: list[str]) -> None:
    binned = cf.curves(people(), **READ, score="p", bits=3)
    with pytest.raises(InputError, match=r"threshold: must lie on the grid .* multiples of 2\^-3; got 0\.3"):
        binned.counts_at(0.3)
    policy = cf.mitigate(scored, limits={"statistical_parity": 0.1})
    with pytest.raises(InputError, match="policy's thresholds: must lie on the grid"):
        policy.evaluate(binned)
    exact = cf.curves(scored)
    assert np.array_equal(binned.counts_at(0.375)[0], exact.counts_at(0.375)[0])


def test_a_certificate_states_what_bins_cost(tmp_path: Path) -> None:
    binned = cf.curves(people(), **READ, score="p", bits=3)
    policy = cf.mitigate(binned, limits={"equalized_odds": 0.1})
    grid = policy.certificate.grid
    assert (grid.bits, grid.rate, grid.auc) == (3, binned.resolution.max(), binned.auc_error.max())
    assert (policy.steps.breaks * 8 == np.floor(policy.steps.breaks * 8)).all()
    policy.save(tmp_path / "policy.json")
    assert cf.Policy.load(tmp_path / "policy.json") == policy
    exact = cf.mitigate(people(), **READ, score="p", limits={"equalized_odds": 0.1})
    assert exact.certificate.grid is None
    assert exact.certificate.objective <= policy.certificate.objective + 1e-12


def test_rates_of_a_policy_from_bins_are_exact_for_the_records() -> None:
    """Its thresholds lie on edges, so the records themselves keep its promise to the last bit."""
    policy = cf.mitigate(cf.curves(people(), **READ, score="p", bits=3), limits={"equalized_odds": 0.1})
    on_records = policy.evaluate(people(), **READ, score="p").trials["repaired"]
    assert on_records.performance.tpr == pytest.approx(policy.expected["repaired"].tpr, abs=1e-12)
    assert on_records.performance.loss == pytest.approx(policy.expected["repaired"].loss, abs=1e-12)


def test_given_decisions_are_never_taken_from_bins() -> None:
    binned = cf.curves(people(), **READ, score="p", bits=3)
    with pytest.raises(InputError, match="threshold: must lie on the grid"):
        cf.mitigate(binned, threshold=0.55, limits={"equalized_odds": 0.1})
