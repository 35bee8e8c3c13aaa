from __future__ import annotations

from pathlib import Path

import pytest

from crossfair.auditing import Audit
from crossfair.cli.app import run


def test_the_demo_audits_the_bundled_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--out", str(tmp_path / "new" / "folder")]) == 0
    page = capsys.readouterr().out
    assert page.startswith(
        "Audit of Adult, training split\n32,560 records in 16 cells of sex · age · race_4\n"
    )
    audit = Audit.from_json((tmp_path / "new" / "folder" / "audit.json").read_text("utf-8"))
    assert audit.counts.records == 32_560
