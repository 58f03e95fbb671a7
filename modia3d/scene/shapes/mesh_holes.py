"""Holes of a mesh: how large they are, and the closed surface without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

LARGEST_GAP = 0.1
"""Part of the surface that holes may have for mass properties to be told."""


@dataclass(frozen=True)
class Gap:
    """The holes of a mesh in relation to the whole.

    Attributes:
        area: of the triangles that close them, in relation to the surface.
        volume: by how much the volume may be wrong, in relation to it: each hole may have a cap, inwards or outwards, as high
            as the hole is wide (half a sphere: two thirds of its area times its radius).
    """

    area: float
    volume: float


def closed_surface(mesh: Any) -> tuple[Any, Gap]:
    """Return a mesh with fans of triangles over its holes, and their size.

    The edges without a triangle on their other side are cycles, and a fan from any point to all of them closes the surface: the
    integrals over the volume do not depend on the place of the origin any more. One point for each hole, its middle, makes
    the triangles small.

    Args:
        mesh: a `trimesh.Trimesh`; it is not changed.
    """
    import trimesh
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
    keys, place = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    forwards = np.where(edges[:, 0] < edges[:, 1], 1, -1)
    net = np.zeros(len(keys), dtype=int)
    np.add.at(net, place.ravel(), forwards)
    open_edges = np.repeat(np.where((net > 0)[:, None], keys, keys[:, ::-1]), np.abs(net), axis=0)
    vertices = np.asarray(mesh.vertices)
    n, count = len(vertices), len(open_edges)
    links = coo_matrix((np.ones(count), (open_edges[:, 0], open_edges[:, 1])), shape=(n, n))
    hole_of = connected_components(links, directed=False)[1][open_edges[:, 0]]
    holes, hole_of = np.unique(hole_of, return_inverse=True)
    sizes = np.maximum(np.bincount(hole_of, minlength=len(holes)), 1)
    centres = vertices[open_edges].mean(axis=1)
    middles = np.zeros((len(holes), 3))
    np.add.at(middles, hole_of, centres / sizes[hole_of, None])
    fans = np.column_stack([open_edges[:, ::-1], n + hole_of])
    closed = trimesh.Trimesh(np.concatenate([vertices, middles]), np.concatenate([mesh.faces, fans]), process=False)
    if closed.volume < 0.0 and mesh.is_winding_consistent:
        closed.invert()
    areas = closed.area_faces[len(mesh.faces) :]
    radii = np.linalg.norm(centres - middles[hole_of], axis=1)
    return closed, Gap(float(areas.sum() / mesh.area), float((2.0 / 3.0) * (areas @ radii) / abs(closed.volume)))
