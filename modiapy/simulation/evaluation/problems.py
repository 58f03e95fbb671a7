"""Problems for integrators, one per segment of a run: machine code by address, sparsity, magnitudes of the states."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from ...acausal.protocol import AcausalComponent, Mode
from ...acausal.segment import SegmentLayout, Sparsity
from ...symbolic.codegen.compiled_model import CompiledModel
from ...symbolic.codegen.residual import ResidualFunction
from ...symbolic.codegen.systems import derivative_blocks
from ...symbolic.flat.flat_model import FlatModel
from ...symbolic.kernels.incidence import Incidence
from ...symbolic.structure.segment_incidence import sparsity_of
from ...symbolic.structure.state_incidence import StateIncidence
from ..solvers import Problem
from ..solvers.block_matrix import prepare_matrices
from ..solvers.cvode import libraries
from ..solvers.jacobian import prepare_differences
from ..solvers.linear import SMALL
from ..solvers.pool import CAPACITY
from .component_checks import ask_sparsity
from .projection import Projection

COMPONENT_STATES = 140
"""States that segments of a model may have, those of components included, from which on their sparsity is computed, in segments
with at least half of them. Below, it saves a fifth of a millisecond of an event at most, and its machine code costs six seconds
of the very first start."""


def may_have_many_states(n_states: int, components: Iterable[AcausalComponent]) -> bool:
    """Return whether the sparsity of large segments is computed; ``n_states`` are those of the equations."""
    most = [component.most_states for component in components]
    return bool(most) and n_states + sum(COMPONENT_STATES if n is None else n for n in most) >= COMPONENT_STATES


def has_own_differences(compiled: CompiledModel, flat: FlatModel) -> bool:
    """Return whether our own differences compute Jacobians of small segments: if components bring machine code.

    See `Problem`.
    """
    return bool(flat.components) and bool(derivative_blocks(compiled.sorted))


def prepare_integrators(compiled: CompiledModel, flat: FlatModel) -> None:
    """Load the machine code that integrators of a model call, so that nothing is compiled during a simulation."""
    if may_have_many_states(len(compiled.sorted.states), flat.components.values()):
        prepare_matrices()
        for component in flat.components.values():
            component.prepare_many_states()
    elif has_own_differences(compiled, flat):
        prepare_differences()


_Sizes = tuple[int, int, bool, bool, bool]
"""Number of states and of indicators of a segment, whether it is a DAE, projects, and has a sparsity that somebody wants."""


def _same(one: Sparsity | None, other: Sparsity | None) -> bool:
    if one is None or other is None or one is other:
        return one is other
    return all(
        one_part.keys() == other_part.keys() and all(np.array_equal(one_part[key], other_part[key]) for key in one_part)
        for one_part, other_part in (
            ({"starts": one.starts, "columns": one.columns}, {"starts": other.starts, "columns": other.columns}),
            (one.inputs, other.inputs),
            (one.outputs, other.outputs),
        )
    )


class Problems:
    """The problems of the last segments: equal sizes and sparsity are the same object.

    Args:
        compiled, flat: of the run.
        address: of its memory.
        projection: of its components.
        magnitudes: of the states of a segment by their number, see `Machine.magnitudes`.
        limits: what the components say of the next step, see `Problem`.
        decided: signs by which relations were decided, see `Problem`.
        bands: in which relations rest, see `Problem`.
        kinks: of the inputs over time, see `Problem`.
    """

    def __init__(
        self,
        compiled: CompiledModel,
        flat: FlatModel,
        address: int,
        projection: Projection,
        magnitudes: Callable[[int], np.ndarray | None],
        limits: np.ndarray,
        decided: Callable[[], np.ndarray],
        bands: Callable[[], np.ndarray],
        kinks: np.ndarray,
    ) -> None:
        self._limits, self._kinks = limits, kinks
        self._compiled, self._flat, self._address = compiled, flat, address
        self._projection, self._magnitudes, self._decided, self._bands = projection, magnitudes, decided, bands
        self._element_incidence: dict[bool, StateIncidence] = {}
        self._known: list[tuple[_Sizes, Sequence[Sparsity | None], Problem]] = []
        self._checked: deque[Sparsity] = deque(maxlen=CAPACITY)
        self._many = may_have_many_states(len(compiled.sorted.states), flat.components.values())
        self._prepared = has_own_differences(compiled, flat)

    def of(self, layouts: Mapping[str, SegmentLayout], n: int, n_z: int, dae: bool) -> Problem:
        """Return the problem of a segment with n states and n_z indicators; with ``dae`` its residual form too.

        Args:
            layouts: of the components, by path; what they say of their sparsity is asked for where that pays; empty where
                nobody wants it.
        """
        sizes, sparsities = (n, n_z, dae, self._projection.active, bool(layouts)), self._sparsities(layouts, n)
        for known, before, problem in self._known:
            if known == sizes and all(map(_same, before, sparsities)):
                return problem
        problem = self._new(n, n_z, dae, self._incidence(layouts, n, dae))
        self._known = [*self._known[1 - CAPACITY :], (sizes, sparsities, problem)]
        return problem

    def _sparsities(self, layouts: Mapping[str, SegmentLayout], n: int) -> Sequence[Sparsity | None]:
        """Return the sparsity that each component gives for its states in a segment; empty if sparsity would not pay."""
        if not self._is_large(n):
            return ()
        for path, layout in layouts.items():
            ask_sparsity(path, layout, self._checked)
        return [*map(sparsity_of, layouts.values())]

    def _is_large(self, n: int) -> bool:
        return self._many and 2 * n >= COMPONENT_STATES

    def _new(self, n: int, n_z: int, dae: bool, incidence: Incidence | None) -> Problem:
        compiled, address = self._compiled, self._address
        model, scratch = compiled.model, np.zeros(n)

        def rhs(t: float, x: np.ndarray, out: np.ndarray) -> int:
            return int(model(t, x.ctypes.data, out.ctypes.data, None, int(Mode.DERIVATIVES), address))

        def root(t: float, x: np.ndarray, z: np.ndarray) -> int:
            return int(model(t, x.ctypes.data, scratch.ctypes.data, z.ctypes.data, int(Mode.INDICATORS), address))

        problem = Problem(
            n,
            n_z,
            *self._addresses,
            address,
            rhs,
            root,
            nominal=self._magnitudes(n),
            incidence=incidence,
            may_have_blocks=bool(self._flat.components),
            own_differences=self._differences_pay(n),
            limits=self._limits,
            decided=self._decided,
            bands=self._bands,
            kinks=self._kinks,
        )
        problem = self._with_residuals(problem) if dae else problem
        return self._projection.of(problem) if self._projection.active else problem

    def _differences_pay(self, n: int) -> bool:
        return self._prepared if n < SMALL else self._compiled.has_residuals_with(self._flat.shapes)

    @cached_property
    def _addresses(self) -> tuple[int, int]:
        """Return the addresses of the right-hand side and of the indicators for CVODE; 0 for one that does not exist."""
        sundials = libraries()
        if sundials is None:
            return 0, 0
        symbols = {"N_VGetArrayPointer": sundials.array_pointer_address}
        return self._compiled.address_of("rhs", symbols), self._compiled.address_of("root", symbols)

    def _incidence(self, layouts: Mapping[str, SegmentLayout], n: int, dae: bool) -> Incidence | None:
        """Return the sparsity of the Jacobian in a segment; None where it is not known, or dense anyway."""
        compiled = self._compiled
        known = self._elements(n, dae) if self._flat.shapes else compiled.residual_incidence if dae else compiled.incidence
        if known is None:
            return None
        if not self._flat.components:
            return known.alone
        if not (layouts and self._is_large(n)):
            return None
        return known.in_segment(layouts)

    def _elements(self, n: int, dae: bool) -> StateIncidence | None:
        """Return the dependences of array elements, which depend on the array sizes of this simulation."""
        if n >= SMALL and dae not in self._element_incidence:
            self._element_incidence[dae] = self._compiled.element_incidence(self._flat, dae)
        return self._element_incidence.get(dae)

    def _with_residuals(self, problem: Problem) -> Problem:
        compiled, address = self._compiled, self._address
        residuals, indicators = (ResidualFunction(compiled.address_of(name)) for name in ("residuals", "indicators"))

        def residual(t: float, x: np.ndarray, xdot: np.ndarray, r: np.ndarray) -> int:
            return int(residuals(t, x.ctypes.data, xdot.ctypes.data, r.ctypes.data, address))

        def root(t: float, x: np.ndarray, xdot: np.ndarray, z: np.ndarray) -> int:
            return int(indicators(t, x.ctypes.data, xdot.ctypes.data, z.ctypes.data, address))

        residual_address = root_address = 0
        sundials = libraries("ida")
        if sundials is not None:
            symbols = {"N_VGetArrayPointer": sundials.array_pointer_address}
            residual_address, root_address = compiled.address_of("res", symbols), compiled.address_of("dae_root", symbols)
        return replace(
            problem, residual_address=residual_address, dae_root_address=root_address, residual=residual, dae_root=root
        )
