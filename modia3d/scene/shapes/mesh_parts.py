"""Convex parts of a concave mesh by CoACD (Wei and others 2022), an optional package."""

from __future__ import annotations

from typing import Any

import numpy as np

from modiapy.model.errors import ModelError

REMEDY = "pip install 'modia3d[decompose]', or give the parts: convex_parts=[files]."
_PARTS = "convex parts"


def convex_parts(mesh: Any) -> list[np.ndarray]:
    """Return the points of parts whose convex hulls cover a closed mesh nearly, (n, 3) each; the same for the same mesh.

    Args:
        mesh: a `trimesh.Trimesh`; it keeps its parts.

    Raises:
        ModelError: CoACD is not installed, or finds nothing.
    """
    if _PARTS not in mesh.metadata:
        mesh.metadata[_PARTS] = _decomposed(np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=np.int32))
    found: list[np.ndarray] = mesh.metadata[_PARTS]
    return found


def _decomposed(vertices: np.ndarray, triangles: np.ndarray) -> list[np.ndarray]:
    try:
        import coacd
    except ImportError as error:
        raise ModelError(
            "decompose of Mesh needs the package coacd", found=str(error), expected="an installation of it", remedy=REMEDY
        ) from None
    coacd.set_log_level("error")
    parts = coacd.run_coacd(coacd.Mesh(vertices, triangles), seed=0)
    found = [np.asarray(points, dtype=float) for points, _ in parts]
    if not found:
        raise ModelError(
            "decompose of Mesh is wrong", found="no convex part", expected="a closed surface with a volume", remedy=REMEDY
        )
    return found
