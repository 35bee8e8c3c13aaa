"""Audit or policy → page → file."""

from __future__ import annotations

import os
from typing import Any

from crossfair import files
from crossfair.auditing import Audit
from crossfair.errors import invalid
from crossfair.evaluation import Evaluation
from crossfair.frontiers import Frontier
from crossfair.policy import Policy
from crossfair.read_sample import read_like
from crossfair.report import audit_view, page, repair_view
from crossfair.report.origin import Origin
from crossfair.report.subject import Layout, Repair, Subject
from crossfair.verdicts import Verdicts


def write_audit(
    path: str | os.PathLike[str],
    audit: Audit,
    verdicts: Verdicts | None,
    title: str | None,
    source: Any,
    command: str | None,
    preset: str | None = None,
    least_share: float = 0.0,
) -> None:
    """Write the page about an audit, whole or not at all."""
    files.check_target(path)
    layout = None if preset is None else Layout.of(audit, preset, least_share)
    subject = Subject(audit, verdicts, title, Origin.of(source, command), layout)
    files.write_text(path, page.document(audit_view.page(subject)))


def write_policy(
    path: str | os.PathLike[str],
    policy: Policy,
    data: Any = None,
    *,
    evaluation: Evaluation | None = None,
    frontier: Frontier | None = None,
    audit: Audit | None = None,
    verdicts: Verdicts | None = None,
    title: str | None = None,
    source: Any = None,
    held_out: Any = None,
    command: str | None = None,
    **reading: Any,
) -> None:
    """Write the page about a repair, whole or not at all.

    `data` are read as those that the policy was fitted to, but for the `reading` options given.
    """
    files.check_target(path)
    if audit is not None and audit.counts.suppressed_below is not None:
        raise invalid("audit", "must hold every cell, as the rest of the page does",
                      got="counts with small cells merged")  # fmt: skip
    subject = Repair(
        policy,
        None if data is None else read_like(policy, data, reading),
        evaluation,
        _check(frontier, policy),
        None if audit is None else Subject(audit, verdicts),
        title,
        Origin.of(source, command, held_out),
    )
    files.write_text(path, page.document(repair_view.page(subject)))


def _check(frontier: Frontier | None, policy: Policy) -> Frontier | None:
    """Refuse a frontier of other cells or limits than the policy's."""
    if frontier is None:
        return None
    if set(frontier.metrics) != set(policy.limits):
        got = f"{', '.join(frontier.metrics)} and {', '.join(policy.limits)}"
        raise invalid("frontier", "must limit the metrics that the policy limits", got=got)
    if any(found is not None and found.cells != policy.cells for found in frontier.policies):
        raise invalid("frontier", "must be of the cells that the policy was fitted to")
    return frontier
