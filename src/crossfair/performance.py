"""Performance: what a set of decisions costs, its rates, and its ε per limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crossfair import documents
from crossfair.errors import malformed

# The rows of a comparison, in the order of its tables.
GIVEN, UNCONSTRAINED, REPAIRED = ROWS = ("given", "unconstrained", "repaired")


@dataclass(frozen=True)
class Performance:
    """Expected loss per unit of weight, TPR and FPR of everyone (None without records), and ε per metric.

    >>> Performance(0.14, 0.54, 0.04, {"equalized_odds": 8.1}).row("given")
    {'decisions': 'given', 'loss': 0.14, 'tpr': 0.54, 'fpr': 0.04, 'equalized_odds': 8.1}
    """

    loss: float
    tpr: float | None
    fpr: float | None
    epsilon: Mapping[str, float]

    def row(self, name: str) -> dict[str, Any]:
        """Return the row of a table."""
        return {"decisions": name, "loss": self.loss, "tpr": self.tpr, "fpr": self.fpr, **self.epsilon}

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        epsilon = {metric: documents.number(value) for metric, value in self.epsilon.items()}
        return {"loss": self.loss, "tpr": self.tpr, "fpr": self.fpr, "epsilon": epsilon}

    @classmethod
    def from_json(cls, data: Any, source: str) -> Performance:
        """Read the JSON form."""
        if not isinstance(data, dict) or set(data) != {"loss", "tpr", "fpr", "epsilon"}:
            raise malformed(source, "an expected performance must have loss, tpr, fpr and epsilon", got=data)
        loss = documents.from_number(data["loss"], source)
        tpr, fpr = (
            None if data[name] is None else documents.from_number(data[name], source)
            for name in ("tpr", "fpr")
        )
        if not isinstance(data["epsilon"], dict):
            raise malformed(source, "epsilon must be an object, one number per metric", got=data["epsilon"])
        epsilon = {name: documents.from_number(value, source) for name, value in data["epsilon"].items()}
        return cls(loss, tpr, fpr, epsilon)
