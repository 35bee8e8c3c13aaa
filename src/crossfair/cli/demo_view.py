"""The methods of repair side by side, as in the paper's table of predictive performance."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.text import Text

from crossfair.cli.terminal import clean, table, write
from crossfair.numerals import number, share
from crossfair.performance import GIVEN, REPAIRED, UNCONSTRAINED, Performance
from crossfair.policy import Policy


def show(policies: Mapping[str, Policy], on: Console, *, title: str) -> None:
    """Print what every method gives under the same limits, and what comes without limits."""
    derived = policies["derived"]
    limits = ", ".join(f"{name} ≤ {limit:.6g}" for name, limit in derived.limits.items())
    grid = table("Decisions", "TPR", "FPR", "Loss", *(f"ε {name}" for name in derived.limits), "Gap",
                 numbers=4 + len(derived.limits), on=on)  # fmt: skip

    def add(name: str, found: Performance, gap: float | None) -> None:
        epsilons = [number(epsilon) for epsilon in found.epsilon.values()]
        proof = "" if gap is None else f"{gap:.1e}"
        grid.add_row(name, share(found.tpr), share(found.fpr), f"{found.loss:.6f}", *epsilons, proof)

    grid.add_row(Text("No limits", "bold"))
    add("  given prediction", derived.expected[GIVEN], None)
    add("  best thresholds", derived.expected[UNCONSTRAINED], None)
    grid.add_row(Text("With the limits", "bold"))
    for method, policy in policies.items():
        gap = None if policy.certificate is None else policy.certificate.gap
        add(f"  {method}", policy.expected[REPAIRED], gap)
    heading = Text.assemble(("Repair of ", "bold"), clean(title), f"\nlimits on ε: {limits}")
    write([heading, grid], on)
