from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossfair import repair
from crossfair.cli.app import run
from crossfair.errors import InfeasibleError
from crossfair.mitigation.certificate import Status
from crossfair.policy import Policy

READ = ["--by", "sex,age,race_4", "--bins", "age=50", "--label", "income", "--positive", ">50K"]
SCORED = [*READ, "--score", "score", "--min-support", "1"]
LIMIT = ["--limit", "equalized_odds=2.14854"]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "policy.json"


@pytest.fixture
def certified(people: dict[str, list[Any]]) -> Policy:
    """What Python finds for the same records."""
    return repair.mitigate(
        people,
        by=["sex", "age", "race_4"],
        bins={"age": [50]},
        label="income",
        positive=">50K",
        score="score",
        min_support=1,
        limits={"equalized_odds": 2.14854},
    )


def test_the_policy_of_python_is_written(people_csv: Path, out: Path, certified: Policy) -> None:
    assert run(["mitigate", str(people_csv), *SCORED, *LIMIT, "-o", str(out), "--quiet"]) == 0
    written = Policy.load(out)
    assert written.steps.breaks.tolist() == certified.steps.breaks.tolist()
    assert written.steps.probabilities.tolist() == certified.steps.probabilities.tolist()
    assert written.salt == certified.salt
    assert written.certificate is not None
    assert written.certificate.objective == pytest.approx(0.139575, abs=5e-7)


def test_the_page_shows_decisions_limits_and_certificate(
    people_csv: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["mitigate", str(people_csv), *SCORED, *LIMIT, "-o", str(out)]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[1] == "method derived, over 16 cells of sex · age · race_4"
    assert "given 0.142936 0.5425 0.0432" in lines
    assert "unconstrained 0.139343 0.5918 0.0540" in lines
    assert any(line.startswith("repaired 0.139575") for line in lines)
    assert "equalized_odds 8.148 8.029 2.149 2.149" in lines
    assert any(line.startswith("Certificate: objective 0.139575, proven bound 0.139575") for line in lines)
    assert lines[-1] == f"Wrote {out}"


def test_other_data_say_what_may_be_believed(
    people_csv: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    test = ["--test", str(people_csv), "--json", str(out.with_name("evaluation.json"))]
    assert run(["mitigate", str(people_csv), *SCORED, *LIMIT, *test, "-o", str(out)]) == 0
    page = capsys.readouterr().out
    assert f"Evaluation on {people_csv}\n32,560 records not fitted to" in page
    evaluation = json.loads(out.with_name("evaluation.json").read_text("utf-8"))
    assert {row["decisions"] for row in evaluation["rows"]} == {"given", "unconstrained", "repaired"}


def received(monkeypatch: pytest.MonkeyPatch, people_csv: Path, out: Path, *options: str) -> dict[str, Any]:
    """What reaches the function of Python."""
    given: dict[str, Any] = {}

    def fake(data: Any, **keywords: Any) -> Policy:
        given.update(keywords, data=data)
        raise InfeasibleError("not asked for")

    monkeypatch.setattr(repair, "mitigate", fake)
    assert run(["mitigate", str(people_csv), *SCORED, *LIMIT, "-o", str(out), *options]) == 1
    return given


def test_the_options_reach_the_solver(monkeypatch: pytest.MonkeyPatch, people_csv: Path, out: Path) -> None:
    options = ["--method", "overall", "--cost-fp", "2", "--any", "--time-limit", "9", "--gap", "0.1"]
    given = received(
        monkeypatch,
        people_csv,
        out,
        *options,
        "--penalty",
        "0.3",
        "--unseen",
        "given",
        "--salt",
        "s",
        "--alpha",
        "0",
    )
    wanted = {"method": "overall", "monotone": False, "time_limit": 9, "gap": 0.1, "penalty": 0.3}
    assert given | wanted == given
    assert (given["unseen"], given["salt"], given["alpha"], given["beta"]) == ("given", "s", 0, 0.01)
    assert (given["loss"].false_positive, given["loss"].false_negative) == (2, 1)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], None),
        (["--decide-by", "sex"], ["sex"]),
        (["--decide-by", ""], []),
        (["--decide-by", "sex,age"], ["sex", "age"]),
    ],
)
def test_the_deciding_attributes_may_be_none_at_all(
    monkeypatch: pytest.MonkeyPatch,
    people_csv: Path,
    out: Path,
    options: list[str],
    expected: list[str] | None,
) -> None:
    assert received(monkeypatch, people_csv, out, *options)["decide_by"] == expected


def test_nothing_within_the_limits_is_exit_code_1_and_no_file(
    monkeypatch: pytest.MonkeyPatch, people_csv: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    received(monkeypatch, people_csv, out)
    assert capsys.readouterr().err == "No policy: not asked for\n"
    assert not out.exists()


def test_stopping_before_proof_is_exit_code_3(
    monkeypatch: pytest.MonkeyPatch, people_csv: Path, out: Path, certified: Policy
) -> None:
    assert certified.certificate is not None
    stopped = replace(certified, certificate=replace(certified.certificate, status=Status.TIME_LIMIT))
    monkeypatch.setattr(repair, "mitigate", lambda *_, **__: stopped)
    assert run(["mitigate", str(people_csv), *SCORED, *LIMIT, "-o", str(out), "--quiet"]) == 3
    assert Policy.load(out) == stopped


WRONG = {
    "metric that no policy can keep": (
        ["--limit", "ppv_parity=1"],
        "cannot be limited: it divides by the number",
    ),
    "metric": (["--limit", "equalised_odds=1"], "Did you mean 'equalized_odds'?"),
    "method": ([*LIMIT, "--method", "derive"], "Did you mean 'derived'?"),
    "cost": ([*LIMIT, "--cost-fp", "-1"], "false_positive"),
    "level": ([*LIMIT, "--level", "2"], "level: must lie strictly between 0 and 1"),
    "attribute": ([*LIMIT, "--decide-by", "sxe"], "Did you mean 'sex'?"),
    "no limit": ([], "Missing option '--limit'"),
}


@pytest.mark.parametrize(("options", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_with_exit_code_2(
    people_csv: Path, out: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["mitigate", str(people_csv), *SCORED, *options, "-o", str(out)]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()
