"""Carrying out structural actions: each action of a program is the edit of the same name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import singledispatch

from ..topology import edits
from ..topology.appearance import Appearance, Edited
from ..topology.graph import SceneGraph
from ..topology.motion import Present
from ..topology.structure import Structure
from .structural_values import (
    Add,
    Attach,
    Delete,
    FlipChain,
    LockJoint,
    Release,
    ReleaseAndAttach,
    StructuralAction,
    UnlockJoint,
    impulsive,
)


def apply(actions: Sequence[StructuralAction], graph: SceneGraph, structure: Structure, present: Present, scope: str) -> Edited:
    """The structure after actions that are one change.

    They are carried out in their order, without time between them. Only what comes out in the end has to be free of loops.

    Args:
        actions: one or several.
        graph, structure: what there is.
        present: state of all frames and joints at this moment.
        scope: path of the model where the program stands, in which names of frames are looked up first.

    Raises:
        ModelError: an edit is refused, see `modia3d.topology.edits`; nothing is changed then.
    """
    at = _Change(graph, structure, present, scope, alone=len(actions) == 1)
    for action in actions:
        at.structure = _carry_out(action, at)
    if not at.alone:
        edits.check_loops(graph, structure, at.structure)
    return Edited(at.structure, at.present)


def locked_joints(actions: Iterable[object], graph: SceneGraph, scope: str) -> frozenset[str]:
    """Names of the joints that actions lock, those of parked assemblies included."""
    names: set[str] = set()
    for action in actions:
        if isinstance(action, LockJoint):
            names.add(graph.joints[graph.joint_index(action.joint, scope)].name)
        elif isinstance(action, Delete) and action.park:
            names |= set(graph.assemblies[graph.assembly_of(graph.frame_index(action.frame, scope))].equation_joints)
    return frozenset(names)


@dataclass
class _Change:
    """What the actions of one change have made so far."""

    graph: SceneGraph
    structure: Structure
    present: Present
    scope: str
    alone: bool

    def may_move(self, action: Attach | ReleaseAndAttach | FlipChain) -> bool:
        """Whether an impact may join both frames; what appears in this change takes part in none."""
        if not impulsive(action):
            return False
        frames = (self.graph.frames[self.graph.frame_index(name, self.scope)].name for name in (action.frame, action.target))
        return not isinstance(self.present, Appearance) or not any(name in self.present.motions for name in frames)


@singledispatch
def _carry_out(action: object, at: _Change) -> Structure:
    raise TypeError(f"{action!r} is not a structural action")


@_carry_out.register
def _(action: Attach, at: _Change) -> Structure:
    return edits.attach(
        at.graph, at.structure, action.frame, action.target, at.present.motion_of,
        moving=at.may_move(action), alone=at.alone, scope=at.scope,
    )  # fmt: skip


@_carry_out.register
def _(action: Release, at: _Change) -> Structure:
    return edits.release(at.graph, at.structure, action.frame, action.target, scope=at.scope)


@_carry_out.register
def _(action: ReleaseAndAttach | FlipChain, at: _Change) -> Structure:
    edit = edits.flip_chain if isinstance(action, FlipChain) else edits.release_and_attach
    return edit(
        at.graph, at.structure, action.frame, action.target, at.present.motion_of,
        release=action.release, moving=at.may_move(action), alone=at.alone, scope=at.scope,
    )  # fmt: skip


@_carry_out.register
def _(action: Delete, at: _Change) -> Structure:
    return edits.delete(at.graph, at.structure, action.frame, at.present, park=action.park, scope=at.scope)


@_carry_out.register
def _(action: Add, at: _Change) -> Structure:
    structure, at.present = edits.add(at.graph, at.structure, action.frame, at.present, action.placement, scope=at.scope)
    return structure


@_carry_out.register
def _(action: LockJoint, at: _Change) -> Structure:
    joint = at.graph.joints[at.graph.joint_index(action.joint, at.scope)].name
    state = at.present.state_of(joint)
    return edits.lock_joint(at.graph, at.structure, action.joint, state, moving=impulsive(action), scope=at.scope)


@_carry_out.register
def _(action: UnlockJoint, at: _Change) -> Structure:
    return edits.unlock_joint(at.graph, at.structure, action.joint, scope=at.scope)
