"""The script in docs/scale.md, run on a real cluster."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

import crossfair as cf
from components import require

EXAMPLE = Path(__file__).parents[1] / "docs" / "spark_example.py"


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning")
def test_the_spark_example_audits_repairs_and_decides(
    spark: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    hired = rng.random(5_000) < 0.3
    people = {
        "id": np.arange(5_000),
        "sex": np.array(["Female", "Male"])[rng.integers(2, size=5_000)],
        "race": np.array(["Black", "White"])[rng.integers(2, size=5_000)],
        "age": rng.integers(17, 91, size=5_000),
        "hired": hired.astype(np.int64),
        "score": np.clip(rng.normal(0.4 + 0.2 * hired, 0.15), 0, 1),
    }
    source = str(tmp_path / "people.parquet")
    require("duckdb").arrow(require("pyarrow").table(people)).write_parquet(source)
    monkeypatch.setattr("sys.argv", [EXAMPLE.name, source, str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert ended.value.code in (0, 1, 3)
    assert "5,000 records" in (tmp_path / "audit.html").read_text("utf-8")
    policy = cf.Policy.load(tmp_path / "policy.json")
    decided = require("duckdb").read_parquet(str(tmp_path / "decisions" / "*.parquet"))
    found = dict(decided.project("id, hire").fetchall())
    assert [found[key] for key in range(5_000)] == policy.decide(people, key="id").tolist()
