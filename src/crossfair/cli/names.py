"""Names that a shell can complete."""

from __future__ import annotations

from collections.abc import Iterable

import click


def metric_names(_context: click.Context, _option: click.Parameter, start: str) -> list[str]:
    """The metrics whose names begin like this."""
    from crossfair.metrics import METRICS

    return _beginning(METRICS, start)


def limited_names(_context: click.Context, _option: click.Parameter, start: str) -> list[str]:
    """The metrics that a repair can limit."""
    from crossfair.mitigation.limits import SUPPORTED

    return _beginning(SUPPORTED, start)


def estimator_names(_context: click.Context, _option: click.Parameter, start: str) -> list[str]:
    """The estimators."""
    from crossfair.estimators.registry import ESTIMATORS

    return _beginning(ESTIMATORS, start)


def preset_names(_context: click.Context, _option: click.Parameter, start: str) -> list[str]:
    """The presets."""
    from crossfair.presets import PRESETS

    return _beginning(PRESETS, start)


def method_names(_context: click.Context, _option: click.Parameter, start: str) -> list[str]:
    """The methods of repair."""
    from crossfair.mitigation.solve import METHODS

    return _beginning(METHODS, start)


def _beginning(names: Iterable[str], start: str) -> list[str]:
    return [name for name in names if name.startswith(start)]
