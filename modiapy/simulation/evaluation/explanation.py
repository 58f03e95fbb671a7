"""Explanation of a failed evaluation in the user's terms: the equation, the variable, the values from which it was computed."""

from __future__ import annotations

import ctypes
import math

import numpy as np

from ...acausal.protocol import STATUS_OK, CallEquation, Mode
from ...model.errors import NumericalError, SimulationError
from ...model.expression import names
from ..solvers import IntegrationFailure
from .finite import all_finite
from .machine import EvaluationFailure, Machine

PATIENCE = 20.0
"""Processor time after which no better explanation is searched than that of the machine code [s]."""

_MOST_STATES = 200
"""So many states at most are varied to explain a failure: each takes two evaluations."""

_ComponentCode = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def explain(machine: Machine, time: float, x: np.ndarray, *, initial: bool = False) -> SimulationError | None:
    """Find the equation that cannot be evaluated at a point, by the interpreter; return the error, None if all succeed.

    The error names the equation, the variable and the values from which it was computed. ``initial``: at the initial event.
    """
    from ...symbolic.interpreter.interpreter import SingularEquations, interpret  # most runs never need it

    try:
        machine.evaluate(time, x, Mode.OUTPUTS)
        failure = None
    except EvaluationFailure as error:
        failure = NumericalError(str(error), time=time)
    constant = bad_constant(machine, time)
    if constant is not None:
        return constant
    modes, after = machine.memory.modes.tolist(), machine.memory.after.tolist()
    states = x[: machine.layout.n_states].tolist()
    try:
        interpret(
            machine.sorted,
            time,
            states,
            machine.flat.parameters,
            modes=modes,
            after=after,
            memory=machine.memory.pre.tolist(),
            flags=machine.memory.flags.tolist(),
            initial=initial,
            inputs=machine.present_inputs(),
            call=lambda call, given: _call_component(machine, call, given, time),
            guesses=machine.memory.newton_values(),
            flat=machine.flat,
            seconds=PATIENCE,
        )
    except TimeoutError:
        return failure
    except SingularEquations as error:
        components = machine.flat.components.items()
        reasons = (component.undetermined(error.unknowns, machine.contexts.kept(path)) for path, component in components)
        error.remedy = next(filter(None, reasons), error.remedy)
        return error
    except SimulationError as error:
        return error
    return failure


def explain_ahead(machine: Machine, time: float, x: np.ndarray, interval: float) -> SimulationError | None:
    """Do the same as `explain` at ``(time, x)``, then ahead along the tangent, up to a thousandth of ``interval`` [s], then
    beside it.

    If all equations succeed, the error may say why the states there cannot be projected onto the constraints of components.
    """
    reason = explain(machine, time, x)
    rates = machine.derivatives.copy()
    for exponent in range(-12, -2):
        if reason is not None or not np.isfinite(rates).all():
            break
        step = interval * 10.0**exponent
        reason = explain(machine, time + step, x + step * rates) or _not_projected(machine, time + step, x + step * rates)
    return reason or _explain_beside(machine, time, x)


def _explain_beside(machine: Machine, time: float, x: np.ndarray) -> SimulationError | None:
    """Explain why no state near x can be evaluated, greater or smaller, where x itself can: a switch that fixes it, say."""
    for k in range(min(machine.layout.n_states, _MOST_STATES)):
        step = 1e-6 * max(1.0, abs(x[k])) * np.eye(1, x.size, k)[0]
        if _fails(machine, time, x + step) and _fails(machine, time, x - step):
            return explain(machine, time, x + step)
    return None


def _fails(machine: Machine, time: float, x: np.ndarray) -> bool:
    """Return whether the compiled equations cannot be evaluated at a point."""
    try:
        machine.evaluate(time, x, Mode.OUTPUTS)
    except EvaluationFailure:
        return True
    return False


def _not_projected(machine: Machine, time: float, x: np.ndarray) -> SimulationError | None:
    try:
        machine.projection.point(time, x)
    except IntegrationFailure:
        return machine.projection.reason()
    return None


def bad_constant(machine: Machine, time: float) -> SimulationError | None:
    """Return the first variable that depends on parameters only and is not a number; a parameter may be infinite."""
    for name, alias in machine.sorted.aliases.items():
        source = machine.table.get(name)  # none: a name that only the compiler knows
        if alias.value is None or source is None or np.isfinite(source.factor).all():
            continue
        used = {n: machine.flat.parameters[n] for n in sorted(names(alias.value)) if n in machine.flat.parameters}
        if np.isnan(source.factor).any() or all(map(math.isfinite, used.values())):
            found = ", ".join(f"{n} = {value!r}" for n, value in used.items())
            return SimulationError(f"'{name}' cannot be computed from '{alias.value}'", time=time, found=found)
    return None


def bad_state(machine: Machine, time: float, x: np.ndarray) -> SimulationError | None:
    """Return the first state that is not finite."""
    if all_finite(x):
        return None
    k = int(np.argmin(np.isfinite(x)))
    name = machine.all_states()[k]
    return NumericalError(f"the state '{name}' is not finite", time=time, found=repr(float(x[k])), expected="a finite value")


def _call_component(machine: Machine, call: CallEquation, inputs: list[float], time: float) -> list[float]:
    """Return the outputs of a component's function for the interpreter, or an error with the cause of its failure."""
    k = list(machine.flat.components).index(call.component)
    given, results = np.array(inputs), np.full(call.function.n_out, np.nan)
    function = _ComponentCode(call.function.address())
    status = function(machine.contexts.all[k].ctypes.data, given.ctypes.data, results.ctypes.data)
    if status == STATUS_OK:
        return results.tolist()
    reason = machine.flat.components[call.component].failure(status, machine.contexts.kept(call.component))
    if reason:
        raise SimulationError(reason, time=time, path=getattr(reason, "path", ""))
    shown = zip(map(str, call.inputs), map(repr, inputs), strict=True)
    inputs_now = ", ".join(value if text == value else f"{text} = {value}" for text, value in shown)
    raise SimulationError(
        f"component function '{call.function.name}' failed",
        time=time,
        path=call.component,
        found=f"status {status}" + (f" for the inputs {inputs_now}" if inputs else ""),
        expected=f"status {STATUS_OK}",
    )
