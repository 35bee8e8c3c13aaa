from __future__ import annotations

import json
from pathlib import Path

import pytest

import crossfair as cf
from components import require
from crossfair.cli.app import run

BY = ["--by", "sex,age,race_4", "--bins", "age=50", "--label", "income", "--positive", ">50K"]


@pytest.fixture(scope="module")
def parts(people_csv: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The records in three files."""
    header, *lines = people_csv.read_text("utf-8").splitlines(keepends=True)
    folder = tmp_path_factory.mktemp("parts")
    for i in range(3):
        (folder / f"{i}.csv").write_text(header + "".join(lines[i::3]), "utf-8")
    return sorted(folder.iterdir())


def test_counts_of_shards_are_audited_as_the_whole(
    parts: list[Path], people_csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read = [*BY, "--prediction", "prediction"]
    for part in parts:
        out = str(tmp_path / f"{part.stem}.counts")
        assert run(["count", str(part), *read, "-o", out]) == 0
    assert capsys.readouterr().out.endswith(
        f"10,853 records in 16 cells of sex, age, race_4\nWrote {tmp_path / '2.counts'}\n"
    )
    shards, whole = (str(tmp_path / name) for name in ("shards.json", "whole.json"))
    assert run(["audit", str(tmp_path / "*.counts"), "--json", shards, "-q"]) == 0
    assert run(["audit", str(people_csv), *read, "--json", whole, "-q"]) == 0
    assert json.loads(Path(shards).read_text("utf-8")) == json.loads(Path(whole).read_text("utf-8"))


def test_counts_are_joined_to_one_file(parts: list[Path], people_csv: Path, tmp_path: Path) -> None:
    for part in parts:
        run(["count", str(part), *BY, "-o", str(tmp_path / f"{part.stem}.counts"), "-q"])
    assert run(["count", str(tmp_path / "?.counts"), "-o", str(tmp_path / "all.counts"), "-q"]) == 0
    run(["count", str(people_csv), *BY, "-o", str(tmp_path / "whole.counts"), "-q"])
    assert (tmp_path / "all.counts").read_bytes() == (tmp_path / "whole.counts").read_bytes()


def test_curves_of_shards_are_repaired_as_the_whole(
    parts: list[Path], people_csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read = [*BY, "--score", "score"]
    files = [str(tmp_path / f"{part.stem}.curves") for part in parts]
    for part, out in zip(parts, files):
        assert run(["curves", str(part), *read, "-o", out]) == 0
    assert "10,854 records, 459 distinct scores in 16 cells" in capsys.readouterr().out
    limit = ["--limit", "equalized_odds=2.15", "-q", "-o"]
    assert run(["mitigate", *files, *limit, str(tmp_path / "shards.json")]) == 0
    assert run(["mitigate", str(people_csv), *read, *limit, str(tmp_path / "whole.json")]) == 0
    shards, whole = (cf.Policy.load(tmp_path / name) for name in ("shards.json", "whole.json"))
    assert shards.steps.to_json() == whole.steps.to_json()
    assert shards.expected == whole.expected


def test_scores_are_binned(people_csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "binned.curves"
    assert run(["curves", str(people_csv), *BY, "--score", "score", "--bits", "6", "-o", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "bins of scores, 2^6 per unit in 16 cells" in shown
    assert "a threshold inside a bin would move a rate by at most 1; AUC is within 0.15" in shown
    assert cf.Curves.load(out) == cf.curves(
        str(people_csv), by=["sex", "age", "race_4"], bins={"age": [50]}, label="income", positive=">50K",
        score="score",
    ).quantise(bins=64)  # fmt: skip


def test_what_is_left_out_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.csv").write_text("sex,y\nF,1\nM,0\nM,\n", "utf-8")
    out = str(tmp_path / "p.counts")
    assert run(["count", str(tmp_path / "p.csv"), "--by", "sex", "--label", "y", "-o", out]) == 0
    assert capsys.readouterr().out == (
        f"2 records in 2 cells of sex\nleft out: 1 records, label missing\nWrote {out}\n"
    )


def test_memory_is_bounded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What does not fit goes to the disk; what cannot be done within the bound is refused."""
    path = tmp_path / "p.parquet"
    numbers = "hash(i)::DOUBLE / 2 ** 64 AS score, (i % 3 = 0)::INT AS y, i % 7 AS a"
    require("duckdb").sql(f"SELECT {numbers} FROM range(300_000) t(i)").write_parquet(str(path))
    out = str(tmp_path / "p.curves")
    read = ["curves", str(path), "--by", "a", "--label", "y", "--score", "score", "-o", out]
    assert run([*read, "--memory-limit", "5MB"]) == 2
    assert capsys.readouterr().err.startswith(
        "Error: data: there must be memory, and room on the disk, to group the records in; got Out of Memory"
    )
    assert not Path(out).exists()
    assert run([*read, "--memory-limit", "50MiB", "-q"]) == 0
    assert cf.Curves.load(out) == cf.curves(str(path), by="a", label="y", score="score")


WRONG = {
    "a memory of no size": (
        ["count", "{csv}", *BY, "--memory-limit", "2", "-o", "x.counts"],
        "memory-limit: must be a size like 500MB or 2GB; got '2'",
    ),
    "no attributes": (["count", "{csv}", "-o", "x.counts"], "by: must name at least one attribute"),
    "another ending": (
        ["count", "{csv}", *BY, "-o", "x.json"],
        "must end in .counts or .counts.gz; got 'x.json'",
    ),
    "curves named counts": (
        ["curves", "{csv}", *BY, "--score", "score", "-o", "x.counts"],
        "must end in .curves; got 'x.counts'",
    ),
    "no score": (
        ["curves", "{csv}", *BY, "-o", "x.curves"],
        "score: curves need the column of labels and that of scores",
    ),
    "no folder": (
        ["count", "{csv}", *BY, "-o", "no/such/x.counts"],
        "the folder of the file must exist",
    ),
    "a wrong column": (
        ["count", "{csv}", "--by", "gender", "--label", "income", "-o", "x.counts"],
        "has no column 'gender'",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_usage_is_one_line_and_writes_nothing(
    arguments: list[str], message: str, people_csv: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert run([item.format(csv=people_csv) for item in arguments]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_shards_that_do_not_fit_are_named(
    people_csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = str(tmp_path / "a.counts"), str(tmp_path / "b.counts")
    run(["count", str(people_csv), *BY, "-o", a, "-q"])
    run(["count", str(people_csv), *BY, "--weight", "fnlwgt", "-o", b, "-q"])
    assert run(["audit", a, b]) == 2
    assert f"data: {a} and {b} do not add up; got weight: " in capsys.readouterr().err
