"""Audit → view model: the first screen, and the order of the parts behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from crossfair import values
from crossfair.auditing import Audit
from crossfair.charts.of_audit import TELLING
from crossfair.finding import Finding
from crossfair.numerals import amount
from crossfair.report import audit_parts, preset_part, provenance, wording
from crossfair.report.model import Answer, Answers, Lead, Name, Page, Phrase, Strong, Tone
from crossfair.report.subject import Subject
from crossfair.verdicts import Verdicts

# Rates of groups smaller than this move much with a few people.
FEW = 30
MOST_ANSWERS = 3

TONES: dict[int, Tone] = {0: "pass", 1: "fail", 3: "undecided"}


def page(subject: Subject) -> Page:
    """Return what the page about an audit says."""
    return Page(
        subject.heading,
        introduction(subject.audit),
        lead(subject.verdicts),
        (Answers(tuple(answers(subject))),),
        tuple(cautions(subject)),
        (*preset_part.sections(subject), *audit_parts.sections(subject), provenance.methods(subject)),
    )


def lead(verdicts: Verdicts | None) -> Lead | None:
    """The answer to all limits together: what the exit code says."""
    if not verdicts:
        return None
    return Lead(TONES[verdicts.exit_code], wording.summary([verdict.verdict for verdict in verdicts]))


def introduction(audit: Audit) -> Phrase:
    """What was counted, in one sentence."""
    counts = audit.counts
    by = ", ".join(counts.by)
    sentence: Phrase = (
        f"{amount(counts.records)} records in {wording.several(len(counts.cells), 'group')} by ",
        Name(by),
    )
    if audit.settings.outcomes == "positive":
        sentence = (*sentence, "; the positive outcome is ", Name(values.show(counts.outcomes.positive)))
    return (*sentence, ".")


def answers(subject: Subject) -> Iterator[Answer]:
    """One answer per limit; without limits, what the most telling metrics show."""
    audit = subject.audit
    if subject.verdicts:
        for verdict in subject.verdicts:
            if verdict.metric not in audit.findings:
                yield wording.moved(verdict)
                continue
            finding = audit[verdict.metric]
            answer = wording.judged(finding, verdict, subject.verdicts.confidence, audit.settings.level)
            yield replace(answer, details=(*answer.details, *preset_part.answer(subject, finding)))
        return
    known = [name for name in TELLING if name in audit.findings] or list(audit.findings)
    for name in known[:MOST_ANSWERS]:
        yield wording.measured(audit[name], audit.settings.level)


def cautions(subject: Subject) -> Iterator[Phrase]:
    """What rests on too little data, each remark once, behind the metrics it is about."""
    audit = subject.audit
    about: dict[Phrase, list[str]] = {}
    for finding in audit.findings.values():
        for note in _notes(finding):
            about.setdefault(note, []).append(finding.metric.words)
    for note, names in about.items():
        everywhere = len(names) == len(audit.findings)
        yield (Strong("All metrics" if everywhere else ", ".join(names)), ": ", *note)
    cells = audit.counts.cells
    small = [cells.values[place] for place in np.flatnonzero(audit.counts.support < FEW)]
    if small:
        groups = wording.several(len(cells), "group")
        told = f"{len(small):,} of {groups} {wording.has(len(small))} fewer than {FEW} records"
        yield (told, *wording.named(small))
    for reason, records in audit.counts.dropped.items():
        if records:
            yield (f"{amount(records)} records are in no figure: ", Name(reason), ".")


def _notes(finding: Finding) -> Iterator[Phrase]:
    for note in finding.evidence.notes:
        yield (Name(note), ".")
    if finding.evidence.left_out:
        yield wording.left_out(finding)
