"""Random circuits of transistors are solved at whatever distance of output points, and the results fulfil the equations."""

import random

import numpy as np
import pytest

from modiapy import instantiate

from .random_gates import RandomGates

DISTANCES = (0.003, 0.01, 0.04, 0.1, 0.25, 0.5, 1.0)  # s, of output points; inputs have periods of 0.1 to 3 s
FUNCTIONS = {"exp": np.exp, "sin": np.sin, "tanh": np.tanh}


def sides(equation, result):
    """Values of both sides over time."""
    values = {name: result[name] for name in result.signals() if "." not in name and "(" not in name}
    return [eval(side, {**FUNCTIONS, **values}) for side in equation.split(" = ")]


@pytest.mark.parametrize("seed", range(40))
def test_success_does_not_depend_on_output_points(seed):
    gates = RandomGates(random.Random(seed)).build()
    sim = instantiate(gates.model())
    results = [sim.simulate(1.0, interval=h, tolerance=1e-8) for h in DISTANCES]
    for result in results:
        for equation in (e for e in gates.equations if "der(" not in e):
            left, right = sides(equation, result)
            scale = np.maximum(np.abs(left), np.abs(right)) + 1e-5
            assert np.abs(left - right).max() <= 1e-6 * scale.max(), equation
    first, *others = results
    for result in others:
        shared = np.searchsorted(first.time, result.time - 1e-9)
        for name in gates.names:
            found, expected = result[name], first[name][shared]
            same = np.abs(result.time - first.time[shared]) < 1e-9
            tolerance = 1e-4 if gates.states else 1e-7
            np.testing.assert_allclose(found[same], expected[same], rtol=tolerance, atol=tolerance, err_msg=name)
