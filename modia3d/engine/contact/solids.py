"""Solids of a scene that collide, and what keeps some of them apart."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np

from modiapy.model.errors import ModelError, nearest

from ...collision.filter import named, pair_filter
from ...collision.shapes import shape_rows
from ...collision.tables import BODY, P_BS, R_BS, SHAPE_COLUMNS
from ...forces.contact.constants import ContactSolid, pair_row
from ...forces.contact.layout import CONTACT_COLUMNS
from ...scene.solid import SolidFeature
from ...topology.forest import DELETED, Forest
from ...topology.graph import SceneGraph
from ...topology.neighbours import rigid_bodies, separate_groups


@dataclass(frozen=True)
class CollidingSolid(ContactSolid):
    """Solid that takes part in the search for contacts.

    Attributes:
        frame: index of its frame.
        shapes: its convex parts, rows of the table of shapes with their poses in the frame.
    """

    frame: int
    shapes: np.ndarray


class ContactSolids:
    """The solids of a graph that collide; none where the scene detects no contact.

    Args:
        graph: the graph.

    Attributes:
        solids: in the order of declaration.
        shape_solid: of each shape the index of its solid: one that is not convex consists of several.

    Raises:
        ModelError: a shape cannot collide, a name of ``no_contact`` leads nowhere.
    """

    def __init__(self, graph: SceneGraph) -> None:
        self._graph = graph
        self._kept: list[np.ndarray] = []
        self._rows: dict[tuple[int, int], np.ndarray] = {}
        self.solids = tuple(self._find()) if graph.scene.enable_contact_detection else ()
        self.shape_solid = np.repeat(np.arange(len(self.solids)), [len(s.shapes) for s in self.solids]).astype(np.int64)
        self._check_names()
        self._check_materials_of_pairs()

    def __bool__(self) -> bool:
        return len(self.solids) > 1

    @property
    def rigid(self) -> bool:
        """True if some of them may have rigid contacts."""
        scene = self._graph.scene
        return bool(self) and "rigid" in (scene.contact_response, *(pair.response for pair in scene.pairs.values()))

    def _find(self) -> list[CollidingSolid]:
        found = []
        for frame, node in enumerate(self._graph.frames):
            feature = node.frame.feature
            if not isinstance(feature, SolidFeature) or not feature.collision:
                continue
            try:
                made = shape_rows(feature.shape, smoothing_radius=feature.smoothing_radius)
            except ModelError as error:
                error.path = node.name
                raise
            self._kept += made.kept
            found.append(CollidingSolid(node.name, feature, frame, made.table))
        return found

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of the frame of each shape."""
        return tuple(self.solids[k].name for k in self.shape_solid.tolist())

    @cached_property
    def _groups(self) -> tuple[str, ...]:
        return tuple(self.solids[k].solid.contact_group for k in self.shape_solid.tolist())

    @cached_property
    def _apart(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Sets of shapes that the scene keeps apart."""
        masks = ((self._mask(one), self._mask(other)) for one, other in self._graph.scene.no_contact)
        return list(masks)

    def _mask(self, name: str) -> np.ndarray:
        return named(name, self.names, self._groups)

    def _check_materials_of_pairs(self) -> None:
        """Warn of materials that pairs of the scene name, but no solid has."""
        scene = self._graph.scene
        if not self.solids or not isinstance(scene.contact_pairs, Mapping):
            return
        used = {solid.solid.surface_material.name for solid in self.solids}
        for name in sorted({name for pair in scene.pairs for name in pair} - used):
            hint = nearest(name, used)
            if hint:
                world = self._graph.frames[self._graph.world].name
                text = f"{world}: contact_pairs of Scene names the material '{name}', which no solid that collides has. {hint}"
                warnings.warn(text, stacklevel=2)

    def _check_names(self) -> None:
        if not self.solids:
            return
        for pair in self._graph.scene.no_contact:
            for name in pair:
                if not self._mask(name).any():
                    groups = sorted({group for group in self._groups if group})
                    known = [*groups, *dict.fromkeys(self.names)]
                    raise ModelError(
                        f"no_contact of Scene names '{name}'",
                        path=self._graph.frames[self._graph.world].name,
                        found="neither a contact group nor an Object3D with a Solid that collides, nor a submodel with some",
                        expected=f"one of {', '.join(known[:20])}",
                    )

    def check_pairs(self, near: np.ndarray, forest: Forest) -> None:
        """Refuse pairs of shapes, in a file, that do not exist in a forest. Raises ModelError."""
        n = len(self.shape_solid)
        inside: np.ndarray = np.all((near >= 0) & (near < n), axis=1)
        frames = np.array([solid.frame for solid in self.solids], dtype=np.int64)[self.shape_solid]
        bodies = np.append(forest.frame_body[frames], DELETED)
        here = (bodies[np.where(inside[:, None], near, n)] != DELETED).all(axis=1)
        wrong = near[~(here & (near[:, 0] < near[:, 1]))]
        if len(wrong):
            expected = f"pairs of {n} shapes that were there"
            raise ModelError("stored contacts do not fit the model", found=str(wrong.tolist()), expected=expected)

    # -- segments ---------------------------------------------------------------------------------------------------------

    def rows(self, near: np.ndarray) -> np.ndarray:
        """Return the rows of pairs of shapes, without shapes and bodies, shape (m, CONTACT_COLUMNS); they do not touch.

        Raises:
            ModelError: see `pair_row`.
        """
        pairs = self.shape_solid[near].reshape(-1, 2)
        rows = [self._row(i, j) for i, j in pairs.tolist()]
        return np.array(rows).reshape(-1, CONTACT_COLUMNS)

    def _row(self, i: int, j: int) -> np.ndarray:
        row = self._rows.get((i, j))
        if row is None:
            row = self._rows[i, j] = pair_row(self.solids[i], self.solids[j], self._graph.scene)
        return row

    def check_materials(self, forest: Forest) -> None:
        """Refuse pairs of materials of which nothing is known, where solids with them may touch.

        Args:
            forest: at the start: what is rigidly connected there, or apart by the scene, is no such pair.

        Raises:
            ModelError: see `pair_row`.
        """
        frames = np.array([solid.frame for solid in self.solids], dtype=np.int64)[self.shape_solid]
        bodies = forest.frame_body[frames]
        materials = [str(self.solids[k].solid.surface_material) for k in self.shape_solid.tolist()]
        kinds = [np.array([m == material for m in materials]) for material in dict.fromkeys(materials)]
        for first, second in combinations_with_replacement(kinds, 2):
            i, j = np.flatnonzero(first), np.flatnonzero(second)
            apart = bodies[i][:, None] == bodies[j][None, :]
            for side, there in self._apart:
                apart |= side[i][:, None] & there[j][None, :] | there[i][:, None] & side[j][None, :]
            pairs = np.argwhere(~apart)
            if len(pairs):
                self._row(*sorted((int(self.shape_solid[i[pairs[0, 0]]]), int(self.shape_solid[j[pairs[0, 1]]]))))

    def shapes(self, forest: Forest, bodies: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the table of shapes of a forest, and the number of each of its rows among all shapes; deleted ones are left
        out.

        Args:
            forest: of the segment.
            bodies: that carry the frames, in the place of the forest's.
        """
        carried = forest.frame_body if bodies is None else bodies
        frames = np.array([solid.frame for solid in self.solids], dtype=np.int64)[self.shape_solid]
        present = np.flatnonzero(carried[frames] != DELETED)
        table = np.concatenate([solid.shapes for solid in self.solids])[present]
        frames = frames[present]
        R = forest.frame_R[frames].reshape(-1, 3, 3)
        table[:, P_BS : P_BS + 3] = forest.frame_p[frames] + np.einsum("nij,nj->ni", R, table[:, P_BS : P_BS + 3])
        table[:, R_BS : R_BS + 9] = (R @ table[:, R_BS : R_BS + 9].reshape(-1, 3, 3)).reshape(-1, 9)
        table[:, BODY] = carried[frames]
        return np.ascontiguousarray(table.reshape(-1, SHAPE_COLUMNS)), present

    def filter(self, forest: Forest, present: np.ndarray) -> np.ndarray:
        """See `modia3d.collision.filter.pair_filter`; ``present`` are the shapes of the forest."""
        frames = np.array([solid.frame for solid in self.solids], dtype=np.int64)[self.shape_solid[present]]
        bodies = forest.frame_body[frames]
        rigid = np.append(rigid_bodies(forest), -1)[bodies]  # the world, -1, is behind the bodies
        graph = forest.graph
        apart = [(one[present], other[present]) for one, other in self._apart]
        return pair_filter(rigid, separate_groups(graph, forest.structure), apart, graph.frame_group[frames])
