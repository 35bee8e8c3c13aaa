"""How long a solve may take, how close it must come, and whom to tell about it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from crossfair import checks
from crossfair.errors import invalid

Progress = Callable[[float, float, int], None]


@dataclass
class Budget:
    """A time limit in seconds, a gap in units of the loss, and a callback (objective, bound, nodes).

    >>> Budget(gap=0.01).met(objective=0.145, bound=0.14)
    True
    """

    time_limit: float | None = None
    gap: float = 0.0
    progress: Progress | None = None
    started: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        limit = self.time_limit
        if limit is not None and not (checks.real(limit) and limit > 0):
            raise invalid("time_limit", "must be a number of seconds above 0, or None", got=limit)
        if not (checks.real(self.gap) and 0 <= self.gap < math.inf):
            raise invalid("gap", "must be a finite number, 0 or more", got=self.gap)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.started

    @property
    def remaining(self) -> float:
        """Seconds left, ∞ without a limit."""
        return math.inf if self.time_limit is None else self.time_limit - self.seconds

    @property
    def spent(self) -> bool:
        """Whether the time is over."""
        return self.remaining <= 0

    def scaled(self, unit: float) -> Budget:
        """The same budget for a solver that counts losses in these units."""
        tell = self.progress
        scaled = None if tell is None else lambda value, bound, nodes: tell(unit * value, unit * bound, nodes)
        return replace(self, gap=self.gap / unit, progress=scaled)

    def met(self, objective: float, bound: float, precision: float = 0.0) -> bool:
        """Whether the bound is as close to the objective as asked for, or as rounding lets it come."""
        return objective - bound <= max(self.gap, precision)

    def report(self, objective: float, bound: float, nodes: int) -> None:
        """Tell the callback how far the solve has come."""
        if self.progress is not None:
            self.progress(objective, bound, nodes)
