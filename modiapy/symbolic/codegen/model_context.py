"""`ModelContext`: the memory that one simulation of a compiled model works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...acausal.memory import data_address
from ...acausal.protocol import CONTEXT_SLOTS
from ...model.errors import ModelError, nearest
from ..flat.flat_model import FlatModel, Variable
from ..kernels.newton_memory import Header, NewtonMemory, Part
from ..sorted.initial_values import guess_values, inherit_initial_values, nominal_values
from .array_layout import ArrayLayout, array_values
from .compiled_model import CompiledModel
from .context import AT_EVENTS, MODES, ContextSlot, event_sizes
from .systems import Solver, System


class ModelContext:
    """The memory that a compiled model works on, at a stable address.

    Arrays may be written in place; after parameters call `invalidate`, because constant matrices depend on them.

    Args:
        model: whose memory it is.
        parameters: values that differ from those of the flat model.
        component_contexts: the context of each component, shape (CONTEXT_SLOTS,) int64, in the order of
            ``sorted.flat.components``; held by the context.
        flat: of this simulation, with the values and sizes of its arrays; the one that was translated if it is None.

    Raises:
        ModelError: an unknown parameter, or a context is missing or has the wrong shape.

    Attributes:
        address: of the slots, the ``ctx`` of the machine code.
        parameters: values in the order of ``sorted.flat.parameters``.
        modes: 1.0 where a relation holds, shape (number of relations,).
        after: 1.0 where the k-th time event has passed, shape (number of time events,).
        pre: values of variables before the present iteration, shape (``layout.n_memory``,): scalars, then elements of arrays.
        flags: of the tickers, see `discrete`.
        time_events: arguments of ``after``, written in EVENT mode [s].
        current: values of what is remembered, written in EVENT mode.
        reinits: for each re-initialisation 1.0 where it is active and the new value, written in EVENT mode.
        array_reinits: the same for arrays, see `ArrayLayout.reinits`.
        inputs: values of the scalar inputs; those of arrays are found by `input_values`.
        unknowns: values in the order of ``sorted.stored``, written in OUTPUTS mode.
        components: the contexts of the components.
        layout: where arrays lie.
        systems: systems of equations, those with array unknowns last.
        newton: memory of the nonlinear ones, in this order.
        factorised: words of `workspace` that are zero where matrices are to be factorised anew.
    """

    def __init__(
        self,
        model: CompiledModel,
        parameters: Mapping[str, float] | None = None,
        component_contexts: Sequence[np.ndarray] = (),
        flat: FlatModel | None = None,
    ) -> None:
        s, parameters = model.sorted, parameters or {}
        self._flat = flat = flat or s.flat
        self.systems = model.systems_with(replace(flat, parameters={**flat.parameters, **parameters}))
        self.layout = ArrayLayout(s, flat.shapes, {system.index: system for system in self.systems})
        self._check_components(list(s.flat.components), component_contexts)
        self.compiled = model
        self.components = list(component_contexts)
        for name in parameters:
            if name not in s.flat.parameters:
                raise ModelError("unknown parameter", path=name, remedy=nearest(name, s.flat.parameters))
        self.parameters = np.array(list({**s.flat.parameters, **parameters}.values()), dtype=float)
        sizes = event_sizes(s, self.layout.n_memory, self.layout.n_reinits)
        self._memory, self._at_events = np.zeros(MODES.words(**sizes)), np.full(AT_EVENTS.words(**sizes), np.inf)
        self.modes, self.after, self.flags, self.pre = MODES.views(self._memory, **sizes).values()
        self.time_events, self.reinits, self.current, self.array_reinits = AT_EVENTS.views(self._at_events, **sizes).values()
        scalars = [name for name in s.inputs if name not in flat.shapes]
        self.inputs = np.array([s.flat.variables[name].start or 0.0 for name in scalars], dtype=float)
        self.unknowns = np.full(self.layout.n_unknowns, np.nan)
        self._words = self.layout.numbers(model.code.words)
        self._arrays = self.layout.memory(array_values(flat))
        self._workspace = np.zeros(sum(system.words for system in self.systems), dtype=np.int64)
        for system in self.systems:
            system.write(self._workspace)
        self._linear = [s for s in self.systems if s.solver not in (Solver.NEWTON, Solver.DIVISION)]
        self.newton = [self._newton_memory(system) for system in self.systems if system.solver is Solver.NEWTON]
        self.factorised = np.array([word for system in self.systems for word in system.factors()], dtype=int)
        self._slots = np.zeros(ContextSlot.COMPONENTS + len(self.components), dtype=np.int64)
        self.address = int(self._slots.ctypes.data)
        for slot, array in (
            (ContextSlot.PARAMETERS, self.parameters),
            (ContextSlot.MODES, self._memory),
            (ContextSlot.WORKSPACE, self._workspace),
            (ContextSlot.UNKNOWNS, self.unknowns),
            (ContextSlot.TIME_EVENTS, self._at_events),
            (ContextSlot.INPUTS, self.inputs),
            (ContextSlot.ARRAYS, self._arrays),
            (ContextSlot.WORDS, self._words),
        ):
            self._slots[slot] = array.ctypes.data
        self._slots[ContextSlot.N_STATES] = self.layout.n_states
        self._slots[ContextSlot.N_INDICATORS] = model.n_indicators
        self._slots[ContextSlot.N_RESIDUALS] = self.layout.n_states if model.code.has_residuals else 0
        self._slots[ContextSlot.FAILED_BLOCK] = -1
        for k, context in enumerate(self.components):
            self._slots[ContextSlot.COMPONENTS + k] = context.ctypes.data
        self._scratch = np.zeros(0)
        self.reserve(self.layout.n_states)
        self.set_guesses(s.flat.variables)
        self.invalidate()

    def _newton_memory(self, system: System) -> NewtonMemory:
        words = self._workspace[system.offset : system.offset + system.words]
        return NewtonMemory(system.names, words, system.size - system.torn)

    @staticmethod
    def _check_components(paths: Sequence[str], contexts: Sequence[np.ndarray]) -> None:
        expected = f"{len(paths)} int64 arrays of {CONTEXT_SLOTS} slots"
        if len(contexts) != len(paths):
            raise ModelError(
                "the number of contexts is not that of the components", found=f"{len(contexts)} contexts", expected=expected
            )
        for path, context in zip(paths, contexts, strict=True):
            if context.dtype != np.int64 or context.shape != (CONTEXT_SLOTS,) or not context.flags.c_contiguous:
                raise ModelError(
                    "the context of the component has another type or shape",
                    path=path,
                    found=f"{context.dtype}{context.shape}",
                    expected=expected,
                )

    def set_guesses(self, variables: Mapping[str, Variable]) -> None:
        """Let nonlinear systems begin with the start values of ``variables``, and measure errors by their nominal values."""
        if self.newton:
            known = inherit_initial_values(variables, self.compiled.sorted.aliases)
            guesses, nominal = guess_values(known), self.layout.by_element(nominal_values(known))
            for memory in self.newton:
                memory.set_guesses(guesses, nominal)

    def newton_values(self) -> dict[str, float]:
        """Return the last solution of each nonlinear system that has been solved, by the names of its unknowns."""
        solved = [memory for memory in self.newton if memory.header[Header.SOLVED]]
        return {n: v for memory in solved for n, v in zip(memory.unknowns, memory.part(Part.LAST).tolist(), strict=True)}

    def invalidate(self) -> None:
        """Forget factorised matrices and their pivots: to be called when a parameter was changed in place."""
        self._workspace[self.factorised] = 0

    @property
    def workspace(self) -> np.ndarray:
        """Memory of systems of equations, int64: matrices, factors, pivots, last solutions."""
        return self._workspace

    def take(self, other: ModelContext) -> None:
        """Take all values of another context of the same model with the same sizes, those of its components left out."""
        for own, theirs in zip(self._values(), other._values(), strict=True):
            own[:] = theirs

    def _values(self) -> tuple[np.ndarray, ...]:
        return self.parameters, self._memory, self._at_events, self.inputs, self.unknowns, self._workspace, self._arrays

    def reserve(self, n_x: int) -> None:
        """Make room for n_x derivatives in the memory that ``root`` and ``outputs`` use; needed when a segment begins."""
        self._slots[ContextSlot.N_X] = n_x
        if n_x > len(self._scratch):
            self._scratch = np.zeros(n_x)
            self._slots[ContextSlot.SCRATCH] = data_address(self._scratch)

    def input_values(self, name: str) -> np.ndarray:
        """Return the memory of the values of an input, shape (size,)."""
        if self._flat.shapes.get(name):
            return self.layout.memory_of(name, self._arrays)
        k = list(self.compiled.sorted.inputs).index(name)
        return self.inputs[k : k + 1]

    def write_inputs_by(self, function: int, table: int) -> None:
        """Let each evaluation begin with machine code at an address that writes the inputs; 0: they keep their values.

        ``table`` is the address of what it reads, see `input_memory`; it must live as long as it is used.
        """
        self._slots[ContextSlot.WRITE_INPUTS], self._slots[ContextSlot.INPUT_TABLE] = function, table

    def project_by(self, table: np.ndarray) -> None:
        """Take a table of projections, see `projection.ProjectionSlot`, int64, which must live as long as it is used."""
        self._slots[ContextSlot.PROJECTION] = table.ctypes.data

    def evaluate(self, t: float, x: np.ndarray, out: np.ndarray, z: np.ndarray | None = None, mode: int = 0) -> int:
        """Evaluate the model once.

        Args:
            t: time [s].
            x: state vector, shape (n_x,).
            out: receives der(x), shape (n_x,).
            z: receives the event indicators in INDICATORS mode, shape (n_z,).
            mode: see `Mode`.

        Returns:
            0, or the status of what failed; `failed_block` says where.
        """
        z_address: int | None = None if z is None else data_address(z)
        return int(self.compiled.model(t, data_address(x), data_address(out), z_address, int(mode), self.address))

    def evaluate_outputs(self, t: np.ndarray, x: np.ndarray) -> tuple[int, np.ndarray]:
        """Return all unknowns at many points.

        Args:
            t: time points [s], shape (nt,).
            x: states, shape (nt, n_x), C order.

        Returns:
            Status (0 where all went well) and the unknowns, shape (nt, number of unknowns).
        """
        t, x = np.ascontiguousarray(t, dtype=float), np.ascontiguousarray(x, dtype=float)
        n_x = x.shape[1]
        self.reserve(n_x)
        unknowns = np.empty((len(t), self.layout.n_unknowns))
        unknowns.fill(np.nan)
        status = self.compiled.outputs(len(t), data_address(t), data_address(x), n_x, data_address(unknowns), self.address)
        return int(status), unknowns

    @property
    def evaluations(self) -> int:
        """Number of right-hand sides evaluated (in DERIVATIVES mode, without any other bit)."""
        return int(self._slots[ContextSlot.EVALUATIONS])

    @evaluations.setter
    def evaluations(self, value: int) -> None:
        self._slots[ContextSlot.EVALUATIONS] = value

    @property
    def factorisations(self) -> int:
        """Number of factorisations of linear systems; divisions by the matrix of a single unknown do not count."""
        return sum([system.factorisations(self._workspace) for system in self._linear])

    @property
    def acting(self) -> int:
        """Largest number of impulses that were computed together."""
        return max((system.acting(self._workspace) for system in self._linear), default=0)

    @property
    def failed_block(self) -> int:
        """Index in ``sorted.blocks`` of what failed last; -1 if nothing did."""
        return int(self._slots[ContextSlot.FAILED_BLOCK])
