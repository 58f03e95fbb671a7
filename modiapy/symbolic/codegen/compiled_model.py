"""`CompiledModel`: machine code of a model, and `ModelContext`: the memory that one simulation of it works on."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...acausal.memory import data_address
from ...acausal.protocol import CONTEXT_SLOTS, Mode
from ...model.errors import ModelError, nearest
from ..flat.flat_model import FlatModel, Variable
from ..kernels.newton_memory import Header, NewtonMemory, Part
from ..structure.sorted_model import LinearBlock, SortedModel, guess_values, inherit_initial_values, nominal_values
from ..structure.state_incidence import StateIncidence, state_incidence
from ..terms.arrays import Shape
from ..terms.constants import constant_value
from .array_layout import ArrayLayout, array_values
from .context import AT_EVENTS, MODES, ContextSlot, event_sizes
from .external import address_of
from .object_cache import LoadedObject, ObjectFile, load, object_file
from .systems import Solver, System, has_residuals, lay_out_systems, left_to_integrator, same_pattern

if TYPE_CHECKING:
    from .generated_code import GeneratedCode


ModelFunction = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p
)
"""``int32 model(double t, double* x, double* out, double* z, int64 mode, int64* ctx)``."""

OutputsFunction = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p
)
"""``int32 outputs(int64 n, double* t, double* x, int64 nx, double* unknowns, int64* ctx)``."""

_WRAPPERS = f"""declare i32 @modia_model(double, ptr, ptr, ptr, i64, ptr)
declare ptr @N_VGetArrayPointer(ptr)
define i32 @rhs(double %t, ptr %y, ptr %ydot, ptr %ctx) nounwind {{
  %x = call ptr @N_VGetArrayPointer(ptr %y)
  %out = call ptr @N_VGetArrayPointer(ptr %ydot)
  %status = call i32 @modia_model(double %t, ptr %x, ptr %out, ptr null, i64 {int(Mode.DERIVATIVES)}, ptr %ctx)
  ret i32 %status
}}
define i32 @root(double %t, ptr %y, ptr %g, ptr %ctx) nounwind {{
  %x = call ptr @N_VGetArrayPointer(ptr %y)
  %slot = getelementptr ptr, ptr %ctx, i64 {int(ContextSlot.SCRATCH)}
  %scratch = load ptr, ptr %slot
  %status = call i32 @modia_model(double %t, ptr %x, ptr %scratch, ptr %g, i64 {int(Mode.INDICATORS)}, ptr %ctx)
  ret i32 %status
}}
"""


SHOWN = 6
"""So many unknowns of a system of equations are listed."""


class CompiledModel:
    """Machine code of a model. It is independent of parameter values; `new_context` makes the memory for a simulation.

    Attributes:
        sorted: what it was made from.
        initial: the initialization problem; None where the states begin with their own initial values.
        n_states, n_indicators: sizes of the invariant parts of x and z.
        has_residuals: whether there is a residual form other than ``der(x) - f`` with the sizes of arrays of ``sorted``.
        code_bytes: size of the object file.
        linear_iteration_bytes: bytes of LLVM IR that belong to linear systems of equations.
        translation: ``ir_s`` (time to write the IR), ``codegen_s`` (to compile it, or to read it from disk), ``load_s``
            (to bring it into memory; 0 before the first call), ``from_cache``.
    """

    def __init__(
        self,
        sorted_model: SortedModel,
        code: GeneratedCode,
        object_file: ObjectFile,
        ir_seconds: float,
        initial: CompiledModel | None = None,
    ) -> None:
        self.sorted, self.initial = sorted_model, initial
        self.n_states = len(sorted_model.states)
        self.n_indicators = len(sorted_model.indicators)
        self.has_residuals = has_residuals(sorted_model, sorted_model.flat.shapes)
        self.code_bytes = len(object_file.data)
        self.linear_iteration_bytes = code.linear_iteration_bytes
        self.unknown_index = {name: k for k, name in enumerate(sorted_model.unknowns)}
        self.translation: dict[str, Any] = {
            "ir_s": ir_seconds,
            "codegen_s": object_file.seconds,
            "load_s": 0.0,
            "from_cache": object_file.from_cache,
        }
        self.code = code
        self._object = object_file
        self._wrappers: dict[tuple[str, int], LoadedObject] = {}

    def __str__(self) -> str:
        """Return the sizes of the machine code, and how each system of equations is solved."""
        model, code = self.sorted, self.code
        lines = [f"machine code of {model.flat.name}: {code.ir.count(chr(10))} lines of LLVM IR, {self.code_bytes} bytes"]
        lines.append(f"  {self.n_states} states, {self.n_indicators} indicators, {len(model.unknowns)} unknowns")
        for system in self.systems:
            named = ", ".join(system.names[: min(system.torn, SHOWN)]) + (", ..." if system.torn > SHOWN else "")
            constant = ", constant" if system.constant else ""
            residuals = ", residuals in DAE mode" if system.given else ""
            lines.append(f"  block {system.index + 1}: {system.solver}{constant}{residuals} for {named}")
        called = [function.name for function in code.functions.values()] + [
            str(operator) for operator in code.operators.values()
        ]
        lines += [f"  calls {', '.join(called)}"] if called else []
        forms = ["der(x) = f(t, x)", *(["F(t, x, der(x)) = 0"] if self.has_residuals else [])]
        return "\n".join([*lines, f"  delivers {' and '.join(forms)}"])

    def new_context(
        self,
        parameters: Mapping[str, float] | None = None,
        component_contexts: Sequence[np.ndarray] = (),
        flat: FlatModel | None = None,
    ) -> ModelContext:
        """Return the memory for one simulation.

        Args:
            parameters: values that differ from those of the flat model.
            component_contexts: the context of each component, shape (CONTEXT_SLOTS,) int64, in the order of
                ``sorted.flat.components``; held by the context.
            flat: of this simulation, with the values and sizes of its arrays; the one that was translated if it is None.

        Raises:
            ModelError: an unknown parameter, or a context is missing or has the wrong shape.
        """
        return ModelContext(self, parameters or {}, component_contexts, flat)

    def address_of(self, name: str, symbols: Mapping[str, int] | None = None) -> int:
        """Return the address of a function: "model", "outputs", "residuals" and "indicators" (see `residual`), or with
        SUNDIALS' signatures "rhs" and "root" for CVODE, "res" and "dae_root" for IDA.

        Args:
            name: of the function.
            symbols: for functions with SUNDIALS' signatures: the address of ``N_VGetArrayPointer``.
        """
        if name in ("rhs", "root"):
            return self._load_wrappers(_WRAPPERS, (symbols or {})["N_VGetArrayPointer"]).address_of(name)
        if name in ("residuals", "indicators", "res", "dae_root"):
            from .residual import WRAPPERS

            array_pointer = (symbols or {}).get("N_VGetArrayPointer", self.address_of("model"))  # plain arrays need none
            return self._load_wrappers(WRAPPERS, array_pointer).address_of(name)
        return self._loaded.address_of(name)

    @functools.cached_property
    def systems(self) -> tuple[System, ...]:
        """The systems of equations, with the sizes of arrays of ``sorted``."""
        return self.systems_with(self.sorted.flat)

    def systems_with(self, flat: FlatModel) -> tuple[System, ...]:
        """Return the systems of equations with the values and sizes of arrays of a simulation, those with array unknowns
        last.
        """
        end = sum(system.words for system in self.code.systems)
        return (*self.code.systems, *lay_out_systems(self.sorted, self.code.array_systems, flat, end))

    def has_residuals_with(self, shapes: Mapping[str, Shape]) -> bool:
        """Return whether there are residuals, as `has_residuals`, with other sizes of arrays."""
        return has_residuals(self.sorted, shapes) if self.sorted.flat.shapes else self.has_residuals

    @functools.cached_property
    def incidence(self) -> StateIncidence:
        """Return the states that the derivatives of states depend on, in a model of scalars."""
        return state_incidence(self.sorted, self.sorted.flat)

    @functools.cached_property
    def residual_incidence(self) -> StateIncidence:
        """Return the states, and derivatives of states, that the residuals depend on, in a model of scalars."""
        return state_incidence(self.sorted, self.sorted.flat, left_to_integrator(self.sorted, {}))

    def element_incidence(self, flat: FlatModel, dae: bool) -> StateIncidence:
        """Return `incidence` or `residual_incidence` of the elements of arrays, for the values and sizes of one simulation."""
        given = left_to_integrator(self.sorted, flat.shapes) if dae else None
        return state_incidence(self.sorted, flat, given)

    @functools.cached_property
    def model(self) -> Any:
        """The model as a ctypes function, see `ModelFunction`."""
        return ModelFunction(self.address_of("model"))

    @functools.cached_property
    def outputs(self) -> Any:
        """The loop over output points as a ctypes function, see `OutputsFunction`."""
        return OutputsFunction(self.address_of("outputs"))

    def evaluate(
        self, context: ModelContext, t: float, x: np.ndarray, out: np.ndarray, z: np.ndarray | None = None, mode: int = 0
    ) -> int:
        """Evaluate the model once.

        Args:
            context: memory to work on.
            t: time [s].
            x: state vector, shape (n_x,).
            out: receives der(x), shape (n_x,).
            z: receives the event indicators in INDICATORS mode, shape (n_z,).
            mode: see `Mode`.

        Returns:
            0, or the status of what failed; ``context.failed_block`` says where.
        """
        z_address: int | None = None if z is None else data_address(z)
        return int(self.model(t, data_address(x), data_address(out), z_address, int(mode), context.address))

    def evaluate_outputs(self, context: ModelContext, t: np.ndarray, x: np.ndarray) -> tuple[int, np.ndarray]:
        """Return all unknowns at many points.

        Args:
            context: memory to work on.
            t: time points [s], shape (nt,).
            x: states, shape (nt, n_x), C order.

        Returns:
            Status (0 where all went well) and the unknowns, shape (nt, number of unknowns).
        """
        t, x = np.ascontiguousarray(t, dtype=float), np.ascontiguousarray(x, dtype=float)
        n_x = x.shape[1]
        context.reserve(n_x)
        unknowns = np.empty((len(t), context.layout.n_unknowns))
        unknowns.fill(np.nan)
        status = self.outputs(len(t), data_address(t), data_address(x), n_x, data_address(unknowns), context.address)
        return int(status), unknowns

    @functools.cached_property
    def _loaded(self) -> LoadedObject:
        start = time.perf_counter()
        symbols = {f"modia_{name}": math_address(name) for name in self.code.mathematics}
        symbols |= {symbol: function.address() for symbol, function in self.code.functions.items()}
        symbols |= {symbol: address_of(operator) for symbol, operator in self.code.operators.items()}
        symbols |= {symbol: call.address() for symbol, call in self.code.array_calls.items()}
        if self.code.words:
            from ..kernels.array_kernels import array_product

            symbols["array_product"] = array_product.address or 0
        if any(isinstance(self.sorted.blocks[k], LinearBlock) for k in self.code.array_systems):
            from ..kernels import sparse_iteration  # noqa: F401  (other sizes may make it sparse: nothing is compiled then)
        if self.code.calls_newton:
            from ..kernels.newton import newton

            symbols["newton"] = newton.address or 0
        loaded = load(self._object.data, symbols)
        self.translation["load_s"] = time.perf_counter() - start
        return loaded

    def _load_wrappers(self, ir: str, get_array_pointer: int) -> LoadedObject:
        key = ir, get_array_pointer
        if key not in self._wrappers:
            symbols = {"modia_model": self.address_of("model"), "N_VGetArrayPointer": get_array_pointer}
            self._wrappers.setdefault(key, load(object_file(ir).data, symbols))
        return self._wrappers[key]


class ModelContext:
    """The memory that a compiled model works on, at a stable address.

    Arrays may be written in place; parameters only through `set_parameters`, because constant matrices depend on them.

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
    """

    def __init__(
        self,
        model: CompiledModel,
        parameters: Mapping[str, float],
        component_contexts: Sequence[np.ndarray],
        flat: FlatModel | None = None,
    ) -> None:
        s = model.sorted
        self._flat = flat = flat or s.flat
        self.systems = model.systems_with(replace(flat, parameters={**flat.parameters, **parameters}))
        self.layout = ArrayLayout(s, flat.shapes, {system.index: system for system in self.systems})
        self._check_components(list(s.flat.components), component_contexts)
        self.compiled = model
        self.components = list(component_contexts)
        self.parameters = np.array(list(s.flat.parameters.values()), dtype=float)
        self._parameter_index = {name: k for k, name in enumerate(s.flat.parameters)}
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
        self._factorised = np.array([word for system in self.systems for word in system.factors()], dtype=int)
        self._array_systems = frozenset(model.code.array_systems)
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
        self.set_parameters(parameters)

    def _newton_memory(self, system: System) -> NewtonMemory:
        words = self._workspace[system.offset : system.offset + system.words]
        return NewtonMemory(system.names, words, system.size - system.torn)

    @staticmethod
    def _check_components(paths: Sequence[str], contexts: Sequence[np.ndarray]) -> None:
        expected = f"{len(paths)} int64 arrays of {CONTEXT_SLOTS} slots"
        if len(contexts) != len(paths):
            raise ModelError("each component needs a context", found=f"{len(contexts)} contexts", expected=expected)
        for path, context in zip(paths, contexts, strict=True):
            if context.dtype != np.int64 or context.shape != (CONTEXT_SLOTS,) or not context.flags.c_contiguous:
                raise ModelError("unsuitable context", path=path, found=f"{context.dtype}{context.shape}", expected=expected)

    def set_parameters(self, values: Mapping[str, float]) -> None:
        """Change parameters; constant matrices are factorised anew at the next evaluation.

        Raises:
            ModelError: the model has no such parameter, or it makes elements of a sparse system other than zero.
        """
        for name in values:
            if name not in self._parameter_index:
                raise ModelError("unknown parameter", path=name, remedy=nearest(name, self._parameter_index))
        self._check_sparsity(values)
        for name, value in values.items():
            self.parameters[self._parameter_index[name]] = value
        self.invalidate()

    def _check_sparsity(self, values: Mapping[str, float]) -> None:
        """Check the zeros of matrices, which parameters decide: the memory of sparse factors is made for these."""
        known = [system for system in self.systems if system.incidence is not None and system.index in self._array_systems]
        if not known or all(self.parameters[self._parameter_index[name]] == value for name, value in values.items()):
            return
        parameters = dict(zip(self._parameter_index, self.parameters.tolist(), strict=True))
        flat = replace(self._flat, parameters={**parameters, **values})
        now = {system.index: system for system in self.compiled.systems_with(flat)}
        if any(not same_pattern(system.incidence, now[system.index].incidence) for system in known):
            raise ModelError(
                "these values change which elements of the matrix of a sparse system of equations are zero",
                path=next(iter(values)),
                expected="a context of its own: new_context(parameters)",
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
        self._workspace[self._factorised] = 0

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

    def value(self, name: str, t: float, x: np.ndarray) -> float:
        """Return the value of a variable after an evaluation in OUTPUTS mode: unknown, state, input, parameter, alias or time.

        Raises:
            ModelError: the model has no such variable.
        """
        s = self.compiled.sorted
        if name in self.compiled.unknown_index:
            return float(self.unknowns[self.compiled.unknown_index[name]])
        if name in s.aliases:
            alias = s.aliases[name]
            if alias.of:
                return alias.sign * self.value(alias.of, t, x)
            values = {p: float(self.parameters[k]) for p, k in self._parameter_index.items()}
            return constant_value(alias.value, values) if alias.value is not None else 0.0
        if name in s.states:
            return float(x[list(s.states).index(name)])
        if name in self._parameter_index:
            return float(self.parameters[self._parameter_index[name]])
        if name in s.inputs:
            return float(self.inputs[list(s.inputs).index(name)])
        if name == "time":
            return t
        raise ModelError("unknown variable", path=name, remedy=nearest(name, [*s.unknowns, *s.states, *s.aliases]))

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
    def failed_block(self) -> int:
        """Index in ``sorted.blocks`` of what failed last; -1 if nothing did."""
        return int(self._slots[ContextSlot.FAILED_BLOCK])


@functools.cache
def _math_library() -> ctypes.CDLL:
    """Return the C library that Python's `math` uses."""
    if sys.platform == "win32":
        return ctypes.CDLL("ucrtbase")
    library = ctypes.CDLL(None)
    return library if hasattr(library, "atan2") else ctypes.CDLL(ctypes.util.find_library("m"))


def math_address(name: str) -> int:
    """Return the address of a function of the C library, e.g. ``"sin"``."""
    return ctypes.cast(getattr(_math_library(), name), ctypes.c_void_p).value or 0
