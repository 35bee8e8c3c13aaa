"""An audit as JSON text and back: counts, settings, findings with their draws, verdicts, what ran."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from crossfair import documents
from crossfair.counts import Counts
from crossfair.errors import FormatError, malformed
from crossfair.estimators import registry
from crossfair.estimators.base import Estimator
from crossfair.fields import Fields
from crossfair.finding import FIELDS, Finding
from crossfair.measure import Measurement
from crossfair.metrics import metric
from crossfair.verdicts import Verdicts

if TYPE_CHECKING:
    from crossfair.auditing import Audit

KIND, VERSION = "audit", 1


def dump(audit: Audit, verdicts: Verdicts | None) -> str:
    """Return the text of an audit."""
    settings = {
        spec.name: getattr(audit.settings, spec.name)
        for spec in dataclasses.fields(audit.settings)
        if spec.name != "estimator"
    }
    body: dict[str, Any] = {
        "counts": audit.counts.to_json(),
        "settings": {**settings, "estimator": registry.to_json(audit.settings.estimator)},
        "findings": [finding.to_json() for finding in audit.findings.values()],
        "run": dict(audit.run),
    }
    if verdicts is not None:
        body["verdicts"] = verdicts.to_json()
    return documents.dump(KIND, VERSION, body, indent=None)


def header(text: str, source: str) -> tuple[Counts, dict[str, Any], Mapping[str, Any]]:
    """Read the counts, the settings and what ran."""
    body = documents.parse(text, KIND, VERSION, source)
    try:
        settings = dict(body["settings"])
        settings["estimator"] = registry.from_json(settings["estimator"], source)
        return Counts.from_json(body["counts"], source), settings, dict(body["run"])
    except FormatError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise malformed(source, "the audit is damaged", got=repr(error)) from error


def findings(text: str, source: str, measurement: Measurement) -> dict[str, Finding]:
    """Read the findings, with the rate counts cut out of the counts anew."""
    body = documents.parse(text, KIND, VERSION, source)
    names = {"counts", "settings", "findings", "run", *({"verdicts"} & set(body))}
    items = Fields(body, source, "the audit", names).items("findings")
    found: dict[str, Finding] = {}
    for item in items:
        fields = Fields(item, source, "a finding", FIELDS)
        wanted = metric(fields.text("metric"), f"{source}: metric")
        parts = tuple(measurement.parts(wanted))
        found[wanted.name] = Finding.from_json(fields, measurement.counts.cells, parts)
        if _draws(found[wanted.name]) != _draws_made(measurement.estimator):
            raise malformed(source, "a finding must have as many draws as its estimator makes",
                            got=f"{_draws(found[wanted.name]):,} for {wanted.name}")  # fmt: skip
    return found


def _draws(finding: Finding) -> int:
    return 0 if finding.draws is None else len(finding.draws)


def _draws_made(estimator: Estimator) -> int:
    parameters = registry.to_json(estimator)
    return int(parameters.get("draws", parameters.get("resamples", 0)))
