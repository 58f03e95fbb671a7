"""What kernels of force elements are made with, and what they call, without numba: who reads a scenario compiles nothing."""

# made of all files of modia3d/dynamics/basics
# made of all files of modia3d/forces/kernels

from __future__ import annotations

from importlib import import_module
from types import FunctionType
from typing import Any


class Later:
    """A kernel that is imported, or made, when one that calls it is compiled."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def made(self) -> Any:
        """The kernel."""
        return getattr(import_module(f"modia3d.{self._module}"), self._name)


class _Own(Later):
    """A kernel of an element."""

    def __init__(self, function: FunctionType) -> None:
        super().__init__(function.__module__, function.__name__)
        self._function = function
        self._made: Any = None

    def made(self) -> Any:
        if self._made is None:
            from ...dynamics.basics.spatial import kernel

            function = self._function
            used = {name: function.__globals__.get(name) for name in function.__code__.co_names}
            called = {name: value.made() for name, value in used.items() if isinstance(value, Later)}
            names = function.__globals__ | called
            made = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
            self._made = kernel(made)
        return self._made


def kernel(function: Any) -> Any:
    """Decorator of the kernels of an element: `modia3d.dynamics.basics.spatial.kernel`, but later."""
    return _Own(function)


def _later(module: str, *names: str) -> tuple[Any, ...]:
    return tuple(Later(module, name) for name in names)


add, subtract, negate, scale, dot, cross = _later(
    "dynamics.basics.spatial", "add", "subtract", "negate", "scale", "dot", "cross"
)
apply, apply_transposed, multiply, transpose = _later(
    "dynamics.basics.spatial", "apply", "apply_transposed", "multiply", "transpose"
)
first_pose, second_pose, point_velocity, act, parameter3 = _later(
    "forces.kernels.frames", "first_pose", "second_pose", "point_velocity", "act", "parameter3"
)
law, integral, law3 = _later("forces.kernels.law", "law", "integral", "law3")
call_3_1, call_3_3 = _later("forces.kernels.calls", "call_3_1", "call_3_3")
