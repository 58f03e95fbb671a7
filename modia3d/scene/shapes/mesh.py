"""Meshes read from files (OBJ, STL, glTF, COLLADA) by trimesh, an optional package, imported when the first mesh is made."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError

from ..basics import checks
from ..basics.checks import Vector3
from ..basics.paths import permitted_path
from .base import Extent, SolidShape
from .mesh_holes import LARGEST_GAP, Gap, closed_surface

FORMATS = (".obj", ".stl", ".gltf", ".glb", ".dae")


@dataclass(frozen=True)
class MeshShape(SolidShape):
    """A shape read from a file; the frame of the shape is that of the coordinates in the file.

    Attributes:
        file: OBJ, STL, glTF, GLB or DAE (COLLADA; its unit of length is applied). A relative path begins at the folder of the
            scenario, or at the current folder.
        scale: factor on all coordinates, e.g. 0.001 for a file in mm, or one for each of x, y and z; a negative one mirrors.
        watertight: the surface has to be closed where mass properties follow from it. False: small holes are closed by fans of
            triangles from their middles, with a warning that says how large they are.
        folders: where the file may be, the first one also where a relative path begins; a scenario sets it to its own folder
            and those permitted to it. Empty: anywhere.
        convex_parts: files whose convex hulls collide in the place of the mesh, e.g. from a convex decomposition of a concave
            one; same formats, folders and scale. None: the convex hull of the mesh collides.
        decompose: convex parts are found from the mesh (extra ``decompose``, seconds for some thousand triangles).

    Raises:
        ModelError: no such file, a file outside of the folders, an unknown format, a file that cannot be read, no trimesh.
    """

    file: str = ""
    scale: float | Sequence[float] = 1.0
    folders: Sequence[str] = ()
    watertight: bool = True
    convex_parts: Sequence[str] = ()
    decompose: bool = False

    def __post_init__(self) -> None:
        checks.text("Mesh", "file", self.file)
        object.__setattr__(self, "scale", _checked_scale(self.scale))
        object.__setattr__(self, "folders", checks.folders("Mesh", self.folders))
        if not isinstance(self.watertight, bool):
            raise ModelError("watertight of Mesh is wrong", found=repr(self.watertight), expected="true or false")
        if Path(self.file).suffix.lower() not in FORMATS:
            raise ModelError(
                "file of Mesh is wrong", found=repr(self.file), expected=f"a file with one of {', '.join(FORMATS)}"
            )
        if not isinstance(self.decompose, bool):
            raise ModelError("decompose of Mesh is wrong", found=repr(self.decompose), expected="true or false")
        if self.decompose and self.convex_parts:
            raise ModelError("decompose of Mesh is wrong", found="convex_parts, too", expected="one of both")
        if isinstance(self.convex_parts, str):
            raise ModelError("convex_parts of Mesh is wrong", found=repr(self.convex_parts), expected="a list of files")
        object.__setattr__(self, "convex_parts", tuple(checks.text("Mesh", "convex_parts", part) for part in self.convex_parts))
        self.surface()
        for part in self.convex_parts:
            self._with_file(part)

    @property
    def path(self) -> Path:
        """Path of the file."""
        return permitted_path("file of Mesh", self.file, self.folders)

    @property
    def part_paths(self) -> list[Path]:
        """Return the paths of the files of the convex parts."""
        return [self._with_file(part).path for part in self.convex_parts]

    def surface(self) -> Any:
        """Return the `trimesh.Trimesh`, scaled [m]; not to be changed."""
        path = self.path
        scale = self.scale if isinstance(self.scale, tuple) else (self.scale,) * 3
        from .mesh_reading import load_mesh

        return load_mesh(path, path.stat().st_mtime_ns, scale)

    def pieces(self) -> tuple[list[Any], bool]:
        """Return the objects in the file as `trimesh.Trimesh`, with colours and textures, scaled [m]; to be looked at only.

        Whatever becomes of its looks, all of the geometry is there; the second value says whether they could be read.

        Raises:
            ModelError: the file cannot be read any more.
        """
        path = self.path
        scale = self.scale if isinstance(self.scale, tuple) else (self.scale,) * 3
        from .mesh_reading import load_pieces

        return load_pieces(path, scale)

    @property
    def volume(self) -> float:
        """Volume [m3]. Raises ModelError if the mesh does not enclose one."""
        return float(self._closed().volume)

    @property
    def centroid(self) -> Vector3:
        """See `SolidShape`."""
        x, y, z = self._closed().center_mass.tolist()
        return x, y, z

    @property
    def inertia_per_mass(self) -> Vector3:
        """See `SolidShape`."""
        matrix = self._closed().moment_inertia / self.volume
        return float(matrix[0, 0]), float(matrix[1, 1]), float(matrix[2, 2])

    @property
    def products_per_mass(self) -> Vector3:
        """See `SolidShape`."""
        matrix = self._closed().moment_inertia / self.volume
        return float(matrix[0, 1]), float(matrix[0, 2]), float(matrix[1, 2])

    @property
    def bounding_box(self) -> Extent:
        """See `Extent`."""
        (x0, y0, z0), (x1, y1, z1) = self.surface().bounds.tolist()
        return (x0, y0, z0), (x1, y1, z1)

    def convex_points(self) -> list[np.ndarray]:
        """Return the points of each convex part, or of the mesh itself where none are given: (n, 3) each [m]."""
        if self.decompose:
            from .mesh_parts import convex_parts

            return convex_parts(self.surface())
        parts = [self._with_file(file) for file in self.convex_parts] or [self]
        return [_hull(part.surface()) for part in parts]

    def _with_file(self, file: str) -> MeshShape:
        return MeshShape(file, self.scale, self.folders)

    def _farthest(self, d: np.ndarray) -> np.ndarray:
        points = _hull(self.surface())
        return points[np.argmax(d @ points.T, axis=-1)]

    def _closed(self) -> Any:
        mesh = self.surface()
        if mesh.is_watertight and mesh.is_winding_consistent and mesh.volume > 0.0 and np.isfinite(mesh.moment_inertia).all():
            return mesh
        if not self.watertight:
            closed, gap = closed_surface(mesh)
            if gap.area <= LARGEST_GAP and closed.volume > 0.0 and np.isfinite(closed.moment_inertia).all():
                self._warn(gap)
                return closed
            found = f"holes of {100.0 * gap.area:.3g} % of the surface" if gap.area > LARGEST_GAP else "it is inside out"
            expected = f"at most {100.0 * LARGEST_GAP:g} %, and normals that point outwards"
        else:
            found = _why_open(mesh)
            expected = "a closed surface"
        remedy = "Give the mass properties: mass_properties=MassProperties(...)"
        remedy += ", or allow small holes: watertight=False." if self.watertight else "."
        raise ModelError(f"the mesh '{self.file}' has no volume", found=found, expected=expected, remedy=remedy)

    def _warn(self, gap: Gap) -> None:
        if gap.area > 0.0 and (self.file, gap) not in _told:
            _told.add((self.file, gap))
            holes = f"holes of {100.0 * gap.area:.2g} % of its surface, which are closed by flat triangles"
            uncertain = f"its volume is uncertain by about {100.0 * gap.volume:.2g} %"
            warnings.warn(f"the mesh '{self.file}' has {holes}: {uncertain}", stacklevel=2)


def _why_open(mesh: Any) -> str:
    """Return why a mesh is not the surface of a solid, in words."""
    if mesh.is_watertight:
        return "triangles with contradicting orientations"
    area = closed_surface(mesh)[1].area
    return (
        f"a surface with holes of {100.0 * area:.2g} % of it" if area > 0.0 else "edges at which more than two triangles meet"
    )


def _hull(mesh: Any) -> np.ndarray:
    """Return the corners of the convex hull of a mesh, or all its points where that is flat, shape (n, 3)."""
    from scipy.spatial import ConvexHull, QhullError

    if "hull" not in mesh.metadata:
        points = np.asarray(mesh.vertices)
        with contextlib.suppress(QhullError):
            points = points[ConvexHull(points).vertices]
        every = np.asarray(mesh.vertices)
        if not (
            np.array_equal(points.min(axis=0), every.min(axis=0)) and np.array_equal(points.max(axis=0), every.max(axis=0))
        ):
            ends = np.concatenate([every.argmin(axis=0), every.argmax(axis=0)])  # lost where sizes differ by many orders
            points = np.concatenate([points, every[ends]])
        mesh.metadata["hull"] = points
    return np.asarray(mesh.metadata["hull"])


_told: set[tuple[str, Gap]] = set()


def _checked_scale(scale: object) -> float | Vector3:
    """Return a positive number, or three that are not zero."""
    if not hasattr(scale, "__len__") or isinstance(scale, str):
        return checks.positive("Mesh", "scale", scale)
    factors = checks.vector3("Mesh", "scale", scale)
    if 0.0 in factors:
        raise ModelError("scale of Mesh is wrong", found=repr(factors), expected="three numbers that are not 0")
    return factors
