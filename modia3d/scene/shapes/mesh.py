"""Meshes read from files (OBJ, STL, glTF, COLLADA) by trimesh, an optional package, imported when the first mesh is made."""

from __future__ import annotations

import contextlib
import functools
import io
import re
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
from .mesh_dae import Unreadable, check_collada, geometry_alone, unit_of, with_looks_that_can_be_read
from .mesh_gltf import gltf_alone
from .mesh_holes import LARGEST_GAP, Gap, closed_surface

MAX_NUMBERS = 20_000_000
"""Vertices and indices of triangles that a file may declare; formats may do so without holding them."""

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
            raise ModelError("watertight of Mesh", found=repr(self.watertight), expected="true or false")
        if Path(self.file).suffix.lower() not in FORMATS:
            raise ModelError("file of Mesh", found=repr(self.file), expected=f"a file with one of {', '.join(FORMATS)}")
        if not isinstance(self.decompose, bool):
            raise ModelError("decompose of Mesh", found=repr(self.decompose), expected="true or false")
        if self.decompose and self.convex_parts:
            raise ModelError("decompose of Mesh", found="convex_parts, too", expected="one of both")
        if isinstance(self.convex_parts, str):
            raise ModelError("convex_parts of Mesh", found=repr(self.convex_parts), expected="a list of files")
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
        return _load(path, path.stat().st_mtime_ns, scale)

    def pieces(self) -> tuple[list[Any], bool]:
        """Return the objects in the file as `trimesh.Trimesh`, with colours and textures, scaled [m]; to be looked at only.

        Whatever becomes of its looks, all of the geometry is there; the second value says whether they could be read.

        Raises:
            ModelError: the file cannot be read any more.
        """
        path = self.path
        scale = self.scale if isinstance(self.scale, tuple) else (self.scale,) * 3
        return _load_pieces(path, scale)

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
        raise ModelError("scale of Mesh", found=repr(factors), expected="three numbers that are not 0")
    return factors


@functools.lru_cache(maxsize=64)
def _load(path: Path, changed_ns: int, scale: Vector3) -> Any:
    """Return the mesh of a file; ``changed_ns``, the time of its last change, makes a changed file a new one."""
    try:
        import trimesh
        from trimesh.resolvers import FilePathResolver
    except ImportError:
        raise ModelError(
            "meshes need the package trimesh", found="it is not installed", remedy="pip install modia3d[mesh]"
        ) from None
    suffix = path.suffix.lower()
    options: dict[str, Any] = {".obj": {"skip_materials": True}, ".dae": {"ignore_broken": False}}.get(suffix, {})
    try:
        content = _checked_content(path.read_bytes(), suffix)
        if suffix == ".dae":
            scale = _collada_scale(content, scale)
            content = geometry_alone(content)
        elif suffix in (".gltf", ".glb"):
            content = gltf_alone(content)
        with io.BytesIO(content) as file:
            resolver = FilePathResolver(str(path))  # it refuses what is outside of the file's folder
            mesh = trimesh.load_mesh(file, file_type=suffix[1:], resolver=resolver, **options)
        mesh.merge_vertices(merge_tex=True, merge_norm=True)
        faces, points = len(mesh.faces), np.asarray(mesh.vertices)
    except Unreadable as error:
        raise ModelError(f"the mesh '{path}' cannot be read", found=str(error), expected=f"a whole {suffix} file") from None
    except Exception as error:  # whatever the readers of the formats raise
        text = "text that is not UTF-8" if "charset_normalizer" in str(error) else f"{type(error).__name__}: {error}"
        remedy = "Open it in another program and export it again."
        raise ModelError(
            f"the mesh '{path}' cannot be read", found=text, expected=f"a whole {suffix} file", remedy=remedy
        ) from None
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        found = "coordinates that are not finite" if points.shape[-1:] == (3,) else f"points of {points.shape[-1]} coordinates"
        raise ModelError(f"the mesh '{path}' cannot be read", found=found, expected="three finite numbers for each point")
    if faces == 0:
        raise ModelError(f"the mesh '{path}' is empty", found="no triangles", expected="a surface of triangles")
    if not 0 <= mesh.faces.min() <= mesh.faces.max() < len(points):
        raise ModelError(
            f"the mesh '{path}' cannot be read", found="triangles of points that are not there", expected="whole triangles"
        )
    mesh.apply_scale(scale)
    if mesh.is_watertight and mesh.is_winding_consistent and mesh.volume < 0.0:
        mesh.invert()
    return mesh


def _load_pieces(path: Path, scale: Vector3) -> tuple[list[Any], bool]:
    """See `MeshShape.pieces`."""
    suffix = path.suffix.lower()
    try:
        content = _checked_content(path.read_bytes(), suffix)
        if suffix == ".dae":
            scale = _collada_scale(content, scale)
            alone = _parts(geometry_alone(content), path, ignore_broken=False)
        else:
            alone = _parts(gltf_alone(content) if suffix in (".gltf", ".glb") else content, path, skip_materials=True)
    except Exception as error:  # whatever the readers of the formats raise
        raise ModelError(f"the looks of the mesh '{path}' cannot be read", found=f"{type(error).__name__}: {error}") from None
    pieces = alone
    with contextlib.suppress(Exception):  # whatever the readers raise
        seen = _parts(with_looks_that_can_be_read(content)[0] if suffix == ".dae" else content, path)
        if sum(len(piece.faces) for piece in seen) == sum(len(piece.faces) for piece in alone):
            pieces = seen
    for piece in pieces:
        piece.apply_scale(scale)
    return pieces, pieces is not alone


def _parts(content: bytes, path: Path, **options: Any) -> list[Any]:
    """Return the objects in the content of a file."""
    import trimesh
    from trimesh.resolvers import FilePathResolver

    with io.BytesIO(content) as file:
        scene = trimesh.load_scene(file, file_type=path.suffix.lower()[1:], resolver=FilePathResolver(str(path)), **options)
    return [piece for piece in scene.dump() if isinstance(piece, trimesh.Trimesh) and len(piece.faces)]


def _checked_content(content: bytes, suffix: str) -> bytes:
    """Return the content of a file, text as UTF-8. Raises Unreadable where it declares more than it can hold."""
    if suffix in (".gltf", ".glb"):
        declared = sum(int(count) for count in re.findall(rb'"count"\s*:\s*(\d{1,18})', content))
        if declared > MAX_NUMBERS:
            raise Unreadable(f"{declared} vertices and indices are declared, at most {MAX_NUMBERS} are read")
    elif suffix == ".dae":
        check_collada(content)
    elif suffix == ".obj" or not _is_binary_stl(content):
        return _as_utf8(content)
    return content


def _is_binary_stl(content: bytes) -> bool:
    """Return whether an STL file is a binary one. Raises Unreadable where it is neither that nor text."""
    begins = content.lstrip()[:5].lower() == b"solid"
    if len(content) < 84 or (begins and b"facet" in content[:1000]):
        return False
    declared = int.from_bytes(content[80:84], "little")
    if len(content) == 84 + 50 * declared:
        return True
    held = (len(content) - 84) / 50.0
    raise Unreadable(f"{declared} triangles are declared and {held:.6g} are there, and it is no text that begins with 'solid'")


def _as_utf8(content: bytes) -> bytes:
    """Return the text in UTF-8; comments and names are often in older encodings."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1").encode()
    return content


def _collada_scale(content: bytes, scale: Vector3) -> Vector3:
    """Return the scale with the file's unit of length."""
    meter = unit_of(content)
    return scale[0] * meter, scale[1] * meter, scale[2] * meter
