from __future__ import annotations

import re
from pathlib import Path

import pytest

import audits
from crossfair.charts import svg, theme
from crossfair.errors import InputError, MissingDependencyError

STARTS = {"png": b"\x89PNG\r\n", "svg": b"<svg", "pdf": b"%PDF-", "html": b"<!DOCTYPE html>"}


@pytest.mark.parametrize("ending", STARTS)
def test_a_chart_is_saved_by_its_ending(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"chart.{ending}"
    audits.ordinary().chart("rates").save(path)
    assert path.read_bytes().startswith(STARTS[ending])
    assert list(tmp_path.iterdir()) == [path]


def test_a_chart_stays_an_altair_chart_that_can_be_changed(tmp_path: Path) -> None:
    altair = pytest.importorskip("altair")
    chart = audits.ordinary().chart("epsilon").properties(title="ours")
    assert isinstance(chart, altair.LayerChart)
    chart.save(tmp_path / "chart.svg")
    assert "ours" in (tmp_path / "chart.svg").read_text("utf-8")


def test_a_page_of_a_chart_runs_no_value(tmp_path: Path) -> None:
    audits.hostile().chart("rates").save(tmp_path / "chart.html")
    text = (tmp_path / "chart.html").read_text("utf-8")
    assert "<script>alert" not in text
    assert "\\u003cscript>alert(1)\\u003c/script>" in text


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"path: must end in one of \.png, .*; got '.*chart\.gif'"):
        audits.ordinary().chart("rates").save(tmp_path / "chart.gif")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the folder of the file must exist"):
        audits.ordinary().chart("rates").save(tmp_path / "absent" / "chart.svg")


@pytest.mark.parametrize(("module", "library"), [("altair", "altair"), ("vl_convert", "vl-convert-python")])
def test_a_missing_library_is_named(
    module: str, library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(MissingDependencyError, match=rf"needs {library}: pip install 'crossfair\[report\]'"):
        audits.ordinary().chart("rates").save(tmp_path / "chart.svg")


def test_the_ids_of_two_drawings_do_not_meet() -> None:
    chart = theme.altair().Chart(theme.data([{"a": 1}, {"a": 2}])).mark_point().encode(color="a:Q")
    drawn = [svg.draw(theme.finish(chart, "A legend with a gradient."), prefix) for prefix in ("one", "two")]
    ids = [set(re.findall(r'id="([^"]+)"', text)) for text in drawn]
    assert ids[0]
    assert not ids[0] & ids[1]
    for text, known in zip(drawn, ids):
        assert set(re.findall(r"url\(#([^)]+)\)", text)) == known
