"""Decisions on files, in a stream: those of frames, whole or not at all, with what changed."""

from __future__ import annotations

import datetime
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import engines
from components import require, require_path
from crossfair import serving
from crossfair.cells import Cells
from crossfair.errors import InputError
from crossfair.outcomes import Outcomes
from crossfair.steps import Steps
from crossfair.terms import Source
from policies import small_policy

DAY = datetime.date(2020, 2, 29)
SIZE = 300


def policy_of(**changes):
    """Cells with hostile names, types of all kinds, and a range."""
    by = ("se\"x'", "born; drop", "old", "age")
    cells = Cells.of(
        by,
        [(s, d, o, a) for s in ("O'Brien", "", None) for d in (DAY, None) for o in (True, False)
         for a in ("≤ 30.5", "> 30.5", None)],
        {"age": (30.5,)},
    )  # fmt: skip
    steps = Steps.of([([0.2, 0.6], [0.0, 0.5, 1.0])] * len(cells))
    return small_policy(**{"cells": cells, "decide_by": by, "steps": steps, "certificate": None, **changes})


def people(seed=0, size=SIZE):
    rng = np.random.default_rng(seed)

    def draw(options):
        return [options[i] for i in rng.integers(len(options), size=size)]

    return {
        "se\"x'": draw(["O'Brien", "", None]),
        "born; drop": draw([DAY, None]),
        "old": draw([True, False]),
        "age": draw([30.5, 31.0, None, 18.0]),
        "p": [round(float(p), 3) for p in rng.random(size)],
        "nr; --": [f"k'{i}" for i in range(size)],
    }


def written(path, like):
    frame = require("polars").read_parquet(path)
    assert frame.columns == like
    return {row[0]: row[1:] for row in frame.rows()}


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "csv.gz", "database"])
def test_files_are_decided_as_frames(ending, tmp_path):
    data, policy = people(), policy_of()
    engine = next(engine for engine in engines.EVERY if engine.name == ending)
    found = policy.decide_files(
        engine(data, tmp_path), tmp_path / "out.parquet", key="nr; --", **engine.options
    )
    rows = written(tmp_path / "out.parquet", ["nr; --", "acceptance", "decision"])
    chances, decided = policy.acceptance(data), policy.decide(data, key="nr; --")
    assert rows == dict(zip(data["nr; --"], zip(chances.tolist(), decided.tolist())))
    expected = policy.changes(data, key="nr; --")
    assert found.cells.values == expected.cells.values
    assert found.columns() == expected.columns()


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.csv.gz", "out.pq"])
def test_every_kind_of_file_is_written(name, tmp_path):
    polars, data, policy = require("polars"), people(), policy_of()
    source = engines.write_csv(tmp_path / "people.csv", data)
    policy.decide_files(source, tmp_path / name, key="nr; --")
    if name.endswith("pq"):
        frame = polars.read_parquet(tmp_path / name)
    else:
        frame = polars.read_csv(tmp_path / name, separator="\t" if "tsv" in name else ",")
    assert dict(zip(frame["nr; --"], frame["decision"])) == dict(
        zip(data["nr; --"], policy.decide(data, key="nr; --").tolist())
    )


def test_several_files_and_other_names_are_one_table(tmp_path):
    parquet, arrow = require("pyarrow.parquet"), require("pyarrow")
    parts = [people(seed, size=50) for seed in (1, 2)]
    for i, part in enumerate(parts):
        renamed = {"born" if name == "born; drop" else name: column for name, column in part.items()}
        renamed["nr; --"] = list(range(50 * i, 50 * i + 50))
        parquet.write_table(arrow.table(renamed), tmp_path / f"{i}.parquet")
    policy = policy_of()
    columns = {"born; drop": "born"}
    policy.decide_files(
        [tmp_path / "0.parquet", tmp_path / "1.parquet"],
        tmp_path / "out.parquet",
        key="nr; --",
        columns=columns,
    )
    rows = written(tmp_path / "out.parquet", ["nr; --", "acceptance", "decision"])
    assert len(rows) == 100
    for i, part in enumerate(parts):
        keyed = {**part, "nr; --": list(range(50 * i, 50 * i + 50))}
        decided = policy.decide(keyed, key="nr; --")
        assert [rows[key][1] for key in keyed["nr; --"]] == decided.tolist()


def test_a_seed_draws_coins_anew_and_numbers_the_records(tmp_path):
    data, policy = people(), policy_of()
    source = engines.write_csv(tmp_path / "people.csv", data)

    def decided(seed):
        policy.decide_files(source, tmp_path / "out.parquet", seed=seed)
        return written(tmp_path / "out.parquet", ["record", "acceptance", "decision"])

    first, chances = decided(1), policy.acceptance(data).tolist()
    assert [first[i + 1][0] for i in range(SIZE)] == chances
    assert decided(1) == first != decided(2)
    coins = [first[i + 1][1] for i in range(SIZE) if chances[i] == 0.5]
    assert abs(np.mean(coins) - 0.5) < 4 * 0.5 / np.sqrt(len(coins))


def test_a_policy_without_coins_needs_no_key(tmp_path):
    policy = policy_of(steps=Steps.of([([0.5], [0.0, 1.0])] * len(policy_of().cells)))
    source = engines.write_csv(tmp_path / "people.csv", people())
    policy.decide_files(source, tmp_path / "out.parquet")
    rows = written(tmp_path / "out.parquet", ["record", "acceptance", "decision"])
    assert [rows[i + 1][1] for i in range(SIZE)] == policy.decide(people()).tolist()


def test_predictions(tmp_path):
    policy = small_policy(
        source=Source("prediction", "yhat", 1.0, Outcomes(("no", "yes"), "yes")),
        steps=Steps.of([([1.0], [0.25, 0.75]), ([1.0], [0.0, 1.0])]),
    )
    data = {"sex": ["F", "M"] * 50, "yhat": ["no", "yes", "yes", "no"] * 25, "id": list(map(str, range(100)))}
    source = engines.write_csv(tmp_path / "people.csv", data)
    found = policy.decide_files(source, tmp_path / "out.parquet", key="id")
    rows = written(tmp_path / "out.parquet", ["id", "acceptance", "decision"])
    assert [rows[key][1] for key in data["id"]] == policy.decide(data, key="id").tolist()
    assert found.columns() == policy.changes(data, key="id").columns()


@pytest.mark.parametrize("count_changes", [True, False])
def test_a_policy_that_decides_by_fewer_attributes(count_changes, tmp_path):
    policy = policy_of(decide_by=("old",), steps=Steps.of([([0.5], [0.5, 1.0])] * 2))
    data = {"years" if name == "age" else name: column for name, column in people().items()}
    source = engines.write_csv(tmp_path / "people.csv", data)
    found = serving.decide_files(
        policy, source, tmp_path / "out.parquet", key="nr; --", columns={"age": "years"},
        count_changes=count_changes,
    )  # fmt: skip
    rows = written(tmp_path / "out.parquet", ["nr; --", "acceptance", "decision"])
    assert [rows[key][1] for key in data["nr; --"]] == policy.decide(data, key="nr; --").tolist()
    if count_changes:
        assert found.columns() == policy.changes(people(), key="nr; --").columns()


def test_changes_are_left_uncounted_where_an_attribute_is_absent(tmp_path):
    policy = policy_of(decide_by=("old",), steps=Steps.of([([0.5], [0.5, 1.0])] * 2))
    data = {name: column for name, column in people().items() if name in ("old", "p", "nr; --")}
    source = engines.write_csv(tmp_path / "people.csv", data)
    assert policy.decide_files(source, tmp_path / "out.parquet", key="nr; --") is None
    rows = written(tmp_path / "out.parquet", ["nr; --", "acceptance", "decision"])
    assert [rows[key][1] for key in data["nr; --"]] == policy.decide(data, key="nr; --").tolist()


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"sex": None}, {}, "data: has no column 'sex'"),
        ({"sex": ["F", "X"]}, {}, "the policy has not seen the cell of the record with key 2"),
        ({"sex": ["F", None]}, {}, "the policy has not seen the cell of the record with key 2"),
        ({"p": ["0.4", "high"]}, {}, "score: 'p' must hold numbers; got high"),
        ({"p": ["0.4", "1_000"]}, {}, "score: 'p' must hold numbers; got 1_000"),
        ({"p": ["0.4", None]}, {}, "score must be a finite number; the record with key 2"),
        ({"p": ["0.4", "nan"]}, {}, "score must be a finite number; the record with key 2"),
        ({"id": ["1", None]}, {}, "the key must be an integer or a text, and not missing: NULL"),
        ({}, {"key": None}, "key: the policy tosses coins, so it needs a key; got none. Name a column"),
        ({}, {"key": "nr"}, "has no column 'nr'"),
        ({}, {"key": "decision"}, "other than acceptance and decision; got 'decision'"),
        ({}, {"seed": 1}, "key, seed: give one of them"),
        ({}, {"columns": {"race": "r"}}, "columns: maps names of the policy, sex, p; got 'race'"),
        ({}, {"table": "t"}, "table: is for databases only; got 't' with CSV"),
    ],
)
def test_bad_input_leaves_no_file(changes, options, message, tmp_path):
    data = {"sex": ["F", "M"], "p": ["0.4", "0.7"], "id": ["1", "2"], **changes}
    table = {name: column for name, column in data.items() if column is not None}
    if options.get("key") == "decision":
        table["decision"] = ["1", "2"]
    source = engines.write_csv(tmp_path / "people.csv", table)
    with pytest.raises(InputError, match=message):
        small_policy().decide_files(source, tmp_path / "out.csv", **{"key": "id", **options})
    assert os.listdir(tmp_path) == ["people.csv"]


@pytest.mark.parametrize("out", ["people.csv", "link.csv"])
def test_no_file_that_is_read_is_written_to(out, tmp_path):
    source = engines.write_csv(tmp_path / "people.csv", {"sex": ["F"], "p": ["0.4"], "id": ["1"]})
    (tmp_path / "link.csv").symlink_to(source)
    before = source.read_bytes()
    with pytest.raises(InputError, match=rf"out: must not be a file that is read; got '.*{out}'"):
        small_policy().decide_files(str(tmp_path / "p*.csv"), tmp_path / out, key="id")
    assert source.read_bytes() == before


@pytest.mark.parametrize(
    ("decide_by", "count_changes"), [("children", False), ("children", True), ("sex", True)]
)
def test_what_reads_like_a_value_but_is_spelt_differently_leaves_no_file(decide_by, count_changes, tmp_path):
    """Also where the changes alone read the attribute."""
    policy = small_policy(
        cells=Cells.of(["sex", "children"], [("F", 0), ("M", 1)]),
        decide_by=(decide_by,),
        unseen="given",
        fallback=Steps.of([([0.5], [0.0, 1.0])]),
    )
    data = {"sex": ["F", "F"], "children": ["0", "01"], "p": ["0.7", "0.7"], "id": ["1", "2"]}
    source = engines.write_csv(tmp_path / "people.csv", data)
    message = (
        "attribute 'children': the policy knows a value that reads alike but is spelt differently; got 01"
    )
    with pytest.raises(InputError, match=message):
        serving.decide_files(policy, source, tmp_path / "out.csv", key="id", count_changes=count_changes)
    assert os.listdir(tmp_path) == ["people.csv"]


@pytest.mark.parametrize(
    ("levels", "refused", "words"),
    [
        ([0, 1], True, "booleans and integers"),
        (["0", "1"], 1.5, "values must be"),
        (["F"], 1.5, "values must be"),
    ],
)
def test_typed_files_are_refused_as_frames(levels, refused, words, tmp_path):
    policy = small_policy(
        cells=Cells.of(["a"], [(level,) for level in levels]),
        decide_by=("a",),
        certificate=None,
        steps=Steps.of([([0.5], [0.0, 1.0])] * len(levels)),
        unseen="pooled",
        fallback=Steps.of([([0.5], [0.0, 1.0])]),
    )
    frame = require("polars").DataFrame({"a": [refused], "p": [0.7], "id": [1]})
    frame.write_parquet(tmp_path / "people.parquet")
    with pytest.raises(InputError, match=words):
        policy.decide(frame, key="id")
    with pytest.raises(InputError, match=f"attribute 'a': {words}"):
        serving.decide_files(
            policy, tmp_path / "people.parquet", tmp_path / "out.csv", key="id", count_changes=False
        )
    assert os.listdir(tmp_path) == ["people.parquet"]


def test_a_failure_half_way_leaves_what_was_there(tmp_path):
    """The wrong record comes late, behind rows that are written already."""
    size = 400_000
    data = {"sex": ["F"] * size + ["X"], "p": [0.7] * (size + 1), "id": list(range(size + 1))}
    require("polars").DataFrame(data).write_parquet(tmp_path / "people.parquet")
    (tmp_path / "out.csv").write_text("as it was")
    with pytest.raises(InputError, match=f"has not seen the cell of the record with key {size}"):
        small_policy().decide_files(tmp_path / "people.parquet", tmp_path / "out.csv", key="id")
    assert (tmp_path / "out.csv").read_text() == "as it was"
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "people.parquet"]


@pytest.mark.parametrize(
    ("source", "out", "message"),
    [
        (
            "people.csv",
            "out.xlsx",
            r"out: must end in one of \.csv, .*, a text also in \.gz; got '.*out\.xlsx'",
        ),
        ("people.csv", "out.parquet.gz", "out: must end in one of"),
        ("people.csv", "no/out.csv", "out: the folder of the file must exist"),
        ("people.jsonl", "out.csv", "data: must be CSV, TSV or Parquet files, or a DuckDB database"),
        ("absent.csv", "out.csv", "there is no such file"),
    ],
)
def test_files_that_cannot_be(source, out, message, tmp_path):
    (tmp_path / "people.csv").write_text("sex,p,id\nF,0.5,1\n")
    (tmp_path / "people.jsonl").write_text('{"sex": "F", "p": 0.5, "id": 1}\n')
    with pytest.raises(InputError, match=message):
        small_policy().decide_files(tmp_path / source, tmp_path / out, key="id")


def test_frames_are_no_files(tmp_path):
    with pytest.raises(
        InputError, match=r"data: must be CSV.*; got a value of type polars\.[a-z.]*DataFrame"
    ):
        small_policy().decide_files(require("polars").DataFrame(people()), tmp_path / "out.csv", seed=1)


def test_a_score_that_is_no_number_by_its_type(tmp_path):
    frame = require("polars").DataFrame({"sex": ["F"], "p": [DAY], "id": [1]})
    frame.write_parquet(tmp_path / "people.parquet")
    with pytest.raises(InputError, match="score: 'p' must hold numbers; got a column of type DATE"):
        small_policy().decide_files(tmp_path / "people.parquet", tmp_path / "out.csv", key="id")


def test_the_share_of_the_work_done_is_told(tmp_path, monkeypatch):
    from crossfair import serving
    from crossfair.frames import query

    monkeypatch.setattr(query, "_POLL", 0.001)
    size, told = 500_000, []
    frame = require("polars").DataFrame({"sex": ["F"] * size, "p": [0.5] * size, "id": range(size)})
    frame.write_parquet(tmp_path / "people.parquet")
    serving.decide_files(
        small_policy(), tmp_path / "people.parquet", tmp_path / "out.csv", key="id", advance=told.append
    )
    assert told
    assert min(told) >= 0
    assert sum(told) <= 1


def test_a_full_disk_is_told_from_a_file_that_cannot_be_read(tmp_path):
    require_path("/dev/full")
    (tmp_path / "people.csv").write_text("sex,p,id\nF,0.5,1\n")
    (tmp_path / "out.csv").symlink_to("/dev/full")
    with pytest.raises(InputError, match=r"out: cannot be written; got IO Error: .*No space left on device"):
        small_policy().decide_files(tmp_path / "people.csv", tmp_path / "out.csv", key="id")


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_no_file_and_no_traceback(told, tmp_path):
    """Ctrl-C, or an end asked for, while DuckDB is at work, in a process of its own."""
    size = 2_000_000
    frame = require("polars").DataFrame({"sex": ["F"] * size, "p": [0.5] * size, "id": range(size)})
    frame.write_csv(tmp_path / "people.csv")
    small_policy().save(tmp_path / "policy.json")
    program = "import sys; from crossfair.cli import main; main()"
    command = ["decide", "people.csv", "--policy", "policy.json", "--key", "id", "-o", "out.csv"]
    with subprocess.Popen(
        [sys.executable, "-c", program, *command], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as running:
        while not list(tmp_path.glob(".out.csv.*")):
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(told)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert said.endswith("Interrupted.\n")
    assert "Traceback" not in said
    assert sorted(os.listdir(tmp_path)) == ["people.csv", "policy.json"]
