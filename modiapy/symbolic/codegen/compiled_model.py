"""`CompiledModel`: machine code of a model."""

from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...acausal.protocol import Mode
from ..flat.flat_model import FlatModel
from ..sorted.parts import LinearBlock
from ..sorted.sorted_model import SortedModel
from ..structure.state_incidence import StateIncidence, state_incidence
from ..terms.arrays import Shape
from .context import ContextSlot
from .external import address_of
from .math_library import math_address
from .object_cache import LoadedObject, ObjectFile, load, object_file
from .systems import System, has_residuals, lay_out_systems, left_to_integrator

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
    """Machine code of a model. It is independent of parameter values; a `ModelContext` is the memory of a simulation.

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
