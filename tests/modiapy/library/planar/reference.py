"""Numbers of the examples of PlanarMechanics, run from their Modelica source: what `reference.json` holds, and how it was made.

    python -m tests.modiapy.library.planar.reference LIBRARIES [EXAMPLE ...]

LIBRARIES is a folder with PlanarMechanics (a clone of dzimmer/PlanarMechanics at `COMMIT`) and the Modelica standard library
4.1, or several of them, separated by colons. Examples that are not named keep their numbers. Each takes about a minute.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from modiapy import instantiate
from modiapy.modelica import load

VERSION, COMMIT = "1.6.0", "cde02c41ba94fb34916c7b1a1216ef9fb8495db3"
FILE = Path(__file__).parent / "reference.json"
TOLERANCE, POINTS = 1e-13, 5


def _joint(*names: str, coordinates: str = "phi w") -> list[str]:
    return [f"{name}.{coordinate}" for name in names for coordinate in coordinates.split()]


def _slide(*names: str) -> list[str]:
    return _joint(*names, coordinates="s v")


def _vector(signal: str, size: int = 2) -> list[str]:
    return [f"{signal}[{k}]" for k in range(size)]


_LOOP = [
    *_joint("revolute1", "revolute2", "revolute3", "revolute4"),
    *_slide("prismatic1"),
    *_vector("body.a"),
    "revolute2.frame_a.fx",
]
_ENGINE = [*_joint("revolute_drive", "revolute_disc", "revolute_piston"), *_slide("prismatic"), *_vector("body_piston.a")]
_DRIVEN = [*_slide("prismatic"), *_joint("revolute", "inertia"), *_vector("body.r"), *_vector("body.v"), *_vector("body.a")]
_ENGINE.append("fixed1.frame.fy")
_BODY = [*_vector("body.r"), *_vector("body.v"), *_joint("body")]
_CRAB = [*_joint("revolute"), *_slide("prismatic"), "fixed.frame.fy", *_vector("body.a")]
_WHEELS = [f"wheel_joint{k}.{signal}" for k in range(1, 5) for signal in ("f_long", "f_lat", "v_slip")]
_MEASURED = ["absolute_position.r", "absolute_velocity.v", "absolute_acceleration.a", "relative_position.r_rel"]
_MEASURED += ["relative_velocity.v_rel", "relative_acceleration.a_rel"]

SIGNALS: dict[str, list[str]] = {
    "Examples.FreeBody": _BODY,
    "Examples.Pendulum": [*_joint("revolute"), *_vector("body.a"), "fixed.frame.fx", "fixed.frame.fy"],
    "Examples.PendulumExcited": [*_joint("revolute"), *_vector("cut_force.force"), "fixed.frame.fy"],
    "Examples.DoublePendulum": [*_joint("revolute", "revolute1"), *_vector("body1.a"), "fixed.frame.fy"],
    "Examples.MeasureDemo": [*_joint("revolute1", "revolute2"), *(x for signal in _MEASURED for x in _vector(signal, 3))],
    "Examples.CraneCrab": [*_CRAB, "damper1_d.f"],
    "Examples.CraneCrabTo3D": [*_CRAB, "damper1_d.f", *_slide("prismatic3_d"), *_vector("planar_world.g")],
    "Examples.ControlledCraneCrab": [*_CRAB, "force.f"],
    "Examples.InvertedCraneCrab": [*_CRAB, "force.f", "first_order.y"],
    "Examples.PowerDistanceDemo": [*_CRAB, "power.power", "distance.distance", "damper.f"],
    "Examples.SpringDamperDemo": [*_BODY, "spring_damper.f_x", "spring_damper.f_y", "spring_damper.loss_power"],
    "Examples.SpringDemo": [*_slide("prismatic"), "spring1.f_x", "spring1.f_y", "damper.f"],
    "Examples.CounterSpin": [*_joint("slip_based_rolling"), *_joint("slip_based_rolling", coordinates="x vx v_slip")],
    "Examples.WheelBasedCraneCrab": [*_joint("revolute", "ideal_rolling"), "ideal_rolling.x", *_vector("body1.a")],
    "Examples.KinematicLoop": _LOOP,
    "Examples.KinematicLoop_DynamicStateSelection": _LOOP,
    "Examples.PistonEngine": _ENGINE,
    "Examples.PistonEngine_DynamicStateSelection": _ENGINE,
    "GearComponents.Examples.SpurGear": [*_joint("gear_a_bearing", "gear_b_bearing"), "gearwheel_external.F_n"],
    "GearComponents.Examples.PlanetaryGear": [
        *_joint("planetary.bearing_sun", "planetary.bearing_ring", "planetary.bearing_carrier", "planetary.bearing_planet"),
        "planetary.planet_ring.F_n",
        "planetary.sun_planet.F_n",
        "heat_capacitor.T",
    ],
    "VehicleComponents.Examples.TestIdealWheel": [*_DRIVEN, *_joint("ideal_wheel_joint", coordinates="f_long v_long")],
    "VehicleComponents.Examples.TestDryFrictionWheel": [
        *_DRIVEN,
        "dry_friction_wheel_joint.f_lat",
        "dry_friction_wheel_joint.f_long",
    ],
    "VehicleComponents.Examples.TestSlipBasedWheel": [
        *_DRIVEN,
        "slip_based_wheel_joint.f_lat",
        "slip_based_wheel_joint.f_long",
    ],
    "VehicleComponents.Examples.TestAirDrag": [
        *_joint("revolute"),
        *_vector("sensor_absolute_velocity.v", 3),
        "air_drag.f_drag",
    ],
    "VehicleComponents.Examples.SingleTrackWithEngine": [
        *_vector("body_rear.r"),
        *_vector("body_rear.v"),
        *_joint("body_rear", "revolute"),
        *_joint("ideal_wheel_front", "ideal_wheel_rear", coordinates="phi_roll w_roll f_long"),
        "air_resistance.f_drag",
    ],
    "VehicleComponents.Examples.TwoTrackWithDifferentialGear": [
        *_vector("body1.r"),
        *_vector("body1.v"),
        *_joint("body1", "revolute", "revolute2", "inertia", "inertia1", "inertia2", "inertia3"),
        *_WHEELS,
    ],
}
"""Signals of each example that are compared, by their names here."""

_NAMES = {"f_drag": "fDrag", "loss_power": "lossPower", "bearingSun": "bearing_Sun", "bearingRing": "bearing_Ring"}
_NAMES |= {"bearingCarrier": "bearing_Carrier", "bearingPlanet": "bearing_Planet", "gearABearing": "gearA_Bearing"}
_NAMES["gearBBearing"] = "gearB_Bearing"


STARTS = {"VehicleComponents.Examples.TestAirDrag": {"revolute.w": -5.0}}
"""Initial values that the source gives by ``start`` alone, at a variable that equals others whose class says 0."""


def source_name(signal: str) -> str:
    """Return the name that a signal has in the Modelica source: components in camel case, indices from 1."""
    *components, variable = signal.split(".")
    variable = re.sub(r"\[(\d)\]", lambda index: f"[{int(index[1]) + 1}]", variable)
    camel = [part if part.startswith("frame") else re.sub(r"_(\w)", lambda m: m[1].upper(), part) for part in components]
    return ".".join(_NAMES.get(part, part) for part in [*camel, variable])


def numbers(example: str, libraries: list[str]) -> dict[str, Any]:
    """Return the times and the signals of an example, run from source."""
    model = load(f"PlanarMechanics.{example}", libraries=libraries)
    for name, value in STARTS.get(example, {}).items():
        model.variables[name] = replace(model.variables[name], init=value)
    simulation = instantiate(model)
    stop_time = float(simulation.simulate().time[-1])
    result = simulation.simulate(tolerance=TOLERANCE, interval=stop_time / POINTS)
    last = [int((result.time <= stop_time * k / POINTS + 1e-9).nonzero()[0][-1]) for k in range(POINTS + 1)]
    signals = {name: [float(result[source_name(name)][k]) for k in last] for name in SIGNALS[example]}
    return {"stop_time": stop_time, "tolerance": TOLERANCE, "time": [float(result.time[k]) for k in last], "signals": signals}


def main(libraries: str, *examples: str) -> None:
    """Write the numbers of these examples, or of all, into the file."""
    found: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    for example in examples or SIGNALS:
        found[example] = numbers(example, libraries.split(":"))
        head = {"PlanarMechanics": VERSION, "commit": COMMIT}
        text = json.dumps({**head, **{k: v for k, v in found.items() if k in SIGNALS}}, indent=1)
        FILE.write_text(re.sub(r",\s+(?=[-\d])|(?<=\[)\s+|\s+(?=\])", lambda gap: ", "[: "," in gap[0] and 2], text) + "\n")
        print(example, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
