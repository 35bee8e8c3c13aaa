from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from crossfair.auditing import Audit, Settings, run_audit
from crossfair.cli.audit_view import show
from crossfair.cli.terminal import clean
from crossfair.counts import Counts
from crossfair.estimators.base import Estimator
from crossfair.estimators.guaranteed import Guaranteed
from crossfair.estimators.smoothed import Smoothed

GOLDEN = Path(__file__).parents[1] / "golden"

HIRING = {
    "sex": ["F", "F", "F", "F", "M", "M", "M", "M"] * 2,
    "age": ["≤ 50"] * 8 + ["> 50"] * 8,
    "hired": [0, 0, 1, 1] * 4,
    "predicted": [0, 1] * 8,
    "n": [800, 40, 60, 100, 600, 90, 80, 230, 300, 0, 20, 0, 200, 30, 10, 60],
}


def audit(table: dict[str, list[Any]] = HIRING, **settings: Any) -> Audit:
    estimator: Estimator = settings.pop("estimator", Smoothed())
    metrics = settings.pop("metrics", None)
    by = [name for name in table if name not in {"hired", "predicted", "n"}]
    prediction = "predicted" if "predicted" in table else None
    bins = {"age": [50]} if "age" in table else None
    counts = Counts.from_table(table, by=by, label="hired", prediction=prediction, bins=bins)
    return run_audit(counts, Settings(estimator, **settings), metrics)


def shown(
    found: Audit, *, most_cells: int = 12, limits: dict[str, float] | None = None, **console: Any
) -> str:
    text = io.StringIO()
    verdicts = found.check(limits) if limits else None
    on = Console(file=text, highlight=False, width=80, **console)
    show(found, verdicts, on, title="hiring.csv", most_cells=most_cells)
    return text.getvalue()


def test_the_whole_page_is_as_it_was_judged_to_be_good() -> None:
    page = shown(audit(), limits={"fpr_parity": 1.0, "impact_ratio": 1.5})
    assert page == (GOLDEN / "audit.txt").read_text(encoding="utf-8")


def test_piped_output_is_plain() -> None:
    page = shown(audit())
    assert "\x1b" not in page
    assert "─" not in page
    assert not any(line.endswith(" ") for line in page.splitlines())


def test_a_terminal_gets_rules_and_colours() -> None:
    page = shown(audit(), force_terminal=True, limits={"fpr_parity": 0.0})
    assert "─" in page
    assert "\x1b[1;31mfail" in page


def test_long_names_wrap_within_80_columns() -> None:
    table = HIRING | {
        "sex": [f"{value} and a very long name indeed, for a cell of people" for value in HIRING["sex"]]
    }
    assert max(map(len, shown(audit(table), limits={"fpr_parity": 0.1}).splitlines())) <= 80


def test_what_sets_epsilon_is_named_with_its_counts() -> None:
    lines = shown(audit(metrics=["fpr_parity", "equalized_odds"])).splitlines()
    start = lines.index("fpr_parity, equalized_odds (false positive rate)")
    highest, lowest = (" ".join(line.split()) for line in lines[start + 1 : start + 3])
    assert highest == "highest M · > 50 0.1305 0.1304 30 of 230"
    assert lowest == "lowest F · > 50 3.3e-05 0.0000 0 of 300"


def test_what_the_prior_sets_is_marked_and_explained() -> None:
    page = shown(audit(metrics=["fpr_parity"]))
    assert "fpr_parity *" in page
    assert "* fpr_parity: the prior, not the data, sets ε: no success in F · > 50 (0 of 300)" in page


def test_the_raw_epsilon_stands_beside_the_estimate() -> None:
    row = next(line for line in shown(audit(metrics=["fpr_parity"])).splitlines() if "fpr_parity" in line)
    assert row.split()[-1] == "∞"


def test_cells_with_too_few_records_are_named() -> None:
    page = shown(audit(metrics=["tpr_parity"], min_support=60))
    assert "tpr_parity: too few records for tpr, left out: F · > 50 (20)" in page


def test_an_interval_is_shown_where_there_is_one() -> None:
    assert "90 % interval" in shown(audit(estimator=Guaranteed(), level=0.9))


def test_every_outcome_is_named_when_all_are_compared() -> None:
    page = " ".join(shown(audit(metrics=["impact_ratio"], outcomes="all")).split())
    assert "positive outcome" not in page
    assert "impact_ratio (share of positive labels, outcome 1)" in page
    assert "base Cell, raw rates Records 0 F · > 50 320 0.9375" in page


@pytest.mark.parametrize(("most", "expected"), [(0, 0), (2, 2), (3, 3), (4, 4), (12, 4)])
def test_the_table_of_cells_shows_both_ends(most: int, expected: int) -> None:
    lines = shown(audit(), most_cells=most).splitlines()
    table = lines[next((i for i, line in enumerate(lines) if line.startswith("Cell, ")), len(lines)) :]
    assert sum("·" in line for line in table) == expected
    assert any("… 2 more" in line for line in table) == (most == 2)


def test_no_supported_cell_leaves_nothing_to_name() -> None:
    page = shown(audit(min_support=1e6), limits={"fpr_parity": 1})
    assert "undecided" in page
    assert "highest" not in page


def test_data_cannot_steer_the_terminal() -> None:
    table = HIRING | {"sex": [f"{value}\x1b[31m[bold]" for value in HIRING["sex"]]}
    page = shown(audit(table), force_terminal=True)
    assert "\x1b[31m[bold]" not in page
    assert "\\x1b[31m[bold]" in page


def test_printable_text_is_left_alone() -> None:
    assert clean("Größe · 東京").plain == "Größe · 東京"
