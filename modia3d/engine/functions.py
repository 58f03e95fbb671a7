"""The engine's functions as the compiler sees them: names, sizes, what they are linear in, where their machine code is."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from modiapy.acausal.protocol import ComponentFunction


def _address(module: str, name: str) -> Callable[[], int]:
    return lambda: int(getattr(import_module(f"modia3d.engine.{module}"), name).address)


def _function(module: str, name: str, n_in: int, n_out: int, **metadata: object) -> ComponentFunction:
    return ComponentFunction(name, n_in, n_out, f"modia3d_{name}", _address(module, name), **metadata)  # type: ignore[arg-type]


def set_states(n: int) -> ComponentFunction:
    """(phi.., w..) -> token, for ``n`` joints with a flange."""
    return _function("kernels", "set_states", 2 * n, 1)


def set_states_with_forces(n: int) -> ComponentFunction:
    """The same where forces act inside the engine."""
    return _function("force_kernels", "set_states_with_forces", 2 * n, 1)


def generalized_forces(n: int) -> ComponentFunction:
    """(token, a..) -> f..; affine in the accelerations."""
    return _function("kernels", "generalized_forces", 1 + n, n, linear_in=frozenset(range(1, 1 + n)))


def finish(n: int) -> ComponentFunction:
    """(token, a..) -> done; delivers the derivatives of the engine's own states."""
    return _function("kernels", "finish", 1 + n, 1, sink=True)


def references(n: int) -> ComponentFunction:
    """() -> positions.., velocities.., accelerations.. of ``n`` reference signals; can be differentiated twice."""
    second = _function("path_rates_kernel", "reference_accelerations", 0, 3 * n)
    first = _function("path_rates_kernel", "reference_rates", 0, 3 * n, derivative=second)
    return _function("path_kernel", "references", 0, 3 * n, derivative=first)
