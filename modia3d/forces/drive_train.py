"""Drive trains on moving bodies: what shafts of one dimension exert on the body that carries them.

Schweiger and Otter, Modelling 3D Mechanical Effects of 1-dim. Powertrains (Modelica Conference 2003); the equations are those
of ``Modelica.Mechanics.MultiBody.Parts.Mounting1D``, ``Rotor1D`` and ``BevelGear1D``. All angles of such a drive train are
relative to the body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modiapy.library.flanges import RotationalFlange
from modiapy.model.arguments import arguments_checked
from modiapy.model.model import Model, Par, Var

from ..scene.basics import checks
from ..scene.constructors import RevoluteWithFlange
from ..scene.sensors.constructors import AbsoluteSensor
from .signal import SignalForce
from .signal_constructors import Torque


@dataclass(frozen=True)
class HousingTorque(SignalForce):
    """Torque of housings on ``obj2``, where they are mounted: by `Mounting`, `RevoluteWithSupport` or as a `BevelGear`."""


def _housing(obj: str, torque: tuple[float | str, ...]) -> Par:
    return Par(_constructor=HousingTorque, owner="Torque", quantities=("torque",), obj1="", obj2=obj, torque=torque)


@arguments_checked(typed=True)
def Mounting(obj: str, axis: str | Sequence[float] = "x", phi0: float = 0.0) -> Model:
    """A flange fixed in a body, for housings, supports and ends of a drive train: its torque acts on the body.

    Args:
        obj: name of the frame in which the housing is fixed.
        axis: of the shafts, in this frame: "x", ..., "-z" or a vector. All shafts mounted here turn about this direction.
        phi0: constant angle of the flange [rad].

    Returns:
        A model with the connector ``flange``.
    """
    e = checks.unit_vector("Mounting", "axis", axis)
    return Model(
        phi0=phi0,
        flange=RotationalFlange,
        reaction=_housing(obj, tuple(_times(x, "flange.tau") for x in e)),
        equations=["flange.phi = phi0"],
    )


@arguments_checked(typed=True)
def RevoluteWithSupport(
    obj1: str,
    obj2: str,
    axis: str | Sequence[float] = "z",
    phi: Var | None = None,
    w: Var | None = None,
    *,
    limits: Sequence[float] | None = None,
    at_limit: str = "stop",
    lockable: bool = False,
) -> Model:
    """A `RevoluteWithFlange` whose drive is mounted: the reactions on ``obj1`` are those of what is connected to ``support``.

    ``flange.tau`` acts on obj2 only. On obj1 acts ``support.tau``, about the same axis: connect the housings of gears and
    motors that obj1 carries with ``support``. (Without support, what acts on obj2 acts on obj1 with the opposite sign.)

    Args:
        obj1, obj2, axis, phi, w, limits, at_limit, lockable: as `RevoluteWithFlange`.

    Returns:
        The model of `RevoluteWithFlange` with the connector ``support``, whose angle is 0.
    """
    e = checks.unit_vector("RevoluteWithSupport", "axis", axis)
    joint = RevoluteWithFlange(obj1, obj2, axis, phi, w, limits=limits, at_limit=at_limit, lockable=lockable)
    torque = tuple(_times(x, "(support.tau + flange.tau)") for x in e)
    return joint | Model(support=RotationalFlange, reaction=_housing(obj1, torque), equations=["support.phi = 0"])


@arguments_checked(typed=True)
def Rotor(obj: str, axis: str | Sequence[float] = "x", J: float = 1.0, phi: Var | None = None, w: Var | None = None) -> Model:
    """A shaft with inertia in the bearings of a body: it feels how the body turns, and the body feels gyroscopic torques.

    With ``e`` the axis and ``w_B``, ``z_B`` angular velocity and acceleration of the body: ``J (a + e z_B)`` is the sum of both
    flanges' torques, and ``J w e x w_B + J (e z_B) e`` acts on the body. Mass and inertia of the rotor at rest belong to the
    body's.

    Args:
        obj: name of the frame in which the bearings are fixed.
        axis: of the rotor, in this frame.
        J: moment of inertia about the axis [kg.m2].
        phi, w: attributes of angle and speed relative to the body [rad, rad/s]; default ``Var(start=0.0)``.

    Returns:
        A model with the variables ``phi, w, a`` and the connectors ``flange_a``, ``flange_b``.
    """
    e = checks.unit_vector("Rotor", "axis", axis)
    if not isinstance(J, str | Mapping):
        checks.positive("Rotor", "J", J)
    x, y, z = ("body.w.x", "body.w.y", "body.w.z")
    cross = (((e[1], z), (-e[2], y)), ((e[2], x), (-e[0], z)), ((e[0], y), (-e[1], x)))
    gyroscopic = [" + ".join(_factor(f, name) for f, name in terms if f != 0.0) or "0" for terms in cross]
    along = " + ".join(_factor(f, f"body.z.{name}") for f, name in zip(e, "xyz", strict=True) if f != 0.0)
    torque = tuple(f"J*w*({g}) + {f!r}*J*a_body" if f else f"J*w*({g})" for g, f in zip(gyroscopic, e, strict=True))
    return Model(
        J=J,
        flange_a=RotationalFlange,
        flange_b=RotationalFlange,
        phi=Var(start=0.0) if phi is None else phi,
        w=Var(start=0.0) if w is None else w,
        a=Var(unit="rad/s2"),
        a_body=Var(unit="rad/s2", description="angular acceleration of the body about the axis"),
        body=AbsoluteSensor(obj, resolved_in=obj, quantities=("w",), rest_when_deleted=True),
        reaction=Torque("", obj, torque=torque),
        equations=[
            "phi = flange_a.phi",
            "phi = flange_b.phi",
            "w = der(phi)",
            "a = der(w)",
            f"a_body = {along}",
            "J*(a + a_body) = flange_a.tau + flange_b.tau",
        ],
    )


@arguments_checked(typed=True)
def BevelGear(
    obj: str, axis_a: str | Sequence[float] = "x", axis_b: str | Sequence[float] = "y", ratio: float | str = 1.0
) -> Model:
    """A gear without losses between shafts that turn about different axes; its housing is fixed in a body.

    ``flange_a.phi = ratio*flange_b.phi``, both relative to the body, which feels the torques of both flanges. The equations are
    those of ``Modelica.Mechanics.MultiBody.Parts.BevelGear1D``. With equal axes it is an ``IdealGear`` with a mounted housing.
    A joint between this body and another one must be a `RevoluteWithSupport` to be connected.

    Args:
        obj: name of the frame in which the housing is fixed.
        axis_a, axis_b: of the shafts at ``flange_a`` and ``flange_b``, in this frame.
        ratio: speed of ``flange_a`` over that of ``flange_b``.

    Returns:
        A model with the connectors ``flange_a`` and ``flange_b``.
    """
    a, b = checks.unit_vector("BevelGear", "axis_a", axis_a), checks.unit_vector("BevelGear", "axis_b", axis_b)
    return Model(
        ratio=ratio,
        flange_a=RotationalFlange,
        flange_b=RotationalFlange,
        reaction=_housing(obj, tuple(_both(x, y) for x, y in zip(a, b, strict=True))),
        equations=["flange_a.phi = ratio*flange_b.phi", "0 = ratio*flange_a.tau + flange_b.tau"],
    )


def _both(a: float, b: float) -> float | str:
    terms = [_factor(f, f"flange_{side}.tau") for f, side in ((a, "a"), (b, "b")) if f != 0.0]
    return " + ".join(terms) if terms else 0.0


def _times(factor: float, name: str) -> float | str:
    return 0.0 if factor == 0.0 else _factor(factor, name)


def _factor(factor: float, name: str) -> str:
    return f"({factor!r})*{name}"
