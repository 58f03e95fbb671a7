"""Examples of PlanarMechanics against the numbers of their Modelica source, see `reference.py`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from modiapy import Map, Model, instantiate

from . import examples, examples_of_gears, examples_of_vehicles
from .reference import COMMIT, FILE, POINTS, SIGNALS, VERSION

ALWAYS = Map(state_select="always")
STATES = Map(phi=ALWAYS, w=ALWAYS)

MODELS: dict[str, Model] = {
    "Examples.FreeBody": examples.FREE_BODY,
    "Examples.Pendulum": examples.PENDULUM,
    "Examples.PendulumExcited": examples.PENDULUM_EXCITED,
    "Examples.DoublePendulum": examples.DOUBLE_PENDULUM,
    "Examples.MeasureDemo": examples.MEASURE_DEMO,
    "Examples.CraneCrab": examples.CRANE_CRAB,
    "Examples.CraneCrabTo3D": examples.CRANE_CRAB_TO_3D,
    "Examples.ControlledCraneCrab": examples.CONTROLLED_CRANE_CRAB,
    "Examples.InvertedCraneCrab": examples.INVERTED_CRANE_CRAB,
    "Examples.PowerDistanceDemo": examples.POWER_DISTANCE_DEMO,
    "Examples.SpringDamperDemo": examples.SPRING_DAMPER_DEMO,
    "Examples.SpringDemo": examples.SPRING_DEMO,
    "Examples.CounterSpin": examples.COUNTER_SPIN,
    "Examples.WheelBasedCraneCrab": examples.WHEEL_BASED_CRANE_CRAB,
    "Examples.KinematicLoop": examples.KINEMATIC_LOOP | Map(revolute1=STATES, revolute4=STATES),
    "Examples.KinematicLoop_DynamicStateSelection": examples.KINEMATIC_LOOP,
    "Examples.PistonEngine": examples.PISTON_ENGINE | Map(revolute_drive=STATES),
    "Examples.PistonEngine_DynamicStateSelection": examples.PISTON_ENGINE,
    "GearComponents.Examples.SpurGear": examples_of_gears.SPUR_GEAR,
    "GearComponents.Examples.PlanetaryGear": examples_of_gears.PLANETARY_GEAR,
    "VehicleComponents.Examples.TestIdealWheel": examples_of_vehicles.TEST_IDEAL_WHEEL,
    "VehicleComponents.Examples.TestDryFrictionWheel": examples_of_vehicles.TEST_DRY_FRICTION_WHEEL,
    "VehicleComponents.Examples.TestSlipBasedWheel": examples_of_vehicles.TEST_SLIP_BASED_WHEEL,
    "VehicleComponents.Examples.TestAirDrag": examples_of_vehicles.TEST_AIR_DRAG,
    "VehicleComponents.Examples.SingleTrackWithEngine": examples_of_vehicles.SINGLE_TRACK_WITH_ENGINE,
    "VehicleComponents.Examples.TwoTrackWithDifferentialGear": examples_of_vehicles.TWO_TRACK_WITH_DIFFERENTIAL_GEAR,
}
"""The model of each example."""

REFERENCE = json.loads(FILE.read_text())


def as_in_source(name: str, result: Any) -> np.ndarray:
    """Return a signal as the source defines it."""
    if name.startswith("relative_acceleration.a_rel") and name[-2] != "2":
        # the source differentiates the velocity after it has been resolved in frame_b, which turns relative to frame_a
        v, w = result["relative_velocity.v_rel"], result["relative_velocity.v_rel"][:, 2]
        turning = np.column_stack([w * v[:, 1], -w * v[:, 0]])
        return result["relative_acceleration.a_rel"][:, int(name[-2])] + turning[:, int(name[-2])]
    return result[name]


def test_the_numbers_are_those_of_this_version() -> None:
    assert (REFERENCE["PlanarMechanics"], REFERENCE["commit"]) == (VERSION, COMMIT)
    assert set(MODELS) == set(SIGNALS) == {name for name in REFERENCE if name.partition(".")[2]}
    assert all(set(REFERENCE[name]["signals"]) == set(SIGNALS[name]) for name in MODELS)


@pytest.mark.parametrize("example", MODELS)
def test_an_example_agrees_with_its_source(example: str) -> None:
    """At 1e-8 of the largest value of each signal, and of 1."""
    expected = REFERENCE[example]
    simulation = instantiate(MODELS[example], check_units=True)
    result = simulation.simulate(expected["stop_time"], tolerance=1e-13, interval=expected["stop_time"] / POINTS)
    last = np.searchsorted(result.time, np.array(expected["time"]) + 1e-9) - 1
    np.testing.assert_allclose(result.time[last], expected["time"], atol=1e-9)
    for name, values in expected["signals"].items():
        error = np.abs(as_in_source(name, result)[last] - values).max()
        assert error < 1e-8 * max(1.0, np.abs(values).max()), f"{name}: {error:.1e}"
