"""Systems of equations in the memory of a simulation: how each is solved, where it lies, whether an integrator may solve it.

All of it follows from the incidence of elements. For systems of scalars it is decided when code is generated, for those with
array unknowns when the sizes of a simulation are known; the rules are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..flat.flat_model import FlatModel
from ..kernels import linear_memory
from ..kernels.incidence import Incidence
from ..kernels.linear_memory import ACTIVE, LAPACK_SIZE, LINEAR
from ..kernels.newton_memory import NEWTON
from ..kernels.sparse_memory import SPARSE, SPARSE_SIZE, is_sparse, sparse_sizes, write_pattern
from ..sorted.parts import LinearBlock, NonlinearBlock
from ..sorted.sorted_model import SortedModel
from ..structure.state_incidence import block_incidence
from ..terms.arrays import Shape, element_names, shape_at, size
from .groups import impulse_blocks

DAE_SIZE = 12
"""Unknowns of a linear system from which on it is left to the integrator in DAE mode. Measured, damped chains of n links (see
`benchmarks.dae_mode`), ODE and DAE mode, CPU time [ms]: 8.4 and 6.6 for 12, 21 and 12 for 20, 50 and 30 for 40. Smaller systems
would gain little if they were left to it too (2.2 and 2.3 for 2, 3.3 and 2.9 for 5, 6.8 and 5.8 for 10, and that without an
event): IDA takes a third more steps with two to three times the evaluations, each of its beginnings solves the systems after
all, and results of robots with up to eleven driven joints do not depend on who integrates. Nonlinear systems are solved in any
case: their unknowns are seldom derivatives of states alone, and Newton's method begins at the last solution, from which four
evaluations and one or two Jacobians are enough."""


class Solver(StrEnum):
    """Solver of a system: a division for one unknown, LU factors of some kind for linear ones."""

    DIVISION = "division"
    LU = "LU"
    LAPACK = "LAPACK"
    SPARSE = "sparse LU"
    ACTIVE = "LU of what acts"
    NEWTON = "Newton"


@dataclass(frozen=True)
class System:
    """A system of equations between numbers.

    Attributes:
        index: of its block.
        names: of the unknowns, elements of arrays one by one; opened variables behind the torn ones.
        torn: number of unknowns without opened ones.
        offset: of its memory in the workspace, in words.
        solver: how it is solved.
        constant: whether its matrix is factorised once.
        incidence: of residuals and unknowns where factors are sparse.
        given: whether an integrator of residuals supplies the unknowns.
    """

    index: int
    names: tuple[str, ...]
    torn: int
    offset: int
    solver: Solver
    constant: bool = False
    incidence: Incidence | None = None
    given: bool = False

    @property
    def size(self) -> int:
        """Number of all unknowns."""
        return len(self.names)

    @property
    def words(self) -> int:
        """Eight-byte words of its memory."""
        if self.solver is Solver.NEWTON:
            return NEWTON.words(all=self.size)
        if self.solver is Solver.ACTIVE:
            return ACTIVE.words(n=self.size)
        return LINEAR.words(n=self.size) if self.incidence is None else SPARSE.words(**sparse_sizes(self.incidence))

    def field(self, name: str) -> int:
        """Return the words before a field of its memory."""
        return NEWTON.offset(name, all=self.size) if self.solver is Solver.NEWTON else LINEAR.offset(name, n=self.size)

    def factors(self) -> list[int]:
        """Return the words in the workspace that say whether there are factors of its matrix."""
        if self.solver is Solver.NEWTON:
            return []
        return [self.offset + linear_memory.FACTORISED, self.offset + linear_memory.FACTORS]

    def write(self, workspace: np.ndarray) -> None:
        """Fill what is constant in the memory of a linear system."""
        if self.solver is Solver.NEWTON:
            return
        header = workspace[self.offset : self.offset + linear_memory.HEADER]
        header[linear_memory.SIZE], header[linear_memory.CONSTANT] = self.size, self.constant
        if self.solver is not Solver.DIVISION:
            from ..kernels.linear_iteration import lapack_address, linear_iteration

            header[linear_memory.KERNEL] = linear_iteration.address or 0
            header[linear_memory.LAPACK] = lapack_address() if self.size >= LAPACK_SIZE else 0
        if self.solver is Solver.ACTIVE:
            from ..kernels.active_iteration import active_iteration

            header[linear_memory.KERNEL] = active_iteration.address or 0
        if self.incidence is not None:
            from ..kernels.sparse_iteration import sparse_iteration

            header[linear_memory.KERNEL] = sparse_iteration.address or 0
            write_pattern(workspace[self.offset : self.offset + self.words], self.incidence)

    def acting(self, workspace: np.ndarray) -> int:
        """Return how many unknowns of a system of impulses were computed together at most; 0 of other systems."""
        return int(workspace[self.offset + linear_memory.ENTRIES]) if self.solver is Solver.ACTIVE else 0

    def factorisations(self, workspace: np.ndarray) -> int:
        """Return how often the matrix of a linear system was factorised."""
        return int(workspace[self.offset + linear_memory.FACTORISATIONS])


def lay_out_systems(model: SortedModel, blocks: Iterable[int], flat: FlatModel, offset: int = 0) -> tuple[System, ...]:
    """Return the systems of equations of these blocks, one after the other from ``offset`` on.

    Args:
        model: sorted.
        blocks: numbers of linear and nonlinear blocks.
        flat: with the values and sizes of arrays.
        offset: words in the workspace before them.
    """
    given = left_to_integrator(model, flat.shapes)
    impulsive = impulse_blocks(model)
    found = []
    for index in blocks:
        block = model.blocks[index]
        assert isinstance(block, LinearBlock | NonlinearBlock)
        names = tuple(element_names(block.unknowns, flat.shapes))
        if isinstance(block, NonlinearBlock):
            opened = tuple(element_names(block.opened, flat.shapes))
            system = System(index, names + opened, len(names), offset, Solver.NEWTON)
        else:
            active = index in impulsive and not _has_arrays(block, flat.shapes)
            incidence = None if active else _sparse_incidence(model, block, flat, len(names))
            solver = _linear_solver(len(names), incidence, _has_arrays(block, flat.shapes))
            solver = Solver.ACTIVE if active and solver is not Solver.DIVISION else solver
            system = System(index, names, len(names), offset, solver, block.constant, incidence, index in given)
        found.append(system)
        offset += system.words
    return tuple(found)


def _linear_solver(n: int, incidence: Incidence | None, in_loop: bool) -> Solver:
    if incidence is not None:
        return Solver.SPARSE
    if n == 1 and not in_loop:
        return Solver.DIVISION
    return Solver.LU if n < LAPACK_SIZE else Solver.LAPACK


def _sparse_incidence(model: SortedModel, block: LinearBlock, flat: FlatModel, n: int) -> Incidence | None:
    """Return the incidence of a system that is large and sparse, else None."""
    if n < SPARSE_SIZE:
        return None
    incidence = block_incidence(model, flat, block)
    return incidence if is_sparse(incidence) else None


def _has_arrays(block: LinearBlock | NonlinearBlock, shapes: Mapping[str, Shape]) -> bool:
    """Return whether arrays are among the unknowns, so that sizes and places depend on a simulation."""
    opened = block.opened if isinstance(block, NonlinearBlock) else ()
    return bool(shapes) and any(shape_at(name, shapes) for name in (*block.unknowns, *opened))


def systems_of_scalars(model: SortedModel) -> list[int]:
    """Return the numbers of the blocks that are systems of scalars: they lie in the same place in every simulation."""
    return [k for k in _systems(model) if not _has_arrays(model.blocks[k], model.flat.shapes)]  # type: ignore[arg-type]


def systems_of_arrays(model: SortedModel) -> list[int]:
    """Return the numbers of the blocks that are systems with array unknowns."""
    return [k for k in _systems(model) if _has_arrays(model.blocks[k], model.flat.shapes)]  # type: ignore[arg-type]


def _systems(model: SortedModel) -> list[int]:
    return [k for k, block in enumerate(model.blocks) if isinstance(block, LinearBlock | NonlinearBlock)]


def derivative_blocks(model: SortedModel) -> dict[int, tuple[int, ...]]:
    """Return the linear systems in derivatives of states alone: index of the block -> for each unknown the state it stands
    for.
    """
    state_of = {name: k for k, name in enumerate(model.derivatives)}
    return {
        index: tuple(state_of[name] for name in block.unknowns)
        for index, block in enumerate(model.blocks)
        if isinstance(block, LinearBlock) and all(name in state_of for name in block.unknowns)
    }


def integrator_blocks(model: SortedModel) -> dict[int, tuple[int, ...]]:
    """Return those of `derivative_blocks` whose unknowns an integrator can supply: at least `DAE_SIZE` scalars, or arrays, of
    which `System.given` says in a simulation whether they are large enough."""
    return {
        index: states
        for index, states in derivative_blocks(model).items()
        if len(states) >= DAE_SIZE or _has_arrays(model.blocks[index], model.flat.shapes)  # type: ignore[arg-type]
    }


def left_to_integrator(model: SortedModel, shapes: Mapping[str, Shape]) -> dict[int, tuple[int, ...]]:
    """Return those of `integrator_blocks` that are large enough with these shapes."""

    def elements(states: Sequence[int]) -> int:
        return sum(size(shape_at(model.states[k], shapes)) for k in states) if shapes else len(states)

    return {k: states for k, states in integrator_blocks(model).items() if elements(states) >= DAE_SIZE}


def has_residuals(model: SortedModel, shapes: Mapping[str, Shape] | None = None) -> bool:
    """Return whether the model has a residual form of its own, other than ``der(x) - f``; without shapes: with some sizes."""
    blocks = integrator_blocks(model) if shapes is None else left_to_integrator(model, shapes)
    return bool(model.constraints) or bool(blocks)


def residuals_are_faster(systems: Iterable[System]) -> bool:
    """Return whether the residual form is the faster one: a system is left to the integrator whose matrix varies, or is sparse.

    Factors of a full matrix that is constant are computed once, and CVODE takes fewer steps than IDA. Measured, models of
    `tests/modiapy/arrays/test_parity.py`, ODE and DAE mode, process time [ms]: full and constant 1.4 and 1.6 for 14 unknowns,
    4.7 and 6.8 for 44, 18 and 32 for 100; sparse and constant 68 and 30 for 240, 4600 and 360 for 900; full and varying 16 and
    9 for 44, 135 and 61 for 100.
    """
    return any(system.given and (not system.constant or system.solver is Solver.SPARSE) for system in systems)
