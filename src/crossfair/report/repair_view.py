"""Policy → view model: the certificate on the sample, and apart from it what held-out data say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from crossfair.evaluation import Evaluation
from crossfair.evidence import EXPECTED
from crossfair.finding import Finding
from crossfair.metrics import metric, rate
from crossfair.numerals import amount, number
from crossfair.performance import GIVEN, REPAIRED
from crossfair.policy import Policy
from crossfair.report import audit_parts, audit_view, repair_methods, repair_parts, wording
from crossfair.report.model import (
    Answer,
    Answers,
    Block,
    Lead,
    Name,
    Page,
    Phrase,
    Section,
    Sides,
    Strong,
    Tone,
)
from crossfair.report.subject import Repair
from crossfair.report.wording import IN_POPULATION, ON_SAMPLE
from crossfair.verdicts import Verdicts

GIVEN_DECISIONS = "The given decisions"
AFTER = "The repair: "


def page(subject: Repair) -> Page:
    """Return what the page about a repair says."""
    policy = subject.policy
    sample = subject.sample
    records = "" if sample is None else f"{amount(float(sample.curves.records.sum()))} records in "
    introduction: Phrase = (
        f"{records}{len(policy.cells):,} groups by ",
        Name(", ".join(policy.by)),
        f"; repaired by the method {policy.method}; limits: {limits_in_words(policy)}.",
    )
    return Page(
        subject.heading,
        introduction,
        lead(subject),
        (*before(subject), answer_sides(subject)),
        (*cautions(subject), *before_cautions(subject)),
        (*before_sections(subject), *repair_parts.sections(subject), repair_methods.methods(subject)),
    )


def lead(subject: Repair) -> Lead:
    """The answer to all limits together: of the population, as far as it was tested."""
    given = subject.given
    before = "" if given is None or not given.verdicts else f"As given, {_summary(given.verdicts)} "
    if subject.evaluation is None:
        return Lead(
            "undecided", f"{before}Whether the repair keeps its limits beyond its sample was not tested."
        )
    verdicts = subject.evaluation.verdicts
    after = f"{before}After the repair, in the population, {_summary(verdicts)}"
    return Lead(audit_view.TONES[verdicts.exit_code], after)


def _summary(verdicts: Verdicts) -> str:
    said = wording.summary([verdict.verdict for verdict in verdicts])
    return said[:1].lower() + said[1:]


def limits_in_words(policy: Policy) -> str:
    """The limits of a policy, one behind the other."""
    limits = (f"ε of {metric(name).words} ≤ {number(limit)}" for name, limit in policy.limits.items())
    return ", ".join(limits) or "none"


def answer_sides(subject: Repair) -> Sides:
    """The certificate on the sample and the verdicts on held-out data, side by side."""
    proven = Answers((certified(subject.policy),), f"{AFTER}{ON_SAMPLE}")
    return Sides(proven, Answers(tuple(believed(subject)), f"{AFTER}{IN_POPULATION}"))


def before(subject: Repair) -> Iterator[Block]:
    """What the audit says of the given decisions."""
    if subject.given is not None:
        yield Answers(tuple(audit_view.answers(subject.given)), GIVEN_DECISIONS)


def before_cautions(subject: Repair) -> Iterator[Phrase]:
    """What of the audit rests on too little data."""
    return iter(()) if subject.given is None else audit_view.cautions(subject.given)


def before_sections(subject: Repair) -> tuple[Section, ...]:
    """The parts about the given decisions."""
    return () if subject.given is None else audit_parts.sections(subject.given)


def certified(policy: Policy) -> Answer:
    """What the certificate says: of the sample alone."""
    certificate = policy.certificate
    if certificate is None:
        return Answer("undecided", "No certificate", ("The policy has no certificate.",), ())
    kept = _kept(policy)
    proven = certificate.status.proven
    tone: Tone = "fail" if not kept else "certified" if proven else "undecided"
    badge = "Proven on its sample" if proven else "Not proven"
    headline: Phrase = (
        "The repaired decisions ",
        Strong("keep every limit on this sample" if kept else "do not keep every limit on this sample"),
        ".",
    )
    figures = f"Objective {certificate.objective:.5g}, proven bound {certificate.bound:.5g}."
    caution = "This says nothing yet about people who are not in the sample."
    words: Phrase = (f"{certificate.advice} {figures} {caution}",)
    details = tuple(changes(policy))
    return Answer(tone, badge if kept else "Limits exceeded", headline, words, details=details)


def changes(policy: Policy) -> Iterator[Phrase]:
    """What the repair changes on the sample: ε per limit, and the loss."""
    given, repaired = (policy.expected.get(name) for name in (GIVEN, REPAIRED))
    if given is None or repaired is None:
        return
    for name, limit in policy.limits.items():
        before, after = (number(found.epsilon.get(name)) for found in (given, repaired))
        words = wording.capital(metric(name).words)
        yield (f"{words}: ε from {before} to ", Strong(after), f", allowed {number(limit)}.")
    alike = policy.terms.false_positive == policy.terms.false_negative == 1
    yield wording.costs(given, repaired, alike=alike)


def believed(subject: Repair) -> Iterator[Answer]:
    """What may be believed of the population, one answer per limit."""
    evaluation = subject.evaluation
    if evaluation is None:
        headline: Phrase = ("Whether the limits hold beyond the sample ", Strong("was not tested"), ".")
        yield Answer("undecided", "Not tested", headline, ("Evaluate the policy on held-out data.",))
        return
    audit, verdicts = evaluation[REPAIRED].audit, evaluation.verdicts
    for verdict in verdicts:
        finding = audit[verdict.metric]
        answer = wording.judged(finding, verdict, verdicts.confidence, audit.settings.level)
        yield replace(answer, certainty=(*answer.certainty, *_judged_on(evaluation, finding)))


def _judged_on(evaluation: Evaluation, finding: Finding) -> Phrase:
    coins = "; where coins decide, counts are expected ones" if EXPECTED in finding.evidence.notes else ""
    return (f" Judged on {amount(evaluation.records)} held-out records{coins}.",)


def cautions(subject: Repair) -> Iterator[Phrase]:
    """What rests on too little data."""
    policy = subject.policy
    certificate = policy.certificate
    if certificate is not None:
        for name, cells in certificate.exempt.items():
            few = f"fewer than {policy.terms.min_support} records for it"
            groups = wording.several(len(cells), "group")
            yield (
                Strong(wording.capital(rate(name).words)),
                f": exempt from the limit, with {few}: {groups}",
                *wording.named([policy.cells.values[cell] for cell in cells]),
            )
        if certificate.pooled:
            groups = wording.several(len(certificate.pooled), "group")
            yield (
                f"Exempt from every limit, with the one best threshold for everyone: {groups}",
                *wording.named([policy.cells.values[cell] for cell in certificate.pooled]),
            )
    if subject.evaluation is None:
        yield ("No held-out data: limits kept on a sample are often broken in its population.",)
        return
    for finding in subject.evaluation[REPAIRED].audit.findings.values():
        for note in finding.evidence.notes:
            if note != EXPECTED:
                yield ("Held-out data, ", Strong(finding.metric.words), ": ", Name(note), ".")
        if finding.evidence.left_out:
            yield ("Held-out data, ", Strong(finding.metric.words), ": ", *wording.left_out(finding))


def _kept(policy: Policy) -> bool:
    """Whether ε on the sample is within the limits, but for rounding in its last digits."""
    found = policy.expected[REPAIRED].epsilon if REPAIRED in policy.expected else {}
    return all(found.get(name, 0.0) <= limit + 1e-9 for name, limit in policy.limits.items())
