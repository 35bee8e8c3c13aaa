"""Outcomes: label and prediction in one list, and which is positive."""

from __future__ import annotations

from typing import Any

import pytest

from crossfair.errors import InputError
from crossfair.outcomes import Outcomes, as_flag, resolve


@pytest.mark.parametrize(
    ("labels", "predictions", "positive", "known", "chosen", "of_label", "of_prediction"),
    [
        # 0/1 and False/True say themselves which is positive, in any spelling
        ([0, 1], [], None, (0, 1), 1, [0, 1], []),
        (["1", "0"], [], None, ("0", "1"), "1", [1, 0], []),
        ([True, False], [1, 0], None, (False, True), True, [1, 0], [1, 0]),
        ([0, 1], [True, False], None, (0, 1), 1, [0, 1], [1, 0]),
        (["0", "1"], [1, 0], None, ("0", "1"), "1", [0, 1], [1, 0]),
        (["false", "true"], [True], None, ("false", "true"), "true", [0, 1], [1]),
        # an outcome that is absent in a shard
        ([0], [], None, (0, 1), 1, [0], []),
        ([1], [1], None, (0, 1), 1, [1], [1]),
        ([False], [0], None, (False, True), True, [0], [0]),
        (["0"], [], "1", ("0", "1"), "1", [0], []),
        (["no"], [], "yes", ("no", "yes"), "yes", [0], []),
        (["no"], ["yes", "no"], "yes", ("no", "yes"), "yes", [0], [1, 0]),
        (["no"], ["yes"], "yes", ("no", "yes"), "yes", [0], [1]),
        (["no"], ["yes"], None, ("no", "yes"), None, [0], [1]),
        (["a"], ["b", "c"], None, ("a", "b", "c"), None, [0], [1, 2]),
        (["no"], [0, 1], "yes", ("no", "yes"), "yes", [0], [0, 1]),
        # named outcomes; predictions that only say whether it is the positive one
        (["<=50K", ">50K"], ["<=50K", ">50K"], ">50K", ("<=50K", ">50K"), ">50K", [0, 1], [0, 1]),
        (["<=50K", ">50K"], [0, 1], ">50K", ("<=50K", ">50K"), ">50K", [0, 1], [0, 1]),
        (["a", "b"], [False, True], "a", ("a", "b"), "a", [0, 1], [1, 0]),
        ([1, 2], [1, 2], "2", (1, 2), 2, [0, 1], [0, 1]),
        # the positive outcome sorts first
        ([0, 1], [0, 1], 0, (0, 1), 0, [0, 1], [0, 1]),
        ([False, True], [], "0", (False, True), False, [0, 1], []),
        # more than two
        (["a", "b", "c"], ["a", "c"], None, ("a", "b", "c"), None, [0, 1, 2], [0, 2]),
        (["a", "b"], ["a", "c"], "b", ("a", "b", "c"), "b", [0, 1], [0, 2]),
        (["a", "b"], ["a", "c"], "c", ("a", "b", "c"), "c", [0, 1], [0, 2]),
        (["a", "b", "c"], [0, 1], "a", ("a", "not a"), "a", [0, 1, 1], [1, 0]),
        # predictions alone
        ([], [0, 1], None, (0, 1), 1, [], [0, 1]),
        ([], ["hire", "pass"], "hire", ("hire", "pass"), "hire", [], [0, 1]),
    ],
)
def test_outcomes_of_both_columns(
    labels: list[Any],
    predictions: list[Any],
    positive: Any,
    known: tuple[Any, ...],
    chosen: Any,
    of_label: list[int],
    of_prediction: list[int],
) -> None:
    outcomes, label_codes, prediction_codes = resolve(labels, predictions, positive)
    assert (outcomes.values, outcomes.positive) == (known, chosen)
    assert type(outcomes.positive) is type(chosen)
    assert outcomes.canonical
    assert [label_codes[value] for value in labels] == of_label
    assert [prediction_codes[value] for value in predictions] == of_prediction


@pytest.mark.parametrize(
    ("labels", "predictions", "positive", "message"),
    [
        (["a", "b"], [], "A", r"positive: must be one of the values of the label, 'a', 'b'; got 'A'"),
        (["a", "b"], [0, 1], 1, r"positive: must be one of the values of the label"),
        (["a"], [0, 1], 1, r"positive: must be one of the values of the label"),
        ([0, 1], [], 2, r"positive: must be one of the values of the label, 0, 1; got 2"),
        ([0, 1], [], 0.5, r"positive: values must be text"),
        (
            ["a", "b"],
            [0, 1],
            None,
            r"positive: must name the positive outcome .* got the values 'a', 'b'\. Say pos",
        ),
        (
            ["a", "b"],
            ["x", "y"],
            "a",
            r"prediction: must hold values of the label \('a', 'b'\) or 0/1; got 'x', 'y'",
        ),
        ([0, 1], ["x"], None, r"prediction: must hold values of the label \(0, 1\) or 0/1; got 'x'"),
        (["01", 1], [], None, r"label: two values of different type read alike"),
        ([0, 1], [1, True], None, r"prediction: booleans and integers in one column read alike"),
        ([1, 2], ["01", "2"], 2, r"prediction: two values read alike but are spelt differently"),
    ],
)
def test_what_is_not_clear_is_refused(
    labels: list[Any], predictions: list[Any], positive: Any, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        resolve(labels, predictions, positive)


def test_the_positive_outcome_must_be_named_among_three() -> None:
    outcomes, _, _ = resolve(["a", "b", "c"], [])
    message = r"positive: must name .* got the values 'a', 'b', 'c'\. Say positive='c', or outcomes=\"all\""
    with pytest.raises(InputError, match=message):
        _ = outcomes.positive_code


def test_another_outcome_can_be_made_the_positive_one() -> None:
    outcomes = Outcomes((1, 2, 3), None)
    assert outcomes.towards("3") == Outcomes((1, 2, 3), 3)
    with pytest.raises(InputError, match="positive: must be one of the values of the label, 1, 2, 3; got 4"):
        outcomes.towards(4)


@pytest.mark.parametrize("value", ["TRUE", "1", 1, True])
def test_flags_say_yes(value: Any) -> None:
    assert as_flag(value) is True


@pytest.mark.parametrize("value", [2, "yes", None, ""])
def test_other_values_are_no_flags(value: Any) -> None:
    assert as_flag(value) is None


@pytest.mark.parametrize(
    "outcomes", [Outcomes((1, 0), 1), Outcomes((0, 0), 0), Outcomes((0, None), 0), Outcomes((0,), 1)]
)
def test_what_resolve_never_returns_is_not_canonical(outcomes: Outcomes) -> None:
    assert not outcomes.canonical
