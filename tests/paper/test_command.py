"""`crossfair reproduce`: the table of claims, the files, and what is refused before the work."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from crossfair.cli.app import run
from crossfair.paper import experiment

Asked = list[tuple[int, int, bool]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, results: experiment.Results) -> Asked:
    """What the command asks the experiment for, which gives what was found already."""
    seen = []

    def found(datasets: int, seed: int, *, retrain: bool, **_: object) -> experiment.Results:
        seen.append((datasets, seed, retrain))
        return trained_again(results, 0) if retrain else results

    monkeypatch.setattr(experiment, "run", found)
    return seen


def trained_again(results: experiment.Results, different: int) -> experiment.Results:
    retrained = {"records": 48842, "different": different}
    return experiment.Results({**results.figures, "retrained": retrained}, results.seconds)


def test_it_ends_with_the_table_of_claims(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: Asked
) -> None:
    out = tmp_path / "new" / "folder"
    assert run(["reproduce", "--out", str(out)]) == 0
    assert asked == [(1000, 0, False)]
    written = capsys.readouterr().out
    assert "not held  Deterministic post-processing costs significantly more" in written
    assert "held      All repaired models keep the limit" in written
    ending = [line for line in written.splitlines() if line][-2:]
    assert ending[0].endswith(" of 16 claims held.")
    assert ending[1].startswith(f"Wrote {out / 'paper.md'}, ")
    assert {path.name for path in out.iterdir()} == {"paper", "paper.md", "paper.html"}
    assert {"figures.json", "seconds.json", "losses.svg"} < {path.name for path in (out / "paper").iterdir()}


def test_options_reach_the_experiment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: Asked
) -> None:
    assert run(["reproduce", "--quick", "--seed", "7", "--retrain", "-o", str(tmp_path)]) == 0
    assert asked == [(20, 7, True)]
    assert "Trained again, the model gives the same 48,842 scores to the last bit." in capsys.readouterr().out


def test_other_scores_are_a_failure(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    results: experiment.Results,
) -> None:
    monkeypatch.setattr(experiment, "run", lambda *_, **__: trained_again(results, 7))
    assert run(["reproduce", "--retrain", "-o", str(tmp_path)]) == 1
    assert "the model gives other scores to 7 of 48,842 records" in capsys.readouterr().out


def test_a_folder_that_cannot_be_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: Asked
) -> None:
    (tmp_path / "file").write_text("")
    assert run(["reproduce", "--out", str(tmp_path / "file")]) == 2
    assert "out: must be a folder, or a place where one can be made; got " in capsys.readouterr().err
    assert asked == []


def test_a_negative_seed_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reproduce", "--seed", "-1"]) == 2
    assert "--seed" in capsys.readouterr().err


def test_a_missing_extra_is_named_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    assert run(["reproduce", "--out", str(tmp_path)]) == 2
    assert "pip install 'crossfair[report]'" in capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "xgboost", None)
    assert run(["reproduce", "--retrain", "--out", str(tmp_path)]) == 2
    assert "pip install 'crossfair[paper]'" in capsys.readouterr().err
