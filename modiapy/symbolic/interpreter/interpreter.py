"""Slow reference evaluation of sorted equations: oracle of the generated code, diagnosis of a point where it failed."""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...acausal.protocol import CallEquation
from ...model.errors import NumericalError, SimulationError
from ...model.expression import TIME, Apply, Const, Equation, Expr, evaluate, names, rewrite, shown_names
from ..codegen.array_layout import array_values, by_element, split
from ..flat.flat_model import FlatModel
from ..kernels.newton_memory import Header, NewtonMemory, Part, Reason, Request
from ..sorted.initial_values import guess_values, inherit_initial_values, nominal_values
from ..sorted.parts import Alias, Assignment, Call, LinearBlock, NonlinearBlock, defined_by
from ..sorted.sorted_model import SortedModel
from ..structure.diagnosis import describe
from ..terms.arrays import element_names, evaluate_arrays, offsets, shape_at
from ..terms.constants import READS
from ..terms.names import directional_of

CallFunction = Callable[[CallEquation, list[float]], Sequence[float]]
"""Evaluates a component function: the call and the values of its inputs -> the values of its outputs."""

SINGULAR = 1e-14
"""A linear system counts as singular below this ratio of its singular values, rows and columns scaled."""


NewtonFunction = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64)
"""Of the kernel `newton`: address of its memory, a `Request`."""


class SingularEquations(NumericalError):
    """Linear equations do not determine ``unknowns``."""

    def __init__(self, unknowns: Sequence[str], message: str, **details: Any) -> None:
        super().__init__(message, **details)
        self.unknowns = tuple(unknowns)


def interpret(
    sorted_model: SortedModel,
    t: float,
    states: Sequence[float],
    parameters: Mapping[str, float],
    *,
    modes: Sequence[float] = (),
    after: Sequence[float] = (),
    memory: Sequence[float] = (),
    flags: Sequence[float] = (),
    initial: bool = False,
    inputs: Mapping[str, float] | None = None,
    call: CallFunction | None = None,
    guesses: Mapping[str, float] | None = None,
    flat: FlatModel | None = None,
    seconds: float = math.inf,
) -> dict[str, Any]:
    """Evaluate all blocks.

    Args:
        sorted_model: what is evaluated.
        t: time [s].
        states: values in the order of `SortedModel.states`.
        parameters: values by name.
        modes: value (0.0 or 1.0) of each relation; 0.0 where the sequence ends.
        after: value (0.0 or 1.0) of each ``after(t)``; 0.0 where the sequence ends.
        memory: value of each remembered variable before the event, see `Memory`; 0.0 where the sequence ends.
        flags: flags of the tickers, see `Discrete`; 0.0 where the sequence ends.
        initial: value of ``initial()``.
        inputs: values of the top-level inputs; where there is none ``start`` holds, else 0.
        call: evaluates component functions.
        guesses: last solutions of nonlinear systems, near which the next is searched; else it is searched from ``start``.
        flat: with values and sizes of arrays; that of ``sorted_model`` if None.
        seconds: processor time after which it is given up [s].

    Returns:
        Values of all unknowns, states, inputs and aliases by name (and ``time``).

    Raises:
        SimulationError: a value is not finite or cannot be computed, a linear system is singular, or a nonlinear one has no
            solution near the guesses; names the equation, the variable and the values that it was computed from. Its cause is
            the exception of the user's function that raised one.
        TimeoutError: it took longer than ``seconds``.
    """
    frozen = {"mode": modes, "after": after, "memory": memory, "flag": flags, "initial": [initial], "terminal": ()}
    interpreter = _Interpreter(sorted_model, t, parameters, frozen, call, guesses or {}, flat or sorted_model.flat)
    interpreter.deadline = time.process_time() + seconds
    return interpreter.run(states, inputs or {})


Frozen = Mapping[str, Sequence[float]]
"""Values of the operators that change at events only; those without argument have one value. 0.0 where a sequence ends."""


def _frozen(expr: Expr, values: Frozen) -> Expr:
    """Return ``expr`` with what changes at events only as numbers."""

    def change(node: Expr) -> Expr | None:
        if type(node) is not Apply or node.op not in READS:
            return None
        k = int(node.args[0].value) if node.args and type(node.args[0]) is Const else 0
        known = values.get(node.op, ())
        return Const(known[k] if k < len(known) else 0.0)

    return rewrite(expr, change)


class _Interpreter:
    def __init__(
        self,
        sorted_model: SortedModel,
        t: float,
        parameters: Mapping[str, float],
        frozen: Frozen,
        call: CallFunction | None,
        guesses: Mapping[str, float],
        flat: FlatModel,
    ) -> None:
        self.guesses = guesses
        self.deadline = math.inf
        self.model, self.t, self.parameters = sorted_model, t, parameters
        self.frozen, self.call = frozen, call
        self.flat, self.shapes = flat, flat.shapes
        self.values: dict[str, Any] = {**array_values(flat), **parameters, TIME.name: t}

    def run(self, states: Sequence[float], inputs: Mapping[str, float]) -> dict[str, float]:
        variables = self.model.flat.variables
        n = offsets(self.model.states, self.shapes)[1]
        if len(states) != n:
            raise SimulationError("wrong number of states", time=self.t, found=str(len(states)), expected=str(n))
        for name in self.model.inputs:
            if name in inputs or name not in self.shapes:
                self.values[name] = inputs[name] if name in inputs else variables[name].start or 0.0
        self.values.update(split(self.model.states, states, self.shapes))
        discrete = self.model.discrete
        if discrete.array_memory:
            remembered = [m.before for m in discrete.array_memory]
            past = np.zeros(offsets(remembered, self.shapes)[1])
            given = self.frozen["memory"][len(discrete.memory) :]
            past[: len(given)] = given
            self.values.update(split(remembered, past, self.shapes))
        for block in self.model.blocks:
            if isinstance(block, LinearBlock):
                self._linear(block)
            elif isinstance(block, NonlinearBlock):
                self._nonlinear(block)
            else:
                self._step(block)
        self._events()
        result = {name: value for name, value in self.values.items() if name not in self.parameters}
        result.update({name: self._alias(alias) for name, alias in self.model.aliases.items()})
        return result

    def _events(self) -> None:
        """Refuse values at an event that are not numbers: new values of states, relations of a function that fails."""
        discrete = self.model.discrete
        for reinit in [*discrete.reinits, *discrete.array_reinits]:
            if self._value(reinit.active):
                assigned = Equation(reinit.state, reinit.value, reinit.path, reinit.text)
                self._checked(reinit.value, str(reinit.state), assigned)
        for expr, (text, path) in zip(self.model.indicators, self.model.relation_texts, strict=False):
            try:
                self._value(expr)
            except (ValueError, ZeroDivisionError, OverflowError, TypeError) as error:
                if error.__cause__ is not None:
                    used = self._show(sorted(shown_names(expr)))
                    message = f"what the relation '{text}' compares cannot be computed ({error})"
                    raise SimulationError(message, time=self.t, path=path, found=used) from error.__cause__

    def _alias(self, alias: Alias) -> float:
        return alias.sign * self.values[alias.of] if alias.value is None else self._value(alias.value)

    def _value(self, expr: Expr) -> Any:
        if self.shapes:
            return evaluate_arrays(_frozen(expr, self.frozen), self.values, self.shapes)
        return evaluate(_frozen(expr, self.frozen), self.values)

    def _look_at_time(self) -> None:
        if time.process_time() > self.deadline:
            raise TimeoutError

    def _step(self, block: Assignment | Call) -> None:
        self._look_at_time()
        if isinstance(block, Call):
            self._call(block.call)
        else:
            value = self._checked(block.expr, block.variable, block.equation)
            shape = shape_at(block.variable, self.shapes)
            self.values[block.variable] = np.broadcast_to(value, shape) if shape else value

    def _checked(self, expr: Expr, variable: str, equation: Equation | CallEquation | None) -> Any:
        reason, raised = "", None
        try:
            value = self._value(expr)
        except (ValueError, ZeroDivisionError, OverflowError, TypeError) as error:
            value, reason, raised = math.nan, str(error), error.__cause__
        if np.isfinite(value).all() if isinstance(value, np.ndarray) else math.isfinite(value):
            return value
        used = sorted(shown_names(expr))
        path = variable if equation is None else equation.component if isinstance(equation, CallEquation) else equation.path
        kind = NumericalError if raised is None else SimulationError
        raise kind(
            f"'{variable}' cannot be computed from '{equation or expr}'" + (f" ({reason})" if reason else ""),
            time=self.t,
            path=path,
            found=f"{variable} = {self.model.discrete.readable(expr)}" + (f" with {self._show(used)}" if used else ""),
            expected="a finite value",
            remedy=self._turned([equation], [variable]) if isinstance(equation, Equation) and reason else "",
        ) from raised

    def _turned(self, equations: Sequence[Equation], unknowns: Sequence[str]) -> str:
        """Return the remedy where a switch takes the unknowns out of the equations; "" if nothing switches in them."""
        conditions: set[str] = set()

        def collect(node: Expr) -> None:
            if type(node) is Apply and node.op == "if":
                conditions.update(names(node.args[0]) & self.values.keys())

        for equation in equations:
            rewrite(equation.lhs, collect)
            rewrite(equation.rhs, collect)
        if not conditions:
            return ""
        listed = ", ".join(f"'{name}'" for name in unknowns)
        return (
            f"With {self._show(sorted(conditions))} nothing determines {listed}, and what is left in the equations is known"
            " from elsewhere. A switch may not short a capacitor, open an inductor or fix another state, which would have to"
            " jump: let it leak, or put a resistance into its path."
        )

    def _show(self, used: Sequence[str]) -> str:
        return ", ".join(f"{name} = {self.values[name]!r}" for name in used)

    def _call(self, call: CallEquation) -> None:
        if self.call is None:
            raise SimulationError(f"no function to evaluate '{call}'", time=self.t, path=call.component)
        arguments = [self._checked(e, f"input {k} of {call.function.name}", call) for k, e in enumerate(call.inputs)]
        results = list(self.call(call, arguments))
        if len(results) != len(call.outputs) or not (call.function.gaps or all(map(math.isfinite, results))):
            raise SimulationError(
                f"component function '{call.function.name}' failed",
                time=self.t,
                path=call.component,
                found=f"{results} for the inputs "
                + ", ".join(f"{e} = {a!r}" for e, a in zip(call.inputs, arguments, strict=True)),
                expected=f"{len(call.outputs)} finite values",
            )
        self.values.update((o.name, float(r)) for o, r in zip(call.outputs, results, strict=True))

    def _residuals(self, block: LinearBlock | NonlinearBlock, unknowns: np.ndarray) -> np.ndarray:
        torn = offsets(block.unknowns, self.shapes)[1]
        self.values.update(split(block.unknowns, unknowns[:torn], self.shapes))
        opened = block.opened if isinstance(block, NonlinearBlock) and unknowns.size > torn else ()
        differences = self._body(block.body, split(opened, unknowns[torn:], self.shapes))
        residuals = [
            self._checked(residual, f"residual {k + 1}", equation)
            for k, (residual, equation) in enumerate(zip(block.residuals, block.equations, strict=True))
        ]
        return np.concatenate([self._elements(block, residuals), differences])

    def _elements(self, block: LinearBlock | NonlinearBlock, values: Sequence[Any]) -> np.ndarray:
        """Return the values of the shapes of the unknowns, one after the other."""
        if not self.shapes:
            return np.array(values)
        sizes = [np.shape(self.values[name]) for name in block.unknowns]
        return np.concatenate([np.broadcast_to(v, s).reshape(-1) for v, s in zip(values, sizes, strict=True)])

    def _linear(self, block: LinearBlock) -> None:
        n = offsets(block.unknowns, self.shapes)[1]
        offset = self._residuals(block, np.zeros(n))
        matrix = np.column_stack([self._residuals(block, column) - offset for column in np.eye(n)])
        self._check_regular(block, matrix)
        solution = np.linalg.solve(matrix, -offset)
        for _ in range(2):
            solution = solution - np.linalg.solve(matrix, self._residuals(block, solution))
        self._residuals(block, solution)

    def _nonlinear(self, block: NonlinearBlock) -> None:
        from ..kernels.newton import newton

        opened = element_names(block.opened, self.shapes)
        memory = NewtonMemory([*element_names(block.unknowns, self.shapes), *opened], opened=len(opened))
        variables = inherit_initial_values(self.flat.variables, self.model.aliases)
        memory.set_guesses(guess_values(variables), by_element(nominal_values(variables), self.shapes))
        if self.guesses.keys() >= set(memory.unknowns):
            memory.set_last(self.guesses)
        unknowns, residuals = memory.part(Part.UNKNOWNS), memory.part(Part.RESIDUALS)
        step = NewtonFunction(newton.address)
        while (status := step(memory.address)) != Request.SOLVED:
            if status == Request.FAILED:
                torn = int(memory.header[Header.TORN])
                raise self._no_solution(block, unknowns[:torn], Reason(int(memory.header[Header.REASON])))
            try:
                n = int(memory.header[Header.SIZE])
                residuals[:n] = self._residuals(block, unknowns[:n])
                if status == Request.JACOBIAN:
                    memory.jacobian[:] = self._jacobian(block, n)
            except SimulationError:
                residuals[:] = np.nan
        self._residuals(block, unknowns[: memory.header[Header.SIZE]])

    def _jacobian(self, block: NonlinearBlock, n: int) -> np.ndarray:
        """Return the shape (n, n); n says whether opened variables are unknowns."""
        columns, values = [], self.values.copy()
        torn = offsets(block.unknowns, self.shapes)[1]
        opened = [directional_of(name) for name in block.opened] if n > torn else []
        for direction in np.eye(n):
            self._look_at_time()
            self.values.update(split(list(map(directional_of, block.unknowns)), direction[:torn], self.shapes))
            rows = self._body(block.directional_derivatives, split(opened, direction[torn:], self.shapes))
            derivatives = zip(block.residual_derivatives, block.equations, strict=True)
            own = self._elements(block, [self._checked(s, "a derivative", equation) for s, equation in derivatives])
            columns.append(np.concatenate([own, rows]))
        self.values = values
        return np.array(columns).T

    def _body(self, steps: Sequence[Assignment | Call], given: Mapping[str, Any]) -> np.ndarray:
        """Run the steps; variables that are given keep their values. By how much they differ from what was computed."""
        differences: dict[str, Any] = dict.fromkeys(given, 0.0)
        for step in steps:
            self._step(step)
            for name in defined_by(step):
                if name in given:
                    differences[name] = given[name] - self.values[name]
                    self.values[name] = given[name]
        return np.concatenate([np.zeros(0), *map(np.ravel, differences.values())])

    def _no_solution(self, block: NonlinearBlock, unknowns: np.ndarray, reason: Reason) -> NumericalError:
        """Return the error of an iteration that fails: the equations, the last values, and the residuals with these."""
        why = {
            Reason.NOT_A_NUMBER: "the equations cannot be evaluated there",
            Reason.SINGULAR: "the Jacobian is singular: the equations do not determine all unknowns there",
            Reason.NO_CONVERGENCE: "the iteration does not converge",
        }[reason]
        steps = [s.equation for s in block.body if isinstance(s, Assignment) and s.equation is not None]
        sizes = [int(np.size(self.values[name])) for name in block.unknowns]
        equations = [e for e, n in zip(block.equations, sizes, strict=True) for _ in range(n)]
        names = element_names(block.unknowns, self.shapes)
        try:
            residuals = self._residuals(block, unknowns).tolist()
        except SimulationError:
            residuals = [math.nan] * len(equations)
        left = [f"'{describe(e)}' by {r!r}" for e, r in zip(equations, residuals, strict=True) if r]
        values = [f"{n} = {v!r}" for n, v in zip(names, unknowns.tolist(), strict=True)]
        return NumericalError(
            f"no solution was found of the nonlinear equations for {', '.join(block.unknowns[:12])} ({why}): "
            + "; ".join(dict.fromkeys(describe(e) for e in [*block.equations, *steps][:12])),
            time=self.t,
            path=block.equations[0].path,
            found=f"at last {', '.join(values[:12])}" + (f"; not fulfilled: {'; '.join(left[:12])}" if left else ""),
            expected="equations with a solution",
            remedy=f"Give start values near the solution, e.g. {block.unknowns[0].rpartition('.')[2]} = Var(start=...).",
        )

    def _check_regular(self, block: LinearBlock, matrix: np.ndarray) -> None:
        rows = np.abs(matrix).max(axis=1)
        scaled = matrix / np.where(rows > 0.0, rows, 1.0)[:, None]
        columns = np.abs(scaled).max(axis=0)
        scaled = scaled / np.where(columns > 0.0, columns, 1.0)
        left, sizes, right = np.linalg.svd(scaled)
        if sizes[-1] > SINGULAR * sizes[0]:
            return
        # an array has as many rows and columns as elements
        lengths = [int(np.size(self.values[name])) for name in block.unknowns]
        owner = np.repeat(np.arange(len(lengths)), lengths)
        unknowns = [block.unknowns[k] for k in np.unique(owner[np.abs(right[-1]) > 1e-6])]
        equations = [block.equations[k] for k in np.unique(owner[np.abs(left[:, -1]) > 1e-6])]
        steps = [s.equation for s in block.body if isinstance(s, Assignment) and s.equation is not None]
        involved = set().union(*(names(e.lhs) | names(e.rhs) for e in [*equations, *steps]))
        used = sorted(name for name in involved if name in self.parameters or name in self.model.states)
        raise SingularEquations(
            unknowns,
            f"the linear equations for {', '.join(unknowns)} are singular: "
            + "; ".join(dict.fromkeys(describe(e) for e in [*equations, *steps][:12])),
            time=self.t,
            path=equations[0].path if equations else "",
            found=self._show(used[:12]),
            expected="equations that determine all unknowns",
            remedy=self._turned([*equations, *steps], unknowns),
        )
