"""Tables that cannot be audited by intersection are refused alike on every engine, with what to do."""

from __future__ import annotations

import pytest

from crossfair.errors import InputError


def people(a, **more):
    a = list(a)
    size = len(a)
    return {"a": a, "y": [i % 2 for i in range(size)], "s": [i / size for i in range(size)], **more}


def refused(reader, table, rule, **options):
    read = {"by": "a", "label": "y", "score": "s"} | options
    for count in (reader.counts, reader.curves):
        with pytest.raises(InputError, match=rule):
            count(table, **read)


def test_an_identifier_is_no_attribute(reader):
    rule = (
        "by: 'a' must be an attribute with at most 1,000 values, not an identifier; "
        "got (60 values in 60 records|over 1,000 values)"
    )
    refused(reader, people(f"p{i}" for i in range(60)), rule)


def test_a_number_with_too_many_values_is_to_be_cut(typed):
    rule = "by: 'a' must be an attribute with at most 1,000 values, not an identifier; got .* bins="
    refused(typed, people(i % 1200 for i in range(3_000)), rule)
    counts = typed.counts(people(i % 1200 for i in range(3_000)), by="a", label="y", bins={"a": [599]})
    assert counts.support.tolist() == [1_800, 1_200]


def test_few_records_of_many_values_are_no_identifiers(reader):
    assert len(reader.counts(people(f"p{i}" for i in range(20)), by="a", label="y").cells) == 20


def test_when_every_record_is_dropped_the_reasons_are_told(reader):
    table = people(["x", None, None], y=[None, 1, 0])
    rule = "data: no record is left; got 2 records with attribute 'a' missing, 1 records with label missing"
    refused(reader, table, rule, missing="drop", positive="1" if not reader.typed else 1)


def test_too_many_cells_are_refused(reader, monkeypatch):
    for module in ("arrays", "gathered", "interpret", "kernel", "long_duckdb", "score_rows"):
        monkeypatch.setattr(f"crossfair.frames.{module}.MOST_GROUPS", 100)
    table = people((i % 20 for i in range(300)), b=[f"b{i // 20}" for i in range(300)])
    rule = "by: the attributes must make at most 100 cells × outcomes; got more. Name fewer attributes"
    refused(reader, table, rule, by=["a", "b"])
