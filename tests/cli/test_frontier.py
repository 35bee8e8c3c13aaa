from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from crossfair import frontiers
from crossfair.cli.app import run
from crossfair.mitigation.certificate import Status

SCORED = [
    *("--by", "sex,age,race_4", "--bins", "age=50", "--label", "income", "--positive", ">50K"),
    *("--score", "score", "--min-support", "1"),
]
LIMIT = ["--limit", "equalized_odds", "--epsilon", "0", "--epsilon", "2.14854"]


def test_every_point_is_a_line(people_csv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["frontier", str(people_csv), *SCORED, *LIMIT]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[:2] == [["Frontier", "of", str(people_csv)], ["limit", "on", "equalized_odds"]]
    assert [line[:3] for line in lines[4:6]] == [
        ["optimal", "0.000", "0.213160"],
        ["optimal", "2.149", "0.139575"],
    ]


def test_the_points_are_written_as_json(people_csv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["frontier", str(people_csv), *SCORED, *LIMIT, "--json", "-"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert written["format"] == "crossfair/frontier/1"
    assert [point["epsilon"] for point in written["points"]] == [0, 2.14854]


def test_a_point_stopped_before_proof_is_exit_code_3(
    people_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solve = frontiers.frontier

    def stopped(*data: object, **options: object) -> frontiers.Frontier:
        found = solve(*data, **options)
        last = found.points[-1]
        certificate = replace(last.policy.certificate, status=Status.TIME_LIMIT)
        point = replace(last, policy=replace(last.policy, certificate=certificate))
        return replace(found, points=(*found.points[:-1], point))

    monkeypatch.setattr(frontiers, "frontier", stopped)
    assert run(["frontier", str(people_csv), *SCORED, *LIMIT, "--quiet"]) == 3


def test_a_metric_that_cannot_be_limited_is_refused(
    people_csv: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["frontier", str(people_csv), *SCORED, "--limit", "elift"]) == 2
    assert "elift: cannot be limited" in capsys.readouterr().err
