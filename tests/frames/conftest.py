"""One fixture runs every test of frames on every engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import engines
from crossfair.counts import Counts
from crossfair.curve import Curves
from crossfair.frames import read_counts, read_curves
from crossfair.reading import Reading
from engines import Columns, Engine


class Reader:
    """Reads a table on one engine."""

    def __init__(self, engine: Engine, folder: Callable[[], Any]) -> None:
        self.engine = engine
        self._folder = folder

    @property
    def typed(self) -> bool:
        """Whether the engine keeps types, as text files do not."""
        return self.engine in engines.TYPED

    def data(self, columns: Columns) -> Any:
        """The table as this engine has it."""
        return self.engine(columns, self._folder())

    def counts(self, columns: Columns, **options: Any) -> Counts:
        """Read counts."""
        return read_counts(self.data(columns), Reading(**{**options, **self.engine.options}))

    def curves(self, columns: Columns, bits: int | None = None, **options: Any) -> Curves:
        """Read curves."""
        return read_curves(self.data(columns), Reading(**{**options, **self.engine.options}), bits=bits)

    def expected(self, columns: Columns) -> Columns:
        """The table that a plain dict must hold to be read alike."""
        return columns if self.typed else engines.as_text(columns)


@pytest.fixture(params=engines.EVERY, ids=lambda engine: engine.name)
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """Every engine and file kind in turn."""
    return Reader(request.param, lambda: tmp_path_factory.mktemp("table"))


@pytest.fixture(params=engines.TYPED, ids=lambda engine: engine.name)
def typed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """Every engine that keeps types."""
    return Reader(request.param, lambda: tmp_path_factory.mktemp("table"))
