"""Verdicts: does a metric keep its limit? One function for Python, command line, JSON and page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from crossfair import checks, documents
from crossfair.errors import invalid
from crossfair.finding import Finding
from crossfair.metrics import choose_among, metric
from crossfair.more_records import MOST, End, More, more_records
from crossfair.numerals import INFINITE
from crossfair.shown import Shown

Word = Literal["pass", "fail", "undecided"]

# What else than a metric may have a limit: how far a population has moved, see `drift`.
CELL_SHARES, BASE_RATES = "cell_shares", "base_rates"
_WORDS = {CELL_SHARES: "shares of the groups", BASE_RATES: "base rates of the groups"}


@dataclass(frozen=True)
class Verdict:
    """One limit's verdict; `probability` is P(ε ≤ limit) where there are draws, else None.

    `more` says how many more records would decide an undecided one, where that can be said.

    >>> Verdict("tpr_parity", 0.5, "pass", 0.99, "P(ε ≤ 0.5) = 0.99").verdict
    'pass'
    """

    metric: str
    limit: float
    verdict: Word
    probability: float | None
    reason: str
    more: More | None = None

    @property
    def words(self) -> str:
        """What it is about, in words."""
        return _WORDS.get(self.metric) or metric(self.metric).words


@dataclass(frozen=True)
class Verdicts(Shown):
    """All limits' verdicts; any fail gives exit code 1, else any undecided 3, else 0.

    >>> Verdicts((Verdict("tpr_parity", 0.5, "undecided", 0.6, ""),), 0.95).exit_code
    3
    """

    verdicts: tuple[Verdict, ...]
    confidence: float

    def __repr__(self) -> str:
        return f"<Verdicts at confidence {self.confidence:g}: {self.words or 'no limit'}>"

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    def __getitem__(self, name: str) -> Verdict:
        judged = {verdict.metric: verdict for verdict in self.verdicts}
        return judged[choose_among(judged, name)]

    @property
    def words(self) -> str:
        """Every limit with its verdict and the reason, in a line."""
        return "; ".join(f"{v.metric} ≤ {v.limit:.4g}: {v.verdict}, {v.reason}" for v in self.verdicts)

    @property
    def exit_code(self) -> int:
        """What a command that checks limits exits with."""
        words = {verdict.verdict for verdict in self.verdicts}
        return 1 if "fail" in words else 3 if "undecided" in words else 0

    def to_json(self) -> list[dict[str, Any]]:
        """Return the JSON form."""
        return [
            {
                **verdict.__dict__,
                "limit": documents.number(verdict.limit),
                "confidence": self.confidence,
                "more": verdict.more.to_json() if verdict.more else None,
            }
            for verdict in self.verdicts
        ]


def check_limits(limits: Mapping[str, Any]) -> dict[str, float]:
    """Validate limits on ε: known metrics, at least 0, not NaN.

    >>> check_limits({"equal_opportunity": 0.5})
    {'tpr_parity': 0.5}
    """
    checked = {}
    for name, limit in checks.mapping("limits", limits, "must map metrics to limits on ε").items():
        known = metric(name, "limits").name
        if not checks.real(limit) or not limit >= 0:
            raise invalid("limits", f"the limit on {name!r} must be a number of at least 0", got=repr(limit))
        if known in checked:
            raise invalid("limits", f"{known!r} has one limit", got=f"a second one, as {name!r}")
        checked[known] = float(limit)
    return checked


def judge(finding: Finding, limit: float, confidence: float, bounds: tuple[float, float] | None) -> Verdict:
    """Judge one finding: by its draws, by bounds computed at `confidence`, or by its point."""
    if not finding.evidence.enough:
        reason = f"{finding.evidence.supported} of {finding.evidence.cells} cells have enough records"
        return Verdict(finding.name, limit, "undecided", None, f"{reason}; two are needed")
    if finding.draws is not None:
        return _by_draws(finding, finding.draws, limit, confidence)
    if bounds is not None:
        low, high = bounds
        word: Word = "pass" if high <= limit else "fail" if low > limit else "undecided"
        reason = f"ε lies in [{_figure(low)}, {_figure(high)}] with confidence {confidence:g}"
        return Verdict(finding.name, limit, word, None, reason)
    word = "pass" if finding.epsilon <= limit else "fail"
    return Verdict(
        finding.name, limit, word, None, f"ε = {_figure(finding.epsilon)}, a point without an interval"
    )


def advise(
    verdict: Verdict, finding: Finding, ends: Sequence[End], records: float, confidence: float
) -> Verdict:
    """Add to an undecided verdict on so many records how many more, of which cells, would decide it."""
    if verdict.verdict != "undecided" or finding.draws is None or not ends or not finding.evidence.enough:
        return verdict
    more = more_records(finding.draws, ends, records, verdict.limit, confidence)
    told = more.words() if more else f"even {MOST} times as many records may not decide it"
    return replace(verdict, more=more, reason=f"{verdict.reason}; {told}")


def _by_draws(finding: Finding, draws: np.ndarray, limit: float, confidence: float) -> Verdict:
    within = float(np.mean(draws <= limit))
    beyond = float(np.mean(draws > limit))
    word: Word = "pass" if within >= confidence else "fail" if beyond >= confidence else "undecided"
    return Verdict(finding.name, limit, word, within, f"P(ε ≤ {limit:.4g}) {_chance(within, len(draws))}")


def _figure(epsilon: float) -> str:
    return INFINITE if math.isinf(epsilon) else f"{epsilon:.4g}"


def _chance(found: float, draws: int) -> str:
    """A share of draws as a probability; none or all of them say no more than their number can.

    >>> _chance(0.066, 1000), _chance(0.0, 1000), _chance(1.0, 1000)
    ('= 0.066', '< 0.001', '> 0.999')
    """
    finest = 1 / draws
    return f"< {finest:.3g}" if found == 0 else f"> {1 - finest:.6g}" if found == 1 else f"= {found:.3g}"
