"""Two rods with a joint between them, the second one on a revolute or a prismatic joint: ``JointUSR``, ``JointSSP``, ...

U, S, R, P are universal, spherical, revolute and prismatic joints from ``obj1`` to ``obj2``. They allow six freedoms (a
rod between two spherical joints also turns about itself): nothing is constrained, but where such an assembly closes a loop, its
coordinate follows from the others. The letters of `JointRRR` and `JointRRP` mean what is seen in the plane of the mechanism; as
in the Modelica library they are a `JointUSR` and a `JointUSP`, so that forces across the plane are unique.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modiapy.model.arguments import arguments_checked
from modiapy.model.errors import ModelError
from modiapy.model.model import Model

from ..forces.line_force import LineForceWithMass
from ..scene.basics import checks
from ..scene.constructors import RodConstraint, SphericalConstraint
from .last_joints import LastJoint, SlidingJoint, TurningJoint
from .parts import Axis, assembled, length_of, rod_with_frame

Vector = Sequence[float]


def _merged(*parts: dict[str, Any]) -> dict[str, Any]:
    """Return the parts together, their equations and connections one after the other."""
    lists: dict[str, list[Any]] = {"equations": [], "connect": []}
    for part in parts:
        for name, found in lists.items():
            found += part.get(name, [])
    return {name: value for part in parts for name, value in part.items() if name not in lists} | lists


def _universal(obj1: str, n1_a: Axis, r_rod1_ia: Vector, frame_ia: bool, frame_ib: bool, last: LastJoint) -> Model:
    """Return the universal, spherical and last joint."""
    owner = last.owner
    r_rod, length = length_of(owner, "r_rod1_ia", r_rod1_ia)
    with_a, with_b = checks.truth(owner, "frame_ia", frame_ia), checks.truth(owner, "frame_ib", frame_ib)
    parts = [last.flanges()]
    if with_a:
        parts.append(rod_with_frame(owner, obj1, n1_a, r_rod, "rod_end" if with_b else "frame_im"))
    if with_b:
        parts += [
            last.with_frame(),
            {"spherical": SphericalConstraint("rod_end", "frame_im")}
            if with_a
            else {"rod1": RodConstraint(obj1, "frame_im", length)},
        ]
    elif with_a:
        parts.append(last.held_by("frame_im"))
    else:
        parts.append(last.between(obj1, length))
    return assembled(owner, _merged(*parts), obj1=obj1, obj2=last.obj2)


def _spherical(obj1: str, rod1_length: float, rod1_mass: float, frame_ib: bool, last: LastJoint) -> Model:
    """Return two spherical joints and the last joint."""
    owner = last.owner
    length, mass = checks.positive(owner, "rod1_length", rod1_length), checks.not_negative(owner, "rod1_mass", rod1_mass)
    parts = [last.flanges()]
    if checks.truth(owner, "frame_ib", frame_ib):
        parts += [last.with_frame(), {"rod1": RodConstraint(obj1, "frame_im", length)}]
        if mass > 0.0:
            parts.append({"mass": LineForceWithMass(obj1, "frame_im", mass)})
    elif mass > 0.0:
        raise ModelError(
            f"rod1_mass of {owner} is given without frame_ib",
            found=f"{mass:g}, while the second rod has no mass",
            expected="0, or frame_ib=True",
            remedy="Fix something with mass to frame_ib.",
        )
    else:
        parts.append(last.between(obj1, length))
    return assembled(owner, _merged(*parts), obj1=obj1, obj2=last.obj2)


@arguments_checked(typed=True)
def JointUSR(
    obj1: str,
    obj2: str,
    n1_a: Axis = "z",
    n_b: Axis = "z",
    r_rod1_ia: Vector = (1.0, 0.0, 0.0),
    r_rod2_ib: Vector = (-1.0, 0.0, 0.0),
    phi_offset: float = 0.0,
    phi_guess: float = 0.0,
    *,
    frame_ia: bool = False,
    frame_ib: bool = False,
) -> Model:
    """Universal joint at ``obj1``, rod, spherical joint, rod, revolute joint at ``obj2``.

    Args:
        obj1, obj2: names of the two frames.
        n1_a: first axis of the universal joint in ``obj1``; the second one is perpendicular to it and to the first rod.
        n_b: axis of the revolute joint in ``obj2``.
        r_rod1_ia: from ``obj1`` to the spherical joint, in ``frame_ia``; this is parallel to ``obj1`` where the angles of the
            universal joint are zero [m].
        r_rod2_ib: from ``obj2`` to the spherical joint, in ``frame_ib``; this is parallel to ``obj2`` where the revolute
            joint's angle ``phi + phi_offset`` is zero [m].
        phi_offset: see above [rad].
        phi_guess: of the two positions in which the rods meet the one that is nearer to this ``phi`` at the start [rad]; it is
            kept.
        frame_ia, frame_ib: whether something with mass is fixed to the first rod, to the second one.

    Returns:
        A model with the connectors ``axis``, which drives the second rod, and ``bearing``, whose angle is 0, and with ``phi``.
        With ``frame_ia``: this frame and the joint ``universal``; with ``frame_ib``: this frame and the joint ``revolute``;
        with either also the frame ``frame_im`` in the middle, and the constraints ``rod1``, ``rod2``, ``spherical`` where they
        apply. Without both the angle and the force on ``obj1`` are computed in closed form.

    Raises:
        ModelError: a field has the wrong type or value; a rod has no length, or lies on an axis that is to turn it.
    """
    return _universal(
        obj1, n1_a, r_rod1_ia, frame_ia, frame_ib, TurningJoint("JointUSR", obj2, n_b, r_rod2_ib, phi_offset, phi_guess)
    )


@arguments_checked(typed=True)
def JointUSP(
    obj1: str,
    obj2: str,
    n1_a: Axis = "z",
    n_b: Axis = "-x",
    r_rod1_ia: Vector = (1.0, 0.0, 0.0),
    r_rod2_ib: Vector = (-1.0, 0.0, 0.0),
    s_offset: float = 0.0,
    s_guess: float = 0.0,
    *,
    frame_ia: bool = False,
    frame_ib: bool = False,
) -> Model:
    """Universal joint at ``obj1``, rod, spherical joint, rod, prismatic joint at ``obj2``.

    Args:
        obj1, obj2, n1_a, r_rod1_ia, frame_ia, frame_ib: as `JointUSR`.
        n_b: axis of the prismatic joint in ``obj2``.
        r_rod2_ib: from the origin of ``frame_ib``, which is parallel to ``obj2``, to the spherical joint [m].
        s_offset: the distance of ``frame_ib`` from ``obj2`` is ``s + s_offset`` [m].
        s_guess: as ``phi_guess`` [m].

    Returns:
        A model as `JointUSR` with ``s`` and the joint ``prismatic``.
    """
    return _universal(
        obj1, n1_a, r_rod1_ia, frame_ia, frame_ib, SlidingJoint("JointUSP", obj2, n_b, r_rod2_ib, s_offset, s_guess)
    )


@arguments_checked(typed=True)
def JointSSR(
    obj1: str,
    obj2: str,
    rod1_length: float,
    rod1_mass: float = 0.0,
    n_b: Axis = "z",
    r_rod2_ib: Vector = (1.0, 0.0, 0.0),
    phi_offset: float = 0.0,
    phi_guess: float = 0.0,
    *,
    frame_ib: bool = False,
) -> Model:
    """Spherical joint at ``obj1``, rod, spherical joint, rod, revolute joint at ``obj2``.

    Args:
        obj1, obj2, n_b, r_rod2_ib, phi_offset, phi_guess, frame_ib: as `JointUSR`.
        rod1_length: distance of the two spherical joints [m].
        rod1_mass: a point mass in the middle of the first rod [kg], see `SphericalSpherical`.

    Returns:
        A model as `JointUSR`.
    """
    return _spherical(
        obj1, rod1_length, rod1_mass, frame_ib, TurningJoint("JointSSR", obj2, n_b, r_rod2_ib, phi_offset, phi_guess)
    )


@arguments_checked(typed=True)
def JointSSP(
    obj1: str,
    obj2: str,
    rod1_length: float,
    rod1_mass: float = 0.0,
    n_b: Axis = "z",
    r_rod2_ib: Vector = (1.0, 0.0, 0.0),
    s_offset: float = 0.0,
    s_guess: float = 0.0,
    *,
    frame_ib: bool = False,
) -> Model:
    """Spherical joint at ``obj1``, rod, spherical joint, rod, prismatic joint at ``obj2``.

    Args:
        obj1, obj2, n_b, r_rod2_ib, s_offset, s_guess, frame_ib: as `JointUSP`.
        rod1_length, rod1_mass: as `JointSSR`.

    Returns:
        A model as `JointUSP`.
    """
    return _spherical(obj1, rod1_length, rod1_mass, frame_ib, SlidingJoint("JointSSP", obj2, n_b, r_rod2_ib, s_offset, s_guess))


@arguments_checked(typed=True)
def JointRRR(
    obj1: str,
    obj2: str,
    n_a: Axis = "z",
    r_rod1_ia: Vector = (1.0, 0.0, 0.0),
    r_rod2_ib: Vector = (-1.0, 0.0, 0.0),
    phi_offset: float = 0.0,
    phi_guess: float = 0.0,
    *,
    n_b: Axis | None = None,
    frame_ia: bool = False,
    frame_ib: bool = False,
) -> Model:
    """Three revolute joints with parallel axes and two rods, in a mechanism that moves in a plane.

    Args:
        obj1, obj2, r_rod1_ia, r_rod2_ib, phi_offset, phi_guess, frame_ia, frame_ib: as `JointUSR`.
        n_a: the axes in ``obj1``.
        n_b: the same direction in ``obj2``, where it has other components there.

    Returns:
        A model as `JointUSR`.
    """
    return _universal(
        obj1,
        n_a,
        r_rod1_ia,
        frame_ia,
        frame_ib,
        TurningJoint("JointRRR", obj2, n_a if n_b is None else n_b, r_rod2_ib, phi_offset, phi_guess),
    )


@arguments_checked(typed=True)
def JointRRP(
    obj1: str,
    obj2: str,
    n_a: Axis = "z",
    n_b: Axis = "-x",
    r_rod1_ia: Vector = (1.0, 0.0, 0.0),
    r_rod2_ib: Vector = (-1.0, 0.0, 0.0),
    s_offset: float = 0.0,
    s_guess: float = 0.0,
    *,
    frame_ia: bool = False,
    frame_ib: bool = False,
) -> Model:
    """Two revolute joints with parallel axes, two rods and a prismatic joint, in a mechanism that moves in a plane.

    Args:
        obj1, obj2, n_b, r_rod1_ia, r_rod2_ib, s_offset, s_guess, frame_ia, frame_ib: as `JointUSP`.
        n_a: the axes of the revolute joints in ``obj1``, perpendicular to that of the prismatic joint.

    Returns:
        A model as `JointUSP`.
    """
    return _universal(
        obj1, n_a, r_rod1_ia, frame_ia, frame_ib, SlidingJoint("JointRRP", obj2, n_b, r_rod2_ib, s_offset, s_guess)
    )
