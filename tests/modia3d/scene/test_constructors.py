"""Constructors look at their arguments when they are called: what can never be right is refused there, by its name."""

import inspect
import types
import typing
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

import modia3d
import modiapy
from modia3d import (
    Actions,
    Box,
    Cylinder,
    Object3D,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    Rotor,
    Scene,
    Solid,
    UniformGravity,
)
from modia3d.files.registry import constructors
from modia3d.forces.registry import ADDED
from modiapy import Map, Model, ModelError, Par, Var, instantiate
from modiapy.model.fields import alternatives, field_hints

pytestmark = pytest.mark.white_box

# What a program does while it runs, `Join` for example, is told by its step then.
NOT_HERE = (
    "Action",
    "Event",
    "read_",
    "instantiate",
    "check_units",
    "SegmentRecord",
    "Result",
    "Simulation",
    "Modi",
    "ModelError",
    "constructor",
    "Join",
)
MAKERS = {
    name: getattr(module, name) for module in (modia3d, modiapy) for name in module.__all__ if not name.startswith(NOT_HERE)
}
MAKERS |= {
    name: entry.make
    for name, entry in constructors().items()
    if entry.make is not None and not entry.merged and name not in ADDED
}
GIVEN = {
    "obj2": "b",
    "axis": "z",
    "actions": Actions(),
    "text": "a",
    "names": ["a"],
    "position": [0.0],
    "v_max": [1.0],
    "a_max": [1.0],
    "positions": [0.0],
}
NAN = float("nan")


def hints_of(make):
    if (cls := getattr(make, "dataclass", None)) is not None:
        return field_hints(cls)
    try:
        return getattr(make, "hints", None) or typing.get_type_hints(make)
    except NameError:  # names for type checkers only: what is called then looks at its arguments itself
        return {}


def sample(name, hint):
    values = {str: "a", float: 1.0, int: 4, bool: True, Model: Model()}
    return GIVEN.get(name, values.get(alternatives(hint)[0]))


def origins(hint):
    return [typing.get_origin(one) or one for one in alternatives(hint)]


def wrong_values(hint):
    """Values that are nothing of what an annotation says."""
    known = origins(hint)
    if typing.Any in known or object in known:
        return
    number = float in known or int in known
    several = any(isinstance(one, type) and issubclass(one, Sequence) and one is not str for one in known)
    yield object()
    if not any(one is Mapping for one in known):
        yield {"k": 1}
    if number:
        yield NAN
        if not several:
            yield [1.0, 2.0]
    elif bool in known:
        yield [True]
        yield 7
    elif np.ndarray not in known:
        yield 3.5
    if str in known and not several and not number:
        yield ["x"]
    if several:
        yield [object()]
        if any(float in alternatives(inner) for one in alternatives(hint) for inner in typing.get_args(one)):
            yield [NAN, NAN, NAN]


def cases():
    for name, make in MAKERS.items():
        if not callable(make) or isinstance(make, types.ModuleType):
            continue
        hints = hints_of(make)
        parameters = inspect.signature(make).parameters.values()
        fields = [
            p
            for p in parameters
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name not in ("actions", "folders")
        ]
        needed = {
            p.name: sample(p.name, hints.get(p.name, object))
            for p in parameters
            if p.default is p.empty and p.kind is not p.VAR_KEYWORD and p.kind is not p.VAR_POSITIONAL
        }
        for field in fields:
            for value in wrong_values(hints.get(field.name, object)):
                yield name, make, needed, field.name, value


def test_what_is_nothing_of_what_is_wanted_is_refused_at_once():
    accepted, failed, seen = [], [], set()
    for name, make, needed, field, value in cases():
        seen.add(name)
        try:
            make(**{**needed, field: value})
            accepted.append((name, field, value))
        except ModelError:
            pass
        except Exception as error:
            failed.append((name, field, value, error))
    assert accepted == []
    assert failed == []
    assert len(seen) > 90


SIZES = {
    "Box": ["length_x", "length_y", "length_z"], "Cylinder": ["diameter", "length", "inner_diameter"], "Sphere": ["diameter"],
    "Ellipsoid": ["length_x"], "Cone": ["diameter", "length", "top_diameter"], "Capsule": ["diameter", "length"],
    "Beam": ["length", "width", "thickness"], "SpringShape": ["length", "coil_diameter", "wire_diameter", "windings"],
    "GearWheel": ["diameter", "length", "inner_diameter", "teeth"], "CoordinateSystem": ["length"],
    "Grid": ["length", "distance"],
    "Text": ["height"], "MassProperties": ["mass"], "MassPropertiesFromShapeAndMass": ["mass"],
    "SolidMaterial": ["density", "youngs_modulus"],
    "VisualMaterial": ["transparency", "metalness"], "Solid": ["contact_sphere_radius", "smoothing_radius"], "Rope": ["length"],
    "Rotor": ["J"], "LineForceWithMass": ["m"], "LineForceWithTwoMasses": ["m_a", "m_b"], "RollingWheel": ["radius"],
    "RollingWheelSet": ["R_wheel", "track"], "SphericalSpherical": ["rod_length", "m"], "Pool": ["size"],
    "RodConstraint": ["length"],
    "MatingTolerance": ["position", "velocity"], "Clock": ["interval"], "RollingConstraint": ["radius"],
}  # fmt: skip


@pytest.mark.parametrize(("name", "field"), [(name, field) for name, fields in SIZES.items() for field in fields])
def test_negative_sizes(name, field):
    make = MAKERS[name]
    hints, parameters = hints_of(make), inspect.signature(make).parameters.values()
    needed = {p.name: sample(p.name, hints[p.name]) for p in parameters if p.default is p.empty}
    with pytest.raises(ModelError, match=field):
        make(**{**needed, "text": "a", field: -2} if name == "Text" else {**needed, field: -2})


def test_what_is_written_as_an_expression_waits_for_its_value():
    part = Model(
        d=0.2,
        body=Object3D(
            parent="world", feature=Solid(shape=Cylinder("d", length="2*d", inner_diameter=1.0), solid_material="Steel")
        ),
    )
    scene = Model(world=Object3D(feature=Scene()), part=part)
    with pytest.raises(
        ModelError, match=r"inner_diameter of Cylinder is too large; found 1\.0; expected less than the diameter, 0\.2"
    ):
        instantiate(modia3d.Model3D(**scene))
    instantiate(modia3d.Model3D(**(scene | Map(part=Map(d=2.0)))))
    with pytest.raises(ModelError, match="length of Cylinder is wrong; found -1"):
        Cylinder("d", length=-1.0)
    with pytest.raises(ModelError, match="can_collide of Revolute"):
        Revolute("a", "b", phi="phi0", can_collide=3)


def test_what_is_still_missing_may_be_merged_in():
    joint = Revolute(axis="y", phi=0.3) | Map(obj1="world", obj2="body")
    assert joint["obj2"] == "body"
    with pytest.raises(ModelError, match="phi of Revolute is wrong; found nan"):
        Revolute(axis="y", phi=NAN)


MISTAKES = {
    "object of another kind": (
        lambda: Object3D(feature=Box(1, 1, 1)),
        "feature of Object3D is wrong; found Box; expected one of Scene, Solid, Visual",
    ),
    "contradiction": (lambda: Object3D(parent="a", velocity=(1, 0, 0)), "fixed_to_parent=False"),
    "axis": (lambda: RevoluteWithFlange("a", "b", axis="w"), "axis of .*'w'"),
    "axis by number": (lambda: UniformGravity(n=3), "write 'z'"),
    "limits": (lambda: PrismaticWithFlange("a", "b", limits=(1, 0)), "a lower limit below the upper one"),
    "inertia": (lambda: Rotor("a", J=-1e-3), "J of Rotor"),
    "state": (lambda: Var(state_select=3), "state_select of Var is wrong; found 3; expected a text"),
    "input": (lambda: Var(input=3), "input of Var is wrong; found 3; expected True or False"),
    "unit": (lambda: Par(1.0, unit=3), "unit of Par is wrong; found 3; expected a text"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_names_the_field(mistake):
    call, words = MISTAKES[mistake]
    with pytest.raises(ModelError, match=words):
        call()


def test_values_of_numpy_are_values():
    assert Box(np.float64(1.0), np.int64(2), 3)["length_y"] == 2
    assert len(Object3D(translation=np.array([1.0, 2.0, 3.0]), lockable=np.bool_(True))) == 3


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: modia3d.Sphere(True), "diameter of Sphere"),
        (lambda: Scene(deep_penetration=True), "deep_penetration of Scene"),
        (lambda: modia3d.MassProperties(mass=False), "mass of MassProperties"),
    ],
)
def test_a_truth_value_is_no_number(make, field):
    with pytest.raises(ModelError, match=f"{field} is wrong; found (True|False); expected a number"):
        make()
