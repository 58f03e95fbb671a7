"""The spanning forest of a segment: bodies and joints in the order in which the kernels go over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from modiapy.acausal.memory import data_address
from modiapy.acausal.once import once

from ..dynamics.basics import layout
from ..dynamics.joints.kinds import KINDS
from .cuts import Cut
from .edges import Edges, cut_edges, element_cuts, present_edges
from .forest_layout import FOREST, RESULTS, SCRATCH
from .graph import SceneGraph
from .lock_paths import form_loops
from .structure import Structure

WORLD, DELETED = -1, -2
"""Values of ``frame_body``: fixed in the world, not there any more."""

_NONE_DELETED = np.zeros(0, np.int64)
_RESULTS = tuple(RESULTS.arrays)


@dataclass(eq=False)
class Forest:
    """Bodies in an order where parents come first, and the frames they carry. Arrays as in `modia3d.dynamics`.

    Not to be changed once it is made: results and segments share it. It is not frozen because it is made at every event.

    Attributes:
        graph, structure: what it was made of.
        ints: int64 (n, 8). floats: float64 (n, 32). gravity: float64 (3,), see `modia3d.dynamics.basics.layout`.
        body_joint: int64 (n,), index of the joint that moves the body in ``graph.joints``; ``-1 - k`` for the free root of
            ``graph.assemblies[k]``.
        turned: int64 (n,), 1 where the joint is traversed from obj2 to obj1, so that the body carries obj1.
        frame_body: int64 (nf,), body that carries each frame, `WORLD` or `DELETED`.
        frame_R: float64 (nf, 9), ``R_BF``; frame_p: float64 (nf, 3), ``p_BF_B``; B is W for frames of the world;
            zero for deleted frames.
        x_place: int64 (n_x,), where each state ``x_var`` stands in a vector with `layout.X_PLACES` places for each of
            ``graph.state_names``: coordinates from the first one on, speeds from `layout.V_PLACE` on.
        nq, nv: number of coordinates and speeds, prescribed joints included; nv are the degrees of freedom.
        n_equation: number of prescribed joints; they are the first in q and v.
        cuts: what closes its loops. rigid_cuts: what would, if both its frames were not on one body.
        halves: of bodies that are cut in two: body, ``R_BF`` (3, 3) and ``p_BF_B`` (3,) of the copies of frames; their indices
            begin behind the last frame of the graph.
    """

    graph: SceneGraph
    structure: Structure
    ints: np.ndarray
    floats: np.ndarray
    gravity: np.ndarray
    body_joint: np.ndarray
    turned: np.ndarray
    frame_body: np.ndarray
    frame_R: np.ndarray
    frame_p: np.ndarray
    x_place: np.ndarray
    nq: int
    nv: int
    n_equation: int
    cuts: tuple[Cut, ...] = ()
    rigid_cuts: tuple[Cut, ...] = ()
    halves: tuple[tuple[int, np.ndarray, np.ndarray], ...] = ()

    @property
    def n(self) -> int:
        """Number of bodies."""
        return len(self.ints)

    @property
    def dof(self) -> int:
        """Degrees of freedom; joints that are locked have none."""
        return self.nv - len(self.structure.locked)

    @property
    def n_automatic(self) -> int:
        """Number of orientations whose Cardan sequence is changed near its singularity."""
        return int(np.count_nonzero(self.ints[:, layout.AUTOMATIC])) if self.graph.has_automatic else 0

    @property
    def n_x(self) -> int:
        """Number of states ``x_var = (q_h, v_h)``."""
        return self.nq + self.nv - 2 * self.n_equation

    @once
    def body_names(self) -> tuple[str, ...]:
        """Name of the joint, or of the free root frame, that each body's coordinates belong to."""
        graph = self.graph
        return tuple(graph.joints[j].name if j >= 0 else graph.assemblies[-1 - j].name for j in self.body_joint.tolist())

    @once
    def x_names(self) -> tuple[str, ...]:
        """Return the names of ``x_var``: coordinates (``<root>.r[i]``, ``<root>.q[i]``, ``<joint>.phi``), speeds
        (``<root>.v[i]``).
        """
        names = [self.graph.state_names[k] for _, k in self.passive]
        return tuple(name for q, _ in names for name in q) + tuple(name for _, v in names for name in v)

    @once
    def reversed(self) -> np.ndarray:
        """Return ``turned`` as bool (n,)."""
        return self.turned.astype(bool)

    @once
    def passive(self) -> tuple[tuple[int, int], ...]:
        """Return the bodies whose coordinates are in ``x_var``, in the order of these: (body, index in
        ``graph.state_names``).
        """
        joints, n_joints = self.body_joint.tolist(), len(self.graph.joints)
        roles = self.ints[:, layout.ROLE].tolist()
        return tuple(
            (body, j if j >= 0 else n_joints - 1 - j)
            for body, (j, role) in enumerate(zip(joints, roles, strict=True))
            if role != layout.PRESCRIBED
        )

    @once
    def indices(self) -> dict[str, tuple[int, int, int]]:
        """Return the body, first index in q and in v of each joint and free root, by name."""
        columns = self.ints[:, [layout.Q_INDEX, layout.V_INDEX]].tolist()
        return {name: (body, *columns[body]) for body, name in enumerate(self.body_names)}

    def joint_of_speed(self, k: int) -> str:
        """Name of the joint or free root that the speed v[k] belongs to."""
        starts = self.ints[:, layout.V_INDEX]
        return self.body_names[int(np.argmax(np.where(starts <= k, starts, -1)))]

    def sequence(self, body: int) -> str:
        """Return how the coordinates of a body describe an orientation; "quaternion" also where there is none."""
        return layout.SEQUENCES[self.ints[body, layout.ORIENTATION]]

    @once
    def free_roots(self) -> tuple[str, ...]:
        """Return the names of the root frames of all free trees, in the order of their bodies."""
        names = self.body_names
        return tuple(names[body] for body, j in enumerate(self.body_joint.tolist()) if j < 0)

    @once
    def reversed_joints(self) -> frozenset[str]:
        """Return the names of the joints that are traversed against their direction."""
        return frozenset(name for name, flag in zip(self.body_names, self.turned.tolist(), strict=True) if flag)

    def frame_pose(self, frame: int) -> tuple[int, np.ndarray, np.ndarray]:
        """Return the body, ``R_BF`` (3, 3) and ``p_BF_B`` (3,) of a frame, or of a copy of one in a body that is cut in two."""
        if frame >= len(self.frame_body):
            return self.halves[frame - len(self.frame_body)]
        return int(self.frame_body[frame]), self.frame_R[frame].reshape(3, 3), self.frame_p[frame]

    def __str__(self) -> str:
        names, kinds = self.body_names, KINDS
        lines = [f"{self.n} bodies, {self.dof} degrees of freedom"]
        for body, row in enumerate(self.ints):
            parent = "world" if row[layout.PARENT] < 0 else names[row[layout.PARENT]]
            notes = ("prescribed", "passive", "locked")[row[layout.ROLE]]
            notes += ", reversed" if self.turned[body] else ""
            mass = self.floats[body, layout.MASS]
            lines.append(f"{body:4d} {names[body]} <- {parent}: {kinds[row[layout.KIND]]}, {notes}, {mass:.6g} kg")
        for cut in self.cuts:
            one, two = (
                self.graph.frames[k].name if k < len(self.frame_body) else "its copy" for k in (cut.frame_1, cut.frame_2)
            )
            lines.append(f"cut  {cut.name}: {one} - {two}, {cut.joint.kind}")
        return "\n".join(lines)


class StateNames(Sequence[str]):
    """The names of a forest's ``x_var``, made when the first one is asked for; only their number is known at once."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest

    def __len__(self) -> int:
        return self._forest.n_x

    def __getitem__(self, index: Any) -> Any:
        return self._forest.x_names[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._forest.x_names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


def spanning_forest(graph: SceneGraph, structure: Structure, may_close: bool = True) -> Forest:
    """Return the breadth first from the world over joints and locks, then from the root of each assembly that was not reached.

    Locked groups become one body with one inertia. A joint that is met from its ``obj2`` is reversed: its axis is negated, so
    that its coordinate keeps its meaning. A tree that does not hang on the world gets a free joint; its root is the root
    frame of the assembly declared first among those locked together. Fixed and locked joints are like locks. Where there are
    loops, `cuts` says what is left out. The work is linear in frames, groups, joints and locks.

    Equal arguments give bit-identical arrays. It is known that locks close no loop where they must not (``may_close``).

    Raises:
        ModelError: a loop through the world has nothing with mass in it.
    """
    edges = present_edges(graph, structure)
    cuts: tuple[Cut, ...] = ()
    if graph.has_loops or (may_close and form_loops(graph, structure)):
        edges, cuts = cut_edges(graph, structure, edges)
    return _forest_of(graph, structure, edges, cuts)


def _forest_of(graph: SceneGraph, structure: Structure, edges: Edges, cuts: tuple[Cut, ...]) -> Forest:
    """Return the forest over edges without loops, which has ``cuts`` besides."""
    deleted, parts = _NONE_DELETED, edges.parts
    if structure.deleted:
        deleted = np.array([assembly.name in structure.deleted for assembly in graph.assemblies], dtype=np.int64)
    sizes = {**parts.sizes, "n_locks": len(edges.lock_frames), "n_deleted": deleted.size}
    results, ints, floats, body_joint, turned, frame_body, frame_R, frame_p, x_place = RESULTS.zeros(*_RESULTS, **sizes)
    scratch = np.empty(SCRATCH.words(**sizes))
    head = FOREST.head(
        **sizes, deleted=deleted, lock_frames=edges.lock_frames, lock_poses=edges.lock_poses,
        results=data_address(results), scratch=data_address(scratch),
    )  # fmt: skip
    words = np.array(head)
    n, nq, nv, loops = _kernel()(parts.address, data_address(words))
    assert not loops
    ints, floats, body_joint = ints[:n], floats[:n], body_joint[:n]
    for body in range(n) if structure.locked else ():
        joint = body_joint[body]
        if joint >= 0 and parts.joint_ints[joint, 1] < 0 and structure.side_of(graph.joints[joint].name) is not None:
            ints[body, layout.ROLE] = layout.LOCKED
    n_e = graph.n_equation
    forest = Forest(
        graph, structure, ints, floats, graph.gravity_vector, body_joint, turned[:n], frame_body, frame_R, frame_p,
        x_place[: nq + nv - 2 * n_e], nq, nv, n_e,
    )  # fmt: skip
    cuts += element_cuts(graph) if graph.elements else ()
    return _with_cuts(forest, cuts) if cuts else forest


def _with_cuts(forest: Forest, cuts: tuple[Cut, ...]) -> Forest:
    """Return a forest with cuts between frames that are there; its last frames are those of bodies that are cut in two."""
    body, R, p = forest.frame_body, forest.frame_R, forest.frame_p
    n = len(forest.graph.frames)
    cuts = tuple(cut for cut in cuts if DELETED not in (body[cut.frame_1], body[cut.frame_2]))
    moving = tuple(cut for cut in cuts if body[cut.frame_1] != body[cut.frame_2])
    halves = zip(body[n:].tolist(), R[n:].reshape(-1, 3, 3), p[n:], strict=True)
    forest.frame_body, forest.frame_R, forest.frame_p, forest.halves = body[:n], R[:n], p[:n], tuple(halves)
    forest.cuts, forest.rigid_cuts = moving, tuple(cut for cut in cuts if cut not in moving)
    return forest


@cache
def _kernel() -> Any:
    """Return the kernel, which is imported when the first forest is made: numba is not needed before."""
    from .forest_kernel import build_spanning_forest

    return build_spanning_forest.call
