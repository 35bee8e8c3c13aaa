"""Counts → Audit: findings, the table of groups, the lattice of attribute subsets, verdicts."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Self

from crossfair import audit_file, audit_tables, checks, impact, lattice, presets
from crossfair.counts import Counts
from crossfair.errors import choose, invalid, malformed
from crossfair.estimators.base import Estimator
from crossfair.finding import Finding
from crossfair.measure import Measurement
from crossfair.metrics import METRICS, Metric, applicable, choose_among, metric
from crossfair.numerals import number, span
from crossfair.shown import Shown, plain
from crossfair.values import Value
from crossfair.verdicts import Verdicts, advise, check_limits, judge

Outcomes = Literal["positive", "all"]


@dataclass(frozen=True)
class Settings:
    """How an audit measures."""

    estimator: Estimator
    outcomes: Outcomes = "positive"
    level: float = 0.95
    min_support: float = 1
    seed: int = 0

    def __post_init__(self) -> None:
        choose("outcomes", self.outcomes, ["positive", "all"])
        checks.probability("level", self.level)
        checks.number("min_support", self.min_support)
        checks.whole("seed", self.seed)

    def outcomes_of(self, counts: Counts) -> Sequence[Value]:
        """The outcomes that a metric must hold for."""
        if self.outcomes == "all":
            return counts.outcomes.values
        return [counts.outcomes.values[counts.outcomes.positive_code]]

    def measurement(self, counts: Counts) -> Measurement:
        """Set the estimator to work on counts."""
        return Measurement(
            counts, self.estimator, self.outcomes_of(counts), self.level, self.min_support, int(self.seed)
        )


@dataclass(frozen=True, eq=False)
class Audit(Shown):
    """Findings about counts, with what they rest on.

    >>> import crossfair as cf
    >>> table = {"sex": ["F", "F", "M", "M"], "hired": [0, 1, 0, 1], "n": [90, 10, 70, 30]}
    >>> audit = cf.audit(cf.Counts.from_table(table, by=["sex"], label="hired"), estimator=cf.Bayes())
    >>> audit.check({"impact_ratio": 3.0}).exit_code
    0
    """

    counts: Counts
    settings: Settings
    findings: Mapping[str, Finding]
    run: Mapping[str, Any] = field(default_factory=dict)
    like: Any = None

    def __getitem__(self, name: str) -> Finding:
        return self.findings[choose_among(self.findings, name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __repr__(self) -> str:
        cells = f"{len(self.counts.cells):,} cells of {plain(', '.join(self.counts.by))}"
        lines = [f"<Audit: {self.counts.records:,} records in {cells}, by {self.settings.estimator.name}"]
        for finding in self.findings.values():
            interval = "" if finding.low is None else f"  ({span(number, finding.low, finding.high)})"
            lines.append(f"  {finding.name:18} ε = {number(finding.epsilon)}{interval}")
        return "\n".join(lines) + ">"

    @cached_property
    def measurement(self) -> Measurement:
        """The estimator at work on the counts."""
        return self.settings.measurement(self.counts)

    def check(self, limits: Mapping[str, float] | str, *, confidence: float = 0.95) -> Verdicts:
        """Judge limits on ε, metric by metric: "pass", "fail" or "undecided". A text names a preset.

        With draws a limit passes if P(ε ≤ limit) ≥ confidence and fails if P(ε > limit) ≥ confidence; with
        guaranteed bounds by those bounds at `confidence`; with a point alone by the point.
        """
        checks.probability("confidence", confidence)
        verdicts = []
        asked = presets.preset(limits, "limits").limits(self.counts) if isinstance(limits, str) else limits
        for name, limit in check_limits(asked).items():
            finding = self[name]
            bounds = self.measurement.bounds(finding, confidence)
            verdict = judge(finding, limit, confidence, bounds)
            ends = self.measurement.ends(finding) if verdict.verdict == "undecided" else []
            verdicts.append(advise(verdict, finding, ends, self.counts.records, confidence))
        return Verdicts(tuple(verdicts), confidence)

    def table(self) -> Any:
        """Return the findings as a tidy frame of the caller's library, a row per metric."""
        return self._give(audit_tables.findings(self.findings.values()))

    def groups(self, *, most: int | None = None) -> Any:
        """Return the rates as a tidy frame, a row per cell, rate and outcome, raw beside estimated.

        `low` and `high` are exact (Clopper–Pearson) bounds at the audit's level, each cell on its own. With
        `most` there are but so many cells for each rate: half of them those with the highest estimates, half
        those with the lowest, highest first.
        """
        bound = None if most is None else checks.whole("most", most, least=2)
        metrics = [finding.metric for finding in self.findings.values()]
        return self._give(audit_tables.groups(self.measurement, metrics, bound))

    def lattice(self, max_order: int | None = None, *, most: int | None = None) -> Any:
        """Return every metric's ε over every subset of the attributes as a tidy frame.

        The subsets come from marginalising the counts, up to `max_order` attributes: small ones first, and
        of one size the most telling ones first, whose ε exceeds most that of their parts with one attribute
        fewer, for any metric. With `most` only so many are returned, the most telling of all.
        """
        bound = None if most is None else checks.whole("most", most, least=1)
        attributes = self.counts.by
        size = len(attributes)
        order = size if max_order is None else checks.whole("max_order", max_order, least=1, most=size)
        metrics = [finding.metric for finding in self.findings.values()]
        rows = [
            (subset, self._subset(subset, metrics))
            for size in range(1, order + 1)
            for subset in itertools.combinations(attributes, size)
        ]
        return self._give(audit_tables.lattice(attributes, lattice.telling_first(rows, bound)))

    def impact_ratios(self, *, least_share: float = 0.0, missing: Literal["level", "apart"] = "level") -> Any:
        """Return selection rates against the highest one as a tidy frame: see `impact.impact_ratios`.

        Every subset of the attributes stands on its own. Categories with less than `least_share` of the
        records are left out of the ratios, those with a missing value if `missing` is "apart".
        """
        return self._give(impact.impact_ratios(self.counts, least_share, missing))

    def to_json(self, verdicts: Verdicts | None = None) -> str:
        """Return the audit as JSON text: counts, settings, findings and draws, and verdicts if given."""
        return audit_file.dump(self, verdicts)

    def chart(
        self, name: str, *, metric: str | None = None, verdicts: Verdicts | None = None, most: int = 40
    ) -> Any:
        """Return an Altair chart: "epsilon", "rates", "lattice" or "prior"; `save` writes it to a file.

        `metric` chooses what "rates" and "lattice" are about, and `verdicts` marks limits. With more than
        `most` cells, "rates" shows those at either end.
        """
        from crossfair.charts import of_audit

        return of_audit.chart(self, name, metric=metric, verdicts=verdicts, most=most)

    def to_html(
        self,
        path: str | os.PathLike[str],
        verdicts: Verdicts | None = None,
        *,
        preset: str | None = None,
        least_share: float = 0.0,
        title: str | None = None,
        source: Any = None,
        command: str | None = None,
    ) -> None:
        """Write a page that tells the audit, and verdicts if given, to people who do not run code.

        One file that needs no network; whole or not at all. `source` names the files that the data came from
        (a path, glob, folder or list), whose hashes the page then gives; `command` what does it again. A
        `preset` lays out selection rates, without categories of less than `least_share` of the records.
        """
        from crossfair.report import build

        build.write_audit(path, self, verdicts, title, source, command, preset, least_share)

    @classmethod
    def from_json(cls, text: str, source: str = "audit") -> Self:
        """Read an audit from JSON text; a damaged or newer one is refused."""
        counts, settings, run = audit_file.header(text, source)
        try:
            built = cls(counts, Settings(**settings), {}, run)
        except (TypeError, ValueError) as error:
            raise malformed(source, "the audit's settings are damaged", got=repr(error)) from error
        findings = audit_file.findings(text, source, built.measurement)
        return cls(counts, built.settings, findings, run)

    def _subset(self, subset: Sequence[str], metrics: Sequence[Metric]) -> list[Finding]:
        if tuple(subset) == self.counts.by:
            return list(self.findings.values())
        return list(self.settings.measurement(self.counts.marginal(subset)).findings(metrics).values())

    def _give(self, columns: dict[str, list[Any]]) -> Any:
        if self.like is None:
            return columns
        from crossfair import frames

        return frames.give(columns, self.like)


def run_audit(
    counts: Counts,
    settings: Settings,
    metrics: Sequence[str] | str | None = None,
    *,
    run: Mapping[str, Any] | None = None,
    like: Any = None,
) -> Audit:
    """Measure the metrics on counts: those asked for, or all that the counts allow."""
    measurement = settings.measurement(counts)
    findings = measurement.findings(choose_metrics(counts, metrics))
    audit = Audit(counts, settings, findings, dict(run or {}), like)
    audit.__dict__["measurement"] = measurement
    return audit


def choose_metrics(counts: Counts, names: Sequence[str] | str | None) -> list[Metric]:
    """Return the metrics asked for, each once; one that the counts cannot give is refused."""
    possible = applicable(label=counts.has_label, prediction=counts.has_prediction)
    if names is None:
        return possible
    given = [names] if isinstance(names, str) else names
    if not isinstance(given, Sequence):
        raise invalid("metrics", "must be the name of a metric or a list of names", got=repr(names))
    chosen = [metric(name, "metrics") for name in given]
    if not chosen:
        raise invalid("metrics", f"must name at least one of {', '.join(METRICS)}", got="none")
    for wanted in chosen:
        if wanted not in possible:
            lacking = "label" if wanted.needs_label and not counts.has_label else "prediction"
            raise invalid(
                "metrics",
                f"{wanted.name!r} needs a {lacking}",
                got=f"counts without a {lacking}",
                hint=f"Name the column of the {lacking}, or ask for {', '.join(m.name for m in possible)}.",
            )
    return list(dict.fromkeys(chosen))
