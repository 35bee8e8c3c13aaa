"""The options of `crossfair audit` that check a policy in use."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crossfair.cli.options import Source
from crossfair.cli.sections import Command, section
from crossfair.cli.serving_options import load_policy
from crossfair.errors import invalid

if TYPE_CHECKING:
    from crossfair.auditing import Audit
    from crossfair.policy import Policy
    from crossfair.verdicts import Verdicts

_option = section("A policy in use")


@dataclass(frozen=True)
class Check:
    """What --policy and --drift ask for."""

    policy: Policy
    tolerance: float | None

    def run(
        self,
        source: Source,
        limits: Mapping[str, float],
        metrics: Sequence[str],
        confidence: float,
        settings: dict[str, Any],
    ) -> tuple[Audit, Verdicts]:
        """The audit of the decisions, and the verdicts on the policy's limits and on the population."""
        from crossfair.verdicts import check_limits

        preset = settings.pop("preset")
        if preset is not None:
            raise invalid("--preset", "is not for --policy, which brings its own limits", got=preset)
        if settings.pop("outcomes") != "positive":
            raise invalid("--outcomes", "a policy decides for or against the positive outcome", got="all")
        tolerance = {} if self.tolerance is None else {"tolerance": self.tolerance}
        asked = {"limits": {**self.policy.limits, **check_limits(limits)}, "metrics": metrics}
        found = self.policy.check(
            source.data, **asked, **tolerance, confidence=confidence, **settings, **source.read
        )
        return found.audit, found.verdicts


def checking(command: Command) -> Command:
    """Add --policy and --drift to a command, which receives them as one `Check`, or None."""

    @functools.wraps(command)
    def call(*arguments: Any, policy: Policy | None, drift: float | None, **given: Any) -> Any:
        if policy is None and drift is not None:
            raise invalid("--drift", "is about a policy, so it needs --policy", got=drift)
        check = None if policy is None else Check(policy, drift)
        return command(*arguments, check=check, **given)

    named = _option("--policy", callback=load_policy, metavar="FILE", help="Policy to check on DATA.")
    tolerance = _option(
        "--drift",
        type=float,
        metavar="T",
        help="How far shares of cells and base rates may have moved.  [default: 0.1]",
    )
    decorated: Command = named(tolerance(call))
    return decorated
