"""Audit or policy → page → file."""

from __future__ import annotations

import os
from typing import Any

from crossfair import files
from crossfair.auditing import Audit
from crossfair.policy import Policy
from crossfair.report import audit_view, page, repair_view
from crossfair.report.origin import Origin
from crossfair.report.subject import Repair, Subject
from crossfair.verdicts import Verdicts


def write_audit(
    path: str | os.PathLike[str],
    audit: Audit,
    verdicts: Verdicts | None,
    title: str | None,
    source: Any,
    command: str | None,
) -> None:
    """Write the page about an audit, whole or not at all."""
    files.check_target(path)
    subject = Subject(audit, verdicts, title, Origin.of(source, command))
    files.write_text(path, page.document(audit_view.page(subject)))


def write_policy(
    path: str | os.PathLike[str], policy: Policy, source: Any, command: str | None, **known: Any
) -> None:
    """Write the page about a repair, whole or not at all; what is known are the fields of `Repair`."""
    files.check_target(path)
    subject = Repair(policy, origin=Origin.of(source, command), **known)
    files.write_text(path, page.document(repair_view.page(subject)))
