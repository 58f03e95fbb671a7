"""A bipolar transistor whose capacitances react 1e9 times faster than its input changes, at every tolerance."""

import functools
import math

import numpy as np
import pytest
from scipy.optimize import brentq

from modiapy import Map, Model, instantiate
from modiapy.library.electric import NPN, ConstantVoltage, Ground, OnePort, Resistor

SUPPLY, COLLECTOR, BASE = 5.0, 1e3, 1e4  # V, Ohm, Ohm
TOLERANCES = [10.0 ** (-k / 2) for k in range(6, 15)]


@functools.cache
def inverter(duration):
    """The input rises from 0 to the supply voltage within ``duration`` [s]."""
    return instantiate(
        Model(
            supply=ConstantVoltage | Map(V=SUPPLY),
            input=OnePort | Model(equations=[f"v = {SUPPLY}*time/{duration}"]),
            Rc=Resistor | Map(R=COLLECTOR),
            Rb=Resistor | Map(R=BASE),
            t=NPN,
            ground=Ground,
            connect=[
                ("supply.n", "input.n", "ground.p", "t.E"),
                ("supply.p", "Rc.p"),
                ("Rc.n", "t.C"),
                ("input.p", "Rb.p"),
                ("Rb.n", "t.B"),
            ],
        )
    )


def collector_voltage(u):
    """Of the same transistor without capacitances: current through the resistor at the base, then at the collector."""

    def currents(vb, vc):
        ibe, ibc = (1e-16 * (math.exp(v / 0.02585) - 1) + 1e-15 * v for v in (vb, vb - vc))
        return ibe / 50 + ibc / 0.1, (ibe - ibc) * (1 - 0.02 * (vb - vc)) - ibc / 0.1

    def at_collector(vb):
        return brentq(lambda vc: (SUPPLY - vc) / COLLECTOR - currents(vb, vc)[1], -1.0, SUPPLY, xtol=1e-14)

    vb = brentq(lambda vb: (u - vb) / BASE - currents(vb, at_collector(vb))[0], -0.5, 0.9, xtol=1e-15)
    return at_collector(vb)


@pytest.mark.parametrize("solver", ["cvode", "scipy"])
@pytest.mark.parametrize("duration", [10.0, 1.0, 0.1, 1e-3])
def test_an_inverter_on_a_ramp_is_simulated_at_every_tolerance(duration, solver):
    expected = {u: collector_voltage(u) for u in (0.5, 0.75, 1.0, 2.5, 5.0)}
    for tolerance in TOLERANCES if solver == "cvode" else TOLERANCES[::2]:
        result = inverter(duration).simulate(duration, tolerance=tolerance, interval=duration / 20, solver=solver)
        for u, voltage in expected.items():
            k = int(np.argmin(np.abs(result["input.v"] - u)))
            assert result["input.v"][k] == pytest.approx(u, abs=1e-12)
            delay = 1e-6 / duration  # of the capacitances
            assert result["t.C.v"][k] == pytest.approx(voltage, abs=20 * tolerance + delay)
