"""Joints that may be held, in the equations: a switch and an unknown for each prescribed one, and the indicators of limits.

A prescribed joint has the unknown ``<joint>.constraint_torque`` (``constraint_force``) and the equation
``held*der(w) + (1 - held)*constraint_torque = 0`` with a switch that the engine sets from segment to segment; what it means is
solved together with all other equations. A passive one does not give way in the engine's own elimination.
"""

from __future__ import annotations

from modiapy.acausal.protocol import CallEquation
from modiapy.model.expression import Name
from modiapy.model.model import Model, Var

from ..constraints.joints import HoldableJoints, constraint_name
from ..topology.graph import JointEdge
from .exchange import functions
from .exchange.exchange import place


def flow_of(joints: HoldableJoints, edge: JointEdge) -> str:
    """What is added to the flow variable of a joint's flange in its equation: " + constraint" or nothing."""
    return f" + {constraint_name(edge)}" if any(joint.edge is edge for joint in joints.prescribed) else ""


def add_constraint_equations(joints: HoldableJoints, part: Model, group: str, done: Name) -> None:
    """Add the switches and the limits to the acausal part."""
    if not joints.all:
        return
    names = [Name(f"{joint.name}.held") for joint in joints.prescribed]
    for joint in joints.all:
        place(part, constraint_name(joint.edge), Var(unit="N" if joint.edge.joint.slides else "N.m"))
    part[group] |= Model(limited=Var())
    for name in names:
        place(part, name.name, Var(description="1 while the joint is held, else 0"))
    if names:
        part["equations"].append(CallEquation(functions.switches(len(names)), (), tuple(names)))
    for joint, held in zip(joints.prescribed, names, strict=True):
        speed, force = f"{joint.name}.{joint.edge.joint.state_names()[1][0]}", constraint_name(joint.edge)
        part["equations"].append(f"{held}*der({speed}) + (1 - {held})*{force} = 0")
    inputs, outputs = (tuple(Name(constraint_name(j.edge)) for j in some) for some in (joints.prescribed, joints.passive))
    function = functions.limits(len(inputs), len(outputs))
    part["equations"].append(CallEquation(function, (done, *inputs), (Name(f"{group}.limited"), *outputs)))
