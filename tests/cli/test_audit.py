from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from components import require
from crossfair import api
from crossfair.auditing import Audit
from crossfair.cli.app import run
from crossfair.estimators.smoothed import Smoothed

READ = ["--by", "sex,age,race_4", "--bins", "age=50", "--label", "income", "--positive", ">50K"]
GIVEN = [*READ, "--prediction", "prediction"]
FAST = ["--estimator", "smoothed"]


def findings(path: Path) -> dict[str, Any]:
    return {found["metric"]: found for found in json.loads(path.read_text("utf-8"))["findings"]}


@pytest.fixture(scope="module")
def expected(people: dict[str, list[Any]]) -> Audit:
    """The audit that Python gives for the same records."""
    return api.audit(
        people,
        by=["sex", "age", "race_4"],
        bins={"age": [50]},
        label="income",
        positive=">50K",
        prediction="prediction",
    )


def test_a_csv_file_has_the_findings_of_python(people_csv: Path, expected: Audit, tmp_path: Path) -> None:
    assert run(["audit", str(people_csv), *GIVEN, "--json", str(tmp_path / "a.json")]) == 0
    assert findings(tmp_path / "a.json") == {
        name: found.to_json() for name, found in expected.findings.items()
    }


def test_a_parquet_file_has_the_findings_of_python(
    people: dict[str, list[Any]], expected: Audit, tmp_path: Path
) -> None:
    require("pyarrow.parquet").write_table(require("pyarrow").table(people), tmp_path / "people.parquet")
    assert run(["audit", str(tmp_path / "people.parquet"), *GIVEN, "--json", str(tmp_path / "a.json")]) == 0
    assert findings(tmp_path / "a.json") == {
        name: found.to_json() for name, found in expected.findings.items()
    }


def test_several_files_are_one_table(
    people_csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = tmp_path / "again.csv"
    again.write_bytes(people_csv.read_bytes())
    assert run(["audit", str(people_csv), str(again), *GIVEN, *FAST]) == 0
    assert capsys.readouterr().out.startswith(
        f"Audit of {people_csv} and 1 more\n65,120 records in 16 cells of sex · age · race_4\n"
    )


@pytest.mark.parametrize(("limit", "code"), [("fpr_parity=1.0", 1), ("fpr_parity=50", 0)])
def test_the_exit_code_tells_whether_a_limit_holds(people_csv: Path, limit: str, code: int) -> None:
    assert run(["audit", str(people_csv), *GIVEN, "--limit", limit, "--quiet"]) == code


def test_ten_records_cannot_tell(people_csv: Path, tmp_path: Path) -> None:
    ten = tmp_path / "ten.csv"
    ten.write_text("".join(people_csv.read_text().splitlines(keepends=True)[:11]))
    assert run(["audit", str(ten), *GIVEN, "--limit", "fpr_parity=1.0", "--quiet"]) == 3


def test_a_broken_limit_outweighs_an_undecided_one(people_csv: Path) -> None:
    limits = ["--limit", "fpr_parity=1", "--limit", "tpr_parity=0.5"]
    assert run(["audit", str(people_csv), *GIVEN, *limits, "--quiet"]) == 1


def test_a_metric_with_a_limit_is_measured_with_the_named_ones(people_csv: Path, tmp_path: Path) -> None:
    options = ["--metric", "elift", "--limit", "impact_ratio=9", "--json", str(tmp_path / "a.json")]
    assert run(["audit", str(people_csv), *READ, *FAST, *options]) == 0
    assert list(findings(tmp_path / "a.json")) == ["elift", "impact_ratio"]


def test_the_parameters_reach_the_estimator(people_csv: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    options = ["--estimator", "smoothed", "--alpha", "0", "--beta", "0", "--min-support", "30", "--seed", "7"]
    assert run(["audit", str(people_csv), *READ, *options, "--level", "0.9", "--json", str(path)]) == 0
    settings = Audit.from_json(path.read_text("utf-8")).settings
    assert settings.estimator == Smoothed(0, 0)
    assert (settings.min_support, settings.seed, settings.level) == (30, 7, 0.9)


def test_scores_and_weights_are_read(people: dict[str, list[Any]], people_csv: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    options = ["--score", "score", "--threshold", "0.4", "--weight", "fnlwgt"]
    assert run(["audit", str(people_csv), *READ, *FAST, *options, "--json", str(path)]) == 0
    found = api.audit(
        people, by=["sex", "age", "race_4"], bins={"age": [50]}, label="income", positive=">50K",
        score="score", threshold=0.4, weight="fnlwgt", estimator="smoothed",
    )  # fmt: skip
    assert findings(path) == {name: finding.to_json() for name, finding in found.findings.items()}


def test_json_goes_to_the_standard_output_alone(people_csv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", str(people_csv), *READ, *FAST, "--limit", "elift=2", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["verdicts"][0]["verdict"] == "pass"


def test_quiet_prints_nothing(people_csv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", str(people_csv), *READ, *FAST, "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_failure_leaves_no_file(people_csv: Path, tmp_path: Path) -> None:
    assert (
        run(["audit", str(people_csv), "--by", "sxe", "--label", "income", "--json", str(tmp_path / "a")])
        == 2
    )
    assert list(tmp_path.iterdir()) == []


WRONG = {
    "column": (["--by", "sxe", "--label", "income"], "has no column 'sxe'.*Did you mean 'sex'?"),
    "column twice": (["--by", "sex,sex", "--label", "income"], "got 'sex' named twice"),
    "estimator": ([*READ, "--estimator", "smothed"], "got smothed. Did you mean 'smoothed'?"),
    "parameter": ([*READ, *FAST, "--draws", "9"], "parameter: must be one of 'alpha', 'beta'; got draws"),
    "metric": ([*READ, "--metric", "elfit"], "got elfit. Did you mean 'elift'?"),
    "metric of a limit": ([*READ, "--limit", "elfit=1"], "got elfit. Did you mean 'elift'?"),
    "negative limit": ([*READ, "--limit", "elift=-1"], "must be a number of at least 0; got -1.0"),
    "limit that is no number": ([*READ, "--limit", "elift=nan"], "must be a number of at least 0; got nan"),
    "level": ([*READ, "--level", "2"], "level: must lie strictly between 0 and 1; got 2.0"),
    "confidence": (
        [*READ, "--limit", "elift=1", "--confidence", "0"],
        "confidence: must lie strictly between",
    ),
    "positive": (
        ["--by", "sex", "--label", "income", "--positive", "50K"],
        "positive: must be one of the values",
    ),
    "prediction and score": ([*GIVEN, "--score", "score"], "prediction, score: give one of them"),
    "metric without its column": ([*READ, "--metric", "fpr_parity"], "'fpr_parity' needs a prediction"),
    "table": ([*READ, "--table", "t"], "table: is for databases only"),
    "folder of the output": ([*READ, *FAST, "--json", "/absent/a.json"], "the folder of the file must exist"),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_in_one_line_with_exit_code_2(
    people_csv: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["audit", str(people_csv), *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == 1
    assert printed.err.startswith("Error: ")
    for part in message.split(".*"):
        assert part in printed.err


def test_small_counts_are_hidden_when_asked(
    people_csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read = ["--by", "sex,age,race_4", "--bins", "age=50", "--prediction", "prediction"]
    counted = ["count", str(people_csv), *read, "--suppress-below", "10", "-o", str(tmp_path / "a.counts")]
    assert run(counted) == 0
    assert "32,560 records in 13 cells" in capsys.readouterr().out
    command = ["audit", str(people_csv), *read, "--suppress-below", "10", "--estimator", "smoothed"]
    assert run(command) == 0
    shown = capsys.readouterr().out
    assert "no count under 10 is told: small cells are merged" in shown
    assert "Female · > 50 · (merged)" in shown
    assert run([*command, "--suppress-below", "1"]) == 2
    assert "suppress_below: must be an integer of at least 2; got 1" in capsys.readouterr().err
