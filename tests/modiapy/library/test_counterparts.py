"""Rotation and translation: the same physics in other letters, and each name where a search finds it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from modiapy import Map, Model, Var, instantiate, library
from modiapy.library import functions_in, library_names, models_in, rotational, translational
from modiapy.library.translational.counterparts import counterpart

TURNS, SLIDES = rotational.Inertia | Map(J=2.0, w=Map(init=1.5)), translational.Mass | Map(m=2.0, v=Map(init=1.5))

SOURCES = {
    "Torque": ("Force", {"tau": "sin(3*time)"}),
    "TorqueStep": ("ForceStep", {"start_time": 0.3}),
    "LinearSpeedDependentTorque": ("LinearSpeedDependentForce", {"torque_direction": False}),
    "QuadraticSpeedDependentTorque": ("QuadraticSpeedDependentForce", {"torque_direction": False}),
    "SignTorque": ("SignForce", {"w0": 0.2}),
    "InverseSpeedDependentTorque": ("InverseSpeedDependentForce", {"w_nominal": 2.0}),
    "EddyCurrentTorque": ("EddyCurrentForce", {"w_nominal": 3.0}),
    "FilteredPosition": ("FilteredPosition", {"phi_ref": "0.2*sin(time)", "f_crit": 5.0}),
    "FilteredSpeed": ("FilteredSpeed", {"w_ref": "cos(time)", "f_crit": 5.0}),
    "Accelerate": ("Accelerate", {"a_ref": "cos(time)", "w_start": 0.5}),
    "Move": ("Move", {"phi_ref": "sin(time)", "w_ref": "cos(time)", "a_ref": "-sin(time)"}),
}
"""Source that turns -> the one that slides, and parameters of the first one."""


def driven(kit: dict[str, Model]) -> Model:
    return Model(
        kit,
        connect=[
            ("source.flange", "body.flange_a"),
            ("body.flange_b", "spring.flange_a", "relative.flange_a", "through.flange_a"),
            ("through.flange_b", "damper.flange_a"),
            ("spring.flange_b", "damper.flange_b", "relative.flange_b", "wall.flange"),
        ],
    )


@pytest.mark.parametrize("name", SOURCES)
def test_what_slides_moves_as_what_turns(name: str) -> None:
    other, given = SOURCES[name]
    prescribed = {"Accelerate", "Move", "FilteredPosition", "FilteredSpeed"}
    body, mass = TURNS, SLIDES
    if name in prescribed:  # then the source has the initial values
        body, mass = body | Map(phi=Map(start=None), w=Map(init=None)), mass | Map(s=Map(start=None), v=Map(init=None))
    letters = {"phi_ref": "s_ref", "w_ref": "v_ref", "w_start": "v_start", "w_nominal": "v_nominal", "w0": "v0", "tau": "f"}
    letters["torque_direction"] = "force_direction"
    r = instantiate(
        driven(
            {
                "source": getattr(rotational, name) | Map(given),
                "body": body,
                "spring": rotational.Spring | Map(c=7.0, phi_rel0=0.1),
                "damper": rotational.Damper | Map(d=0.3),
                "relative": rotational.RelSpeedSensor,
                "through": rotational.MultiSensor,
                "wall": rotational.Fixed | Map(phi0=0.2),
            }
        )
    ).simulate(1.0)
    t = instantiate(
        driven(
            {
                "source": getattr(translational, other) | Map({letters.get(key, key): value for key, value in given.items()}),
                "body": mass,
                "spring": translational.Spring | Map(c=7.0, s_rel0=0.1),
                "damper": translational.Damper | Map(d=0.3),
                "relative": translational.RelSpeedSensor,
                "through": translational.MultiSensor,
                "wall": translational.Fixed | Map(s0=0.2),
            }
        )
    ).simulate(1.0)
    for turns, slides in (
        ("body.phi", "body.s"),
        ("body.w", "body.v"),
        ("spring.tau", "spring.f"),
        ("relative.w_rel", "relative.v_rel"),
        ("through.power", "through.power"),
        ("damper.loss_power", "damper.loss_power"),
    ):
        np.testing.assert_allclose(t[slides], r[turns], rtol=0.0, atol=1e-9)


def test_letters_units_and_words_of_rotation_change_and_nothing_else() -> None:
    made = counterpart(
        Model(
            tau_max=3.0,
            flange=rotational.Flange,
            w=Var("der(phi)", unit="rad/s", description="angular velocity of the shaft"),
            power=Var("tau0_max*w", unit="W"),
            equations=["flange.tau = -tau_max*tanh(w/w_crit)", "atan2(phi, wide) = 0"],
        )
    )
    assert made == Model(
        f_max=3.0,
        flange=translational.Flange,
        v=Var("der(s)", unit="m/s", description="velocity of the shaft"),
        power=Var("f0_max*v", unit="W"),
        equations=["flange.f = -f_max*tanh(v/w_crit)", "atan2(s, wide) = 0"],
    )


@pytest.mark.parametrize("name", library_names())
def test_every_public_name_stands_in_the_source(name: str) -> None:
    """A search for ``Spring =`` or ``def MultiSum(`` finds it, whatever it is made from."""
    root = Path(library.__file__).parent
    text = "\n".join(file.read_text(encoding="utf-8") for file in (root.joinpath(*name.split("."))).glob("*.py"))
    for public in (*models_in(name), *functions_in(name)):
        imported = re.search(rf"^from \.\.+\w.* import .*\b{public}\b", text, re.MULTILINE)
        assert imported or re.search(rf"^((\w+, )*{public}\b|def {public}\b)", text, re.MULTILINE), public


def units_in(entry: object, path: str) -> dict[str, str]:
    """Return the units of all variables and parameters of a model that lie along its motion, by their paths."""
    if not isinstance(entry, dict):
        return {}
    own = {path: str(entry["unit"])} if entry.get("unit") else {}
    return own | {name: unit for key, value in entry.items() for name, unit in units_in(value, f"{path}.{key}").items()}


@pytest.mark.parametrize("name", models_in("translational"))
def test_nothing_that_slides_has_a_unit_of_what_turns(name: str) -> None:
    """But for ``w_crit``, an angular frequency, and the flanges of shafts that some models drive."""
    model = models_in("translational")[name]
    shafts = {key for key, value in model.items() if value == rotational.Flange}
    found = units_in({key: value for key, value in model.items() if key not in {"w_crit", *shafts}}, name)
    assert {path: unit for path, unit in found.items() if re.search(r"rad|N\.m\b(?!/)", unit)} == {}
