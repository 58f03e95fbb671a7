"""Slow reference evaluation of sorted equations: oracle of the generated code, diagnosis of a point where it failed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..acausal.protocol import CallEquation
from ..model.errors import SimulationError
from ..model.expression import TIME, Apply, Const, Equation, Expr, evaluate, names, rewrite
from .sorted_model import Alias, Assignment, Call, LinearBlock, SortedModel
from .sorting import describe

CallFunction = Callable[[CallEquation, list[float]], Sequence[float]]
"""Evaluates a component function: the call and the values of its inputs -> the values of its outputs."""

SINGULAR = 1e-14
"""A linear system counts as singular below this ratio of its singular values, rows and columns scaled."""


def interpret(
    sorted_model: SortedModel,
    t: float,
    states: Sequence[float],
    parameters: Mapping[str, float],
    *,
    modes: Sequence[float] = (),
    after: Sequence[float] = (),
    initial: bool = False,
    inputs: Mapping[str, float] | None = None,
    call: CallFunction | None = None,
) -> dict[str, float]:
    """Evaluate all blocks.

    Args:
        sorted_model: what is evaluated.
        t: time [s].
        states: values in the order of `SortedModel.states`.
        parameters: values by name.
        modes: value (0.0 or 1.0) of each relation; 0.0 where the sequence ends.
        after: value (0.0 or 1.0) of each ``after(t)``; 0.0 where the sequence ends.
        initial: value of ``initial()``.
        inputs: values of the top-level inputs; where there is none ``start`` holds, else 0.
        call: evaluates component functions.

    Returns:
        Values of all unknowns, states, inputs and aliases by name (and ``time``).

    Raises:
        SimulationError: a value is not finite or cannot be computed, or a linear system is singular; names the equation,
            the variable and the values that it was computed from.
    """
    return _Interpreter(sorted_model, t, parameters, modes, after, initial, call).run(states, inputs or {})


def relation_values(
    sorted_model: SortedModel,
    values: Mapping[str, float],
    parameters: Mapping[str, float],
    *,
    modes: Sequence[float] = (),
    after: Sequence[float] = (),
) -> tuple[list[float], list[float]]:
    """Values of all relations (0.0 or 1.0), and the times of all ``after(t)`` [s], from what `interpret` returned."""
    known = {**parameters, **values}

    def value(expr: Expr) -> float:
        return evaluate(_frozen(expr, modes, after, False), known)

    relations = [
        evaluate(Apply(op, (Const(value(e)), Const(0.0))), {})
        for op, e in zip(sorted_model.relations, sorted_model.indicators, strict=True)
    ]
    return relations, [value(e) for e in sorted_model.time_events]


def _frozen(expr: Expr, modes: Sequence[float], after: Sequence[float], initial: bool) -> Expr:
    """``expr`` with its modes, ``after`` flags and ``initial()`` as numbers."""

    def change(node: Expr) -> Expr | None:
        if type(node) is not Apply or node.op not in ("mode", "after", "initial"):
            return None
        if node.op == "initial":
            return Const(initial)
        assert type(node.args[0]) is Const
        k = int(node.args[0].value)
        flags = modes if node.op == "mode" else after
        return Const(flags[k] if k < len(flags) else 0.0)

    return rewrite(expr, change)


class _Interpreter:
    def __init__(
        self,
        sorted_model: SortedModel,
        t: float,
        parameters: Mapping[str, float],
        modes: Sequence[float],
        after: Sequence[float],
        initial: bool,
        call: CallFunction | None,
    ) -> None:
        self.model, self.t, self.parameters = sorted_model, t, parameters
        self.modes, self.after, self.initial, self.call = modes, after, initial, call
        self.values: dict[str, float] = {**parameters, TIME.name: t}

    def run(self, states: Sequence[float], inputs: Mapping[str, float]) -> dict[str, float]:
        variables = self.model.flat.variables
        if len(states) != len(self.model.states):
            raise SimulationError(
                "wrong number of states", time=self.t, found=str(len(states)), expected=str(len(self.model.states))
            )
        for name in self.model.inputs:
            self.values[name] = inputs.get(name, variables[name].start or 0.0)
        self.values.update(zip(self.model.states, map(float, states), strict=True))
        for block in self.model.blocks:
            if isinstance(block, LinearBlock):
                self._linear(block)
            else:
                self._step(block)
        result = {name: value for name, value in self.values.items() if name not in self.parameters}
        result.update({name: self._alias(alias) for name, alias in self.model.aliases.items()})
        return result

    def _alias(self, alias: Alias) -> float:
        return alias.sign * self.values[alias.of] if alias.value is None else self._value(alias.value)

    def _value(self, expr: Expr) -> float:
        return evaluate(_frozen(expr, self.modes, self.after, self.initial), self.values)

    def _step(self, block: Assignment | Call) -> None:
        if isinstance(block, Call):
            self._call(block.call)
        else:
            self.values[block.variable] = self._checked(block.expr, block.variable, block.equation)

    def _checked(self, expr: Expr, variable: str, equation: Equation | CallEquation | None) -> float:
        reason = ""
        try:
            value = self._value(expr)
        except (ValueError, ZeroDivisionError, OverflowError, TypeError) as error:
            value, reason = math.nan, str(error)
        if math.isfinite(value):
            return value
        used = sorted(names(expr))
        path = variable if equation is None else equation.component if isinstance(equation, CallEquation) else equation.path
        raise SimulationError(
            f"'{variable}' cannot be computed from '{equation or expr}'" + (f" ({reason})" if reason else ""),
            time=self.t,
            path=path,
            found=f"{variable} = {expr}" + (f" with {self._show(used)}" if used else ""),
            expected="a finite value",
        )

    def _show(self, used: Sequence[str]) -> str:
        return ", ".join(f"{name} = {self.values[name]!r}" for name in used)

    def _call(self, call: CallEquation) -> None:
        if self.call is None:
            raise SimulationError(f"no function to evaluate '{call}'", time=self.t, path=call.component)
        arguments = [self._checked(e, f"input {k} of {call.function.name}", call) for k, e in enumerate(call.inputs)]
        results = list(self.call(call, arguments))
        if len(results) != len(call.outputs) or not all(map(math.isfinite, results)):
            raise SimulationError(
                f"component function '{call.function.name}' failed",
                time=self.t,
                path=call.component,
                found=f"{results} for the inputs "
                + ", ".join(f"{e} = {a!r}" for e, a in zip(call.inputs, arguments, strict=True)),
                expected=f"{len(call.outputs)} finite values",
            )
        self.values.update((o.name, float(r)) for o, r in zip(call.outputs, results, strict=True))

    def _residuals(self, block: LinearBlock, unknowns: np.ndarray) -> np.ndarray:
        self.values.update(zip(block.unknowns, map(float, unknowns), strict=True))
        for step in block.body:
            self._step(step)
        return np.array(
            [
                self._checked(residual, f"residual {k + 1}", equation)
                for k, (residual, equation) in enumerate(zip(block.residuals, block.equations, strict=True))
            ]
        )

    def _linear(self, block: LinearBlock) -> None:
        n = len(block.unknowns)
        offset = self._residuals(block, np.zeros(n))
        matrix = np.column_stack([self._residuals(block, column) - offset for column in np.eye(n)])
        self._check_regular(block, matrix)
        solution = np.linalg.solve(matrix, -offset)
        for _ in range(2):
            solution = solution - np.linalg.solve(matrix, self._residuals(block, solution))
        self._residuals(block, solution)

    def _check_regular(self, block: LinearBlock, matrix: np.ndarray) -> None:
        rows = np.abs(matrix).max(axis=1)
        scaled = matrix / np.where(rows > 0.0, rows, 1.0)[:, None]
        columns = np.abs(scaled).max(axis=0)
        scaled = scaled / np.where(columns > 0.0, columns, 1.0)
        left, sizes, right = np.linalg.svd(scaled)
        if sizes[-1] > SINGULAR * sizes[0]:
            return
        unknowns = [name for name, part in zip(block.unknowns, right[-1], strict=True) if abs(part) > 1e-6]
        equations = [e for e, part in zip(block.equations, left[:, -1], strict=True) if abs(part) > 1e-6]
        steps = [s.equation for s in block.body if isinstance(s, Assignment) and s.equation is not None]
        involved = set().union(*(names(e.lhs) | names(e.rhs) for e in [*equations, *steps]))
        used = sorted(name for name in involved if name in self.parameters or name in self.model.states)
        raise SimulationError(
            f"the linear equations for {', '.join(unknowns)} are singular: "
            + "; ".join(dict.fromkeys(describe(e) for e in [*equations, *steps][:12])),
            time=self.t,
            path=equations[0].path if equations else "",
            found=self._show(used[:12]),
            expected="equations that determine all unknowns",
        )
