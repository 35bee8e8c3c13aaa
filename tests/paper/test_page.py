"""The page in both its forms: published figures beside ours, charts that stand alone, tables that fit."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import pages
from browser import axe, chromium, opened
from crossfair.paper import blocks, html, markdown, page, published, reproduce
from crossfair.paper.experiment import Results
from crossfair.paper.figures import CHARTS

PARTS = [
    "In short",
    "The paper's claims, one by one",
    "Differences that matter, and what shows their reasons",
    "The figures in the paper's text",
    "Synthetic data (section 4.1)",
    "Adult: data and model (section 4.2)",
    "Adult: repairs at ε ≤ 8.14 − log(400) ≈ 2.1485 for equalized odds",
]


@pytest.fixture(scope="module")
def texts(results):
    return reproduce.texts(results)


@pytest.fixture(scope="module")
def parsed(texts):
    return pages.parse(texts["paper.html"])


def test_both_forms_have_the_same_parts(texts, parsed):
    assert [heading.text for heading in parsed.all("h2")] == PARTS
    assert re.findall(r"^## (.*)$", texts["paper.md"], re.MULTILINE) == PARTS
    assert [link.text for link in parsed.one("nav").all("a")] == PARTS


def test_every_link_leads_to_a_part_or_a_file(texts, parsed):
    ids = {node.attributes.get("id") for node in parsed.all("section")}
    for link in parsed.all("a"):
        target = link.attributes["href"]
        assert target.removeprefix("#") in ids or target in texts or target.startswith("https://arxiv.org/")
    for target in re.findall(r"\]\(([^)]+)\)", texts["paper.md"]):
        assert target in texts or target.startswith("https://arxiv.org/")


def test_tables_of_the_markdown_have_as_many_fields_as_columns(texts):
    for table in re.findall(r"(?:^\|.*\|$\n?)+", texts["paper.md"], re.MULTILINE):
        widths = {line.count("|") for line in table.strip().splitlines()}
        assert len(widths) == 1, table


def test_every_claim_has_its_verdict(results, parsed):
    articles = parsed.all("article")
    shown = [(one.one("p", class_="words").text, one.one("p", class_="verdict").text) for one in articles]
    expected = [
        (claim["words"], "✓ held" if claim["held"] else "✕ not held") for claim in results.figures["claims"]
    ]
    assert shown == [*expected, ("Bayesian estimation is faster than the bootstrap", "≈ measured")]


def test_every_figure_of_the_papers_text_stands_beside_ours(figures):
    tables = [block for block in page.blocks(figures, "paper") if isinstance(block, blocks.Table)]
    assert [row[1:] for row in tables[0].rows] == [
        ["32,561", "32,561", "+0"],
        ["16,281", "16,281", "+0"],
        ["85", "85.43", "+0.43"],
        ["30", "31.76", "+1.76"],
        ["6", "5.79", "−0.21"],
        ["2.94", "2.9444", "+0.0044"],
        ["8.14", "8.1477", "+0.0077"],
        ["2.15", "2.1485", "−0.0015"],
    ]


@pytest.mark.parametrize("split", ["train", "test"])
def test_the_tables_of_performance_have_the_papers_layout(figures, split):
    found = [block for block in page.blocks(figures, "paper") if isinstance(block, blocks.Table)]
    tables = [table for table in found if table.columns[2:3] == ["given binary predictor"]]
    table = tables[["train", "test"].index(split)]
    assert [row[0] for row in table.rows[::3]] == ["TPR", "FPR", "expected loss"]
    for row, key in zip(table.rows[::3], ("tpr", "fpr", "loss")):
        printed = [f"{getattr(column, key):.4f}" for column in published.PERFORMANCE[split].values()]
        assert row[1:] == ["paper", *printed, "–"]
    for paper, ours, difference in zip(table.rows[::3], table.rows[1::3], table.rows[2::3]):
        for printed, found, gap in zip(paper[2:-1], ours[2:-1], difference[2:-1]):
            assert float(found) - float(printed) == pytest.approx(float(gap.replace("−", "-")), abs=1.01e-4)


def test_a_chart_is_one_picture_with_words_and_can_stand_alone(texts, parsed):
    names = {f"paper/{name}.svg" for name in CHARTS}
    assert {name for name in texts if name.endswith(".svg")} == names
    for name in names:
        drawn = ElementTree.fromstring(texts[name])
        assert drawn.get("role") == "img"
        assert len(drawn.get("aria-label")) > 20
    assert len(parsed.all("svg")) == len(names)
    assert all(one.attributes["aria-label"] for one in parsed.all("svg"))


def test_words_are_escaped():
    written = html.render([blocks.Heading(1, "a"), blocks.Text("1 < 2, `x < y`, **z**")], {})
    assert "<p>1 &lt; 2, <code>x &lt; y</code>, <strong>z</strong></p>" in written
    table = blocks.Table(["a"], [["x|y"]])
    assert r"| x\|y |" in markdown.render([table], "paper")


@pytest.mark.parametrize(
    ("retrained", "words"),
    [
        (None, "`--retrain` trains the model again and compares them"),
        ({"records": 48842, "different": 0}, "gives the same 48,842 scores to the last bit"),
        ({"records": 48842, "different": 7}, "gives 7 of 48,842 records **another score**"),
    ],
)
def test_the_page_says_whether_the_scores_were_made_again(results, retrained, words):
    changed = Results({**results.figures, "retrained": retrained}, results.seconds)
    written = reproduce.texts(changed)["paper.md"]
    assert words in written
    assert ("crossfair reproduce --quick --retrain\n" in written) is (retrained is not None)


def test_on_paper_screens_and_phones_nothing_is_cut_off_or_out_of_reach(texts, tmp_path):
    path = tmp_path / "paper.html"
    path.write_text(texts["paper.html"], encoding="utf-8")
    with chromium() as browser:
        for width, scheme in ((1280, "light"), (390, "dark")):
            with opened(
                browser, path, viewport={"width": width, "height": 844}, color_scheme=scheme
            ) as shown:
                assert shown.evaluate("document.documentElement.scrollWidth") == width
                assert axe(shown) == []
