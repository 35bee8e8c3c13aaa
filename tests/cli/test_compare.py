from __future__ import annotations

import json
from pathlib import Path

import pytest

from crossfair import api
from crossfair.cli.app import run
from crossfair.estimators.smoothed import Smoothed

HIRED = {"sex": ["F"] * 100 + ["M"] * 100}


@pytest.fixture
def audits(tmp_path: Path) -> tuple[str, str]:
    """Two audits on file: men are hired twice, and four times, as often as women."""
    paths = []
    for name, men in (("a", 20), ("b", 40)):
        hired = [1] * 10 + [0] * 90 + [1] * men + [0] * (100 - men)
        audit = api.audit({**HIRED, "hired": hired}, by="sex", label="hired", estimator=Smoothed(0, 0))
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text(audit.to_json(), encoding="utf-8")
    return str(paths[0]), str(paths[1])


def test_the_amplification_is_shown(audits: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", *audits]) == 0
    page = capsys.readouterr().out
    assert " ".join(page.split()).startswith(f"A: {audits[0]} B: {audits[1]} Metric")
    row = next(line.split() for line in page.splitlines() if line.startswith("impact_ratio"))
    assert row == ["impact_ratio", "0.693", "1.386", "2.00", "–"]


def test_the_comparison_is_written_as_json(audits: tuple[str, str], tmp_path: Path) -> None:
    assert run(["compare", *audits, "--json", str(tmp_path / "c.json"), "--quiet"]) == 0
    written = json.loads((tmp_path / "c.json").read_text("utf-8"))
    factors = {row["metric"]: row["amplification"] for row in written["metrics"]}
    assert factors["impact_ratio"] == pytest.approx(2)


def test_a_file_that_is_no_audit_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.json").write_text("{")
    assert run(["compare", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == 2
    assert "is no audit file" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_refused(
    audits: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", audits[0], "absent.json"]) == 2
    assert "absent.json: there is no such audit file" in capsys.readouterr().err
