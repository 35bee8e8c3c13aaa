"""What no repair can be made from: one line on the terminal, no traceback, no file, the right exit code."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from cli_files import write_csv
from crossfair.cli.app import run

LIMIT = ["--limit", "equalized_odds=0.2"]
BY = ["--by", "sex"]
SCORED = [*BY, "--label", "y", "--score", "p"]
DECIDED = [*BY, "--label", "y", "--prediction", "yhat"]


def people(**changes: list[object]) -> dict[str, list[object]]:
    """Records whose score favours one sex."""
    draw = random.Random(1)
    sex = [draw.choice("FM") for _ in range(300)]
    good = [int(draw.random() < (0.3 if one == "F" else 0.5)) for one in sex]
    score = [round(0.3 * y + 0.1 * (s == "M") + 0.6 * draw.random(), 2) for s, y in zip(sex, good)]
    return {"sex": sex, "y": good, "p": score, "yhat": [int(p > 0.5) for p in score], **changes}


WRONG = {
    "limit below 0": ([*SCORED, "--limit", "equalized_odds=-1"], "a number of at least 0; got -1"),
    "limit that is no number": (
        [*SCORED, "--limit", "equalized_odds=nan"],
        "of at least 0; got nan",
    ),
    "limit too large": (
        [*SCORED, "--limit", "tpr_parity=50", "--alpha", "0"],
        "must be at most 20, or infinite",
    ),
    "no labels": ([*BY, "--score", "p", *LIMIT], "label: a repair needs the column of true outcomes"),
    "negative cost": ([*SCORED, *LIMIT, "--cost-fn", "-1"], "loss: false_negative: a cost must be a finite"),
    "no costs": (
        [*SCORED, *LIMIT, "--cost-fn", "0", "--cost-fp", "0"],
        "of the two costs must be above 0",
    ),
    "prediction": ([*DECIDED, *LIMIT, "--method", "derived"], "'derived' needs a score"),
    "every cell exempt": ([*SCORED, *LIMIT, "--min-support", "999"], "every cell has too few records"),
    "prior": ([*SCORED, *LIMIT, "--alpha", "1e-12"], "alpha: must be 0, or lie between"),
    "penalty": ([*SCORED, *LIMIT, "--penalty", "-1"], "penalty: must be a finite number of at least 0"),
    "time": ([*SCORED, *LIMIT, "--time-limit", "0"], "time_limit: must be a number of seconds above 0"),
    "labels": ([*SCORED, "--limit", "elift=1"], "depends on the labels alone, so no policy can change it"),
}


def fails(
    data: Path, options: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = data.with_name("policy.json")
    assert run(["mitigate", str(data), *options, "-o", str(out)]) == code
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""
    assert not out.exists()


@pytest.mark.parametrize(("options", "message"), WRONG.values(), ids=WRONG)
def test_wrong_options(tmp_path, options, message, capsys):
    fails(write_csv(tmp_path / "people.csv", people()), options, 2, message, capsys)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("y", 0, "records of both labels; got no positive one"),
        ("y", 1, "records of both labels; got no negative one"),
        ("p", "nan", "score: 'p' must be a finite number in every record"),
        ("p", "", "score: 'p' must be a finite number in every record"),
    ],
)
def test_wrong_data(tmp_path, column, value, message, capsys):
    table = people()
    first = [value] if column == "p" else [value] * len(table[column])
    table[column] = [*first, *table[column][len(first) :]]
    fails(write_csv(tmp_path / "people.csv", table), [*SCORED, *LIMIT], 2, message, capsys)


def test_thresholds_that_cannot_keep_the_limit(tmp_path, capsys):
    rows = [("F", 0, 0.1, 7), ("F", 1, 0.2, 9), ("M", 1, 0.1, 50), ("M", 0, 0.2, 20)]
    each = [row for *row, times in rows for _ in range(times)]
    data = write_csv(tmp_path / "people.csv", dict(zip(("sex", "y", "p"), zip(*each))))
    options = [*SCORED, "--limit", "tpr_parity=0", "--method", "threshold", "--min-support", "1"]
    fails(data, options, 1, "No policy: limits: no choice of one threshold per cell keeps tpr", capsys)


def test_time_that_ends_before_any_policy_is_found(tmp_path, capsys):
    options = [*SCORED, *LIMIT, "--method", "threshold", "--time-limit", "1e-9"]
    data = write_csv(tmp_path / "people.csv", people())
    fails(data, options, 3, "No policy: time_limit: no thresholds that keep tpr", capsys)
    found = ["frontier", str(data), *SCORED, "--limit", "equalized_odds", "--epsilon", "0.2", *options[-4:]]
    assert run([*found, "--json", "-"]) == 3
    assert json.loads(capsys.readouterr().out)["points"][0]["status"] == "time_limit"


def test_time_that_ends_before_proof_leaves_a_policy(tmp_path):
    out = tmp_path / "policy.json"
    data = write_csv(tmp_path / "people.csv", people())
    assert (
        run(["mitigate", str(data), *SCORED, *LIMIT, "--time-limit", "1e-9", "-o", str(out), "--quiet"]) == 3
    )
    certificate = json.loads(out.read_text("utf-8"))["certificate"]
    assert certificate["status"] == "time_limit"
    assert certificate["bound"] < certificate["objective"]
