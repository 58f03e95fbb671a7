"""Short ways from a model to what tests read: a result, an integral over it, the text of an error."""

from __future__ import annotations

import numpy as np
import pytest

from modiapy import Model, ModelError, Result, instantiate


def simulated(model: Model, stop_time: float = 1.0, points: int = 1000, tolerance: float = 1e-9) -> Result:
    """The result of a model at the beginning and ``points`` times after it."""
    return instantiate(model).simulate(stop_time, tolerance=tolerance, interval=stop_time / points)


def integral(result: Result, values: np.ndarray) -> float:
    """Integral of values at the points of a result over time."""
    return float(np.trapezoid(values, result.time))


def refusal(model: Model) -> str:
    """What is said of a model that cannot be translated."""
    with pytest.raises(ModelError) as error:
        instantiate(model)
    return str(error.value)
