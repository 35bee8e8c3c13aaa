"""Methods and provenance of a repair: what was asked, the certificate, exempt groups, data, command."""

from __future__ import annotations

from collections.abc import Iterator

from crossfair import values
from crossfair.metrics import metric, rate
from crossfair.numerals import amount, number
from crossfair.report.model import Facts, Name, Note, Phrase, Section
from crossfair.report.provenance import MEANING, audit_facts, dropped, origin_facts
from crossfair.report.subject import Repair

MOST_NAMED = 10

UNSEEN = {
    "error": "refused",
    "pooled": "the one best threshold for everyone",
    "given": "the model’s own decision",
}


CERTIFIED = (
    "The limits are certified for the smoothed rates of the sample: the objective is the expected loss per "
    "record, and the bound is proven, so no policy of the same kind within the limits does better by more "
    "than the gap. Whether the limits hold in the population is judged on other records alone."
)


def methods(subject: Repair) -> Section:
    """The last part of a page about a repair; what it says of an audit before it comes first."""
    audited = subject.given
    facts = (
        *(
            ()
            if audited is None
            else (Facts(tuple(audit_facts(audited)), "The audit of the given decisions"),)
        ),
        Facts((*_asked(subject), *_certificate(subject), *_data(subject)), "The repair"),
        Facts(tuple(origin_facts(subject.origin)), "Data and program"),
    )
    return Section("methods", "Methods and provenance", (Note((MEANING,)), Note((CERTIFIED,)), *facts))


def _asked(subject: Repair) -> Iterator[tuple[str, Phrase]]:
    terms = subject.policy.terms
    yield "Method", (f"{terms.method}{', never accepting a lower score more often' * terms.monotone}",)
    for name, limit in terms.limits.items():
        yield f"Limit on ε of {metric(name).words}", (number(limit),)
    costs = f"{terms.false_positive:g} per false positive, {terms.false_negative:g} per false negative"
    yield "Costs", (costs,)
    yield "Smoothing", (f"α = {terms.alpha:g}, β = {terms.beta:g}",)
    exempt = f"a group with fewer than {terms.min_support} records for a rate is exempt from its limit"
    yield "Least support", (exempt if terms.min_support > 1 else "no group with a record is exempt",)
    if terms.penalty is not None:
        yield "Penalty", (f"{terms.penalty:g}, {terms.penalty_form}",)
    yield "Decides by", (Name(", ".join(subject.policy.decide_by) or "no attribute"),)
    yield "Unseen groups", (UNSEEN[subject.policy.unseen],)


def _certificate(subject: Repair) -> Iterator[tuple[str, Phrase]]:
    policy = subject.policy
    found = policy.certificate
    if found is None:
        return
    yield "Objective", (f"{found.objective:.8g}",)
    yield "Proven bound", (f"{found.bound:.8g}, gap {found.gap:.2g}",)
    yield "Status", (found.status.name.lower().replace("_", " "),)
    yield "Work", (f"{found.nodes:,} nodes, {found.seconds:.2f} s",)
    for name, cells in found.exempt.items():
        shown = "; ".join(policy.cells.show(cell) for cell in cells[:MOST_NAMED])
        more = f" and {len(cells) - MOST_NAMED:,} more" if len(cells) > MOST_NAMED else ""
        yield f"Exempt: {rate(name).words}", (Name(shown), more)


def _data(subject: Repair) -> Iterator[tuple[str, Phrase]]:
    source = subject.policy.source
    yield (
        "Decides on",
        (f"the {source.kind}", *((" in column ", Name(source.column)) if source.column else ())),
    )
    yield "Positive outcome", (Name(values.show(source.outcomes.positive)),)
    if subject.sample is not None:
        yield "Records of the sample", (amount(float(subject.sample.curves.records.sum())),)
        yield from dropped(subject.sample.curves.dropped)
    if subject.evaluation is not None:
        yield "Held-out records", (amount(subject.evaluation.records),)
