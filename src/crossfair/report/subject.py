"""What a page is about: an audit or a repair, with what several parts of the page need."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self

from crossfair.auditing import Audit
from crossfair.charts.of_audit import Choice, telling
from crossfair.evaluation import Evaluation
from crossfair.frontiers import Frontier
from crossfair.impact import impact_ratios
from crossfair.lattice import readable_order
from crossfair.policy import Policy
from crossfair.presets import Preset, preset
from crossfair.report.origin import Origin
from crossfair.sample import Sample
from crossfair.verdicts import Verdicts


@dataclass(frozen=True)
class Layout:
    """A preset as asked for: which categories it leaves out, and its table of impact ratios."""

    preset: Preset
    least_share: float
    ratios: dict[str, list[Any]]
    weighted: bool

    @classmethod
    def of(cls, audit: Audit, name: str, least_share: float) -> Self:
        """Lay out the selection rates of an audit."""
        chosen = preset(name)
        chosen.check(audit.counts.by)
        missing: Literal["level", "apart"] = "apart" if chosen.missing_apart else "level"
        ratios = impact_ratios(audit.counts, least_share, missing)
        return cls(chosen, least_share, ratios, audit.counts.weights is not None)


@dataclass(frozen=True)
class Subject:
    """What a page about an audit is about, with what several of its parts need."""

    audit: Audit
    verdicts: Verdicts | None = None
    title: str | None = None
    origin: Origin = field(default_factory=Origin)
    layout: Layout | None = None

    @property
    def main(self) -> str:
        """The metric that the charts show first."""
        return telling(self.audit, self.verdicts)

    @cached_property
    def choice(self) -> Choice:
        """What the charts show; the lattice is measured once for chart and table."""
        return Choice(self.main, self.verdicts, lattice=self.lattice)

    @cached_property
    def lattice(self) -> dict[str, list[Any]]:
        """ε over the subsets of the attributes, or the smaller ones of many, as plain columns."""
        order = readable_order(len(self.audit.counts.by))
        columns: dict[str, list[Any]] = replace(self.audit, like=None).lattice(order)
        return columns

    @property
    def suppressed(self) -> bool:
        """Whether small counts are hidden."""
        return self.audit.counts.suppressed_below is not None

    @property
    def heading(self) -> str:
        """The title of the page."""
        return self.title or f"Fairness audit by {', '.join(self.audit.counts.by)}"


@dataclass(frozen=True)
class Repair:
    """What a page about a repair is about; each of what is None leaves out the parts that need it."""

    policy: Policy
    sample: Sample | None = None
    evaluation: Evaluation | None = None
    frontier: Frontier | None = None
    given: Subject | None = None
    title: str | None = None
    origin: Origin = field(default_factory=Origin)

    @property
    def heading(self) -> str:
        """The title of the page."""
        what = "repair" if self.given is None else "audit and repair"
        return self.title or f"Fairness {what} by {', '.join(self.policy.by)}"
