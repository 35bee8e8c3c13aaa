from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import repairs
from crossfair.errors import InputError
from crossfair.performance import REPAIRED
from crossfair.read_sample import read_like


def values(spec: Any) -> Iterator[dict[str, Any]]:
    parts = spec.values() if isinstance(spec, dict) else spec if isinstance(spec, list) else []
    if isinstance(spec, dict) and "data" in spec:
        yield from spec["data"].get("values", [])
    for part in parts:
        yield from values(part)


def rows(chart: Any, *needed: str) -> list[dict[str, Any]]:
    """The rows of a chart that have all the fields, each once."""
    found = list({json.dumps(row): row for row in values(chart.to_dict())}.values())
    return [row for row in found if all(field in row for field in needed)]


def test_thresholds_show_the_acceptance_at_each_score() -> None:
    policy = repairs.repaired()
    segments = rows(policy.chart("thresholds"), "accepted")
    for cell, name in enumerate(repairs.NAMES):
        mine = [row for row in segments if row["name"] == name]
        assert (mine[0]["start"], mine[-1]["end"]) == (0.0, 1.0)
        for row in mine:
            middle = np.array([(row["start"] + row["end"]) / 2])
            assert policy.acceptance_at(np.array([cell]), middle)[0] == pytest.approx(row["accepted"])


def test_thresholds_of_many_cells_are_the_strictest_and_the_most_lenient() -> None:
    policy = repairs.repaired(names=tuple("abcdef"))
    shown = rows(policy.chart("thresholds", most=3), "accepted", "kept")
    lenience = {
        name: sum((row["end"] - row["start"]) * row["accepted"] for row in shown if row["name"] == name)
        for name in "abcdef"
    }
    order = sorted(lenience, key=lambda name: lenience[name])
    assert {row["name"] for row in shown if row["kept"]} == {*order[:2], order[-1]}
    assert "… 3 more …" in {row["name"] for row in rows(policy.chart("thresholds", most=3), "name")}


def test_the_axis_of_losses_ends_a_little_above_what_is_near() -> None:
    spec = repairs.explored().chart().to_dict()
    (low, top) = next(layer["encoding"]["y"]["scale"]["domain"] for layer in spec["layer"])
    shown = rows(repairs.explored().chart(), "loss")
    near = [row["loss"] for row in shown if row["loss"] <= top]
    assert low < min(row["loss"] for row in shown)
    assert max(near) < top <= max(near) + 0.1 * (max(near) - min(near))


def test_roc_curves_end_in_their_corners_and_hold_the_points_of_the_policy() -> None:
    policy, data = repairs.repaired("threshold"), repairs.people()
    chart = policy.chart("roc", data)
    curve = rows(chart, "step")
    points = {(row["name"], row["decisions"]): row for row in rows(chart, "decisions")}
    accepted = np.array(policy.acceptance(data))
    label = np.array(data["repaid"]) == 1
    for name in repairs.NAMES:
        steps = [row for row in curve if row["name"] == name]
        assert [steps[0]["fpr"], steps[0]["tpr"], steps[-1]["fpr"], steps[-1]["tpr"]] == [0, 0, 1, 1]
        mine = np.array(data["<b>sex</b>"]) == name
        tpr, fpr = accepted[mine & label].mean(), accepted[mine & ~label].mean()
        point = points[name, REPAIRED]
        assert [point["tpr"], point["fpr"]] == pytest.approx([tpr, fpr])
        assert min(abs(row["fpr"] - fpr) + abs(row["tpr"] - tpr) for row in steps) < 1e-9


def test_the_region_is_what_the_limit_admits_and_holds_every_repaired_point() -> None:
    policy = repairs.repaired()
    chart = policy.chart("roc", repairs.people())
    (region,) = rows(chart, "fpr_end")
    for rate in ("tpr", "fpr"):
        assert region[f"{rate}_end"] / region[rate] == pytest.approx(np.exp(0.2))
        for row in rows(chart, "decisions"):
            if row["decisions"] == REPAIRED:
                # Points are raw rates; the limit holds for the smoothed ones, which α = .01 moves a little.
                assert region[rate] - 1e-3 <= row[rate] <= region[f"{rate}_end"] + 1e-3


def test_the_frontier_has_a_line_per_method_and_the_price_between_them() -> None:
    found = repairs.explored()
    shown = rows(found.chart(), "method")
    loss = {(row["method"], row["epsilon"]): row["loss"] for row in shown}
    for point in found:
        assert point.policy is not None
        assert loss["derived", point.epsilon] == point.policy.expected[REPAIRED].loss
        dear = loss.get(("threshold", point.epsilon))
        if dear is not None and point.price_of_determinism is not None:
            assert dear - loss["derived", point.epsilon] == pytest.approx(point.price_of_determinism)
    assert {method for method, _ in loss} == {"derived", "threshold"}


def test_charts_describe_themselves_and_are_saved(tmp_path: Any) -> None:
    policy, data = repairs.repaired(), repairs.people()
    for name, chart in (
        ("thresholds", policy.chart("thresholds")),
        ("roc", policy.chart("roc", data)),
        ("frontier", repairs.explored().chart()),
    ):
        assert len(chart.to_dict()["description"]) > 60
        chart.save(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 5_000


def test_a_policy_of_a_sample_given_as_curves_draws_them() -> None:
    policy = repairs.repaired()
    sample = read_like(policy, repairs.people(), {})
    assert rows(policy.chart("roc", sample.curves), "step") == rows(
        policy.chart("roc", repairs.people()), "step"
    )


def test_bad_arguments_are_refused() -> None:
    policy = repairs.repaired()
    with pytest.raises(
        InputError, match=r"must be one of 'thresholds', 'roc'; got rocs\. Did you mean 'roc'"
    ):
        policy.chart("rocs")
    with pytest.raises(InputError, match=r"data: the ROC curves need the data, .* Give data=…"):
        policy.chart("roc")
    with pytest.raises(InputError, match="name: a policy of a binary prediction has no thresholds"):
        repairs.by_prediction().chart("thresholds")
    with pytest.raises(InputError, match=r"option: must be one of .*; got skore\. Did you mean 'score'"):
        policy.chart("roc", repairs.people(), skore="score")
