"""Small counts are hidden: an attacker who solves for them from everything published learns nothing exact."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from crossfair import api
from crossfair.auditing import Audit
from crossfair.cells import MERGED, Cell
from crossfair.counts import Counts
from crossfair.errors import InputError
from crossfair.estimators.smoothed import Smoothed
from crossfair.metrics import rate
from crossfair.suppression import _Merging, suppress

Rows = list[tuple[NDArray[np.float64], float]]


def counted(seed: int, levels: tuple[int, ...] = (2, 2, 3), typical: float = 15) -> Counts:
    """Counts of cells of very different sizes, with a label and a prediction."""
    rng = np.random.default_rng(seed)
    names = [tuple(f"{'abc'[i]}{v}" for i, v in enumerate(cell)) for cell in np.ndindex(*levels)]
    table: dict[str, list[Any]] = {f"x{i}": [] for i in range(len(levels))} | {"y": [], "p": [], "n": []}
    for name in names:
        size = rng.lognormal(np.log(typical), 1.5)
        for y, p in np.ndindex(2, 2):
            for i, value in enumerate(name):
                table[f"x{i}"].append(value)
            table["y"].append(y)
            table["p"].append(p)
            table["n"].append(int(rng.poisson(size)) + (y == p == 0))
    return Counts.from_table(table, by=[f"x{i}" for i in range(len(levels))], label="y", prediction="p")


class Attacker:
    """Knows every cell that exists, which of them were merged, and everything that was published.

    Each published number is a linear equation in the counts of the cells; a count is learnt if its least and
    its largest value under them meet.
    """

    def __init__(self, counts: Counts, blocks: dict[Cell, list[int]]) -> None:
        self.shape = counts.n.shape
        self.cells = len(counts.cells)
        self.blocks = blocks
        self.by = counts.by
        self.rows: Rows = []

    def learn_counts(
        self, name: str, cell: tuple[str, ...], by: list[str], successes: float, trials: float
    ) -> None:
        """What a table says of one rate of one cell, or of a cell of fewer attributes."""
        places = [self.by.index(attribute) for attribute in by]
        members = [
            place
            for block, inside in self.blocks.items()
            if tuple(block[i] for i in places) == cell
            for place in inside
        ]
        found = rate(name)
        for mask, value in ((found.numerator, successes), (found.denominator, trials)):
            row = np.zeros(self.shape)
            row[members] = mask
            self.rows.append((row.ravel(), value))

    def learn_audit(self, audit: Audit) -> None:
        """Everything that the tables of groups and of the lattice, and the total, say."""
        groups = audit.groups()
        for i in range(len(groups["rate"])):
            cell = tuple(groups[name][i] for name in self.by)
            self.learn_counts(
                groups["rate"][i], cell, list(self.by), groups["successes"][i], groups["trials"][i]
            )
        lattice = audit.lattice()
        for i, attributes in enumerate(lattice["attributes"]):
            for side in ("highest", "lowest"):
                name, successes, trials = re.fullmatch(r"(.*) \((.*) of (.*)\)", lattice[side][i]).groups()  # type: ignore[union-attr]
                if name != "the population":
                    (used,) = audit[lattice["metric"][i]].metric.rates[:1]
                    if len(audit[lattice["metric"][i]].metric.rates) == 1:
                        figures = (float(successes.replace(",", "")), float(trials.replace(",", "")))
                        self.learn_counts(
                            used.name, tuple(name.split(" · ")), attributes.split(", "), *figures
                        )
        self.rows.append((np.ones(self.shape).ravel(), float(audit.counts.records)))

    def range_of(self, place: int) -> tuple[float, float]:
        """The least and the largest value of one count: everybody in the data is somebody's record."""
        size = int(np.prod(self.shape))
        per_cell = np.kron(np.eye(self.cells), np.ones(size // self.cells))
        target = np.zeros(size)
        target[place] = 1
        equal = {"A_eq": np.array([row for row, _ in self.rows]), "b_eq": [value for _, value in self.rows]}
        ends = []
        for sign in (1, -1):
            found = linprog(sign * target, A_ub=-per_cell, b_ub=-np.ones(self.cells), **equal)
            assert found.status == 0, found.message
            ends.append(sign * found.fun)
        return ends[0], ends[1]


def audited(counts: Counts, below: int | None = None) -> Audit:
    return api.audit(counts, estimator=Smoothed(0, 0), suppress_below=below)


@pytest.mark.parametrize("seed", range(6))
def test_no_count_under_k_can_be_computed_from_what_is_published(seed: int) -> None:
    below, counts = 5 + seed, counted(seed)
    attacker = Attacker(counts, _Merging(counts, below).blocks())
    attacker.learn_audit(audited(counts, below))
    small = np.flatnonzero(counts.n.ravel() < below)
    assert len(small) >= 3
    for place in small:
        least, largest = attacker.range_of(int(place))
        assert least < 1 + 1e-6
        assert largest > below - 1e-6


def test_the_attacker_finds_a_count_that_is_only_blotted_out() -> None:
    counts = counted(3)
    blocks = {cell: [place] for place, cell in enumerate(counts.cells.values)}
    attacker = Attacker(counts, blocks)
    attacker.learn_audit(audited(counts))
    hidden = int(np.argmin(counts.n.sum(axis=(1, 2))))
    attacker.rows = [
        row for row in attacker.rows if row[0].all() or not row[0].reshape(counts.n.shape)[hidden].any()
    ]
    for y, p in np.ndindex(2, 2):  # and the totals of the whole, as any report gives them
        row = np.zeros(counts.n.shape)
        row[:, y, p] = 1
        attacker.rows.append((row.ravel(), float(counts.n[:, y, p].sum())))
    for entry in range(4):
        least, largest = attacker.range_of(4 * hidden + entry)
        assert least == pytest.approx(largest, abs=1e-6)
        assert least == pytest.approx(counts.n.ravel()[4 * hidden + entry], abs=1e-6)


@given(st.integers(0, 10_000), st.integers(2, 40))
@settings(max_examples=60, deadline=None)
def test_every_cell_may_be_published_and_nobody_is_lost(seed: int, below: int) -> None:
    counts = counted(seed)
    try:
        published = suppress(counts, below)
    except InputError:
        assert counts.n.sum(axis=0).min() < below
        return
    assert published.n.min() >= below
    assert published.n.sum(axis=0).tolist() == counts.n.sum(axis=0).tolist()
    for cell, n in zip(published.cells.values, published.n.tolist()):
        if MERGED not in cell:
            assert n == counts.n[counts.cells.index[cell]].tolist()
    assert published.marginal(["x0"]).records == counts.records


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_merging_never_raises_the_raw_epsilon(seed: int) -> None:
    counts = counted(seed, typical=40)
    merged, whole = audited(counts, 5), audited(counts)
    for name in whole:
        assert merged[name].epsilon <= whole[name].epsilon + 1e-12


def test_a_small_cell_is_merged_within_its_own_group_first_with_the_smallest_beside_it() -> None:
    table = {
        "sex": ["F"] * 6 + ["M"] * 4,
        "job": ["a", "a", "b", "b", "c", "c", "a", "a", "b", "b"],
        "hired": [0, 1] * 5,
        "n": [3, 50, 90, 90, 40, 40, 60, 60, 70, 70],
    }
    counts = suppress(Counts.from_table(table, by=["sex", "job"], label="hired"), 10)
    assert counts.cells.values == (("F", MERGED), ("F", "b"), ("M", "a"), ("M", "b"))
    assert counts.n[0].ravel().tolist() == [43, 90]


def test_ranges_of_a_number_can_be_merged() -> None:
    people = {"sex": ["F", "M"] * 30, "age": [20] * 40 + [60] * 18 + [None] * 2, "hired": [0, 0, 1, 1] * 15}
    counts = api.count(people, by=["sex", "age"], bins={"age": [50]}, label="hired", suppress_below=4)
    assert counts.cells.values == (("F", "≤ 50"), ("F", MERGED), ("M", "≤ 50"), ("M", MERGED))
    assert Counts.from_json(counts.to_json(), "text") == counts


def published_texts(audit: Audit, folder: Path) -> dict[str, str]:
    """Every output as text: page, JSON, terminal, charts, counts file."""
    import io

    from rich.console import Console

    from crossfair.cli.audit_view import show

    audit.to_html(folder / "page.html", audit.check({"equalized_odds": 0.5}))
    terminal = Console(file=io.StringIO(), width=200, highlight=False)
    show(audit, None, terminal, title="x", most_cells=50)
    charts = {
        name: json.dumps(audit.chart(name).to_dict()) for name in ("epsilon", "rates", "lattice", "prior")
    }
    return {
        "page": (folder / "page.html").read_text("utf-8"),
        "json": audit.to_json(),
        "terminal": terminal.file.getvalue(),  # type: ignore[attr-defined]
        "counts": json.dumps(audit.counts.to_json()),
        **charts,
    }


def test_no_output_shows_a_count_under_k(tmp_path: Path) -> None:
    below, counts = 10, counted(1)
    audit = audited(counts, below)
    texts = published_texts(audit, tmp_path)
    told = re.compile(r"(?:[(;:] ?|<small>)([\d,]+) of ([\d,]+)\b")
    pairs = [pair for text in texts.values() for pair in told.findall(text)]
    assert len(pairs) > 50
    for successes, trials in pairs:
        few, all_ = (int(text.replace(",", "")) for text in (successes, trials))
        assert few >= below
        assert all_ - few >= below
    hidden = [cell for cell in counts.cells.values if cell not in audit.counts.cells.index]
    assert hidden
    for text in texts.values():
        assert not any(" · ".join(map(str, cell)) in text for cell in hidden)
    document = json.loads(texts["json"])
    assert min(document["counts"]["rows"]["n"]) >= below
    for column in ("records", "trials", "successes"):
        assert min(audit.groups()[column]) >= below


def test_few_dropped_records_are_not_told() -> None:
    people: dict[str, list[Any]] = {"sex": ["F", "M"] * 50, "hired": [0, 0, 1, 1] * 25}
    people["hired"][:3] = [None] * 3
    assert api.count(people, by="sex", label="hired").dropped
    assert not api.count(people, by="sex", label="hired", suppress_below=5).dropped
    assert api.count(people, by="sex", label="hired", suppress_below=3).dropped


def test_the_page_gives_no_hash_that_would_confirm_a_guess(tmp_path: Path) -> None:
    path = tmp_path / "may.counts"
    counted(2).save(path)
    audit = api.audit(path, estimator="smoothed", suppress_below=5)
    audit.to_html(tmp_path / "a.html", source=path)
    text = (tmp_path / "a.html").read_text("utf-8")
    assert "its hash is not given" in text
    assert "SHA-256" not in text
    assert "no count under 5 can be told" in text


def test_weights_are_merged_with_their_records() -> None:
    table = {"sex": ["F", "F", "M", "M"] * 2, "job": ["a", "b"] * 4, "hired": [0] * 4 + [1] * 4}
    table |= {"n": [30, 60, 70, 80, 3, 40, 50, 60], "w": [15.0, 30, 35, 40, 1.5, 20, 25, 30]}
    table |= {"w2": [8.0, 15, 18, 20, 0.75, 10, 13, 15]}
    counts = Counts.from_table(table, by=["sex", "job"], label="hired", weight="w", weight_squared="w2")
    published = suppress(counts, 10)
    assert published.mass[published.cells.index["F", MERGED]].ravel().tolist() == [45.0, 21.5]


def test_suppressed_counts_say_so_and_stay_so(tmp_path: Path) -> None:
    counts = suppress(counted(1), 10)
    counts.save(tmp_path / "a.counts")
    again = Counts.load(tmp_path / "a.counts")
    assert again == counts
    assert again.suppressed_below == again.marginal(["x0"]).suppressed_below == 10
    assert suppress(again, 7) is again
    audit = audited(again)
    assert all("small cells are merged" in " ".join(f.evidence.notes) for f in audit.findings.values())
    assert Audit.from_json(audit.to_json()).counts.suppressed_below == 10


def test_what_cannot_be_hidden_is_refused(tmp_path: Path) -> None:
    counts = counted(1)
    with pytest.raises(InputError, match="suppress_below: must be an integer of at least 2; got 1"):
        suppress(counts, 1)
    with pytest.raises(
        InputError, match=r"all cells together hold a smaller count; got 100000\. Count fewer"
    ):
        suppress(counts, 100_000)
    merged = suppress(counts, 10)
    with pytest.raises(InputError, match="the counts were merged for 10 already; got 11"):
        suppress(merged, 11)
    with pytest.raises(InputError, match="counts: with merged cells do not add up"):
        merged + counts
    with pytest.raises(InputError, match=r"no value of 'x1' may read '\(merged\)'; got one that does"):
        suppress(Counts.from_table({"x1": [MERGED, "b"], "y": [0, 1], "n": [9, 9]}, by="x1", label="y"), 2)
    from crossfair.repair import mitigate

    with pytest.raises(InputError, match="data: a repair needs the counts of every cell"):
        mitigate(merged, limits={"statistical_parity": 1})
