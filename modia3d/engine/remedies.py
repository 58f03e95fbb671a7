"""Remedies for names that equations do not know: what they can use in their place."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

from modiapy.model.errors import ModelError

from ..scene.sensors import Sensor
from ..topology.graph import SceneGraph
from .signals import CUT_QUANTITIES, GROUP, is_signal

_QUANTITIES = {"r_abs": "r", "R_abs": "R", "v_abs": "v", "w_abs": "w", "a_abs": "a", "z_abs": "z"}
_OF_SYSTEM = {
    "kinetic_energy": "EnergySensor(), s.kinetic",
    "potential_energy": "EnergySensor(), s.potential",
    "power": "PowerSensor(), s.power",
    "drive_power": "PowerSensor(), s.drive",
    "force_power": "PowerSensor(), s.force",
    "dissipated_power": "PowerSensor(), s.dissipated",
}


def of_sensor(sensors: Mapping[str, Sensor], name: str) -> str:
    """Return a sentence for a variable that a sensor would have if it were asked for; "" if there is none."""
    place, _, rest = name.rpartition(".")
    if place not in sensors:
        place, _, rest = place.rpartition(".")
    sensor: Any = sensors.get(place)
    try:
        wanted = replace(sensor, quantities=(rest,))
    except (ModelError, TypeError, AttributeError):
        return ""
    known = {*sensor.quantities, *wanted.quantities}
    if len(known) == len(sensor.quantities):
        return ""
    return f"Ask the sensor for it: quantities=({', '.join(map(repr, sorted(known)))})."


def of_program(program: str, names: Container[str], name: str) -> str:
    """Return a sentence for a signal of a reference path that the action program ``program`` does not have; "" for another
    name.
    """
    path, _, quantity = name.removeprefix(f"{program}.").rpartition(".")
    if not name.startswith(f"{program}.") or quantity not in ("position", "velocity", "acceleration") or path in names:
        return ""
    return (
        f"The program declares no reference path '{path}': addReferencePath(actions, names=['{path}'], ...) is its first step; "
        "in a generator it is yielded, before anything else."
    )


def of_result(graph: SceneGraph, points: Container[str], name: str) -> str:
    """Return a sentence for a name that is a result signal only; "" if it is none."""
    if not is_signal(graph, points, name):
        return ""
    place, _, quantity = name.partition("[")[0].rpartition(".")
    if place in graph.index and quantity in _QUANTITIES:
        sensor = f"AbsoluteSensor({place!r}, quantities={_QUANTITIES[quantity]!r}), s.{_QUANTITIES[quantity]}"
        sensor += ".xx" if quantity == "R_abs" else ".x"
    elif quantity in CUT_QUANTITIES:
        sensor = f"CutForceAndTorque({place!r}), s.{quantity.removeprefix('cut_')}.x"
    elif place == GROUP and quantity in _OF_SYSTEM:
        sensor = _OF_SYSTEM[quantity]
    elif any(name in row for names in graph.state_names for row in names):
        sensor = "a RelativeSensor of both frames; or, for one coordinate, a joint with a flange"
        return f"It is a result that equations do not know: they need {sensor}."
    else:
        return "It is a result that equations do not know."
    return f"It is a result; equations need a sensor: s = {sensor}."
