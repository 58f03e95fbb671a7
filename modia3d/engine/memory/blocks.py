"""What the changing memory of a segment consists of: sizes, views and the accessors of kernels follow from it (no numba).

A block is one stretch of float64 numbers. Its arrays are named, with their shapes as expressions of sizes.
"""

from __future__ import annotations

import math

import numpy as np

from ...dynamics.basics.layout import WORK_COLUMNS


class Block:
    """Arrays one behind the other in one stretch of memory."""

    def __init__(self, *sizes: str, **arrays: str) -> None:
        """Name the sizes, and the arrays with their shapes: ``Block("n", R="n, 9", p="n, 3")``."""
        self.sizes = sizes
        self.arrays = {name: tuple(part.strip() for part in shape.split(",")) for name, shape in arrays.items()}
        shapes = ", ".join(f"({', '.join(shape)},)" for shape in self.arrays.values())
        self._shapes = eval(f"lambda {', '.join(sizes)}: ({shapes},)")  # once: a segment is made in less than a millisecond

    def size(self, *sizes: int) -> int:
        """Number of float64."""
        return sum(map(math.prod, self._shapes(*sizes)))

    def views(self, memory: np.ndarray, *sizes: int) -> dict[str, np.ndarray]:
        """The arrays at the beginning of a stretch of memory."""
        found, at = {}, 0
        for name, shape in zip(self.arrays, self._shapes(*sizes), strict=True):
            end = at + math.prod(shape)
            found[name] = memory[at:end].reshape(shape)
            at = end
        return found

    def source(self, name: str) -> str:
        """A function ``name(at, sizes..)`` of kernels as text: the arrays at an address, and the address behind them."""
        lines = [f"def {name}(at, {', '.join(self.sizes)}):"]
        for array, shape in self.arrays.items():
            extent = shape[0] if len(shape) == 1 else f"({', '.join(shape)})"
            lines += [
                f"    {array} = float64_array(at, {extent})",
                f"    at += 8 * {' * '.join(f'({part})' for part in shape)}",
            ]
        return "\n".join([*lines, f"    return {', '.join(self.arrays)}, at"])


WORKING = Block(
    "n", "n_q", "n_v", "n_e",
    q="n_q", v="n_v", tau="n_v", a="n_v", mass="n_e, n_e", bias="n_e", coupling="n_e, n_v - n_e", work=f"n, {WORK_COLUMNS}",
)  # fmt: skip
"""At the slot MEMORY: coordinates and speeds, generalized force besides all others, accelerations; M_e, h_e and coupling of the
joints of the equations; workspace of the dynamics. Where there are forces, `LOADED` follows, then the workspace of the search
for massless points (`modia3d.forces.basics.layout.point_work_shape`)."""

LOADED = Block("rows", R="rows, 9", p="rows, 3", v_W="rows, 3", w_W="rows, 3", wrenches="rows, 6")
"""Motion of bodies and massless points, or of pieces of bodies, and what forces do to each."""

POSES = Block("n", R="n, 9", p="n, 3")
VELOCITIES = Block("n", v_W="n, 3", w_W="n, 3")
ACCELERATIONS = Block("n", a_W="n, 3", alpha_W="n, 3")
"""Of all bodies, for force signals and sensors."""
