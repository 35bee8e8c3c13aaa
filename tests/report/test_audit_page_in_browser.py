"""The page about an audit as people meet it: in a browser, offline, on paper, on a phone, by keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import audits
from browser import axe, check_printed, cut_on_paper, opened, print_to_text, table_texts


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "audit.html"
    audit = audits.ordinary()
    audit.to_html(path, audit.check({"impact_ratio": 0.01, "statistical_parity": 3.0}))
    return path


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "hostile.html"
    audits.hostile().to_html(path, title="</title><script>alert(2)</script>")
    return path


def column(page: Any, place: int, table: str = "groups-table") -> list[str]:
    """The texts of a column, of the rows that are shown."""
    cells = page.locator(f"#{table} tbody tr:visible td:nth-child({place})").all_inner_texts()
    return [cell.partition("\n")[0] for cell in cells]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_loads_offline_in_silence_and_is_accessible(browser: Any, page_file: Path, scheme: str) -> None:
    with opened(browser, page_file, color_scheme=scheme) as page:
        assert page.locator("svg").count() == 4
        assert axe(page) == []


def test_it_fits_a_phone(browser: Any, page_file: Path) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    with opened(browser, page_file, **phone) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.locator("article.answer").first.bounding_box()["width"] > 320
        assert axe(page) == []


def test_the_groups_are_sorted_by_their_headings(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file) as page:
        records = page.locator("#groups-table th button", has_text="Records")
        sizes = [int(text.replace(",", "")) for text in column(page, 3)]
        records.click()
        assert column(page, 3) == [f"{size:,}" for size in sorted(sizes, reverse=True)]
        assert page.locator("#groups-table th[aria-sort=descending]").inner_text() == "Records"
        records.press("Enter")
        assert column(page, 3) == [f"{size:,}" for size in sorted(sizes)]
        page.locator("#groups-table th button", has_text="age").click()
        assert column(page, 2) == ["middle"] * 2 + ["old"] * 2 + ["young"] * 2


def test_the_groups_are_searched_and_filtered(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file) as page:
        page.get_by_label("Search").fill("OLD")
        assert column(page, 2) == ["old", "old"]
        page.locator("label", has_text="sex").locator("select").select_option("M")
        assert (column(page, 1), column(page, 2)) == (["M"], ["old"])
        assert page.locator("[data-status]").inner_text() == "1 of 6 rows"
        page.get_by_label("Search").fill("nobody")
        assert column(page, 1) == []


def test_without_javascript_the_figures_are_there(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file, java_script_enabled=False) as page:
        assert len(column(page, 1)) == 6
        assert page.locator("svg:visible").count() == 4
        assert page.locator("article.answer:visible").count() == 2
        assert page.locator("input:visible, select:visible, button:visible").count() == 0


def test_the_keyboard_reaches_everything(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the answer"
        page.keyboard.press("Enter")
        assert page.evaluate("location.hash") == "#answer"
        reached = set()
        for _ in range(60):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.tagName"))
        assert {"INPUT", "SELECT", "BUTTON", "DIV"} <= reached


def test_every_table_is_in_the_print(browser: Any, page_file: Path, tmp_path: Path) -> None:
    with opened(browser, page_file) as page:
        tables = table_texts(page)
        page.get_by_label("Search").fill("old")
        printed = print_to_text(page, tmp_path / "page.pdf")
        assert cut_on_paper(page) == []
    assert len(tables) == 4
    check_printed(tables, printed)


def test_hostile_values_are_text(browser: Any, hostile_file: Path) -> None:
    with opened(browser, hostile_file) as page:
        shown = {value.replace("\u202e", "\\u202e") for value in audits.HOSTILE}
        assert set(column(page, 1)) == shown
        assert set(page.locator("select").first.locator("option").all_inner_texts()) == {"all", *shown}
        assert page.title() == "</title><script>alert(2)</script>"
        assert page.locator("section b.x, i").count() == 0
        page.locator("select").first.select_option("</script>")
        assert column(page, 1) == ["</script>"]
        drawn = " ".join(page.locator("svg text").all_text_contents())
        assert "<script>alert(1)</script> · x" in drawn
        assert 'O\'Brien & "Co" · x' in drawn


@pytest.mark.parametrize("name", ["infinite", "single", "nothing", "long names", "unlabelled"])
def test_what_is_hard_to_show_fits_and_is_accessible(browser: Any, name: str, tmp_path: Path) -> None:
    audit = audits.ODD[name]()
    audit.to_html(tmp_path / "odd.html", audit.check(dict.fromkeys(list(audit.findings)[:2], 1.0)))
    with opened(browser, tmp_path / "odd.html") as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        assert axe(page) == []
        assert cut_on_paper(page) == []


def test_two_thousand_cells_are_searched_and_shown(browser: Any, tmp_path: Path) -> None:
    audits.many().to_html(tmp_path / "many.html")
    with opened(browser, tmp_path / "many.html") as page:
        assert page.locator("#groups-table tbody tr:visible").count() == 200
        page.get_by_label("Search").fill("site 099 team 19")
        assert (column(page, 1), column(page, 2)) == (["site 099"], ["team 19"])
        page.get_by_label("Search").fill("")
        page.get_by_role("button", name="Show all").click()
        assert page.locator("#groups-table tbody tr:visible").count() == 2000


def test_a_chart_of_many_cells_is_searched(browser: Any, tmp_path: Path) -> None:
    audits.many(400).chart("rates", metric="statistical_parity", most=10).save(tmp_path / "chart.html")
    with opened(browser, tmp_path / "chart.html") as page:
        page.locator("svg text", has_text="… 390 more …").wait_for()
        assert page.locator("svg text", has_text="site 000 · team 05").count() == 0
        page.locator("input[type=search]").fill("SITE 000 · team 05")
        page.locator("svg text", has_text="site 000 · team 05").wait_for()
        assert page.locator("svg text", has_text="site").count() == 1


def test_the_page_of_a_chart_draws_itself_offline(browser: Any, tmp_path: Path) -> None:
    audits.hostile().chart("rates").save(tmp_path / "chart.html")
    with opened(browser, tmp_path / "chart.html") as page:
        page.locator("svg text", has_text="<script>alert(1)</script> · x").first.wait_for()
