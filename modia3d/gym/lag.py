"""`Lag`: values that arrive later than they leave, by steps of an agent and times between these."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

SAME = 1e-9
"""Times that differ by less, relative to a step, are the same."""


class Lag:
    """Line of values, one leaves in each step.

    Args:
        delay: number of steps. latency: time [s]. step: its length [s].

    Attributes:
        offset: how long after the beginning of a step a value that has left arrives, in the step that `pass_on` says [s]; from
            0 to below ``step``.
    """

    def __init__(self, delay: int, latency: float, step: float) -> None:
        whole = math.floor(latency / step + SAME)
        rest = latency - whole * step
        self.offset = rest if rest > SAME * step else 0.0
        self._steps = delay + whole
        self._under_way: deque[Any] = deque()

    def pass_on(self, value: Any) -> Any:
        """Take a value that leaves in this step; return the one that arrives in it, None where none has arrived yet."""
        self._under_way.append(value)
        return self._under_way.popleft() if len(self._under_way) > self._steps else None
