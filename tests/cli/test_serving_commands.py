"""`crossfair decide`, `sql` and `explain`, against the policy in Python."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from crossfair.cli.app import run
from crossfair.policy import Policy
from crossfair.steps import Steps
from policies import small_policy


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    small_policy().save(tmp_path / "policy.json")
    return tmp_path / "policy.json"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = "".join(f"{sex},0.{digit},{digit}\n" for digit in range(1, 10) for sex in ("F", "M"))
    path.write_text(f"gender,p,nr\n{rows}", encoding="utf-8")
    return path


OPTIONS = ["--columns", "sex=gender", "--key", "nr"]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_decisions_are_written_and_changes_shown(
    saved: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, document = tmp_path / "out.csv", tmp_path / "changes.json"
    command = ["decide", str(data), "--policy", str(saved), *OPTIONS, "-o", str(out), "--json", str(document)]
    assert run(command) == 0
    policy, people = Policy.load(saved), rows_of(data)
    columns: dict[str, list[Any]] = {name: [row[name] for row in people] for name in people[0]}
    decided = policy.decide(columns, key="nr", columns={"sex": "gender"}).tolist()
    pairs = sorted((row["nr"], int(row["decision"])) for row in rows_of(out))
    assert pairs == sorted(zip(columns["nr"], decided))
    found = policy.changes(columns, key="nr", columns={"sex": "gender"})
    assert json.loads(document.read_text("utf-8"))["up"] == found.up.astype(int).tolist()
    page = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert page[0] == "Decisions on 18 records"
    assert page[1] == f"accepted: {found.total('given'):.0f} as given, {found.total('repaired'):.0f} now"
    for cell, up, down in zip("FM", found.up, found.down):
        (line,) = [line for line in page if line.startswith(f"{cell} 9 ")]
        assert line.endswith(f" {up:.0f} {down:.0f}")
    assert page[-1] == f"Wrote {out}"


def test_changes_that_cannot_be_counted_are_not_promised(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    everyone = {"decide_by": (), "steps": Steps.of([([0.5], [0.0, 1.0])]), "certificate": None}
    small_policy(**everyone).save(saved)
    (tmp_path / "people.csv").write_text("p,id\n0.4,1\n0.6,2\n", encoding="utf-8")
    out, document = tmp_path / "out.csv", tmp_path / "changes.json"
    command = ["decide", str(tmp_path / "people.csv"), "--policy", str(saved), "--key", "id", "-o", str(out)]
    assert run([*command, "--json", str(document)]) == 0
    printed = capsys.readouterr()
    assert "Changes are not counted: DATA lack an attribute of the policy." in printed.out
    assert printed.err == f"No {document}: DATA lack an attribute of the policy to count changes by.\n"
    assert not document.exists()
    assert sorted(row["decision"] for row in rows_of(out)) == ["0", "1"]


def test_quiet_prints_nothing(
    saved: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["decide", str(data), "--policy", str(saved), *OPTIONS, "-o", str(tmp_path / "out.csv"), "-q"]
    assert run(command) == 0
    assert capsys.readouterr() == ("", "")
    assert len(rows_of(tmp_path / "out.csv")) == 18


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--key", "id"], "data: has no column 'sex'"),
        (["--columns", "sex=gender"], "key: the policy tosses coins, so it needs a key"),
        (["--columns", "gender", "--key", "nr"], "--columns: must look like sex=gender; got 'gender'"),
        ([*OPTIONS, "--seed", "1"], "key, seed: give one of them"),
        ([*OPTIONS, "--out", "out.html"], "out: must end in one of .csv"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    options: list[str],
    message: str,
    saved: Path,
    data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["decide", str(data), "--policy", str(saved), "-o", str(tmp_path / "out.csv"), *options]
    assert run(command) == 2
    assert f"Error: {message}" in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()


def test_an_edited_policy_is_refused(saved: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved.write_text(saved.read_text("utf-8").replace('"demo"', '""'), encoding="utf-8")
    for command in (["decide", str(data), "-o", "x.csv", *OPTIONS], ["sql", "--table", "t", "--key", "id"]):
        assert run([*command, "--policy", str(saved)]) == 2
        assert "salt: must be a text that is not empty" in capsys.readouterr().err


def test_the_statement_is_that_of_python(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["sql", "--policy", str(saved), "--table", "main.people", "--key", "id", "--dialect", "spark"]
    assert run(options) == 0
    statement = small_policy().to_sql(table="main.people", key="id", dialect="spark")
    assert capsys.readouterr().out == f"{statement}\n"
    assert run([*options, "--changes", "--columns", "sex=gender", "-o", str(tmp_path / "s.sql")]) == 0
    changes = small_policy().to_sql(
        table="main.people", key="id", dialect="spark", changes=True, columns={"sex": "gender"}
    )
    assert (tmp_path / "s.sql").read_text("utf-8") == f"{changes}\n"
    assert run([*options[:-1], "oracle"]) == 2


def test_an_explanation_is_that_of_python(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["explain", "--policy", str(saved), "--set", "sex=M", "--score", "0.7", "--key", "17"]
    told = small_policy().explain_one({"sex": "M"}, score=0.7, key=17)
    assert run(command) == 0
    assert capsys.readouterr().out == f"{told}\n"
    assert run([*command, "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body == {"format": "crossfair/explanation/1", **told.to_json()}


def test_no_value_can_steer_the_terminal(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = "M\ndecision:    1\x1b[31m"
    Policy.from_json(saved.read_text("utf-8").replace('"M"', json.dumps(hostile))).save(saved)
    assert run(["explain", "--policy", str(saved), "--set", f"sex={hostile}", "--score", "0.1"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == r"cell:        M\ndecision:    1\x1b[31m"
    (tmp_path / "people.csv").write_text("sex,p,id\nF,\x1b[31m,1\n", encoding="utf-8")
    command = ["decide", str(tmp_path / "people.csv"), "--policy", str(saved), "--key", "id", "-o", "out.csv"]
    assert run(command) == 2
    assert r"score: 'p' must hold numbers; got \x1b[31m." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "sex=X", "--score", "1"], "record: the policy has not seen every cell"),
        (["--set", "sex=", "--score", "1"], "got the cell (None,)"),
        (["--score", "1"], "record: has no 'sex'; got an empty record"),
        (["--set", "sex=M"], "score: must be given"),
        (["--set", "sex=M", "--prediction", "1"], "prediction: is not what the policy reads"),
        (["--set", "sex=M", "--score", "high"], "score: must be a finite number; got 'high'"),
        (["--set", "sex=M", "--score", "0.7"], "key: this decision needs a coin, so it needs a key"),
        (["--set", "sex"], "--set: must look like sex=Female; got 'sex'"),
    ],
)
def test_what_cannot_be_explained(
    options: list[str], message: str, saved: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explain", "--policy", str(saved), *options]) == 2
    assert message in capsys.readouterr().err
