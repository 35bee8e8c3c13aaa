"""A policy as JSON. Reading checks every field and executes nothing; docs/policy.schema.json describes it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from crossfair import documents, population, values
from crossfair.cells import Cells
from crossfair.errors import malformed
from crossfair.fields import Fields
from crossfair.mitigation.certificate import Certificate, Grid, Status
from crossfair.outcomes import Outcomes
from crossfair.performance import Performance
from crossfair.population import Population
from crossfair.steps import Steps
from crossfair.terms import Source, Terms

if TYPE_CHECKING:
    from crossfair.policy import Policy

KIND, VERSION = "policy", 1

FIELDS = {
    "cells",
    "certificate",
    "decide_by",
    "expected",
    "population",
    "run",
    "salt",
    "source",
    "steps",
    "terms",
    "unconstrained",
    "unseen",
}


def body(policy: Policy) -> dict[str, Any]:
    """Return everything a policy's file holds, but for the format field."""
    certificate = policy.certificate
    return {
        "cells": policy.cells.to_json(),
        "decide_by": list(policy.decide_by),
        "steps": policy.steps.to_json(),
        "unconstrained": None if policy.unconstrained is None else policy.unconstrained.to_json(),
        "unseen": {"mode": policy.unseen, "steps": policy.fallback.to_json()},
        "source": _source_body(policy.source),
        "terms": _terms_body(policy.terms),
        "salt": policy.salt,
        "certificate": None if certificate is None else _certificate_body(certificate),
        "expected": {name: row.to_json() for name, row in policy.expected.items()},
        "population": None if policy.population is None else policy.population.to_json(),
        "run": {"seconds": None if certificate is None else certificate.seconds},
    }


def parse(text: str, source: str) -> dict[str, Any]:
    """Read the arguments of `Policy` from the text of a file."""
    fields = Fields(documents.parse(text, KIND, VERSION, source), source, "the policy", FIELDS)
    unseen = fields.part("unseen", {"mode", "steps"})
    run = fields.part("run", {"seconds"})
    return {
        "cells": Cells.from_json(fields.item("cells"), source),
        "decide_by": tuple(fields.texts("decide_by")),
        "steps": Steps.from_json(fields.item("steps"), source),
        "unconstrained": fields.optional(
            "unconstrained", lambda name: Steps.from_json(fields.item(name), source)
        ),
        "unseen": unseen.text("mode"),
        "fallback": Steps.from_json(unseen.item("steps"), source),
        "source": _source(fields.part("source", _SOURCE), source),
        "terms": _terms(fields.part("terms", _TERMS)),
        "salt": fields.text("salt"),
        "certificate": fields.optional(
            "certificate", lambda name: _certificate(fields.part(name, _CERTIFICATE), run)
        ),
        "expected": {
            name: Performance.from_json(row, source) for name, row in fields.part("expected").data.items()
        },
        "population": fields.optional(
            "population", lambda name: Population.from_json(fields.part(name, population.FIELDS))
        ),
    }


_SOURCE = {"column", "kind", "label", "missing", "outcomes", "positive", "threshold", "weight"}


def _source_body(source: Source) -> dict[str, Any]:
    return {
        "kind": source.kind,
        "column": source.column,
        "threshold": source.threshold,
        "outcomes": [values.to_json(value) for value in source.outcomes.values],
        "positive": values.to_json(source.outcomes.positive),
        "label": source.label,
        "weight": source.weight,
        "missing": source.missing,
    }


def _source(fields: Fields, source: str) -> Source:
    outcomes = fields.item("outcomes")
    if not isinstance(outcomes, list):
        raise malformed(source, "outcomes of source must be a list", got=repr(outcomes))
    known = tuple(values.from_json(item, source) for item in outcomes)
    names = {name: fields.optional(name, fields.text) for name in ("column", "label", "weight")}
    return Source(
        kind=fields.text("kind"),  # type: ignore[arg-type]  # checked by Source itself
        threshold=fields.number("threshold"),
        outcomes=Outcomes(known, values.from_json(fields.item("positive"), source)),
        missing=fields.text("missing"),  # type: ignore[arg-type]
        **names,
    )


_TERMS = {
    "alpha",
    "beta",
    "false_negative",
    "false_positive",
    "limits",
    "method",
    "min_support",
    "monotone",
    "penalty",
    "penalty_form",
}


def _terms_body(terms: Terms) -> dict[str, Any]:
    return {
        "method": terms.method,
        "limits": {name: documents.number(limit) for name, limit in terms.limits.items()},
        "false_positive": terms.false_positive,
        "false_negative": terms.false_negative,
        "monotone": terms.monotone,
        "penalty": terms.penalty,
        "penalty_form": terms.penalty_form,
        "min_support": terms.min_support,
        "alpha": terms.alpha,
        "beta": terms.beta,
    }


def _terms(fields: Fields) -> Terms:
    limits = fields.part("limits")
    return Terms(
        method=fields.text("method"),
        limits={name: limits.number(name) for name in limits.data},
        monotone=fields.flag("monotone"),
        penalty=fields.optional("penalty", fields.number),
        penalty_form=fields.text("penalty_form"),  # type: ignore[arg-type]  # checked by Terms itself
        min_support=fields.whole("min_support"),
        **{name: fields.number(name) for name in ("false_positive", "false_negative", "alpha", "beta")},
    )


def _certificate_body(certificate: Certificate) -> dict[str, Any]:
    return {
        "objective": documents.number(certificate.objective),
        "bound": documents.number(certificate.bound),
        "status": certificate.status.name.lower(),
        "nodes": certificate.nodes,
        "exempt": {rate: list(positions) for rate, positions in certificate.exempt.items()},
        "pooled": list(certificate.pooled),
        "grid": None if certificate.grid is None else dataclasses.asdict(certificate.grid),
    }


_CERTIFICATE = {"bound", "exempt", "grid", "nodes", "objective", "pooled", "status"}
_GRID = {"auc", "bits", "rate"}


def _certificate(fields: Fields, run: Fields) -> Certificate:
    status = fields.text("status").upper()
    if status not in Status.__members__:
        raise malformed(
            fields.source, "status of the certificate is not known here", got=repr(status.lower())
        )
    exempt = fields.part("exempt")
    return Certificate(
        objective=fields.number("objective"),
        bound=fields.number("bound"),
        status=Status[status],
        seconds=run.number("seconds"),
        nodes=fields.whole("nodes"),
        exempt={rate: tuple(exempt.wholes(rate)) for rate in exempt.data},
        pooled=tuple(fields.wholes("pooled")),
        grid=fields.optional("grid", lambda name: _grid(fields.part(name, _GRID))),
    )


def _grid(fields: Fields) -> Grid:
    return Grid(fields.whole("bits"), fields.number("rate"), fields.number("auc"))
