from __future__ import annotations

import sys
from pathlib import Path

import pytest

import pages
from crossfair.auditing import Audit
from crossfair.cli.app import run
from crossfair.policy import Policy

LOSSES = {
    "given prediction": "0.142936",
    "best thresholds": "0.139343",
    "randomize": "0.143561",
    "threshold": "0.140141",
    "sequential": "0.139889",
    "overall": "0.139705",
    "derived": "0.139575",
}


def test_the_demo_goes_the_whole_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "folder"
    assert run(["demo", "--out", str(folder)]) == 0
    page = capsys.readouterr().out
    assert page.startswith(
        "Audit of Adult, training split\n32,560 records in 16 cells of sex · age · race_4\n"
    )
    for name, loss in LOSSES.items():
        assert any(line.startswith(f"  {name} ") and loss in line for line in page.splitlines()), name
    assert "Evaluation on Adult, test split: method derived\n16,281 records not fitted to" in page
    assert Audit.from_json((folder / "audit.json").read_text("utf-8")).counts.records == 32_560
    assert Policy.load(folder / "policy.json").limits == {"equalized_odds": 2.14854}
    assert page.splitlines()[-1] == (folder / "report.html").resolve().as_uri()
    report = pages.parse((folder / "report.html").read_text("utf-8"))
    assert report.one("p", class_="lead").text == (
        "? As given, the limit is broken. After the repair, in the population, the limit is undecided."
    )
    assert (folder / "report.html").stat().st_size < 3_000_000


def test_without_the_extra_for_pages_the_demo_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    assert run(["demo", "--out", str(tmp_path)]) == 0
    assert "No page: a chart needs altair: pip install 'crossfair[report]'" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"audit.json", "policy.json"}
