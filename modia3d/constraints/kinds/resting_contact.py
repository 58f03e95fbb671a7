"""A contact at rest: a row of the table of cuts that the engine has made of two shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...scene.basics.directions import direction_text
from ...scene.constraint_elements.row_sets import ROW_SETS
from ...topology.forest import Forest


@dataclass(frozen=True, eq=False)
class RestingContact:
    """A point of a contact, or what keeps a contact from slipping.

    Attributes:
        name: of both solids, for messages.
        kind: name of its rows in `ROW_SETS`.
        row: see `tables.cut_table`, shape (COLUMNS,).
        frame_1, frame_2: full names of the frames of both solids.
    """

    name: str
    kind: str
    row: np.ndarray
    frame_1: str
    frame_2: str
    copy: ClassVar[int] = -1

    def table_row(self, forest: Forest) -> np.ndarray:
        """Return its row for the kernels."""
        return self.row

    @property
    def row_names(self) -> tuple[str, ...]:
        """Return the names of its rows."""
        return tuple(map(direction_text, ROW_SETS[self.kind].directions))
