"""Rigid gear wheels whose bearings may move; after PlanarMechanics.GearComponents."""

from __future__ import annotations

from ...model.model import Model, Var
from .interfaces import FORCES, TwoFrames


def _gear(description: str, from_a_to_b: int) -> Model:
    """Return a gear of two wheels; ``from_a_to_b`` is 1 where they turn against each other, -1 where b is a ring around a."""
    turns = "+" if from_a_to_b > 0 else "-"
    return TwoFrames | Model(
        description=description + " r_a, r_b [m]: radii. The bearings hold the distance of the axes. loss_power is zero.",
        r_a=1.0,
        r_b=1.0,
        s_relx=Var(f"{from_a_to_b}*(frame_b.x - frame_a.x)", unit="m", description="line of the axes, along x"),
        s_rely=Var(f"{from_a_to_b}*(frame_b.y - frame_a.y)", unit="m", description="line of the axes, along y"),
        phi_gear=Var(start=0.0, unit="rad", description="angle of the line of the axes"),
        w_gear=Var("der(phi_gear)", unit="rad/s", description="angular velocity of the line of the axes"),
        w_a=Var("der(frame_a.phi)", unit="rad/s", description="angular velocity of wheel a"),
        w_b=Var("der(frame_b.phi)", unit="rad/s", description="angular velocity of wheel b"),
        xmesh_a=Var("r_a*(frame_a.phi - phi_gear)", unit="m", description="way of the contact along wheel a"),
        xmesh_b=Var(f"{-from_a_to_b}*r_b*(frame_b.phi - phi_gear)", unit="m", description="way of the contact along wheel b"),
        v_mesh=Var("der(xmesh_a)", unit="m/s", description="speed of the contact along the wheels"),
        a_mesh=Var("der(v_mesh)", unit="m/s2", description="acceleration of the contact along the wheels"),
        F_n=Var(unit="N", description="force in the contact"),
        loss_power=Var("0", unit="W", description="heat"),
        equations=[
            "w_gear*(s_relx**2 + s_rely**2) = s_relx*der(s_rely) - s_rely*der(s_relx)",
            "xmesh_a = xmesh_b",
            "frame_a.t = r_a*F_n",
            f"frame_b.t = {turns}r_b*F_n",
            "frame_a.fx = -sin(phi_gear)*F_n",
            "frame_a.fy = cos(phi_gear)*F_n",
            *FORCES,
        ],
        initial_equations=["phi_gear = atan2(s_rely, s_relx)"],
    )


RigidNoLossExternal = _gear("Contact of two gear wheels without play and losses.", 1)

RigidNoLossInternal = _gear("Contact of a gear wheel at frame_a in a ring at frame_b, without play and losses.", -1)
