"""Methods and provenance: what was measured how, on which data, and the command that does it again."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

from crossfair.numerals import amount
from crossfair.report.model import Code, Facts, Name, Note, Phrase, Section
from crossfair.report.origin import File, Origin
from crossfair.report.subject import Subject

LIBRARIES = ("crossfair", "numpy", "scipy", "narwhals", "duckdb")
MOST_FILES = 20


MEANING = (
    "ε is the log of the highest rate over the lowest rate of all groups (for elift: of the rate farthest "
    "from everyone’s, either way); 0 is equality. Groups are the observed combinations of the attributes. An "
    "interval is meant to hold the ε of the population that the records are drawn from, as far as the "
    "estimator’s assumptions hold."
)


SUPPRESSED = (
    "no count under {0} can be told from this page: cells with smaller counts are merged with others before "
    "anything is measured, and a reason for which fewer than {0} records were left out is not listed"
)
# Of a small table of counts every possible content can be tried until its hash is the one on the page.
NO_HASH = "its hash is not given, as it would confirm a guess of what is hidden"


def methods(subject: Subject) -> Section:
    """The last part of a page about an audit."""
    facts = (*audit_facts(subject), *origin_facts(subject.origin, told=not subject.suppressed))
    return Section("methods", "Methods and provenance", (Note((MEANING,)), Facts(facts)))


def audit_facts(subject: Subject) -> Iterator[tuple[str, Phrase]]:
    """How the audit measured, and what."""
    audit = subject.audit
    settings, counts = audit.settings, audit.counts
    yield "Estimator", (f"{settings.estimator.name}: {settings.estimator.words()}",)
    yield from _priors(subject)
    yield "Level of the intervals", (f"{100 * settings.level:g} %",)
    if subject.verdicts is not None:
        yield "Confidence of the verdicts", (f"{100 * subject.verdicts.confidence:g} %",)
    least = f"groups with fewer than {settings.min_support:g} records are left out"
    yield "Least support", (least if settings.min_support > 1 else "every group with a record counts",)
    yield "Seed", (str(settings.seed),)
    yield "Records", (amount(counts.records),)
    if counts.suppressed_below is not None:
        yield "Small counts", (SUPPRESSED.format(counts.suppressed_below),)
    yield from dropped(counts.dropped)


def _priors(subject: Subject) -> Iterator[tuple[str, Phrase]]:
    about: dict[str, list[str]] = {}
    for finding in subject.audit.findings.values():
        about.setdefault(finding.evidence.prior, []).append(finding.metric.words)
    for prior, names in about.items():
        yield f"Prior of {', '.join(names)}", (prior,)


def dropped(reasons: Mapping[str, float]) -> Iterator[tuple[str, Phrase]]:
    """The records that are in no figure."""
    for reason, records in reasons.items():
        yield "Left out", (f"{amount(records)} records: ", Name(reason))
    if not reasons:
        yield "Left out", ("no record",)


def origin_facts(origin: Origin, *, told: bool = True) -> Iterator[tuple[str, Phrase]]:
    """The files with their hashes where these may be told, the versions, the command."""
    yield from _files("Data", origin.files, told)
    yield from _files("Held-out data", origin.held_out, told)
    if not origin.files:
        yield "Data", ("a table in memory; the file it came from is not known here",)
    yield "Versions", (", ".join(f"{name} {number}" for name, number in versions().items()),)
    if origin.command is not None:
        yield "To run it again", (Code(origin.command),)


def _files(role: str, files: Sequence[File], told: bool) -> Iterator[tuple[str, Phrase]]:
    for file in files[:MOST_FILES]:
        digest: Phrase = ("a database",) if file.sha256 is None else ("SHA-256 ", Code(file.sha256))
        digest = digest if told else (NO_HASH,)
        yield role, (Name(file.path), ", ", *digest)
    if len(files) > MOST_FILES:
        yield role, (f"and {len(files) - MOST_FILES:,} more files",)


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries that are there."""
    found = {"Python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
