"""Policy → view model: the certificate on the sample, and apart from it what held-out data say."""

from __future__ import annotations

from collections.abc import Iterator

from crossfair.evidence import EXPECTED
from crossfair.metrics import metric
from crossfair.numerals import amount, number
from crossfair.performance import REPAIRED
from crossfair.policy import Policy
from crossfair.report import audit_parts, audit_view, repair_methods, repair_parts, wording
from crossfair.report.model import Answer, Answers, Block, Name, Page, Phrase, Section, Sides, Strong
from crossfair.report.subject import Repair
from crossfair.report.wording import IN_POPULATION, ON_SAMPLE

GIVEN_DECISIONS = "The given decisions"
AFTER = "The repair: "


def page(subject: Repair) -> Page:
    """Return what the page about a repair says."""
    policy = subject.policy
    introduction: Phrase = (
        f"Decisions for {len(policy.cells):,} groups by ",
        Name(", ".join(policy.by)),
        f", of the method {policy.method}; limits: {limits_in_words(policy)}.",
    )
    return Page(
        subject.heading,
        introduction,
        None,
        (*before(subject), answer_sides(subject), *repair_parts.opening(subject)),
        (*before_cautions(subject), *cautions(subject)),
        (*before_sections(subject), *repair_parts.sections(subject), repair_methods.methods(subject)),
    )


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
    tone, badge = ("certified", "Proven") if certificate.status.proven else ("undecided", "Not proven")
    headline: Phrase = (
        "The repaired decisions ",
        Strong("keep every limit on this sample" if kept else "do not keep every limit on this sample"),
        ".",
    )
    words: Phrase = (
        f"Expected loss {certificate.objective:.5g} per record; proven: within the limits none of this kind "
        f"loses less than {certificate.bound:.5g}. {certificate.advice} ",
        "This says nothing yet about people who are not in the sample.",
    )
    return Answer(tone, badge if kept else "Limits broken", headline, words)  # type: ignore[arg-type]


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
        yield wording.judged(finding, verdict, verdicts.confidence, audit.settings.level)


def cautions(subject: Repair) -> Iterator[Phrase]:
    """What rests on too little data."""
    policy = subject.policy
    certificate = policy.certificate
    if certificate is not None:
        for name, cells in certificate.exempt.items():
            support = f"fewer than {policy.terms.min_support} records"
            yield (Strong(name), f": {len(cells)} groups have {support} and are exempt from the limit.")
        if certificate.pooled:
            count = len(certificate.pooled)
            yield (f"{count} groups are exempt from every limit and get one threshold for everyone.",)
    if subject.evaluation is None:
        yield ("No held-out data: limits kept on a sample are often broken in its population.",)
        return
    for finding in subject.evaluation[REPAIRED].audit.findings.values():
        for note in finding.evidence.notes:
            if note != EXPECTED:
                yield ("Held-out data, ", Strong(finding.metric.words), ": ", Name(note), ".")
        if finding.evidence.left_out:
            yield ("Held-out data, ", Strong(finding.metric.words), ": ", *wording.left_out(finding))
    yield (f"The verdicts rest on {amount(subject.evaluation.records)} held-out records.",)


def _kept(policy: Policy) -> bool:
    """Whether ε on the sample is within the limits, but for rounding in its last digits."""
    found = policy.expected[REPAIRED].epsilon if REPAIRED in policy.expected else {}
    return all(found.get(name, 0.0) <= limit + 1e-9 for name, limit in policy.limits.items())
