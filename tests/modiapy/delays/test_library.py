"""Blocks and lines that delay: what arrives, what is reflected."""

import numpy as np
import pytest

from modiapy import Map, Model, SimulationError, Var, instantiate
from modiapy.library import blocks, electric


def simulated(model, stop_time=5.0, **options):
    return instantiate(model).simulate(stop_time, **{"tolerance": 1e-8, "interval": 0.01} | options)


def test_blocks_delay_their_input():
    model = Model(
        sine=blocks.Sine | Map(f=0.5),
        fixed=blocks.FixedDelay | Map(delay_time=0.7),
        variable=blocks.VariableDelay | Map(delay_max=2.0),
        ramp=blocks.Ramp | Map(height=1.0, duration=5.0, offset=0.5),
        connect=[("sine.y", "fixed.u", "variable.u"), ("ramp.y", "variable.delay_time")],
    )
    result = simulated(model)
    t = result.time
    assert result["fixed.y"] == pytest.approx(np.sin(np.pi * np.maximum(t - 0.7, 0.0)), abs=1e-6)
    assert result["variable.y"] == pytest.approx(np.sin(np.pi * np.maximum(t - 0.5 - t / 5.0, 0.0)), abs=1e-6)


STEP = electric.StepVoltage | Map(V=2.0, start_time=0.5)
WIRE = electric.TLine1 | Map(Z0=50.0, TD=1.0)


def line(load, source=STEP, wire=WIRE, R=50.0):
    """A source with an inner resistance, a line, a load at its end."""
    return Model(
        source=source,
        inner=electric.Resistor | Map(R=R),
        line=wire,
        load=load,
        ground=electric.Ground,
        connect=[
            ("source.p", "inner.p"),
            ("inner.n", "line.p1"),
            ("line.p2", "load.p"),
            ("ground.p", "source.n", "line.n1", "line.n2", "load.n"),
        ],
    )


@pytest.mark.parametrize(
    ("resistance", "end", "begin"),
    [(50.0, 1.0, 1.0), (1e12, 2.0, 2.0), (1e-9, 0.0, 0.0), (150.0, 1.5, 1.5), (25.0, 2.0 / 3.0, 2.0 / 3.0)],
    ids=["matched", "open", "short", "large", "small"],
)
def test_a_step_is_reflected_at_the_end_of_a_line(resistance, end, begin):
    """With the reflection (R - Z0)/(R + Z0), which comes back after twice the delay; the source is matched."""
    result = simulated(line(electric.Resistor | Map(R=resistance)))
    t = result.time
    expected = np.select([t < 1.5, t <= 5.0], [0.0, end])
    inner = np.select([t < 0.5, t < 2.5], [0.0, 1.0], begin)
    away = np.min([abs(t - x) for x in (0.5, 1.5, 2.5)], axis=0) > 1e-9
    assert result["line.v2"][away] == pytest.approx(expected[away], abs=1e-9)
    assert result["line.v1"][away] == pytest.approx(inner[away], abs=1e-9)


def test_a_wave_goes_to_and_fro_and_fades():
    """Open at the end, a source of a third of the impedance: each way back and forth multiplies what is missing by -1/2."""
    result = simulated(line(electric.Resistor | Map(R=1e15), R=50.0 / 3.0), 20.0, interval=0.1)
    for k in range(9):
        at = np.searchsorted(result.time, 1.5 + 2.0 * k + 1.0)
        assert result["line.v2"][at] == pytest.approx(2.0 * (1.0 - (-0.5) ** (k + 1)), abs=1e-9)


def test_the_energy_in_a_line_is_what_flows_in():
    """A capacitor at the end: nothing is lost in the line, in the mean of one period of a steady oscillation."""
    sine = electric.SineVoltage | Map(V=1.0, f=0.8)
    load = electric.Capacitor | Map(C=0.01, v=Map(init=0.0))
    power = Model(E1=Var(init=0.0), E2=Var(init=0.0), equations=["der(E1) = line.v1*line.i1", "der(E2) = line.v2*line.i2"])
    result = simulated(line(load, sine) | power, 25.0, interval=1.25)
    assert result["E1"][-1] - result["E1"][-6] == pytest.approx(-(result["E2"][-1] - result["E2"][-6]), abs=1e-6)


def test_lossless_lines_agree_with_many_segments():
    """Of the same inductance and capacitance, for what is slow compared with a segment."""
    sine = electric.SineVoltage | Map(V=1.0, f=0.1)
    segments = electric.OLine(60) | Map(r=1e-9, g=1e-12, l=50.0, c=0.02, length=1.0)
    lumped = line(electric.Resistor | Map(R=80.0), sine, segments)
    lumped["connect"] = [
        ("source.p", "inner.p"),
        ("inner.n", "line.p1"),
        ("line.p2", "load.p"),
        ("ground.p", "source.n", "line.p3", "load.n"),
    ]
    exact = simulated(line(electric.Resistor | Map(R=80.0), sine), 20.0, interval=0.1)
    result = simulated(lumped, 20.0, interval=0.1, tolerance=1e-6)
    late = slice(-100, None)
    assert result["load.v"][late] == pytest.approx(exact["load.v"][late], abs=0.01)


def test_lines_by_their_length_in_wavelengths():
    """A quarter of a wavelength shows the source of a sine Z0**2/R; half a wavelength the load itself."""
    sine = electric.SineVoltage | Map(V=1.0, f=2.0)
    for wire, seen in (
        (electric.TLine3 | Map(Z0=50.0, F=2.0), 50.0**2 / 200.0),
        (electric.TLine2 | Map(Z0=50.0, F=2.0, NL=0.5), 200.0),
    ):
        result = simulated(line(electric.Resistor | Map(R=200.0), sine, wire, R=30.0), 10.0, interval=1.0 / 64.0)
        late = slice(-64, None)
        expected = seen / (30.0 + seen) * np.sin(4.0 * np.pi * result.time)
        assert result["line.v1"][late] == pytest.approx(expected[late], abs=1e-5)


def test_a_line_without_impedance_is_refused():
    with pytest.raises(SimulationError, match="Z0 of a line must be positive"):
        simulated(line(electric.Resistor, wire=electric.TLine1 | Map(Z0=-10.0)))
