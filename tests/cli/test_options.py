from __future__ import annotations

import math
from typing import Any

import click
import pytest
from click.testing import CliRunner

from crossfair.cli.options import Source, limits, reading
from crossfair.errors import InputError


def read(*arguments: str) -> tuple[Source, dict[str, float]]:
    """Parse the arguments as a command with the reading options and --limit does."""
    received: list[Any] = []

    @click.command()
    @click.option("--limit", multiple=True, callback=limits)
    @reading
    def command(source: Source, limit: dict[str, float]) -> None:
        received.extend([source, limit])

    result = CliRunner().invoke(command, list(arguments))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return received[0], received[1]


def test_only_the_given_options_are_passed_on() -> None:
    source, limit = read("people.csv", "--by", "sex,race", "--label", "income")
    assert source.data == "people.csv"
    assert source.read == {"by": ["sex", "race"], "label": "income", "missing": "level"}
    assert limit == {}


def test_a_threshold_of_zero_is_passed_on() -> None:
    assert read("p.csv", "--by", "a", "--threshold", "0")[0].read["threshold"] == 0


def test_several_files_are_a_list() -> None:
    assert read("a.csv", "b.csv", "--by", "sex")[0].data == ["a.csv", "b.csv"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--by", "sex,race"], ["sex", "race"]),
        (["--by", "sex", "--by", "race"], ["sex", "race"]),
        (["--by", "sex, race"], ["sex", "race"]),
        (["--by", '"last, first",race'], ["last, first", "race"]),
    ],
)
def test_attributes_are_separated_by_commas_or_repeated(given: list[str], expected: list[str]) -> None:
    assert read("p.csv", *given)[0].read["by"] == expected


def test_bins_hold_the_edges_of_each_attribute() -> None:
    source, _ = read("p.csv", "--by", "age,size", "--bins", "age=30,50", "--bins", "size=1.5")
    assert source.read["bins"] == {"age": [30, 50], "size": [1.5]}


def test_a_name_may_hold_an_equals_sign() -> None:
    assert read("p.csv", "--by", "a=b", "--bins", "a=b=1")[0].read["bins"] == {"a=b": [1]}


@pytest.mark.parametrize("text", ["age", "age=", "=50"])
def test_bins_of_another_form_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"--bins: must look like age=30,50; got"):
        read("p.csv", "--by", "age", "--bins", text)


def test_an_edge_that_is_no_number_is_refused() -> None:
    with pytest.raises(InputError, match=r"--bins: must be a number; got 'old'"):
        read("p.csv", "--by", "age", "--bins", "age=old")


def test_a_limit_is_a_number_for_each_metric() -> None:
    given = ("--limit", "fpr_parity=1.5", "--limit", "tpr_parity=0")
    assert read("p.csv", "--by", "sex", *given)[1] == {"fpr_parity": 1.5, "tpr_parity": 0}


@pytest.mark.parametrize("word", ["four_fifths", "four-fifths"])
def test_the_four_fifths_rule_has_a_name(word: str) -> None:
    assert read("p.csv", "--by", "sex", "--limit", f"elift={word}")[1] == {"elift": -math.log(0.8)}


def test_a_limit_given_twice_is_refused() -> None:
    with pytest.raises(InputError, match=r"--limit: must be given once for 'elift'; got 'elift=2'"):
        read("p.csv", "--by", "sex", "--limit", "elift=1", "--limit", "elift=2")
