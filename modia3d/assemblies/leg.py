"""A leg whose length is driven: `JointUPS`."""

from __future__ import annotations

from typing import Any

from modiapy.library.flanges import TranslationalFlange
from modiapy.model.arguments import arguments_checked
from modiapy.model.errors import ModelError
from modiapy.model.model import Model, Par, Var

from ..forces.line_force import LineEnd
from ..scene.basics import checks
from ..scene.constructors import Object3D, PrismaticWithFlange, SphericalConstraint, Universal
from ..scene.sensors.constructors import Distance
from .parts import Axis, assembled, place, turned_aside


@arguments_checked(typed=True)
def JointUPS(
    obj1: str,
    obj2: str,
    n1_a: Axis = "z",
    n_axis_ia: Axis = "x",
    s_offset: float = 0.0,
    s_guess: float = 0.0,
    *,
    frame_ia: bool = False,
    frame_ib: bool = False,
) -> Model:
    """A leg: universal joint at ``obj1``, prismatic joint along it, spherical joint at ``obj2``. It constrains nothing.

    Args:
        obj1, obj2: names of the two frames.
        n1_a: first axis of the universal joint in ``obj1``; the second one is perpendicular to it and to the leg.
        n_axis_ia: direction of the leg from ``obj1`` to ``obj2``, in ``frame_ia``.
        s_offset: the distance of the frames is ``s + s_offset`` [m].
        s_guess: where the search for ``s`` begins [m], with ``frame_ib``.
        frame_ia: whether something with mass is fixed to the part of the leg at ``obj1``.
        frame_ib: the same of the part at ``obj2``, which has the same directions; then ``frame_ia`` has mass, too.

    Returns:
        A model with the connectors ``axis``, which drives both frames apart, and ``bearing``, whose position is 0, and ``s``.
        With
        frames: these, the joints ``universal``, ``prismatic`` and the constraint ``spherical``.

    Raises:
        ModelError: a field has the wrong type or value; only one of both parts has mass.
    """
    owner = "JointUPS"
    offset = checks.number(owner, "s_offset", s_offset)
    with_a, with_b = checks.truth(owner, "frame_ia", frame_ia), checks.truth(owner, "frame_ib", frame_ib)
    parts: dict[str, Any] = {"axis": TranslationalFlange, "bearing": TranslationalFlange, "equations": ["bearing.s = 0"]}
    if with_a and with_b:
        e = checks.unit_vector(owner, "n_axis_ia", n_axis_ia)
        axis_a, axis_b = turned_aside(owner, n1_a, e)
        parts |= {
            "frame_ia": Object3D(),
            "frame_ib": Object3D(),
            "universal": Universal(obj1, "frame_ia", axis_a=axis_a, axis_b=axis_b),
            "offset": place("frame_ia", [offset * x for x in e]),
            "prismatic": PrismaticWithFlange(
                "offset", "frame_ib", e, Var(start=checks.number(owner, "s_guess", s_guess)), Var(start=0.0)
            ),
            "spherical": SphericalConstraint("frame_ib", obj2),
            "s": Var("prismatic.s"),
            "connect": [("axis", "prismatic.flange")],
        }
    elif with_a or with_b:
        raise ModelError(
            "one half of a JointUPS has mass, the other has none",
            found=f"frame_ia={with_a}, frame_ib={with_b}",
            expected="both or none",
            remedy="Fix some mass to the other half, too, or leave both out and use LineForceWithTwoMasses.",
        )
    else:
        parts |= {
            "line": Distance(obj1, obj2),
            "s": Var(f"line.s - ({offset!r})"),
            "end_a": Par(_constructor=LineEnd, obj=obj1, other=obj2, force="axis.f"),
            "end_b": Par(_constructor=LineEnd, obj=obj2, other=obj1, force="axis.f"),
        }
        parts["equations"].append("axis.s = s")
    return assembled(owner, parts, obj1=obj1, obj2=obj2)
