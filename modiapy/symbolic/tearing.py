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
from ..model.expression import ZERO, Equation, Expr, Name, evaluate, linear_in, names, sub
from .affine import coefficients, solve_linear
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
