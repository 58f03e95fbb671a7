"""Calls of a component's functions as text, and the addresses of their machine code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from ..model.errors import ModelError
from ..model.expression import Name
from ..model.parser import parse
from .protocol import CallEquation, ComponentFunction


def call_equation(
    function: ComponentFunction, inputs: Sequence[str], outputs: Sequence[str], *, rate: str | None = None
) -> CallEquation:
    """Return ``outputs = function(inputs)`` for a component's acausal part, written as text.

    Args:
        function: what is called.
        inputs: expressions of the component's variables, e.g. ``["flange.s", "der(flange.s)"]``.
        outputs: names of variables, e.g. ``["flange.f"]``.
        rate: see `CallEquation`.

    Raises:
        ModelError: an expression cannot be read, or an output is no name.
    """
    names = []
    for text in outputs:
        name = parse(text)
        if not isinstance(name, Name):
            raise ModelError(
                f"an output of component function '{function.name}' is not a variable", found=repr(text), expected="a variable"
            )
        names.append(name)
    slope = None if rate is None else parse(rate)
    return CallEquation(function, tuple(parse(text) for text in inputs), tuple(names), rate=slope)


@dataclass(frozen=True)
class _KernelAddress:
    """Address of a `numba.cfunc` of a module, found when it is asked for."""

    module: str
    name: str

    def __call__(self) -> int:
        return int(getattr(import_module(self.module), self.name).address)


def kernel_address(module: str, name: str) -> Callable[[], int]:
    """Return a function that finds the address of the ``numba.cfunc`` ``name`` of ``module``, for a `ComponentFunction`.

    The module, and with it numba, is imported when a model with the function is loaded, not before.
    """
    return _KernelAddress(module, name)
