"""Joints that may be locked or may be in loops, in the equations: unknown constraint forces, and the indicators of limits.

A prescribed joint that may be locked has the unknown ``<joint>.constraint_torque`` (``constraint_force``) and the equation
``locked*der(w) + (1 - locked)*constraint_torque = 0`` with a switch that the engine sets from segment to segment; what it means
is solved together with all other equations. Where there may be loops, all prescribed joints have the unknown, and together the
relation of `kernels.loops.constraint_relation`, which knows those that are locked, too. A passive joint does not give way in
the engine's own elimination.
"""

from __future__ import annotations

from modiapy.acausal.protocol import CallEquation
from modiapy.model.expression import Expr, Name
from modiapy.model.model import Model, Var

from ..constraints.joints import constraint_name
from ..topology.graph import JointEdge
from .exchange import functions
from .exchange.part import add_variable
from .system import System


def flow_of(system: System, edge: JointEdge) -> str:
    """Return the addition to the flow variable of a joint's flange in its equation: " + constraint" or nothing."""
    may_be_locked = system.may_close or any(joint.edge is edge for joint in system.lockable.prescribed)
    return f" + {constraint_name(edge)}" if may_be_locked else ""


def _add_forces(part: Model, edges: list[JointEdge]) -> None:
    for edge in edges:
        add_variable(part, constraint_name(edge), Var(unit="N" if edge.joint.slides else "N.m"))


def add_constraint_equations(system: System, part: Model, group: str, done: Name) -> None:
    """Add the switches and the limits to the acausal part."""
    joints = system.lockable
    if not joints.all:
        return
    _add_forces(part, [joint.edge for joint in joints.all])
    part[group] |= Model(limited=Var())
    names = [] if system.may_close else [Name(f"{joint.name}.locked") for joint in joints.prescribed]
    for name in names:
        add_variable(part, name.name, Var(description="1 while the joint is locked, else 0"))
    if names:
        part["equations"].append(CallEquation(functions.switches(len(names)), (), tuple(names)))
        for joint, locked in zip(joints.prescribed, names, strict=True):
            speed, force = f"{joint.name}.{joint.edge.joint.state_names()[1][0]}", constraint_name(joint.edge)
            part["equations"].append(f"{locked}*der({speed}) + (1 - {locked})*{force} = 0")
    inputs, outputs = (tuple(Name(constraint_name(j.edge)) for j in some) for some in (joints.prescribed, joints.passive))
    function = functions.limits(len(inputs), len(outputs))
    part["equations"].append(CallEquation(function, (done, *inputs), (Name(f"{group}.limited"), *outputs)))


def add_loop_equations(system: System, part: Model, group: str, accelerations: tuple[Expr, ...]) -> None:
    """Add the equations of loops, and the relation of all prescribed joints, to the acausal part."""
    edges = list(system.graph.prescribed_joints)
    closed, before = Name(f"{group}.closed"), Name(f"{group}.{'ready' if system.exchange else 'token'}")
    part[group] |= Model(closed=Var())
    part["equations"].append(CallEquation(functions.close_loops(), (before,), (closed,)))
    if not edges:
        return
    _add_forces(part, edges)
    forces = tuple(Name(constraint_name(edge)) for edge in edges)
    left = tuple(Name(f"{edge.name}.left_by_loops") for edge in edges)
    for name in left:
        add_variable(part, name.name, Var())
    function = functions.constraint_relation(len(edges))
    part["equations"].append(CallEquation(function, (closed, *accelerations, *forces), left))
    part["equations"] += [f"{name} = 0" for name in left]
