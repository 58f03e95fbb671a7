"""Gravity that differs from place to place, as rows of the table of forces: it acts on each solid with mass for itself.

So what is fixed or locked together still feels the differences of the field.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from modiapy.model.errors import ModelError
from modiapy.model.functions import UserFunction

from ..scene.gravity import GravityPool, PointGravity, UserGravity
from ..scene.solid import SolidFeature
from ..topology import inertia
from ..topology.forest import DELETED, WORLD, Forest
from ..topology.graph import SceneGraph
from .elements.declaration import Declaration
from .elements.mutual_gravity import MUTUAL_GRAVITY
from .elements.point_gravity import POINT_GRAVITY
from .elements.user_gravity import USER_GRAVITY

ForceRow = tuple[Declaration, tuple[int, int], tuple[float, ...]]
"""What acts, indices of both frames, the parameters of the row."""


def has_field(graph: SceneGraph) -> bool:
    """Return whether gravity is not the same everywhere."""
    return isinstance(graph.scene.gravity, PointGravity | UserGravity | GravityPool)


def solid_masses(graph: SceneGraph) -> dict[int, tuple[float, tuple[float, ...]]]:
    """Return the mass and centre of mass in the frame of each solid with mass, by index of the frame."""
    masses = {}
    for frame, node in enumerate(graph.frames):
        own = node.frame.feature.inertia() if isinstance(node.frame.feature, SolidFeature) else None
        if own is not None and own.mass > 0.0:
            moment: np.ndarray = inertia.about_origin(own)[1:4]
            masses[frame] = own.mass, tuple((moment / own.mass).tolist())
    return masses


def check_gravity(graph: SceneGraph) -> None:
    """Raise ModelError if a field cannot be compiled, or a pool names an unknown frame or one without mass."""
    gravity = graph.scene.gravity
    if isinstance(gravity, UserGravity):
        _addresses(gravity)
    if isinstance(gravity, GravityPool):
        masses, world = solid_masses(graph), graph.frames[graph.world].name
        for name in gravity.bodies:
            if graph.frame_index(name, world.rpartition(".")[0], user=f"{world}.feature.gravity") not in masses:
                raise ModelError(
                    f"'{name}' cannot be a body of a GravityPool",
                    path=world,
                    found="no mass",
                    expected="an Object3D with a Solid that has mass",
                )


def gravity_declared(graph: SceneGraph) -> tuple[Declaration, ...]:
    """Return the rows of gravity in the table of forces; none where it is the same everywhere."""
    kinds = ((PointGravity, POINT_GRAVITY), (UserGravity, USER_GRAVITY), (GravityPool, MUTUAL_GRAVITY))
    return tuple(declared for kind, declared in kinds if isinstance(graph.scene.gravity, kind))


def gravity_rows(forest: Forest) -> Iterator[ForceRow]:
    """Generate the rows of a forest."""
    graph = forest.graph
    gravity, world = graph.scene.gravity, graph.world
    if isinstance(gravity, GravityPool):
        yield from _pool_rows(forest, gravity)
    elif isinstance(gravity, PointGravity | UserGravity):
        for frame, (mass, centre) in solid_masses(graph).items():
            if forest.frame_body[frame] in (WORLD, DELETED):
                continue
            if isinstance(gravity, PointGravity):
                numbers = (gravity.mu, mass, *gravity.position, *centre)
                yield POINT_GRAVITY, (frame, world), numbers
            else:
                yield USER_GRAVITY, (frame, world), (*_addresses(gravity), mass, *centre)


def _addresses(gravity: UserGravity) -> tuple[float, float]:
    from modiapy.symbolic.codegen.external import machine_code

    acceleration, potential = gravity.acceleration, gravity.potential
    assert isinstance(acceleration, UserFunction)
    return float(machine_code(acceleration)), float(machine_code(potential)) if isinstance(potential, UserFunction) else 0.0


def _pool_rows(forest: Forest, gravity: GravityPool) -> Iterator[ForceRow]:
    graph = forest.graph
    masses = solid_masses(graph)
    scope = graph.frames[graph.world].name.rpartition(".")[0]
    pool = sorted({graph.frame_index(name, scope) for name in gravity.bodies} or masses)
    present = [frame for frame in pool if forest.frame_body[frame] != DELETED]
    for one, two in combinations(present, 2):
        if forest.frame_body[one] != forest.frame_body[two]:  # within one body the forces cancel
            (m_1, c_1), (m_2, c_2) = masses[one], masses[two]
            yield MUTUAL_GRAVITY, (one, two), (gravity.G * m_1 * m_2, *c_1, *c_2)
