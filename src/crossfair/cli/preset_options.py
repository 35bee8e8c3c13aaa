"""The options that ask for a preset."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crossfair.cli.names import preset_names
from crossfair.cli.sections import Command, section

if TYPE_CHECKING:
    from crossfair.counts import Counts
    from crossfair.presets import Preset

_judging = section("Limits")


@dataclass(frozen=True)
class Asked:
    """What --preset and --least-share ask for."""

    preset: str | None
    least_share: float

    @property
    def found(self) -> Preset | None:
        """The preset itself."""
        from crossfair import presets

        return None if self.preset is None else presets.preset(self.preset, "--preset")

    def check(self, read: Mapping[str, Any]) -> None:
        """Refuse what can be refused without the data."""
        found = self.found
        if found is not None and "by" in read:
            found.check(read["by"])

    def metrics(self, read: Mapping[str, Any]) -> Sequence[str]:
        """The metrics that the preset's limits are about."""
        if self.found is None or self.found.ratio is None:
            return ()
        return ("statistical_parity",) if {"prediction", "score"} & set(read) else ("impact_ratio",)

    def limits(self, counts: Counts, own: Mapping[str, float]) -> dict[str, float]:
        """The preset's limits and one's own, which go before."""
        return dict(own) if self.found is None else {**self.found.limits(counts), **own}


def presetting(command: Command) -> Command:
    """Add --preset and --least-share to a command, which receives them as one `Asked`."""

    @functools.wraps(command)
    def call(*arguments: Any, preset: str | None, least_share: float, **given: Any) -> Any:
        return command(*arguments, asked=Asked(preset, least_share), **given)

    named = _judging(
        "--preset",
        metavar="NAME",
        shell_complete=preset_names,
        help="Limits and tables by name: four-fifths or nyc-local-law-144. No legal advice.",
    )
    share = _judging(
        "--least-share",
        type=float,
        default=0.0,
        metavar="S",
        help="Leave categories with less than this share of records out of the ratios.  [default: 0]",
    )
    decorated: Command = named(share(call))
    return decorated
