"""Presets: limits and layouts that are asked for by name. They are no law, and no legal advice."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from crossfair.counts import Counts
from crossfair.errors import choose, invalid
from crossfair.metrics import METRICS, Metric

FOUR_FIFTHS = 0.8

CAUTION = (
    "A preset is a layout of figures, not legal advice: lawyers must say whether it answers a legal question."
)


BY_TWO = "Name sex and race or ethnicity, for example by=['sex', 'race']."


@dataclass(frozen=True)
class Preset:
    """A name for limits on selection rates, and for how a page lays these rates out.

    `ratio` is the least rate allowed, as a share of the highest; None sets no limit. `attributes` is how
    many there must be, None for any number; `missing_apart` keeps unknown categories out of the ratios.

    >>> preset("four-fifths").ratio
    0.8
    """

    name: str
    title: str
    words: str
    ratio: float | None = None
    attributes: int | None = None
    missing_apart: bool = False

    def limits(self, counts: Counts) -> dict[str, float]:
        """Return the limits on ε: on the selection rates, or none."""
        self.check(counts.by)
        return {} if self.ratio is None else {selection(counts).name: -math.log(self.ratio)}

    def check(self, by: Sequence[str]) -> None:
        """Refuse another number of attributes than the layout has."""
        if self.attributes is not None and len(by) != self.attributes:
            raise invalid("preset", f"{self.name!r} is laid out for {self.attributes} attributes",
                          got=f"{len(by)}: {', '.join(by)}", hint=BY_TWO)  # fmt: skip


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        found.name: found
        for found in (
            Preset(
                "four-fifths",
                "Four-fifths rule",
                "The selection rate of each category is held against the highest one. A ratio under 0.8 "
                "breaks the limit; with few records it may do so by chance, which the verdict takes into "
                "account.",
                ratio=FOUR_FIFTHS,
            ),
            Preset(
                "nyc-local-law-144",
                "Layout of New York City’s Local Law 144",
                "Selection rates and impact ratios for each category of either attribute and for their "
                "intersections. An impact ratio is the selection rate of a category over that of the most "
                "selected one. Records of an unknown category are counted apart. No limit is set here.",
                attributes=2,
                missing_apart=True,
            ),
        )
    }
)


def preset(name: str, argument: str = "preset") -> Preset:
    """Return a preset by its name.

    >>> preset("nyc-local-law-144").title
    'Layout of New York City’s Local Law 144'
    """
    return PRESETS[choose(argument, name, PRESETS)]


def selection(counts: Counts) -> Metric:
    """Return the metric that compares who was selected: by the prediction, or else by the label.

    >>> counts = Counts.from_table({"sex": ["F", "M"], "hired": [0, 1], "n": [3, 4]}, by="sex", label="hired")
    >>> selection(counts).name
    'impact_ratio'
    """
    return METRICS["statistical_parity" if counts.has_prediction else "impact_ratio"]
