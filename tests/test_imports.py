"""What importing crossfair brings with it: the numbers need numpy and scipy, the rest comes when it is used.

The import contracts in pyproject.toml say the same of the source; here it is seen to work.
"""

from __future__ import annotations

import pkgutil
import subprocess
import sys
import textwrap

import pytest

import crossfair

FOREIGN = (
    "narwhals",
    "pandas",
    "polars",
    "pyarrow",
    "duckdb",
    "altair",
    "sklearn",
    "click",
    "rich",
    "xgboost",
)
EDGES = ("cli", "frames", "decisions", "drift", "serving", "paper", "report", "charts", "sklearn")

BLOCK_FOREIGN = f"""
import importlib, sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {FOREIGN!r}:
            raise ImportError(f"blocked: {{name}}")

sys.meta_path.insert(0, Block())
"""


def python(code: str) -> str:
    """Run the code in a fresh interpreter and return what it prints."""
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_importing_the_package_imports_nothing_else() -> None:
    code = f"import sys, crossfair; print({{'numpy', 'scipy', *{FOREIGN!r}}} & set(sys.modules))"
    assert python(code) == "set()"


@pytest.mark.parametrize("name", ["audit", "count", "compare", "Hierarchical", "Policy"])
def test_taking_a_name_imports_no_dataframe_library(name: str) -> None:
    heavy = set(FOREIGN) - {"narwhals"}
    assert python(f"import sys, crossfair; crossfair.{name}; print({heavy!r} & set(sys.modules))") == "set()"


def test_the_numeric_modules_import_numpy_and_scipy_alone() -> None:
    modules = [
        module.name
        for module in pkgutil.walk_packages(crossfair.__path__, "crossfair.")
        if module.name.split(".")[1] not in EDGES
    ]
    assert {"crossfair.counts", "crossfair.estimators.hierarchical", "crossfair.policy"} <= set(modules)
    python(BLOCK_FOREIGN + f"for name in {modules!r}: importlib.import_module(name)")


def test_a_table_of_counts_is_audited_with_numpy_and_scipy_alone() -> None:
    code = """
    import crossfair as cf

    table = {"sex": ["F", "F", "M", "M"], "hired": [0, 1, 0, 1], "n": [90, 10, 70, 30]}
    audit = cf.audit(cf.Counts.from_table(table, by=["sex"], label="hired"), estimator=cf.Smoothed(0, 0))
    again = cf.Audit.from_json(audit.to_json(audit.check({"impact_ratio": 2})))
    print(again["impact_ratio"].ratio)
    """
    assert float(python(BLOCK_FOREIGN + textwrap.dedent(code))) == pytest.approx(3)


def test_the_bundled_data_are_read_with_numpy_alone() -> None:
    code = "from crossfair.datasets import adult; print(len(adult('train')['income']))"
    assert python(BLOCK_FOREIGN + code) == "32560"
