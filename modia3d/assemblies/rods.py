"""A rod between two points: `SphericalSpherical`, `UniversalSpherical`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modiapy.model.arguments import arguments_checked
from modiapy.model.model import Model

from ..forces.line_force import LineForceWithMass
from ..scene.basics import checks
from ..scene.constructors import RodConstraint, SphericalConstraint
from .parts import Axis, assembled, length_of, rod_with_frame


@arguments_checked(typed=True)
def SphericalSpherical(obj1: str, obj2: str, rod_length: float, m: float = 0.0) -> Model:
    """A rod with a spherical joint at each end: one constraint, and a point mass in its middle.

    The mass moves both ends by d'Alembert's principle; it has no coordinates of its own.

    Args:
        obj1, obj2: names of the frames at its ends.
        rod_length: the distance of their origins [m].
        m: the point mass [kg].

    Returns:
        A model with the constraint ``rod``; what the rod exerts is measured by ``CutForceAndTorque("<name>.rod")``. With a mass
        also ``mass``, see `LineForceWithMass`.
    """
    owner = "SphericalSpherical"
    parts: dict[str, Any] = {"rod": RodConstraint(obj1, obj2, checks.positive(owner, "rod_length", rod_length))}
    if checks.not_negative(owner, "m", m) > 0.0:
        parts["mass"] = LineForceWithMass(obj1, obj2, m)
    return assembled(owner, parts, obj1=obj1, obj2=obj2)


@arguments_checked(typed=True)
def UniversalSpherical(
    obj1: str, obj2: str, n1_a: Axis = "z", r_rod_ia: Sequence[float] = (1.0, 0.0, 0.0), *, frame_ia: bool = False
) -> Model:
    """A rod with a universal joint at ``obj1`` and a spherical joint at ``obj2``: one constraint.

    Args:
        obj1, obj2: names of the two frames.
        n1_a: first axis of the universal joint in ``obj1``; the second one is perpendicular to it and to the rod.
        r_rod_ia: from ``obj1`` to ``obj2`` in ``frame_ia``, which is parallel to ``obj1`` where the angles of the universal
            joint are zero [m].
        frame_ia: whether something with mass is fixed to the rod. If not, the rod keeps the distance, and that is all.

    Returns:
        A model with the constraint ``rod``; with ``frame_ia`` instead with this frame, the joint ``universal``, the frame
        ``rod_end`` at the other end and the constraint ``spherical``.
    """
    owner = "UniversalSpherical"
    r_rod, length = length_of(owner, "r_rod_ia", r_rod_ia)
    if checks.truth(owner, "frame_ia", frame_ia):
        parts = rod_with_frame(owner, obj1, n1_a, r_rod, "rod_end") | {"spherical": SphericalConstraint("rod_end", obj2)}
    else:
        parts = {"rod": RodConstraint(obj1, obj2, length)}
    return assembled(owner, parts, obj1=obj1, obj2=obj2)
