from __future__ import annotations

from pathlib import Path

import pytest

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
