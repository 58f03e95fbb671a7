"""From strong components to blocks: solving single equations, tearing systems of equations.

Tearing chooses unknowns such that all other unknowns of the block follow in sequence; the equations left over are the
residuals. Only equations with constant coefficients (of numbers and parameters) are solved in the sequence, since others
may vanish. The choice is greedy: first the unknowns that component functions wait for (accelerations), then the variable
after which most equations have a single unknown left, after F. E. Cellier, E. Kofman, Continuous System Simulation (2006),
chapter 7.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..acausal.protocol import CallEquation
from ..model.errors import ModelError
from ..model.expression import (
    ONE,
    ZERO,
    Apply,
    Equation,
    Expr,
    Name,
    add,
    apply,
    div,
    evaluate,
    linear_in,
    mul,
    names,
    neg,
    sub,
    walk,
)
from .events import is_constant
from .index_reduction import Node
from .sorted_model import Assignment, Block, Call, LinearBlock
from .sorting import describe

GROWTH = 1e8
"""A variable that would be computed with a larger amplification of the torn unknowns is torn itself (ladder networks)."""


def solve_component(nodes: Sequence[Node], unknowns: Sequence[str], parameters: Mapping[str, float]) -> Block:
    """The block that solves the equations ``nodes`` for ``unknowns``.

    Raises:
        ModelError: an equation is nonlinear in the unknowns, or does not determine its unknown.
    """
    if len(nodes) == 1:
        node = nodes[0]
        if isinstance(node, Equation):
            return _assignment(node, unknowns[0])
        if {output.name for output in node.outputs} == set(unknowns) and not _names(node.inputs) & set(unknowns):
            return Call(node)
    return _Tearing(nodes, unknowns, parameters).run()


def _assignment(equation: Equation, unknown: str) -> Assignment:
    if not _depends(equation, unknown):
        raise ModelError(
            f"the equation '{equation}' does not determine '{unknown}': it cancels",
            path=equation.path,
            expected=f"an equation in which '{unknown}' remains",
        )
    expr = solve_linear(equation, unknown)
    if expr is None:
        raise ModelError(
            f"the equation '{equation}' must be solved for '{unknown}', but is not linear in it",
            path=equation.path,
            remedy=f"Write it in a form that is linear in '{unknown}'; nonlinear equations are not supported yet.",
        )
    return Assignment(unknown, expr, equation)


def _depends(equation: Equation, unknown: str) -> bool:
    ab = linear_in(sub(equation.lhs, equation.rhs), unknown)
    return ab is None or ab[0] != ZERO


def solve_linear(equation: Equation, unknown: str) -> Expr | None:
    """``expr`` with ``unknown = expr``; None if the equation is not linear in ``unknown``."""
    for side, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        if type(side) is Name and side.name == unknown and unknown not in names(other):
            return other
    ab = linear_in(sub(equation.lhs, equation.rhs), unknown)
    if ab is None or ab[0] == ZERO:
        return None
    a, b = ab
    return div(b, neg(a)) if type(a) is Apply and a.op == "neg" else div(neg(b), a)


def coefficients(expr: Expr, unknowns: frozenset[str] | set[str]) -> dict[str, Expr] | None:
    """Coefficients of ``unknowns`` in ``expr`` if it is affine in all of them together, else None."""
    nodes = list(walk(expr))
    dependent: set[int] = set()
    for node in reversed(nodes):
        if (type(node) is Name and node.name in unknowns) or (
            type(node) is Apply and any(id(a) in dependent for a in node.args)
        ):
            dependent.add(id(node))
    result: dict[str, Expr] = {}
    stack: list[tuple[Expr, Expr]] = [(expr, ONE)]
    while stack:
        node, factor = stack.pop()
        if id(node) not in dependent:
            continue
        if type(node) is Name:
            result[node.name] = add(result.get(node.name, ZERO), factor)
            continue
        assert type(node) is Apply
        op, args = node.op, node.args
        free = [id(a) not in dependent for a in args]
        if op in ("+", "-"):
            stack += [(args[1], factor if op == "+" else neg(factor)), (args[0], factor)]
        elif op == "neg":
            stack.append((args[0], neg(factor)))
        elif op == "*" and (free[0] or free[1]):
            stack.append((args[1], mul(factor, args[0])) if free[0] else (args[0], mul(factor, args[1])))
        elif op == "/" and free[1]:
            stack.append((args[0], div(factor, args[1])))
        elif op == "if" and free[0]:
            branches = [coefficients(a, unknowns) for a in args[1:]]
            if branches[0] is None or branches[1] is None:
                return None
            for name in {**branches[0], **branches[1]}:
                chosen = apply("if", args[0], branches[0].get(name, ZERO), branches[1].get(name, ZERO))
                result[name] = add(result.get(name, ZERO), mul(factor, chosen))
        else:
            return None
    return {name: c for name, c in result.items() if c != ZERO}


def _names(exprs: Sequence[Expr]) -> set[str]:
    return set().union(*(names(e) for e in exprs)) if exprs else set()


@dataclass
class _Item:
    """An equation or call of the block, and its unknowns that are not computed yet."""

    node: Node
    left: set[str]
    pivots: dict[str, float] = field(default_factory=dict)
    constant: bool = True
    done: bool = False


class _Tearing:
    def __init__(self, nodes: Sequence[Node], unknowns: Sequence[str], parameters: Mapping[str, float]) -> None:
        self.unknowns = list(unknowns)
        self.parameters = parameters
        self.position = {name: k for k, name in enumerate(self.unknowns)}
        self.torn: list[str] = []
        self.body: list[Assignment | Call] = []
        self.residuals: list[Equation] = []
        self.gain: dict[str, float] = {}
        self.outputs = {o.name for node in nodes if isinstance(node, CallEquation) for o in node.outputs}
        self.items = [self._item(node) for node in nodes]
        self.uses: dict[str, list[int]] = {name: [] for name in self.unknowns}
        for i, item in enumerate(self.items):
            for name in item.left:
                self.uses[name].append(i)
        self.queue = deque(i for i, item in enumerate(self.items) if isinstance(item.node, Equation))
        self.ready_calls = deque(
            i for i, item in enumerate(self.items) if isinstance(item.node, CallEquation) and not item.left
        )
        self.heap = [self._entry(name) for name in self.unknowns if name not in self.outputs]
        heapq.heapify(self.heap)
        self.calls = deque(i for i, item in enumerate(self.items) if isinstance(item.node, CallEquation))

    def run(self) -> LinearBlock:
        self._propagate()
        while len(self.gain) < len(self.unknowns):
            self._tear(self._choose())
            self._propagate()
        return LinearBlock(
            tuple(self.torn),
            tuple(self.body),
            tuple(sub(e.lhs, e.rhs) for e in self.residuals),
            tuple(self.residuals),
            all(item.constant for item in self.items),
        )

    def _item(self, node: Node) -> _Item:
        block = frozenset(self.position)
        if isinstance(node, CallEquation):
            for k, expr in enumerate(node.inputs):
                inside = names(expr) & block
                if inside and (k not in node.function.linear_in or coefficients(expr, block) is None):
                    self._nonlinear(node, inside)
            return _Item(node, _names(node.inputs) & block, constant=False)
        factors = coefficients(sub(node.lhs, node.rhs), block)
        if factors is None:
            self._nonlinear(node, (names(node.lhs) | names(node.rhs)) & block)
            raise AssertionError
        item = _Item(node, set(factors))
        for name, factor in factors.items():
            if is_constant(factor, self.parameters):
                value = evaluate(factor, self.parameters)
                if value != 0.0:
                    item.pivots[name] = value
            else:
                item.constant = False
        return item

    def _nonlinear(self, node: Node, inside: set[str]) -> None:
        raise ModelError(
            f"the equations are a nonlinear system for {', '.join(self.unknowns[:8])}: '{describe(node)}' is not linear in"
            f" {', '.join(sorted(inside, key=self.position.__getitem__))}",
            path=node.component if isinstance(node, CallEquation) else node.path,
            expected="systems of simultaneous equations that are linear in their unknowns",
            remedy="Nonlinear systems of equations are not supported yet.",
        )

    def _propagate(self) -> None:
        """Compute whatever can be computed; functions after all equations, so that what depends on them becomes a residual."""
        while self.queue or self.ready_calls:
            item = self.items[self.queue.popleft() if self.queue else self.ready_calls.popleft()]
            if item.done:
                continue
            if isinstance(item.node, CallEquation):
                item.done = True
                self._execute(item.node)
            elif not item.left:
                item.done = True
                self.residuals.append(item.node)
            elif len(item.left) == 1:
                self._solve(item, next(iter(item.left)))

    def _execute(self, call: CallEquation) -> None:
        """Call a function; an output that was torn is computed under another name and compared."""
        renamed = []
        for output in call.outputs:
            if output.name in self.gain:
                copy = Name(f"{output.name}.computed")
                self.residuals.append(Equation(output, copy, call.component, str(call)))
                renamed.append(copy)
            else:
                renamed.append(output)
        self.body.append(Call(CallEquation(call.function, call.inputs, tuple(renamed), call.component)))
        for output in call.outputs:
            if output.name in self.position and output.name not in self.gain:
                self._resolve(output.name, 1.0)

    def _solve(self, item: _Item, name: str) -> None:
        pivot = item.pivots.get(name)
        if pivot is None or name in self.outputs:
            return
        assert isinstance(item.node, Equation)
        gain = sum(abs(c) * self.gain[v] for v, c in item.pivots.items() if v != name) / abs(pivot)
        expr = solve_linear(item.node, name)
        if gain > GROWTH or expr is None:
            return
        item.done = True
        self.body.append(Assignment(name, expr, item.node))
        self._resolve(name, gain)

    def _resolve(self, name: str, gain: float) -> None:
        self.gain[name] = gain
        for i in self.uses[name]:
            item = self.items[i]
            item.left.discard(name)
            if item.done:
                continue
            if isinstance(item.node, CallEquation):
                if not item.left:
                    self.ready_calls.append(i)
            elif len(item.left) <= 1:
                self.queue.append(i)
            elif len(item.left) == 2:
                for other in item.left - self.outputs:
                    heapq.heappush(self.heap, self._entry(other))

    def _entry(self, name: str) -> tuple[int, int, int, str]:
        """Sort key of a candidate: equations that it would make solvable, equations it occurs in, position."""
        solvable = occurrences = 0
        for i in self.uses[name]:
            item = self.items[i]
            if item.done:
                continue
            occurrences += 1
            if len(item.left) == 2:
                other = next(v for v in item.left if v != name)
                solvable += other in item.pivots and other not in self.outputs
        return -solvable, -occurrences, self.position[name], name

    def _choose(self) -> str:
        while self.calls:
            item = self.items[self.calls[0]]
            waiting = item.left - self.outputs
            if waiting:
                return min(waiting, key=self.position.__getitem__)
            self.calls.popleft()
        while self.heap:
            entry = heapq.heappop(self.heap)
            name = entry[3]
            if name in self.gain:
                continue
            current = self._entry(name)
            if not self.heap or current <= self.heap[0]:
                return name
            heapq.heappush(self.heap, current)
        return next(name for name in self.unknowns if name not in self.gain)

    def _tear(self, name: str) -> None:
        self.torn.append(name)
        self._resolve(name, 1.0)
