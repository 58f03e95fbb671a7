"""Decorators for kernels: numba's, without importing numba until there is something to compile.

`njit`, `cfunc` and `intrinsic` mean what they mean in numba, and signatures are numba's, written with `types`. What they make
stands for numba's object; that is made where a kernel is called, its address is asked for, or another kernel that is compiled
calls it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

from . import signatures as types
from .after_import import after_import

# made of modiapy/acausal/intrinsics.py


def _configure() -> None:
    from .disk import kernel_cache

    kernel_cache.configure()


after_import("numba", _configure)

COMPONENT_SIGNATURE = types.int32(types.CPointer(types.int64), types.CPointer(types.float64), types.CPointer(types.float64))
"""Signature of a component function for `numba.cfunc`: ``int32 f(int64* context, double* inputs, double* outputs)``."""

PROJECTION_SIGNATURE = types.int32(types.CPointer(types.int64), types.int64, types.int64, types.int64, types.int64)
"""Signature of the machine code of a `StateProjection` for `numba.cfunc`: context, and the addresses of ``x_inv``, ``x_var``,
``e_inv`` and ``e_var`` as numbers, 0 for null."""


WITHOUT_OBJECTS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
"""Options of `njit` and `cfunc` for what neither makes nor keeps arrays: no references are counted, which saves a quarter of
the time to compile. Division by zero gives infinity."""

_NO_WRAPPERS: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class Deferred:
    """Placeholder for a numba object that kernels use; numba makes it when it compiles a kernel that uses it."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @functools.cached_property
    def by_numba(self) -> Any:
        """The object of numba's."""
        import numba  # noqa: F401  # and with it our cache

        from .disk.compile_notice import told

        _add_symbols()
        with told():
            return self._make()

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """Type of a global variable of a kernel; numba asks for it by this name."""
        from numba.core.registry import cpu_target

        made, context = self.by_numba, cpu_target.typing_context
        context.refresh()
        return context.resolve_value_type(made)


class Function(Deferred):
    """Placeholder that a decorator makes of a Python function, which is its ``py_func``."""

    def __init__(self, function: Callable[..., Any], make: Callable[[], Any], options: dict[str, Any] | None = None) -> None:
        super().__init__(make)
        self.py_func, self.options = function, options or {}
        functools.update_wrapper(cast(Any, self), function)


class Kernel(Function):
    """A function that Python calls, see `njit`."""

    def __call__(self, *arguments: Any) -> Any:
        return self.call(*arguments)

    @functools.cached_property
    def call(self) -> Callable[..., Any]:
        """The function with its machine code."""
        from .disk import machine_code  # here: kernels do not depend on it

        installed = machine_code.call_of(self.py_func, lambda *arguments: self.by_numba(*arguments))
        return self.by_numba if installed is None else installed  # type: ignore[no-any-return]

    @functools.cached_property
    def inner_address(self) -> int:
        """See `inner_address`."""
        from .disk import machine_code

        installed = machine_code.address_of(self.py_func, inner=True)
        return inner_address(self.by_numba) if installed is None else installed


def inner_address(dispatcher: Any) -> int:
    """Return the address of a kernel in numba's own calling convention, ``int32 f(result*, void**, arguments..)``.

    It reports exceptions by its status; a C callback would lose them.
    """
    (result,) = dispatcher.overloads.values()
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


class Callback(Function):
    """A function that machine code calls, see `cfunc`."""

    symbol = ""
    """By which kernels call it, if it is an `external_function`."""

    @functools.cached_property
    def address(self) -> int:
        """Address of the function's machine code."""
        from .disk import machine_code

        installed = machine_code.address_of(self.py_func)
        return int(self.by_numba.address) if installed is None else installed


_waiting: list[Kernel | Callback] = []


def declared() -> list[Kernel | Callback]:
    """Return the kernels that have been declared and not compiled yet."""
    return list(_waiting)


def prepare_kernels() -> None:
    """Compile all kernels that were declared with a signature so far, so that nothing is compiled during a simulation."""
    while _waiting:
        code = _waiting.pop()
        _ = code.call if isinstance(code, Kernel) else code.address


def njit(signature: Any = None, **options: Any) -> Any:
    """Decorate a kernel as ``numba.njit`` does; numba is imported when the kernel is first needed.

    Args:
        signature: types of result and arguments, or none: numba compiles for the types that it is called with.
        options: of ``numba.njit``.
    """
    if callable(signature):
        return njit()(signature)

    def decorate(function: Callable[..., Any]) -> Kernel:
        def make() -> Any:
            import numba

            return numba.njit(*([] if signature is None else [signature]), **options)(function)

        kernel = Kernel(function, make, options)
        if signature is not None:
            _waiting.append(kernel)
        return kernel

    return decorate


def cfunc(signature: str, **options: Any) -> Any:
    """Decorate a function as ``numba.cfunc`` does; numba is imported when its address is first needed.

    Args:
        signature: types of result and arguments, as numba writes them.
        options: of ``numba.cfunc``.
    """

    def decorate(function: Callable[..., Any]) -> Callback:
        """Make machine code of a plain Python ``function`` that is called by its address."""

        def make() -> Any:
            import numba

            return numba.cfunc(signature, **options)(function)

        callback = Callback(function, make, options)
        _waiting.append(callback)
        return callback

    return decorate


def intrinsic(function: Callable[..., Any]) -> Any:
    """Decorate a function as `numba.extending.intrinsic` does."""

    def make() -> Any:
        from numba.extending import intrinsic

        return intrinsic(function)

    return Function(function, make)


def inner_function(**options: Any) -> Any:
    """Return `njit` with options, for functions that only compiled functions call.

    No wrappers for Python, and no types of their own for arguments that are written as numbers, for each of which numba would
    compile the function once more.
    """

    def decorate(function: Callable[..., Any]) -> Function:
        """Make a kernel of a plain Python ``function``, for other kernels to call; numba compiles it with them."""

        def make() -> Any:
            import numba

            dispatcher = numba.njit(**(options | _NO_WRAPPERS))(function)
            resolve, plain = dispatcher.get_call_template, numba.types.unliteral

            def get_call_template(args: Any, kws: Any) -> Any:
                return resolve(tuple(map(plain, args)), {name: plain(kind) for name, kind in kws.items()})

            dispatcher.get_call_template = get_call_template
            return dispatcher

        return Function(function, make)

    return decorate


part = inner_function(**WITHOUT_OBJECTS)
"""Decorator of functions that only compiled functions call: without wrappers for Python they compile in half the time."""

array_part = inner_function(**(WITHOUT_OBJECTS | {"_nrt": True}))
"""The same for a function that returns one array: numba asks for references there (not for a tuple of arrays)."""

component_function = cfunc(COMPONENT_SIGNATURE, cache=True, **WITHOUT_OBJECTS)
"""Decorator of component functions."""

_symbols: list[tuple[str, Callback]] = []


def external_function(symbol: str, signature: str, code: Callback | None = None) -> Any:
    """Return a function for kernels that is called by its symbol, so that its code is not linked into each of them.

    Args:
        symbol: its name in the whole process.
        signature: of C.
        code: what is there; None: something that the process has anyhow.
    """
    if code is not None:
        code.symbol = symbol
        _symbols.append((symbol, code))

    def make() -> Any:
        from numba.core import sigutils, types, typing

        arguments, result = sigutils.normalize_signature(signature)
        return types.ExternalFunction(symbol, typing.signature(result, *arguments))

    return Deferred(make)


def _add_symbols() -> None:
    """Make the symbols of `external_function` known to LLVM: what numba reads from disk may need them, too."""
    while _symbols:
        from llvmlite import binding

        symbol, code = _symbols.pop()
        binding.add_symbol(symbol, code.address)


def _array_at(name: str, kind: str, width: int) -> Any:
    def make() -> Any:
        from .intrinsics import array_at

        return array_at(name, kind, width)

    return Deferred(make)


int32_array = _array_at("int32_array", "int32", 4)
int64_array = _array_at("int64_array", "int64", 8)
float64_array = _array_at("float64_array", "float64", 8)
"""For kernels: what is at an address (int64 or pointer) as an array of that size or shape, not owned."""
