"""Policies for tests, and Hypothesis strategies that make any policy a file can hold."""

from __future__ import annotations

import datetime

import numpy as np
from hypothesis import strategies as st

from crossfair.cells import Cells
from crossfair.mitigation.certificate import Certificate, Grid, Status
from crossfair.outcomes import Outcomes
from crossfair.performance import ROWS, Performance
from crossfair.policy import Policy
from crossfair.population import Population
from crossfair.steps import Steps
from crossfair.terms import Source, Terms

finite = st.floats(allow_nan=False, allow_infinity=False)
probability = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))


@st.composite
def step_rows(draw: st.DrawFn) -> tuple[list[float], list[float]]:
    breaks = sorted(draw(st.sets(st.floats(-1e3, 1e3), max_size=4)))
    size = len(breaks) + 1
    return breaks, draw(st.lists(probability, min_size=size, max_size=size))


def steps_of(rows: int) -> st.SearchStrategy[Steps]:
    return st.lists(step_rows(), min_size=rows, max_size=rows).map(Steps.of)


attribute = st.sampled_from(
    [
        ["F", "M", None],
        ["O'Brien", '"', "; drop table", "", "é"],
        [0, 1, 2, -5],
        [True, False, None],
        [datetime.date(2020, 1, 2), datetime.date(1999, 12, 31), None],
    ]
)


@st.composite
def any_cells(draw: st.DrawFn) -> Cells:
    levels = draw(st.lists(attribute, min_size=1, max_size=3))
    cell = st.tuples(*(st.sampled_from(level) for level in levels))
    found = draw(st.sets(cell, min_size=1, max_size=6))
    return Cells.of([f"a{i}" for i in range(len(levels))], found)


performances = st.builds(
    Performance,
    st.floats(0, 10),
    st.none() | st.floats(0, 1),
    st.none() | st.floats(0, 1),
    st.dictionaries(st.sampled_from(["tpr_parity", "fpr_parity"]), st.floats(0, 9) | st.just(np.inf)),
)


@st.composite
def populations(draw: st.DrawFn, cells: int) -> Population:
    mass = draw(st.lists(st.floats(0.5, 1e9) | st.integers(1, 10**9), min_size=cells, max_size=cells))
    shares = draw(st.none() | st.lists(st.floats(0, 1), min_size=cells, max_size=cells))
    return Population.of(mass, None if shares is None else [p * m for p, m in zip(shares, mass)])


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    cells = draw(any_cells())
    decide_by = tuple(name for name in cells.by if draw(st.booleans()))
    unseen = draw(st.sampled_from(["error", "pooled", "given"]))
    positions = st.lists(st.integers(0, len(cells) - 1), max_size=2, unique=True).map(tuple)
    objective = draw(finite)
    certificate = Certificate(
        objective,
        draw(st.floats(max_value=objective, allow_nan=False, allow_infinity=False)),
        draw(st.sampled_from(Status)),
        seconds=draw(st.floats(0, 1e6)),
        nodes=draw(st.integers(0, 10**6)),
        exempt=draw(st.dictionaries(st.sampled_from(["tpr", "fpr"]), positions)),
        pooled=draw(positions),
        grid=draw(st.none() | st.builds(Grid, st.integers(0, 40), st.floats(0, 1), st.floats(0, 0.5))),
    )
    rows = len(cells.marginal(decide_by)[0])
    return Policy(
        cells=cells,
        decide_by=decide_by,
        steps=draw(steps_of(rows)),
        unconstrained=draw(st.none() | steps_of(rows)),
        source=Source(
            draw(st.sampled_from(["score", "prediction"])),
            draw(st.none() | st.text()),
            draw(finite),
            Outcomes((False, True), True),
            label=draw(st.none() | st.text()),
        ),
        terms=Terms("derived", draw(st.dictionaries(st.just("fpr_parity"), st.floats(0, np.inf)))),
        salt=draw(st.text(min_size=1)),
        certificate=draw(st.none() | st.just(certificate)),
        expected=draw(st.dictionaries(st.sampled_from(ROWS), performances)),
        unseen=unseen,
        population=draw(st.none() | populations(len(cells))),
        fallback=draw(steps_of(int(unseen != "error"))),
    )


def small_policy(**changes: object) -> Policy:
    """Two cells: F is accepted from .4, M with a coin from .6."""
    parts: dict[str, object] = {
        "cells": Cells.of(["sex"], [("F",), ("M",)]),
        "decide_by": ("sex",),
        "steps": Steps.of([([0.4], [0.0, 1.0]), ([0.6], [0.0, 0.5])]),
        "source": Source("score", "p", 0.5, Outcomes((False, True), True), label="y"),
        "terms": Terms("derived", {"statistical_parity": 0.2}),
        "salt": "demo",
        "certificate": Certificate(0.2, 0.2, Status.OPTIMAL, seconds=0.1, nodes=3, exempt={"tpr": (1,)}),
        "expected": {"repaired": Performance(0.2, 0.5, 0.1, {"statistical_parity": 0.2})},
    }
    return Policy(**{**parts, **changes})  # type: ignore[arg-type]
