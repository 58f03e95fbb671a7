"""Machine code of the functions that a model brings along: users' functions compiled by numba, kernels of tables."""

from __future__ import annotations

import functools
import inspect
import types as python
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...acausal.disk.compile_notice import told
from ...acausal.native import inner_address
from ...model.errors import ModelError
from ...model.expression import Operator
from ...model.functions import UserFunction


def address_of(operator: Operator) -> int:
    """Return the address of the machine code ``int32 f(double* results, void** unused, double inputs...)``; not 0 means a
    failure.

    Raises:
        ModelError: numba cannot compile it; the message names the function.
    """
    function = operator.function
    if function.symbol:
        from ..kernels.table_kernels import KERNELS

        return int(KERNELS[function.symbol].inner_address)
    assert isinstance(function, UserFunction)
    try:
        return inner_address(_compiled(function.function, function.inputs, function.outputs))
    except ModelError as error:
        error.path = str.__str__(operator)
        raise


@dataclass(frozen=True)
class ArrayCall:
    """A user's function of arrays with the numbers of dimensions that its results and its arguments have in a call."""

    operator: Operator
    results: tuple[int, ...]
    arguments: tuple[int, ...]

    @property
    def symbol(self) -> str:
        """Name of the external symbol."""
        return f"{self.operator.symbol}{list(self.arguments)}"

    def address(self) -> int:
        """Return the address of the machine code ``int32 f(void* unused, void* unused, results..., arguments...)``:
        `codegen_function`.

        Raises:
            ModelError: numba cannot compile it; the message names the function.
        """
        function = self.operator.function
        assert isinstance(function, UserFunction)
        try:
            return inner_address(_compiled_for_arrays(function.function, self.results, self.arguments))
        except ModelError as error:
            error.path = str.__str__(self.operator)
            raise


def machine_code(function: UserFunction) -> int:
    """Return the address of the machine code of a user's function, as `address_of`; it stays valid.

    Raises:
        ModelError: numba cannot compile it; the message names the function.
    """
    return inner_address(_compiled(function.function, function.inputs, function.outputs))


@functools.cache
def _compiled(function: Callable[..., Any], inputs: int, outputs: int) -> Any:
    from numba import njit, types

    number = types.float64
    signature = (types.UniTuple(number, outputs) if outputs > 1 else number)(*(number,) * inputs)
    try:
        with told():
            return njit(signature, error_model="numpy", cache=_cacheable(function))(function)
    except Exception as error:
        raise _refused(function, error, f"{inputs} numbers in, {outputs} out, and what numba supports") from None


@functools.cache
def _compiled_for_arrays(function: Callable[..., Any], results: tuple[int, ...], arguments: tuple[int, ...]) -> Any:
    """Return a function that writes the results of ``function`` to arrays; both are given as tuples."""
    from numba import njit, types

    from ..kernels.array_kernels import writer_of_results

    number = types.float64
    places = types.Tuple([types.Array(number, rank, "C") for rank in results])
    given = types.Tuple([types.Array(number, rank, "C", readonly=True) if rank else number for rank in arguments])
    compiled, put = njit(error_model="numpy", cache=_cacheable(function))(function), writer_of_results(len(results))
    single = len(results) == 1

    def call(places, given):  # type: ignore[no-untyped-def]
        if single:
            put(places, (compiled(*given),))
        else:
            put(places, compiled(*given))

    try:
        with told():
            return njit(types.void(places, given), error_model="numpy")(call)
    except Exception as error:
        ranks = [f"{rank} dimensions" if rank > 1 else "a vector" if rank else "a number" for rank in (*arguments, *results)]
        expected = f"inputs {', '.join(ranks[: len(arguments)])} (read only); results {', '.join(ranks[len(arguments) :])}"
        raise _refused(function, error, expected) from None


def _refused(function: Callable[..., Any], error: Exception, expected: str) -> ModelError:
    """Return the error of a function that numba cannot compile; numba has errors of many kinds, not all of them its own."""
    code, text = function.__code__, str(error)
    return ModelError(
        f"the function '{function.__name__}' cannot be compiled",
        file=code.co_filename,
        line=code.co_firstlineno,
        found=_shortened(text) or type(error).__name__,
        expected=expected,
        remedy=next((remedy for found, remedy in _REMEDIES.items() if found in text), ""),
    )


_REMEDIES = {
    "IMPORT_NAME": "Import at the top of the file, outside of the function.",
    "IMPORT_FROM": "Import at the top of the file, outside of the function.",
    "STORE_GLOBAL": "A function must not change anything outside of it: return what it computes.",
    "STORE_DEREF": "A function must not change anything outside of it: return what it computes.",
}


def _cacheable(function: Callable[..., Any]) -> bool:
    """Return whether the file of a function determines its machine code, so that numba may keep that on disk.

    numba compiles a new version when this file changes, but does not look at what it imports: therefore only functions that
    use nothing but their arguments and the modules `math` and `numpy` are kept.
    """
    code = function.__code__
    used = inspect.getclosurevars(function)
    names = [*used.globals.values(), *used.nonlocals.values()]
    return (
        function.__name__ != "<lambda>"  # numba tells functions apart by their line
        and Path(code.co_filename).is_file()
        and not any(inspect.iscode(constant) for constant in code.co_consts)
        and all(isinstance(v, python.ModuleType) and v.__name__ in ("math", "numpy") for v in names)
    )


def _shortened(message: str) -> str:
    """Return the part of a message of numba that says what is wrong."""
    lines = [line.strip() for line in message.splitlines()]
    noise = ("Failed in nopython", "During:", "File ", "This error", "To see", "Enable logging", "There are", "Overload", "- ")
    kept = [line for line in lines if line and not line.startswith(noise)]
    return " ".join(kept[:2]).split(", defined at")[0]
