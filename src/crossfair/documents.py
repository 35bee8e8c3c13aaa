"""The files crossfair writes and reads: JSON with a format field, sorted keys, whole or not at all.

Readers refuse what they do not know: another kind, a version from the future, a file cut short.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from crossfair.errors import malformed
from crossfair.files import replacing

PREFIX = "crossfair"
PACKED = (".gz", ".counts")


def dump(kind: str, version: int, body: Mapping[str, Any], *, indent: int | None = None) -> str:
    """Return the text of a document.

    >>> dump("demo", 1, {"epsilon": number(float("inf"))})
    '{"epsilon": "Infinity", "format": "crossfair/demo/1"}'
    """
    document = {"format": f"{PREFIX}/{kind}/{version}", **body}
    return json.dumps(
        document, sort_keys=True, ensure_ascii=False, allow_nan=False, indent=indent, default=_plain
    )


def parse(text: str, kind: str, version: int, source: str) -> dict[str, Any]:
    """Read the text of a document of one kind, up to one version; the `format` field is taken off.

    >>> parse('{"format": "crossfair/demo/1", "x": 1}', "demo", 1, "text")
    {'x': 1}
    """
    try:
        document = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise malformed(
            source, f"is not complete JSON, so it is no {kind} file or was cut short", got=str(error)
        ) from error
    declared = document.get("format") if isinstance(document, dict) else None
    if not isinstance(declared, str) or not declared.startswith(f"{PREFIX}/"):
        raise malformed(source, f"has no field format: {PREFIX}/{kind}/…, so it is no {kind} file")
    _check_format(declared, kind, version, source)
    del document["format"]
    return dict(document)


def _plain(item: Any) -> Any:
    """A number of numpy as Python has it."""
    if isinstance(item, np.generic):
        return item.item()
    message = f"{type(item).__name__} has no JSON form"
    raise TypeError(message)


def _refuse(constant: str) -> None:
    message = f"{constant} is no JSON"
    raise ValueError(message)


def _check_format(declared: str, kind: str, version: int, source: str) -> None:
    parts = declared.split("/")
    if len(parts) != 3 or parts[1] != kind:
        raise malformed(source, f"must be a {kind} file", got=declared)
    if parts[2] not in {str(known) for known in range(1, version + 1)}:
        article = "an" if kind[0] in "aeiou" else "a"
        raise malformed(
            source,
            f"is {article} {kind} file of a version not known here, which reads up to {version}",
            got=declared,
            hint="Update crossfair.",
        )


def write(path: str | os.PathLike[str], text: str) -> None:
    """Write a document, compressed if its name ends in .gz or .counts; the same bytes for the same text."""
    data = text.encode("utf-8")
    with replacing(path) as unfinished:
        unfinished.write_bytes(gzip.compress(data, mtime=0) if os.fspath(path).endswith(PACKED) else data)


def read(path: str | os.PathLike[str], what: str) -> str:
    """Return the text of a document's file, decompressed where it is compressed."""
    source = os.fspath(path)
    try:
        data = Path(path).read_bytes()
        return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8")
    except FileNotFoundError as error:
        raise malformed(source, f"there is no such {what} file") from error
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise malformed(source, f"is no {what} file, or was cut short", got=str(error)) from error


def number(value: float | None) -> float | str | None:
    """Return a number as JSON has it: "Infinity" as a text; a NaN is left for `dump` to refuse."""
    if value is None or math.isfinite(value) or math.isnan(value):
        return value
    return "Infinity" if value > 0 else "-Infinity"


def row(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a table with its numbers as JSON has them.

    >>> row({"metric": "elift", "epsilon": float("inf")})
    {'metric': 'elift', 'epsilon': 'Infinity'}
    """
    return {name: number(value) if isinstance(value, float) else value for name, value in values.items()}


def from_number(item: Any, source: str) -> float:
    """Read a number as `number` wrote it.

    >>> from_number("Infinity", "text")
    inf
    """
    if item in ("Infinity", "-Infinity"):
        return math.inf if item == "Infinity" else -math.inf
    if isinstance(item, bool) or not isinstance(item, (int, float)):
        raise malformed(source, "must hold a number here", got=item)
    return float(item)
