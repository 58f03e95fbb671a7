"""Newton's method: as exact as documented, also at bends, and successful whatever the distance of output points."""

import functools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, SimulationError, Var, instantiate
from modiapy.library.electric import NMOS, PMOS, ConstantVoltage, Diode, Ground, OnePort, Resistor

DISTANCES = (0.001, 0.01, 0.04, 0.1, 0.25, 1.0)  # s, of output points
SLOW, FAST = "2.5 + 2.5*sin(6*time)", "2.5 + 2.5*sin(11*time)"


def variables(*names):
    return {name: Var() for name in names}


def source(voltage):
    return OnePort | Model(equations=[f"v = {voltage}"])


def gate(connect, **parts):
    """A circuit between a supply of 5 V and ground, with inputs ``a`` and ``b`` (V over time)."""
    supply = {"supply": ConstantVoltage | Map(V=5.0), "ground": Ground, "a": source(SLOW), "b": source(FAST)}
    return Model(**supply, **parts, connect=connect)


JUNCTIONS = {"Is": 1e-14, "Vt": 0.025, "Br": 1.0, "Bf": 100.0}  # of Ebers and Moll
CIRCUITS = {
    "bipolar_nand": Model(
        **JUNCTIONS,
        **variables("u", "va", "vb", "vc", "vm", "f1", "r1", "f2", "r2"),
        equations=[
            f"u = {SLOW}",
            "f1 = Is*(exp((va - vm)/Vt) - 1)",
            "r1 = Is*(exp((va - vc)/Vt) - 1)",
            "f2 = Is*(exp(vb/Vt) - 1)",
            "r2 = Is*(exp((vb - vm)/Vt) - 1)",
            "(u - va)/10e3 = f1/Bf + r1/Br",
            "(5 - vb)/10e3 = f2/Bf + r2/Br",
            "(5 - vc)/1e3 = f1 - r1 - r1/Br",
            "f1 + f1/Bf - r1 = f2 - r2 - r2/Br",
        ],
    ),
    "two_bipolar_inverters": Model(
        **JUNCTIONS,
        **variables("u", "va", "vb", "vc", "vd", "f1", "r1", "f2", "r2"),
        equations=[
            f"u = {SLOW}",
            "f1 = Is*(exp(va/Vt) - 1)",
            "r1 = Is*(exp((va - vc)/Vt) - 1)",
            "f2 = Is*(exp(vb/Vt) - 1)",
            "r2 = Is*(exp((vb - vd)/Vt) - 1)",
            "(u - va)/10e3 = f1/Bf + r1/Br",
            "(vc - vb)/10e3 = f2/Bf + r2/Br",
            "(5 - vc)/1e3 = f1 - r1 - r1/Br + (vc - vb)/10e3",
            "(5 - vd)/1e3 = f2 - r2 - r2/Br",
        ],
    ),
    "mos_inverter": gate(
        [
            ("supply.n", "ground.p", "n.S", "n.B", "a.n", "b.n"),
            ("supply.p", "p.S", "p.B"),
            ("p.D", "n.D"),
            ("a.p", "p.G", "n.G"),
        ],
        p=PMOS,
        n=NMOS,
    ),
    "mos_nand": gate(
        [
            ("supply.n", "ground.p", "n2.S", "n2.B", "n1.B", "a.n", "b.n"),
            ("supply.p", "p1.S", "p2.S", "p1.B", "p2.B"),
            ("p1.D", "p2.D", "n1.D"),
            ("n1.S", "n2.D"),
            ("a.p", "p1.G", "n1.G"),
            ("b.p", "p2.G", "n2.G"),
        ],
        p1=PMOS,
        p2=PMOS,
        n1=NMOS,
        n2=NMOS,
    ),
    "mos_nand_with_resistor": gate(
        [
            ("supply.n", "ground.p", "n2.S", "n2.B", "n1.B", "a.n", "b.n"),
            ("supply.p", "R.p"),
            ("R.n", "n1.D"),
            ("n1.S", "n2.D"),
            ("a.p", "n1.G"),
            ("b.p", "n2.G"),
        ],
        R=Resistor | Map(R=1e5),
        n1=NMOS,
        n2=NMOS,
    ),
    "diodes_in_a_row": gate(
        [
            ("supply.n", "ground.p", "R.n", "a.n", "b.n", "big.n"),
            ("big.p", "d1.p"),
            ("d1.n", "d2.p"),
            ("d2.n", "d3.p"),
            ("d3.n", "R.p"),
        ],
        big=source("10*sin(6*time)"),
        d1=Diode,
        d2=Diode,
        d3=Diode,
        R=Resistor | Map(R=100.0),
    ),
    "bridge": gate(
        [
            ("supply.n", "a.n", "b.n", "ground.p", "d3.p", "d4.p", "R.n"),
            ("big.p", "d1.p", "d3.n"),
            ("big.n", "d2.p", "d4.n"),
            ("d1.n", "d2.n", "R.p"),
        ],
        big=source("10*sin(6*time)"),
        **dict.fromkeys(("d1", "d2", "d3", "d4"), Diode),
        R=Resistor | Map(R=100.0),
    ),
}


@functools.cache
def simulated(name):
    sim = instantiate(CIRCUITS[name], name)
    return [sim.simulate(1.0, interval=h) for h in DISTANCES]


@pytest.mark.parametrize("name", CIRCUITS)
def test_a_gate_is_solved_whatever_the_distance_of_output_points(name):
    """The circuits have one solution at each time: output points that results share have the same one."""
    first, *others = simulated(name)
    for result in others:
        assert result.status == "finished"
        shared = np.searchsorted(first.time, result.time - 1e-9)
        for signal in first.signals():
            found, expected = result[signal], first[signal][shared]
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10 * max(1.0, np.abs(expected).max()))


def test_the_bipolar_gate_fulfils_its_equations():
    """Against the definition of the transistors, with voltages and currents from the result."""
    for result in simulated("bipolar_nand"):
        va, vb, vc, vm = (result[name] for name in ("va", "vb", "vc", "vm"))
        f1, r1, f2, r2 = (1e-14 * np.expm1(v / 0.025) for v in (va - vm, va - vc, vb, vb - vm))
        np.testing.assert_allclose((result["u"] - va) / 1e4, f1 / 100 + r1, atol=1e-11)
        np.testing.assert_allclose((5 - vb) / 1e4, f2 / 100 + r2, atol=1e-11)
        np.testing.assert_allclose((5 - vc) / 1e3, f1 - 2 * r1, atol=1e-11)
        np.testing.assert_allclose(1.01 * f1 - r1, f2 - 2 * r2, atol=1e-11)


# -- as exact as documented ---------------------------------------------------------------------------------------------


def bent(value, at, steepness):
    """Inverse of ``y + steepness*max(y - at, 0)``."""
    return value if value <= at else (value + steepness * at) / (1 + steepness)


numbers = st.floats(-2.0, 2.0).map(lambda v: round(v, 3))


@settings(max_examples=30, deadline=None)
@given(at=st.tuples(numbers, numbers), steep=st.tuples(*[st.sampled_from([0.5, 3.0, 30.0, 1e3])] * 2), coupling=numbers)
def test_bends_cost_no_accuracy(at, steep, coupling):
    """Two bent characteristics, coupled: linear equations for their values, and the closed form of each."""
    sim = bent_system()
    parameters = Map(a1=at[0], a2=at[1], s1=steep[0], s2=steep[1], k=coupling)
    result = sim.simulate(1.0, interval=0.05, merge=parameters)
    for t, y1, y2 in zip(result.time, result["y1"], result["y2"], strict=True):
        right = np.array([2 * math.sin(6 * t), 2 * math.cos(4 * t)])
        values = np.linalg.solve([[1.0, coupling], [-coupling, 1.0]], right)
        for found, value, place, s in zip((y1, y2), values, at, steep, strict=True):
            assert found == pytest.approx(bent(value, place, s), abs=1e-12)


@functools.cache
def bent_system():
    characteristic = "y{0} + s{0}*noEvent(max(y{0} - a{0}, 0))"
    one, two = characteristic.format(1), characteristic.format(2)
    return instantiate(
        Model(
            a1=0.0,
            a2=0.0,
            s1=1.0,
            s2=1.0,
            k=0.0,
            **variables("y1", "y2"),
            equations=[f"{one} + k*({two}) = 2*sin(6*time)", f"{two} - k*({one}) = 2*cos(4*time)"],
        )
    )


def test_a_solution_that_ends_is_not_continued_on_another_branch():
    """The branch turns back where y is 1, at time 2/3; from then on the only solution is one far away."""
    model = Model(y=Var(start=1.2), x=Var(init=0.0), equations=["y**3 - 3*y = -3*time", "der(x) = y"])
    sim = instantiate(model)
    inside = sim.simulate(0.6, tolerance=1e-8)
    assert inside["y"][-1] == pytest.approx(max(np.roots([1.0, 0.0, -3.0, 1.8]).real), abs=1e-10)
    with pytest.raises(SimulationError, match="y"):
        sim.simulate(1.0)


@pytest.mark.parametrize("distance", [0.25, 0.5, 0.9, 1.0, 2.0])
def test_what_turns_by_half_between_output_points_is_approached(distance):
    """Newton's method does not find a square root from that of the opposite number: the real axis does not lead off it.

    The first output point is approached from the beginning. What ends is told at the first output point behind its end.
    """
    turning = Model(y=Var(start=1.0), z=Var(start=0.0), equations=["y*y - z*z = cos(pi*time)", "2*y*z = sin(pi*time)"])
    result = instantiate(turning).simulate(6.0, interval=distance)
    root = result["y"] + 1j * result["z"]
    assert np.abs(root**2 - np.exp(1j * np.pi * result.time)).max() < 1e-11
    ending = turning | Model(q=Var(start=1.2), equations=["q**3 - 3*q = -0.55*time"])  # until 2/0.55 = 3.64 s
    with pytest.raises(SimulationError, match="equations for q") as caught:
        instantiate(ending).simulate(6.0, interval=distance)
    times = caught.value.result.time
    assert times == pytest.approx(distance * np.arange(times.size))
    assert times[-1] <= 2.0 / 0.55 < caught.value.time == pytest.approx(times[-1] + distance)
    assert caught.value.result["q"] == pytest.approx([max(np.roots([1.0, 0.0, -3.0, 0.55 * t]).real) for t in times])
