"""A preset shapes a page's tables and words, and says that it is no legal advice."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import audits
import pages
from crossfair import api
from crossfair.cli.app import run
from crossfair.counts import Counts
from crossfair.errors import InputError
from crossfair.estimators.smoothed import Smoothed


def hired() -> Counts:
    table = {"sex": ["F", "F", "M", "M", None, None], "race": ["a", "a", "b", "b", "a", "a"]}
    return Counts.from_table(
        {**table, "hired": [0, 1] * 3, "n": [90, 10, 60, 40, 3, 2]}, by=["sex", "race"], prediction="hired"
    )


def page_of(path: Path) -> pages.Node:
    return pages.parse(path.read_text("utf-8"))


def test_four_fifths_in_its_own_words(tmp_path: Path) -> None:
    audit = api.audit(hired().marginal("sex"), estimator=Smoothed(0, 0))
    audit.to_html(tmp_path / "a.html", audit.check("four-fifths"), preset="four-fifths")
    page = page_of(tmp_path / "a.html")
    assert "the lowest rate is 0.25 of the highest; 0.80 is the least allowed" in page.one("article").text
    preset = page.one("section", id="preset")
    assert "Not legal advice. A preset is a layout of figures" in preset.text
    rows = preset.one("table", id="impact-0").rows()
    assert [(row[0], row[3], row[5]) for row in rows] == [
        ("F", "10", "0.250 under 0.8"),
        ("M", "40", "1.000"),
        ("missing", "2", "1.000"),
    ]


def test_the_city_s_layout_has_a_table_for_each_attribute_and_one_for_both(tmp_path: Path) -> None:
    audit = api.audit(hired(), estimator=Smoothed(0, 0))
    audit.to_html(tmp_path / "a.html", preset="nyc-local-law-144", least_share=0.5)
    preset = page_of(tmp_path / "a.html").one("section", id="preset")
    captions = [table.one("caption").text for table in preset.all("table")]
    assert captions == [f"Selection rates by {by}" for by in ("sex", "race", "sex, race")]
    assert preset.one("table", id="impact-0").rows()[2][5] == "unknown category"
    assert preset.one("table", id="impact-2").rows()[0][5] == "small share, left out as asked"
    assert "Records of an unknown category, in no ratio: 5." in preset.text
    assert "categories with less than 50.0 % of the records" in preset.text
    assert "Not legal advice." in preset.text


def test_a_page_without_a_preset_has_none(tmp_path: Path) -> None:
    audits.ordinary().to_html(tmp_path / "a.html")
    assert not page_of(tmp_path / "a.html").all("section", id="preset")
    with pytest.raises(InputError, match="preset: must be one of 'four-fifths', 'nyc-local-law-144'; got x"):
        audits.ordinary().to_html(tmp_path / "b.html", preset="x")


def test_the_command_line_judges_and_shows_a_preset(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "hired.csv"
    rows = ["F,0"] * 90 + ["F,1"] * 10 + ["M,0"] * 60 + ["M,1"] * 40
    data.write_text("sex,hired\n" + "\n".join(rows) + "\n")
    command = ["audit", str(data), "--by", "sex", "--prediction", "hired", "--preset", "four-fifths"]
    assert run([*command, "--html", str(tmp_path / "a.html"), "--metric", "statistical_parity"]) == 1
    shown = capsys.readouterr().out
    assert "statistical_parity ≤ 0.223144" in shown
    assert "Four-fifths rule\nA preset is a layout of figures, not legal advice" in shown
    assert shown.rstrip().endswith("40.0 %         1.000")
    assert pages.verdicts(page_of(tmp_path / "a.html")) == {"statistical_parity": "fail"}
    own = f"statistical_parity={math.log(100):.3f}"
    assert run([*command, "--limit", own, "--quiet"]) == 0
    assert run([*command[:-1], "nyc-local-law-144"]) == 2
    assert "laid out for 2 attributes; got 1: sex" in capsys.readouterr().err
    assert run([*command[:-1], "four fifths"]) == 2
    assert "--preset: must be one of 'four-fifths', 'nyc-local-law-144'" in capsys.readouterr().err


def test_hostile_categories_are_text(tmp_path: Path) -> None:
    audit = api.audit(audits.hostile().counts, estimator=Smoothed())
    audit.to_html(tmp_path / "a.html", audit.check("four-fifths"), preset="nyc-local-law-144")
    assert "<script>alert" not in (tmp_path / "a.html").read_text("utf-8")
    rows = page_of(tmp_path / "a.html").one("table", id="impact-0").rows()
    assert sorted(row[0] for row in rows) == sorted(v.replace("\u202e", "\\u202e") for v in audits.HOSTILE)
