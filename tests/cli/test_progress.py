from __future__ import annotations

import sys
import time

import pytest

from crossfair.cli import progress as module
from crossfair.cli.progress import progress


def test_work_that_takes_long_shows_a_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with progress("Reading people.csv"):
        time.sleep(0.3)
    printed = capsys.readouterr()
    assert "Reading people.csv" in printed.err
    assert printed.out == ""


@pytest.mark.parametrize(
    ("terminal", "quiet", "patience"), [(True, False, 60.0), (True, True, 0.0), (False, False, 0.0)]
)
def test_otherwise_nothing_is_shown(
    terminal: bool,
    quiet: bool,
    patience: float,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(module, "PATIENCE", patience)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    with progress("Reading people.csv", quiet=quiet):
        time.sleep(0.1)
    assert capsys.readouterr() == ("", "")


def test_an_error_passes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with pytest.raises(ValueError, match="half way"), progress("Reading"):
        raise ValueError("half way")
