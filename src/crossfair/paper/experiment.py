"""Both experiments in one run: all figures as plain rows, and apart from them what is measured in seconds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crossfair import documents
from crossfair.datasets import adult
from crossfair.paper import census, claims, repairs, summaries, synthetic
from crossfair.paper.synthetic_claims import faster

KIND, VERSION = "reproduction", 1
FULL, QUICK = 1000, 20

#: Figures are kept to so many digits: what lies behind differs between machines.
DIGITS = 9

#: The share of the work that is the synthetic experiment, for the progress bar.
SYNTHETIC_SHARE = 0.8


@dataclass(frozen=True)
class Results:
    """The figures of a run, and the seconds it took."""

    figures: dict[str, Any]
    seconds: dict[str, Any]

    @property
    def claims(self) -> list[dict[str, Any]]:
        """All claims, the one about speed last."""
        return [*self.figures["claims"], self.seconds["claim"]]

    @property
    def scores_differ(self) -> bool:
        """Whether the model, trained again, gave other scores."""
        return bool(self.figures["retrained"] and self.figures["retrained"]["different"])

    def to_json(self) -> tuple[str, str]:
        """Return the text of the figures and of the seconds."""
        first, second = (documents.dump(KIND, VERSION, _plain(part), indent=1) for part in _parts(self))
        return f"{first}\n", f"{second}\n"

    @classmethod
    def from_json(cls, figures: str, seconds: str) -> Results:
        """Read what `to_json` wrote."""
        texts = {"figures": figures, "seconds": seconds}
        parts = {name: _numbers(documents.parse(text, KIND, VERSION, name)) for name, text in texts.items()}
        return cls(parts["figures"], parts["seconds"])


def run(
    datasets: int = FULL,
    seed: int = 0,
    *,
    sizes: Sequence[int] = synthetic.SIZES,
    retrain: bool = False,
    workers: int | None = None,
    advance: Callable[[float], None] = lambda _: None,
) -> Results:
    """Run both experiments; `advance` is told the share of the work just done."""
    retrained = _retrained() if retrain else None
    series = synthetic.run(
        datasets, seed, sizes=sizes, workers=workers, advance=lambda share: advance(SYNTHETIC_SHARE * share)
    )
    on_census = census.audits(seed)
    advance((1 - SYNTHETIC_SHARE) / 3)
    repaired = repairs.repairs(seed)
    advance((1 - SYNTHETIC_SHARE) * 2 / 3)
    spent = {"synthetic": summaries.seconds(series), "repairs": repaired.pop("seconds")}
    figures: dict[str, Any] = _rounded(
        {
            "settings": {"seed": seed, "datasets": datasets, "sizes": list(sizes)},
            "synthetic": {"truth": synthetic.TRUTH, **summaries.summarise(series)},
            "census": on_census | repaired,
            "retrained": retrained,
        }
    )
    figures["claims"] = [claim.row() for claim in claims.check(figures)]
    return Results(figures, _rounded(spent | {"claim": faster(spent["synthetic"]).row()}))


def _retrained() -> dict[str, Any]:
    """Train the model again, and compare its scores with the bundled ones."""
    from crossfair.paper.adult import recompute_scores

    fresh, kept = recompute_scores().astype(np.float64), adult()["score"]
    return {"records": len(kept), "different": int(np.sum(fresh != kept))}


def _parts(results: Results) -> tuple[dict[str, Any], dict[str, Any]]:
    return results.figures, results.seconds


def _rounded(item: Any) -> Any:
    return _each(item, lambda number: float(f"{number:.{DIGITS}g}") if math.isfinite(number) else number)


def _plain(item: Any) -> Any:
    return _each(item, documents.number)


def _each(item: Any, change: Callable[[float], Any]) -> Any:
    """Change every float of nested rows."""
    if isinstance(item, dict):
        return {key: _each(value, change) for key, value in item.items()}
    if isinstance(item, list):
        return [_each(value, change) for value in item]
    return change(item) if isinstance(item, float) else item


def _numbers(item: Any) -> Any:
    """Turn the texts that stand for infinite numbers back into them."""
    if isinstance(item, dict):
        return {key: _numbers(value) for key, value in item.items()}
    if isinstance(item, list):
        return [_numbers(value) for value in item]
    return documents.from_number(item, "figures") if item in ("Infinity", "-Infinity") else item
