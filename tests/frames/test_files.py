"""Files: which are read, and what is said about those that cannot be."""

from __future__ import annotations

import gzip
import subprocess
import sys

import pytest

import engines
from components import require
from crossfair.errors import FormatError, InputError, MissingDependencyError
from crossfair.frames import columns, read_counts
from crossfair.frames.headers import parse
from crossfair.frames.paths import find
from crossfair.reading import Reading

READ = Reading(by="sex", label="y")
PEOPLE = {"sex": ["F", "M", None, "F"], "y": [1, 0, 1, 0]}

duckdb = require("duckdb")


@pytest.fixture
def expected():
    return read_counts(engines.as_text(PEOPLE), READ)


def part(folder, name, rows):
    return engines.write_csv(folder / name, {key: column[rows] for key, column in PEOPLE.items()})


@pytest.fixture
def shards(tmp_path):
    part(tmp_path, "a.csv", slice(0, 3))
    (tmp_path / "deep").mkdir()
    part(tmp_path, "deep/b.csv.gz", slice(3, 4))
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".hidden.csv").write_text("other\n1\n")
    (tmp_path / "notes.md").write_text("not data")
    return tmp_path


def test_a_folder_holds_all_its_files(shards, expected):
    assert read_counts(shards, READ) == expected
    assert read_counts(str(shards), READ) == expected


def test_a_glob_finds_files(shards, expected):
    assert read_counts(f"{shards}/**/[ab].csv*", READ) == expected


def test_a_list_of_paths_and_folders(shards, expected):
    assert read_counts([shards / "a.csv", str(shards / "deep")], READ) == expected


def test_a_name_that_looks_like_a_pattern_is_a_name(tmp_path, expected):
    path = engines.write_csv(tmp_path / "it's [1]*?.csv", PEOPLE)
    assert read_counts(path, READ) == expected
    assert read_counts(engines._parquet(PEOPLE, tmp_path).rename(tmp_path / "[x].parquet"), READ).records == 4


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_that_of_the_header(tmp_path, delimiter, expected):
    path = engines.write_csv(tmp_path / "p.csv", PEOPLE, delimiter=delimiter, newline="\r\n")
    assert read_counts(path, READ) == expected


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path, expected):
    path = engines.write_csv(tmp_path / "p.csv", PEOPLE)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_counts(path, READ) == expected
    path.write_text("\ufeffsex,y\nF,1\n")
    assert read_counts(path, READ).records == 1


def test_a_header_may_hold_quotes_and_line_ends(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text('"the\nsex","say ""y"""\nF,1\n"M\n",0\n')
    assert read_counts(path, Reading(by="the\nsex", label='say "y"')).cells.values == (("F",), ("M\n",))


def test_an_empty_field_is_missing_and_an_empty_text_is_not(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text('sex,y\n"",1\n,0\n')
    assert read_counts(path, READ).cells.values == (("",), (None,))


def test_headers_must_agree(tmp_path):
    part(tmp_path, "a.csv", slice(0, 2))
    (tmp_path / "b.csv").write_text("y,sex\n1,F\n")
    with pytest.raises(FormatError, match=r"b.csv: must have the header of .*a.csv; got y, sex"):
        read_counts(tmp_path, READ)


@pytest.mark.parametrize("row", ["F", "F,1,2"])
def test_a_ragged_row_is_an_error_with_its_line(tmp_path, row):
    path = tmp_path / "p.csv"
    path.write_text("sex,y\n" + "F,1\n" * 3000 + f"{row}\nM,0\n")
    rule = "p.csv: line 3002 must have 2 fields, as the header has"
    with pytest.raises(FormatError, match=rule):
        read_counts(path, READ)


def test_text_in_another_encoding_is_an_error_with_its_line(tmp_path):
    path = tmp_path / "p.csv"
    path.write_bytes("sex,y\nF,1\né,0\n".encode("latin-1"))
    with pytest.raises(FormatError, match=r"p.csv: line 3 cannot be read; got Invalid unicode"):
        read_counts(path, READ)
    path.write_bytes("é,y\nF,1\n".encode("latin-1"))
    with pytest.raises(FormatError, match=r"p.csv: must begin with a header in UTF-8; got"):
        read_counts(path, READ)


def test_blank_lines_are_no_records(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("sex,y\nF,1\n\nM,0\n\n")
    assert read_counts(path, READ).records == 2


def test_a_broken_line_of_json_is_an_error(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"sex": "F", "y": 1}\n{"sex": "F", "y"\n')
    with pytest.raises(FormatError, match=r"p.jsonl: cannot be read; got .*Malformed JSON .* line"):
        read_counts(path, READ)
    path.write_text('[{"sex": "F", "y": 1}]\n')
    with pytest.raises(FormatError, match=r"p.jsonl: each line must hold one JSON object"):
        read_counts(path, READ)


def test_an_unknown_column_names_the_nearest(reader):
    people = {"gender": ["F", "M"], "y": [0, 1]}
    with pytest.raises(InputError, match=r"has no column 'gendr'; got the columns .*Did you mean 'gender'\?"):
        reader.counts(people, by="gendr", label="y")


def test_an_empty_table_is_an_error(reader):
    if reader.engine.name in (
        "dict",
        "arrays",
        "polars",
        "pandas",
        "pyarrow",
        "parquet",
        "csv",
        "arrow file",
    ):
        with pytest.raises(InputError, match="data: must hold at least one record; got none"):
            reader.counts({"sex": [], "y": []}, by="sex", label="y")


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl", "p.parquet", "p.arrow", "p.csv.gz"])
def test_an_empty_file_is_an_error(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"" if not name.endswith("gz") else gzip.compress(b""))
    with pytest.raises(InputError, match=r"empty|no column 'sex'"):
        read_counts(path, READ)


WRONG = [
    ("parquet", "csv", "must hold CSV, as its ending says; got Parquet content"),
    ("parquet", "duckdb", "must hold DuckDB database, as its ending says; got Parquet content"),
    ("parquet", "arrow", "must hold Arrow IPC, as its ending says; got Parquet content"),
    ("parquet", "csv.gz", "must hold gzip, as its ending says; got Parquet content"),
    ("csv", "parquet", "must hold Parquet, as its ending says; got other content"),
    ("csv.gz", "csv", "must hold CSV, as its ending says; got gzip content"),
    ("csv", "csv.zst", "must hold zstd, as its ending says; got other content"),
    ("database", "jsonl", "must hold JSON lines, as its ending says; got DuckDB database content"),
]


@pytest.mark.parametrize(("kind", "ending", "match"), WRONG)
def test_a_file_that_is_not_what_its_ending_says(tmp_path, kind, ending, match):
    build = next(engine for engine in engines.EVERY if engine.name == kind)
    path = build(PEOPLE, tmp_path).rename(tmp_path / f"wrong.{ending}")
    with pytest.raises(FormatError, match=match):
        read_counts(path, READ)


def test_utf16_and_sqlite_and_excel_are_named(tmp_path):
    for content, ending, match in [
        ("sex,y\nF,1\n".encode("utf-16"), "csv", "got binary or UTF-16 content"),
        (b"SQLite format 3\0" + b"\0" * 100, "db", "got SQLite database content"),
        (b"PK\x03\x04 and so on", "csv", "got zip or Excel content"),
    ]:
        path = tmp_path / f"p.{ending}"
        path.write_bytes(content)
        with pytest.raises(FormatError, match=match):
            read_counts(path, READ)


def test_a_parquet_file_cut_short(tmp_path):
    path = engines._parquet(PEOPLE, tmp_path)
    path.write_bytes(path.read_bytes()[:-6])
    with pytest.raises(FormatError, match=r"people.parquet: cannot be read"):
        read_counts(path, READ)


def test_an_arrow_file_cut_short_or_with_a_name_twice(tmp_path):
    """polars panics at the second one, which must not reach the user."""
    path = engines._arrow_file(PEOPLE, tmp_path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(FormatError, match=r"people.arrow: cannot be read; got "):
        read_counts(path, READ)
    arrow = require("pyarrow")
    double = arrow.table([arrow.array(["F", "M"])] * 2 + [arrow.array([0, 1])], names=["sex", "sex", "y"])
    require("pyarrow.feather").write_feather(double, path, compression="uncompressed")
    with pytest.raises(
        FormatError, match=r"people.arrow: cannot be read; .* two of its columns have one name"
    ):
        read_counts(path, READ)


def test_what_cannot_be_found_or_told(tmp_path):
    for data, match in [
        (tmp_path / "none.csv", "there is no such file"),
        (f"{tmp_path}/*.csv", "matches no file"),
        (tmp_path, "the folder holds no file that can be read"),
        ([], "must name at least one file"),
    ]:
        with pytest.raises(InputError, match=match):
            find(data)
    (tmp_path / "p.xlsx").write_text("x")
    with pytest.raises(
        FormatError, match=r"the ending of a file must tell its kind; got p.xlsx. Readable are"
    ):
        find(tmp_path / "p.xlsx")
    (tmp_path / "p.parquet.gz").write_text("x")
    with pytest.raises(FormatError, match="a Parquet file cannot be read compressed"):
        find(tmp_path / "p.parquet.gz")


def test_files_of_two_kinds_are_refused(tmp_path):
    paths = [engines._csv(PEOPLE, tmp_path), engines._parquet(PEOPLE, tmp_path)]
    with pytest.raises(InputError, match="all files must be of one kind; got CSV, Parquet"):
        read_counts(paths, READ)


def test_a_database_needs_the_name_of_a_table(tmp_path):
    path = engines._database(PEOPLE, tmp_path)
    with pytest.raises(InputError, match="table: must name a table of the database; got the tables people"):
        read_counts(path, READ)
    with pytest.raises(InputError, match=r"there is no table 'peple'; .*Did you mean 'people'\?"):
        read_counts(path, Reading(by="sex", label="y", table="peple"))
    with pytest.raises(InputError, match="table: is for databases only; got 'people' with Parquet"):
        read_counts(tmp_path / "people.parquet", Reading(by="sex", label="y", table="people"))
    with pytest.raises(InputError, match="table: is for databases only; got 'people' with data of type dict"):
        read_counts(PEOPLE, Reading(by="sex", label="y", table="people"))


def test_views_and_schemas_of_a_database(tmp_path):
    path = engines._database(PEOPLE, tmp_path)
    with duckdb.connect(str(path)) as connection:
        connection.execute('CREATE SCHEMA "my data"; CREATE TABLE "my data"."a.b" AS FROM people')
        connection.execute("CREATE VIEW women AS FROM people WHERE sex = 'F'")
    assert read_counts(path, Reading(by="sex", label="y", table="my data.a.b")).records == 4
    assert read_counts(path, Reading(by="sex", label="y", table="women")).records == 2


def test_a_database_in_use_is_an_error_that_says_so(tmp_path):
    path = engines._database(PEOPLE, tmp_path)
    script = (
        f"import duckdb, sys; c = duckdb.connect({str(path)!r}); print('on', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=-1, stdout=-1) as other:
        other.stdout.readline()
        with pytest.raises(FormatError, match=r"people.duckdb: cannot be read; got .*lock"):
            read_counts(path, Reading(by="sex", label="y", table="people"))
        other.stdin.close()


def test_a_relation_whose_connection_is_closed_is_an_error_that_says_so(tmp_path):
    connection = duckdb.connect()
    relation = connection.read_parquet(str(engines._parquet(PEOPLE, tmp_path)))
    connection.close()
    with pytest.raises(FormatError, match=r"data: cannot be read; got .*closed"):
        read_counts(relation, READ)


def test_small_files_keep_the_order_of_their_rows(tmp_path):
    table = {"a": [str(i) for i in range(5000)], "n": list(range(5000))}
    path = engines.write_csv(tmp_path / "p.csv", table)
    assert columns(path, ["n", "a"]) == {"n": [str(i) for i in range(5000)], "a": table["a"]}


def test_without_duckdb_the_error_names_the_extra(tmp_path, monkeypatch):
    path = engines._csv(PEOPLE, tmp_path)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(
        MissingDependencyError, match=r"Reading files needs duckdb: pip install 'crossfair\[cli\]'"
    ):
        read_counts(path, READ)


def test_arrow_files_without_polars_or_with_neither(tmp_path, monkeypatch):
    path = engines._arrow_file(PEOPLE, tmp_path)
    expected = read_counts(path, READ)
    monkeypatch.setitem(sys.modules, "polars", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name == "pyarrow" or None)
    assert read_counts(path, READ) == expected
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match="needs polars or pyarrow: pip install polars"):
        read_counts(path, READ)


def test_no_extension_is_ever_downloaded(tmp_path):
    from crossfair.frames.files import _connect

    settings = dict(_connect().execute("SELECT name, value FROM duckdb_settings()").fetchall())
    assert settings["autoinstall_known_extensions"] == settings["autoload_known_extensions"] == "false"


def test_a_header_must_be_there():
    with pytest.raises(FormatError, match=r"p.csv: must begin with a header line"):
        parse(["\n", "a,b\n"], "p.csv")


def test_a_quote_that_is_not_closed_is_an_error_that_says_so(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text('sex,y\n"F,1\nM,0\n')
    with pytest.raises(FormatError, match=r"p.csv: line 2 cannot be read; got a quote that is not closed\.$"):
        read_counts(path, READ)


def test_a_script_ends_without_a_word(tmp_path):
    """narwhals and DuckDB together would report leaks at exit."""
    path = tmp_path / "p.csv"
    path.write_text("sex,y\nF,1\nM,0\n")
    script = f"import crossfair as cf; cf.count({str(path)!r}, by='sex', label='y')"
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert run.stdout + run.stderr == ""
