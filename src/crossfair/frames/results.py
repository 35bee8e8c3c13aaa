"""What was read → Counts and Curves."""

from __future__ import annotations

import numpy as np

from crossfair import outcomes
from crossfair.cells import Cells
from crossfair.counts import Counts
from crossfair.curve import Curves
from crossfair.fixed import Fixed, Weights
from crossfair.frames.groups import Groups, Ints
from crossfair.frames.interpret import Interpreted, interpret
from crossfair.frames.score_rows import ScoreRows
from crossfair.reading import Reading
from crossfair.values import Value


def to_counts(groups: Groups, reading: Reading) -> Counts:
    """Return the counts of groups."""
    found = interpret(groups, reading)
    sums = groups.weights
    weights = None
    if sums is not None:
        total = Fixed.of(sums.whole[found.kept], sums.fraction[found.kept])
        squares = Fixed.of(sums.square_whole[found.kept], sums.square_fraction[found.kept])
        weights = Weights(total, squares)
    counts = Counts.assemble(
        by=reading.attributes,
        keys=[found.keep(column) for column in found.keys],
        labels=None if found.label is None else found.keep(found.label),
        predictions=None if found.prediction is None else found.keep(found.prediction),
        n=groups.n[found.kept],
        weights=weights,
        positive=reading.positive,
        bins=reading.edges,
        dropped=found.dropped,
    )
    counts.cells.warn_similar()
    return counts


def to_curves(rows: ScoreRows, reading: Reading) -> Curves:
    """Return the curves of score rows."""
    groups, group = rows.grouped()
    found = interpret(groups, reading)
    cells, cell_of_group, positive_of_group, positive = _placed(found, reading)
    kept = slice(None) if found.kept.all() else found.kept[group]
    group = group[kept]
    weights = squares = None
    if rows.weights is not None:
        weights = Fixed.of(rows.weights.whole[kept], rows.weights.fraction[kept])
        squares = Fixed.of(rows.weights.square_whole[kept], rows.weights.square_fraction[kept])
    curves = Curves.from_table(
        cells,
        cell_of_group[group],
        rows.score[kept],
        positive_of_group[group],
        rows.n[kept],
        weights=weights,
        squares=squares,
        bits=rows.bits,
        positive=positive,
        dropped=found.dropped,
    )
    cells.warn_similar()
    return curves


def _placed(found: Interpreted, reading: Reading) -> tuple[Cells, Ints, Ints, Value]:
    """The cells, and for each group its cell, whether its label is the positive one, and which that is."""
    label = found.label or []
    known, of_label, _ = outcomes.resolve(list(dict.fromkeys(found.keep(label))), [], reading.positive)
    code = known.positive_code
    combinations = list(zip(*found.keys))
    cells = Cells.of(reading.attributes, found.keep(combinations), reading.edges)
    place = np.array([cells.index.get(cell, -1) for cell in combinations], dtype=np.int64)
    positive = np.array([of_label.get(value, -1) == code for value in label], dtype=np.int64)
    return cells, place, positive, known.positive
