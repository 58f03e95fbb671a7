"""Joints with flanges: those of one coordinate are a joint of the equations each, all others a chain of these.

As in ``Modelica.Mechanics.MultiBody.Joints``, a cylindrical, universal or planar joint with flanges consists of prismatic and
revolute joints with frames without mass between them: the same motion, and each coordinate may be driven, limited, locked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modiapy.library.rotational import Flange as RotationalFlange
from modiapy.library.translational import Flange as TranslationalFlange
from modiapy.model.arguments import arguments_checked
from modiapy.model.errors import ModelError
from modiapy.model.field_values import Vector
from modiapy.model.model import DefaultInit, Model, Var, constructor
from modiapy.model.scoping import moved_in

from . import frame, joints
from .habits import ARGUMENTS

Given = Var | float | str | None
"""Attributes of a coordinate or speed, or its initial value; None: it begins at 0."""

_object3d = constructor(frame.Frame, name="Object3D")


@dataclass(frozen=True)
class Motion:
    """One coordinate of a joint with flanges.

    Attributes:
        joint: the joint of this coordinate.
        flange: its connector.
        coordinate, speed: names of both there; the connector has the coordinate, too.
    """

    joint: type[joints.Joint]
    flange: Model
    coordinate: str
    speed: str


TURNING = Motion(joints.RevoluteJoint, RotationalFlange, "phi", "w")
SLIDING = Motion(joints.PrismaticJoint, TranslationalFlange, "s", "v")


def one_coordinate(
    motion: Motion,
    obj1: str,
    obj2: str,
    axis: str | Vector,
    coordinate: Given,
    speed: Given,
    limits: Vector | None,
    at_limit: str,
    lockable: bool,
) -> Model:
    """A revolute or prismatic joint of the equations; texts are those of the caller's caller."""
    given = {motion.coordinate: _variable(coordinate), motion.speed: _variable(speed)}
    q, v = given
    return Model(
        _constructor=motion.joint,
        with_flange=True,
        lockable=lockable,
        at_limit=at_limit,
        **({} if limits is None else {"limits": moved_in(limits, 1)}),
        obj1=obj1,
        obj2=obj2,
        axis=axis,
        flange=motion.flange,
        **given,
        equations=[f"{q} = flange.{q}", f"{v} = der({q})"],
    )


def _variable(given: Given) -> Var:
    """The variable of a joint: as given, or with the given initial value, 0 by default. Its names are the caller's."""
    if given is None:
        return Var(init=DefaultInit(0.0))
    return moved_in(given if isinstance(given, Var) else Var(init=given), 1)


@arguments_checked(ARGUMENTS["RevoluteWithFlange"])
def RevoluteWithFlange(
    obj1: str,
    obj2: str,
    axis: str | Vector = "z",
    phi: Var | float | str | None = None,
    w: Var | float | str | None = None,
    *,
    limits: Vector | None = None,
    at_limit: str = "stop",
    lockable: bool = False,
) -> Model:
    """Revolute joint whose angle is a variable of the equations.

    Args:
        obj1, obj2: names of the two frames.
        axis: "x", ..., "-z" or a vector.
        phi: attributes of the angle [rad], or its initial value; default ``Var(init=0.0)``.
        w: attributes of the angular velocity [rad/s], or its initial value; default ``Var(init=0.0)``.
        limits: smallest and largest angle [rad].
        at_limit: "stop" or "error", as `Revolute`.
        lockable: the joint may be locked while a simulation runs, also by a program that does not name it when it is loaded.

    Returns:
        A model with the variables ``phi``, ``w`` and the connector ``flange`` (``phi``, ``tau``); ``flange.tau`` is
        the torque that drives ``obj2`` relative to ``obj1`` about the axis [N.m]. With limits, or if it may be locked, also
        ``constraint_torque``: what holds ``obj2`` relative to ``obj1``, 0 while it moves [N.m].
    """
    return one_coordinate(TURNING, obj1, obj2, axis, phi, w, limits, at_limit, lockable)


@arguments_checked(ARGUMENTS["PrismaticWithFlange"])
def PrismaticWithFlange(
    obj1: str,
    obj2: str,
    axis: str | Vector = "z",
    s: Var | float | str | None = None,
    v: Var | float | str | None = None,
    *,
    limits: Vector | None = None,
    at_limit: str = "stop",
    lockable: bool = False,
) -> Model:
    """Prismatic joint whose distance is a variable of the equations.

    Args:
        obj1, obj2: names of the two frames.
        axis: "x", ..., "-z" or a vector.
        s: attributes of the distance [m], or its initial value; default ``Var(init=0.0)``.
        v: attributes of the velocity [m/s], or its initial value; default ``Var(init=0.0)``.
        limits: smallest and largest distance [m].
        at_limit, lockable: as `RevoluteWithFlange`.

    Returns:
        A model with the variables ``s``, ``v`` and the connector ``flange`` (``s``, ``f``); ``flange.f`` is the
        force that drives ``obj2`` relative to ``obj1`` along the axis [N]. With limits, or if it may be locked, also
        ``constraint_force`` [N].
    """
    return one_coordinate(SLIDING, obj1, obj2, axis, s, v, limits, at_limit, lockable)


@dataclass(frozen=True)
class Step:
    """One joint of a chain.

    Attributes:
        name: of the joint in the chain.
        motion: what it does.
        axis: of it.
        coordinate, speed: names of its variables in the whole joint.
        given: attributes or initial values of both.
    """

    name: str
    motion: Motion
    axis: str | Vector
    coordinate: str
    speed: str
    given: tuple[Given, Given]


def chain(owner: str, obj1: str, obj2: str, steps: Sequence[Step], limits: Mapping[str, Vector] | None) -> Model:
    """Joints of one coordinate in series as one joint.

    Args:
        owner: the constructor, for messages.
        obj1, obj2: names of the two frames.
        steps: from ``obj1`` to ``obj2``.
        limits: of coordinates, by name.

    Returns:
        A model with the variables of all steps and a connector ``flange_<coordinate>`` for each.

    Raises:
        ModelError: there are limits of what is no coordinate, or a frame has the name of one between the joints.
    """
    between = [f"frame_{i}" for i in range(1, len(steps))]
    for field, name in (("obj1", obj1), ("obj2", obj2)):
        if isinstance(name, str) and name.partition(".")[0] in {*between, *(step.name for step in steps)}:
            raise ModelError(f"{field} of {owner}", found=repr(name), expected="a name that is none of the joint's own parts")
    bounds = dict(limits or {})
    if unknown := bounds.keys() - {step.coordinate for step in steps}:
        known = ", ".join(step.coordinate for step in steps)
        raise ModelError(f"limits of {owner}", found=", ".join(map(repr, sorted(unknown))), expected=f"some of {known}")
    made = Model({name: _object3d() for name in between}, equations=[], connect=[])
    for step, one, two in zip(steps, [obj1, *between], [*between, obj2], strict=True):
        motion, flange = step.motion, f"flange_{step.coordinate}"
        here, rate = (moved_in(value, 1) if isinstance(value, Var | str) else value for value in step.given)
        bound = moved_in(bounds[step.coordinate], 1) if step.coordinate in bounds else None
        made[step.name] = one_coordinate(motion, one, two, step.axis, here, rate, bound, "stop", False)
        made[flange] = motion.flange
        made[step.coordinate], made[step.speed] = Var(), Var()
        made["equations"] += [
            f"{step.coordinate} = {step.name}.{motion.coordinate}",
            f"{step.speed} = {step.name}.{motion.speed}",
        ]
        made["connect"].append((flange, f"{step.name}.flange"))
    return made


def CylindricalWithFlanges(
    obj1: str,
    obj2: str,
    axis: str | Vector = "z",
    s: Var | float | str | None = None,
    phi: Var | float | str | None = None,
    v: Var | float | str | None = None,
    w: Var | float | str | None = None,
    *,
    limits: Mapping[str, Vector] | None = None,
) -> Model:
    """Cylindrical joint whose distance and angle are variables of the equations.

    Args:
        obj1, obj2: names of the two frames.
        axis: "x", ..., "-z" or a vector, the same in both frames.
        s, phi: attributes of distance [m] and angle [rad], or their initial values; default ``Var(init=0.0)``.
        v, w: the same of velocity [m/s] and angular velocity [rad/s].
        limits: smallest and largest values, ``{"s": (0.0, 0.5)}``.

    Returns:
        A model with the variables ``s, phi, v, w`` and the connectors ``flange_s`` (translational) and ``flange_phi``
        (rotational), which drive ``obj2`` relative to ``obj1`` along and about the axis. It consists of the joints
        ``prismatic`` and ``revolute``, which can be locked.

    Raises:
        ModelError: limits of what is no coordinate.
    """
    slide = Step("prismatic", SLIDING, axis, "s", "v", (s, v))
    return chain("CylindricalWithFlanges", obj1, obj2, (slide, Step("revolute", TURNING, axis, "phi", "w", (phi, w))), limits)


def UniversalWithFlanges(
    obj1: str,
    obj2: str,
    axis_a: str | Sequence[float] = "x",
    axis_b: str | Sequence[float] = "y",
    phi_a: Var | float | str | None = None,
    phi_b: Var | float | str | None = None,
    w_a: Var | float | str | None = None,
    w_b: Var | float | str | None = None,
    *,
    limits: Mapping[str, Vector] | None = None,
) -> Model:
    """Universal joint whose angles are variables of the equations.

    Args:
        obj1, obj2: names of the two frames.
        axis_a: axis fixed in ``obj1``: "x", ..., "-z" or a vector.
        axis_b: axis fixed in ``obj2``, perpendicular to ``axis_a``.
        phi_a, phi_b: attributes of the angles [rad], or their initial values; default ``Var(init=0.0)``.
        w_a, w_b: the same of the angular velocities [rad/s].
        limits: smallest and largest values, ``{"phi_a": (-1.0, 1.0)}``.

    Returns:
        A model with the variables ``phi_a, phi_b, w_a, w_b`` and the connectors ``flange_phi_a``, ``flange_phi_b``; it consists
        of the joints ``revolute_a`` and ``revolute_b``.

    Raises:
        ModelError: the axes are not perpendicular; limits of what is no coordinate.
    """
    checked = joints.UniversalJoint(obj1, obj2, axis_a, axis_b)
    first = Step("revolute_a", TURNING, checked.axis_a, "phi_a", "w_a", (phi_a, w_a))
    second = Step("revolute_b", TURNING, checked.axis_b, "phi_b", "w_b", (phi_b, w_b))
    return chain("UniversalWithFlanges", obj1, obj2, (first, second), limits)


def PlanarWithFlanges(
    obj1: str,
    obj2: str,
    axis: str | Sequence[float] = "z",
    axis_x: str | Sequence[float] = "",
    s_x: Var | float | str | None = None,
    s_y: Var | float | str | None = None,
    phi: Var | float | str | None = None,
    v_x: Var | float | str | None = None,
    v_y: Var | float | str | None = None,
    w: Var | float | str | None = None,
    *,
    limits: Mapping[str, Vector] | None = None,
) -> Model:
    """Planar joint whose distances and angle are variables of the equations.

    Args:
        obj1, obj2: names of the two frames.
        axis: normal of the plane: "x", ..., "-z" or a vector, the same in both frames.
        axis_x: direction of ``s_x`` in ``obj1``, see `Planar`.
        s_x, s_y, phi: attributes of distances [m] and angle [rad], or their initial values; default ``Var(init=0.0)``.
        v_x, v_y, w: the same of velocities [m/s] and angular velocity [rad/s].
        limits: smallest and largest values, ``{"s_x": (0.0, 0.5)}``.

    Returns:
        A model with the variables ``s_x, s_y, phi, v_x, v_y, w`` and the connectors ``flange_s_x``, ``flange_s_y``
        (translational) and ``flange_phi`` (rotational); it consists of the joints ``prismatic_x``, ``prismatic_y`` and
        ``revolute``.

    Raises:
        ModelError: ``axis_x`` is normal to the plane; limits of what is no coordinate.
    """
    x, y, z = (tuple(column) for column in joints.PlanarJoint(obj1, obj2, axis, axis_x).axes().T.tolist())
    steps = (
        Step("prismatic_x", SLIDING, x, "s_x", "v_x", (s_x, v_x)),
        Step("prismatic_y", SLIDING, y, "s_y", "v_y", (s_y, v_y)),
        Step("revolute", TURNING, z, "phi", "w", (phi, w)),
    )
    return chain("PlanarWithFlanges", obj1, obj2, steps, limits)


_AXES = {
    CylindricalWithFlanges: {"axis": "prismatic"},
    UniversalWithFlanges: {"axis_a": "revolute_a", "axis_b": "revolute_b"},
    PlanarWithFlanges: {"axis": "revolute", "axis_x": "prismatic_x"},
}
"""Joints that are chains: from which of its parts each axis is known."""


def call_of(model: Model) -> tuple[str, dict[str, object]] | None:
    """Name and arguments of the joint with flanges that a model is; None if it is none, or has been changed since."""
    for make, axes in _AXES.items():
        parts = {name: model.get(name) for name in axes.values()}
        if not all(isinstance(part, Model) for part in parts.values()):
            continue
        inner = [part for part in model.values() if isinstance(part, Model) and "_constructor" in part]
        given: dict[str, object] = {"obj1": inner[0]["obj1"], "obj2": inner[-1]["obj2"]}
        given |= {field: parts[name]["axis"] for field, name in axes.items()}  # type: ignore[index]
        limits: dict[str, object] = {}
        for part, equation in zip(inner, model["equations"][::2], strict=False):
            coordinate, speed = equation.partition(" =")[0], model["equations"][2 * len(limits) + 1]
            motion = TURNING if part["_constructor"] is TURNING.joint else SLIDING
            limits[coordinate] = moved_in(part["limits"], -2) if "limits" in part else None
            given[coordinate] = moved_in(part[motion.coordinate], -2)
            given[speed.partition(" =")[0]] = moved_in(part[motion.speed], -2)
        given = {name: value for name, value in given.items() if not (isinstance(value, Var) and value == Var(init=0.0))}
        if bounds := {name: value for name, value in limits.items() if value is not None}:
            given["limits"] = bounds
        if repr(make(**given)) == repr(model):  # type: ignore[operator]
            return make.__name__, given
    return None
