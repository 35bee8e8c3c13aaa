"""Curves as a file: NumPy arrays in a zip with a JSON header. Nothing is unpickled; everything is checked."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from crossfair import values
from crossfair.cells import Cells
from crossfair.errors import FormatError, malformed
from crossfair.files import replacing
from crossfair.fixed import SCALE, Fixed

if TYPE_CHECKING:
    from crossfair.curve import Curves

    C = TypeVar("C", bound=Curves)

FORMAT = "crossfair/curves/1"
WEIGHTED = ("weights", "squares")


def arrays(curves: Curves) -> dict[str, NDArray[Any]]:
    """Everything a file holds, as arrays; two curves are equal if these are."""
    header = {
        "format": FORMAT,
        "cells": curves.cells.to_json(),
        "bits": curves.bits,
        "positive": values.to_json(curves.positive),
        "dropped": dict(curves.dropped),
    }
    text = json.dumps(header, sort_keys=True, ensure_ascii=False).encode()
    table: dict[str, NDArray[Any]] = {
        "header": np.frombuffer(text, dtype=np.uint8),
        "offsets": curves.offsets,
        "scores": curves.scores,
        "n": curves.n,
    }
    for name in WEIGHTED:
        sums = getattr(curves, name)
        if sums is not None:
            table |= {f"{name}_whole": sums.whole, f"{name}_fraction": sums.fraction}
    return table


def save(curves: Curves, path: str | os.PathLike[str]) -> None:
    """Write the file, whole or not at all."""
    with replacing(path) as unfinished, unfinished.open("wb") as stream:
        np.savez(stream, **arrays(curves))  # type: ignore[arg-type]


def load(kind: type[C], path: str | os.PathLike[str]) -> C:
    """Read and check a file."""
    source = f"curves file {os.fspath(path)!r}"
    try:
        # Opened here, because numpy leaves a file open in which it finds no archive.
        with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            table = {name: archive[name] for name in archive.files}
        header = json.loads(table.pop("header").tobytes())
    except FileNotFoundError as error:
        raise malformed(os.fspath(path), "there is no such curves file") from error
    except (OSError, EOFError, KeyError, ValueError, TypeError, zipfile.BadZipFile, zlib.error) as error:
        raise malformed(source, "is damaged, cut short or no file of curves", got=str(error)) from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        came = header.get("format") if isinstance(header, dict) else header
        raise malformed(
            source, f"its format must be {FORMAT!r}", got=came, hint="Use a newer crossfair to read it."
        )
    try:
        return _build(kind, header, table, source)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        if isinstance(error, FormatError):
            raise
        raise malformed(source, "its header or tables are damaged", got=str(error)) from error


def _build(kind: type[C], header: Mapping[str, Any], table: Mapping[str, NDArray[Any]], source: str) -> C:
    cells = Cells.from_json(header["cells"], source)
    sums = {
        name: Fixed(table[f"{name}_whole"], table[f"{name}_fraction"])
        for name in WEIGHTED
        if f"{name}_whole" in table
    }
    positive = values.from_json(header["positive"], source)
    dropped = {str(reason): int(number) for reason, number in header["dropped"].items()}
    curves = kind(
        cells,
        table["offsets"],
        table["scores"],
        table["n"],
        bits=header["bits"],
        positive=positive,
        dropped=dropped,
        **sums,
    )
    known = {"header", *arrays(curves)}
    for rule, kept in _rules(curves, set(table) | {"header"} == known):
        if not kept:
            raise malformed(source, rule)
    return curves


def _rules(curves: Curves, complete: bool) -> list[tuple[str, bool]]:
    steps, cells = len(curves.scores), len(curves.cells)
    offsets, scores = curves.offsets, curves.scores
    integers = all(table.dtype == np.int64 for table in (offsets, curves.n))
    shapes = offsets.shape == (cells + 1,) and curves.n.shape == (steps, 2) and scores.ndim == 1
    if not (complete and integers and shapes and scores.dtype == np.float64):
        return [("its tables have the wrong names, types or shapes", False)]
    delimited = offsets[0] == 0 and offsets[-1] == steps and bool((np.diff(offsets) >= 0).all())
    if not delimited:
        return [("its offsets must rise from 0 to the number of steps", False)]
    last = np.zeros(steps + 1, dtype=np.bool_)
    last[offsets] = True  # the first step of a cell may be above the last of the one before
    bits = curves.bits
    return [
        ("its scores must be finite and fall within each cell",
         bool(np.isfinite(scores).all() and (last[1:-1] | (np.diff(scores) < 0)).all())),
        ("its counts must be 0 or more", bool((curves.n >= 0).all())),
        ("its number of bits must be null or an integer", bits is None or type(bits) is int),
        ("its weights must be sums in fixed point", _weights_valid(curves, steps, cells)),
    ]  # fmt: skip


def _weights_valid(curves: Curves, steps: int, cells: int) -> bool:
    for sums, rows in ((curves.weights, steps), (curves.squares, cells)):
        if sums is None:
            continue
        limbs = (sums.whole, sums.fraction)
        if any(limb.dtype != np.int64 or limb.shape != (rows, 2) or (limb < 0).any() for limb in limbs):
            return False
        if (sums.fraction >= SCALE).any():
            return False
    return (curves.weights is None) == (curves.squares is None)
