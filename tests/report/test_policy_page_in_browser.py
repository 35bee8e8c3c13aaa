"""The page about a repair in a browser: its slider above all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import audits
import repairs
from browser import axe, check_printed, cut_on_paper, opened, print_to_text, table_texts
from crossfair.frontiers import Frontier
from crossfair.performance import REPAIRED

SLIDER = "input[type=range]"


@pytest.fixture(scope="module")
def frontier() -> Frontier:
    return repairs.explored()


@pytest.fixture(scope="module")
def page_file(frontier: Frontier, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "policy.html"
    policy = repairs.repaired()
    policy.to_html(path, repairs.people(), evaluation=repairs.held_out(policy), frontier=frontier)
    return path


def table(page: Any) -> list[list[str]]:
    rows = page.locator("#frontier-groups tbody tr").all()
    return [row.locator("td").all_inner_texts() for row in rows]


def test_the_slider_shows_each_point_in_words_table_and_chart(
    browser: Any, page_file: Path, frontier: Frontier
) -> None:
    data = repairs.people()
    with opened(browser, page_file) as page:
        assert page.locator(SLIDER).input_value() == "2"  # the policy's own limit stands between .1 and .5
        assert page.locator("output[for]").inner_text().startswith("ε ≤ 0.200: loss ")
        seen, places = [], []
        for place, point in zip((0, 1, 3, 4), frontier.points):
            page.locator(SLIDER).fill(str(place))
            policy = point.policy
            assert policy is not None
            words = page.locator("output[for]").inner_text()
            assert words.startswith(f"ε ≤ {point.epsilon:.3f}: loss {policy.expected[REPAIRED].loss:.4f}, ")
            accepted = policy.acceptance(data)
            for name, row in zip(repairs.NAMES, table(page)):
                mine = [i for i, value in enumerate(data["<b>sex</b>"]) if value == name]
                assert row[0] == name
                assert row[2] == f"{100 * sum(accepted[i] for i in mine) / len(mine):.1f} %"
            seen.append(table(page))
            places.append(page.locator("svg .here").bounding_box()["x"])
        assert len({str(rows) for rows in seen}) == 4
        assert places == sorted(places)
        assert len(set(places)) == 4


def test_the_slider_moves_by_keyboard_and_says_where_it_is(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file) as page:
        page.locator(SLIDER).focus()
        page.keyboard.press("ArrowRight")
        assert page.locator(SLIDER).get_attribute("aria-valuetext").startswith("ε ≤ 0.500: loss ")
        page.keyboard.press("Home")
        assert page.locator(SLIDER).get_attribute("aria-valuetext").startswith("ε ≤ 0.000: loss ")
        assert page.locator(SLIDER).evaluate("input => input.labels[0].textContent") == "Limit on ε"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_loads_offline_in_silence_and_is_accessible(browser: Any, page_file: Path, scheme: str) -> None:
    with opened(browser, page_file, color_scheme=scheme) as page:
        assert page.locator("svg").count() == 3
        assert axe(page) == []


def test_it_fits_a_phone(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file, viewport={"width": 360, "height": 740}, is_mobile=True) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_without_javascript_the_figures_are_there(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file, java_script_enabled=False) as page:
        assert page.locator("input:visible, select:visible, button:visible").count() == 0
        assert page.locator("svg:visible").count() == 3
        assert [row[0] for row in table(page)] == list(repairs.NAMES)
        assert page.locator("#frontier-table tbody tr:visible").count() == 5


def test_every_table_is_in_the_print(browser: Any, page_file: Path, tmp_path: Path) -> None:
    with opened(browser, page_file) as page:
        tables = table_texts(page)
        printed = print_to_text(page, tmp_path / "page.pdf")
        assert cut_on_paper(page) == []
    assert len(tables) == 6
    check_printed(tables, printed)


def test_hostile_values_are_text(browser: Any, tmp_path: Path) -> None:
    known = repairs.hostile()
    known.pop("policy").to_html(tmp_path / "hostile.html", **known)
    with opened(browser, tmp_path / "hostile.html") as page:
        shown = {value.replace("\u202e", "\\u202e") for value in audits.HOSTILE}
        for place in (0, 3):
            page.locator(SLIDER).fill(str(place))
            assert {row[0] for row in table(page)} == shown
        drawn = set(page.locator("svg text").all_text_contents())
        assert {"<script>alert(1)</script>", "</script>", 'O\'Brien & "Co"'} <= drawn
        assert page.title() == "Fairness repair by <b>sex</b>"
        assert axe(page) == []
