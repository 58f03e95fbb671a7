"""Approach of an output point where Newton's method fails, from the last point where it succeeded.

Newton's method begins with the solution of the point before. If that point is far away, success would otherwise depend on the
distance of the output points.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Point = tuple[float, np.ndarray]
"""Time [s] and states."""

SHORTEST = 1e-4
"""Part of the way below which the equations count as unsolvable beyond."""


def approach(evaluate: Callable[[float, np.ndarray], bool], begin: Point | None, end: Point) -> bool:
    """Evaluate a model at points on the line from ``begin`` to ``end``, as far apart as Newton's method permits.

    Args:
        evaluate: at a time and states; whether it succeeded.
        begin: where the model could be evaluated; None where there is no such point.
        end: where it could not.

    Returns:
        Whether the end was reached.
    """
    if begin is None or begin[1].size != end[1].size:
        return False
    (t0, x0), (t1, x1) = begin, end
    reached, step = 0.0, 0.5
    while reached < 1.0 and step >= SHORTEST:
        part = min(reached + step, 1.0)
        if evaluate(t0 + part * (t1 - t0), x0 + part * (x1 - x0)):
            reached, step = part, 2.0 * step
        else:
            step *= 0.25
    return reached == 1.0
