"""Blocks from strong components: single equations are solved, systems of equations torn.

Tearing chooses unknowns such that all other unknowns of the block follow in sequence; the equations left over are the
residuals. Only equations with constant coefficients (of numbers and parameters) are solved in the sequence, since others may
vanish; an equation that is nonlinear in other unknowns of the block is solved for one in which it is linear. The choice is
greedy: first the unknowns that component functions wait for (accelerations), then the variable after which most equations have
a single unknown left, after F. E. Cellier, E. Kofman, Continuous System Simulation (2006), chapter 7.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import deque
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from ...acausal.protocol import CallEquation
from ...model.calculus import linear_in
from ...model.errors import ModelError
from ...model.expression import ZERO, Apply, Equation, Expr, Name, names, sub, substitute, walk
from ..flat.flat_model import Node
from ..sorted.parts import Assignment, Block, Call, LinearBlock, NonlinearBlock
from ..terms.affine import coefficients, solve_linear
from ..terms.arrays import Shape, shape_at
from ..terms.constants import constant_value, is_constant
from ..terms.matching import match
from .nonlinear import invert, nonlinear_block

GROWTH = 1e6
"""Largest amplification of the torn unknowns, and of their rounding errors, with which a variable is computed."""

SWEEPS = 6
"""Iterations of the scaling of rows and columns."""

CUT = 1e2
"""Where `GROWTH` is reached, the sequence is cut: what contributes more than this to the amplification is torn as well.

Ladder networks and grids, whose sequences amplify by a factor per section, are so divided into stretches (multiple shooting).
"""

NONLINEAR = 100.0
"""What a nonlinear term counts as amplification: functions of functions of functions must not become a long sequence."""

TURNING = 0.25
"""What a term counts that is a sum or product of different unknowns, their sines and cosines. Such are products of rotation
matrices, long sequences of which leave the length of a vector as it is."""

_GENTLE = frozenset(("+", "-", "*", "neg", "sin", "cos"))


def solve_component(
    nodes: Sequence[Node], unknowns: Sequence[str], parameters: Mapping[str, float], shapes: Mapping[str, Shape]
) -> list[Block]:
    """Return the blocks that solve the equations ``nodes`` for ``unknowns``: one, or several where coefficients cancel.

    Args:
        nodes, unknowns: as many equations as unknowns.
        parameters: values of parameters.
        shapes: of arrays, by name.

    Raises:
        ModelError: an equation does not determine its unknown, or has no derivative.
    """
    if len(nodes) == 1:
        node = nodes[0]
        if isinstance(node, Equation):
            block = _assignment(node, unknowns[0], shapes)
            if isinstance(block, Assignment) and not shape_at(block.variable, shapes):
                block = replace(block, expr=_smallest(node, block.variable, block.expr))
            return [block]
        if {output.name for output in node.outputs} == set(unknowns) and not _names(node.inputs) & set(unknowns):
            return [Call(node)]
    block = _Tearing(nodes, unknowns, parameters, shapes).run()
    return [block] if block.unknowns else list(block.body)


def _assignment(equation: Equation, unknown: str, shapes: Mapping[str, Shape]) -> Block:
    if not _depends(equation, unknown):
        raise ModelError(
            f"the equation '{equation}' does not determine '{unknown}': it cancels",
            path=equation.path,
            expected=f"an equation in which '{unknown}' remains",
        )
    expr = solve_linear(equation, unknown) or invert(equation, unknown)
    if expr is None and coefficients(sub(equation.lhs, equation.rhs), {unknown}) is not None:
        return _Tearing([equation], [unknown], {}, shapes).run()
    if expr is None:
        return nonlinear_block([unknown], [], [sub(equation.lhs, equation.rhs)], [equation], shapes)
    return Assignment(unknown, expr, equation)


def _smallest(equation: Equation, unknown: str, solution: Expr) -> Expr:
    """Return the solution, and zero where a mode makes the equation ``0 = 0*unknown``, which every number fulfils.

    So it is with the curve parameter of a friction element that is stuck while something else holds its surfaces.
    """
    ab = linear_in(sub(equation.lhs, equation.rhs), unknown)
    if ab is None or not any(type(node) is Apply and node.op == "if" for node in walk(ab[0])):
        return solution
    a, b = ab
    open_ = Apply("and", (Apply("==", (a, ZERO)), Apply("==", (b, ZERO))))
    return Apply("if", (open_, ZERO, solution))


def _depends(equation: Equation, unknown: str) -> bool:
    ab = linear_in(sub(equation.lhs, equation.rhs), unknown)
    return ab is None or ab[0] != ZERO


def _without(equation: Equation, cancelled: Set[str]) -> Equation:
    """Return the equation without unknowns that cancel in it: they may be computed after it."""
    if not cancelled:
        return equation
    zeros = dict.fromkeys(cancelled, ZERO)
    return replace(equation, lhs=substitute(equation.lhs, zeros), rhs=substitute(equation.rhs, zeros))


def _steep(equation: Equation) -> set[str]:
    """Return the names that occur below other operators than those of `_GENTLE`, or in both factors of a product."""
    found: set[str] = set()
    pending = [equation.lhs, equation.rhs]
    while pending:
        node = pending.pop()
        if type(node) is Apply:
            if node.op in _GENTLE:
                pending += node.args
                found |= names(node.args[0]) & names(node.args[-1]) if node.op == "*" else set()
            else:
                found |= names(node)
    return found


def _names(exprs: Sequence[Expr]) -> set[str]:
    return set().union(*(names(e) for e in exprs)) if exprs else set()


@dataclass
class _Item:
    """An equation or call of the block, and its unknowns that are not computed yet."""

    node: Node
    left: set[str]
    used: frozenset[str] = field(init=False)
    pivots: dict[str, float] = field(default_factory=dict)
    steep: frozenset[str] = frozenset()
    constant: bool = True
    done: bool = False

    def __post_init__(self) -> None:
        self.used = frozenset(self.left)


def _scale(rows: Sequence[dict[str, float]]) -> None:
    """Replace coefficients by their magnitudes, columns scaled so that units of measurement do not count.

    With rows scaled too, which makes no difference for ratios, the geometric mean of each row and column would be about 1.
    """
    logs = [{name: math.log(abs(c)) for name, c in row.items()} for row in rows]
    column = dict.fromkeys((name for row in rows for name in row), 0.0)
    for _ in range(SWEEPS):
        total, count = dict.fromkeys(column, 0.0), dict.fromkeys(column, 0)
        for row in logs:
            mean = sum(value + column[name] for name, value in row.items()) / max(len(row), 1)
            for name, value in row.items():
                total[name] += value - mean
                count[name] += 1
        column = {name: -total[name] / count[name] for name in column}
    for row, log in zip(rows, logs, strict=True):
        for name, value in log.items():
            row[name] = math.exp(value + column[name])


class _Tearing:
    def __init__(
        self, nodes: Sequence[Node], unknowns: Sequence[str], parameters: Mapping[str, float], shapes: Mapping[str, Shape]
    ) -> None:
        self.unknowns = list(unknowns)
        self.parameters, self.shapes = parameters, shapes
        self.position = {name: k for k, name in enumerate(self.unknowns)}
        self.torn: list[str] = []
        self.body: list[Assignment | Call | None] = []
        self.assigned: dict[str, int] = {}
        self.origin: dict[str, int] = {}
        self.amplified: list[str] = []
        self.residuals: list[Equation] = []
        self.gain: dict[str, float] = {}
        self.linear = True
        self.outputs = {o.name for node in nodes if isinstance(node, CallEquation) for o in node.outputs}
        block = frozenset(self.position)
        self.items = [self._item(node, block) for node in nodes]
        self.uses: dict[str, list[int]] = {name: [] for name in self.unknowns}
        for i, item in enumerate(self.items):
            for name in item.left:
                self.uses[name].append(i)
        self.queue = deque(i for i, item in enumerate(self.items) if isinstance(item.node, Equation))
        self.ready_calls = deque(
            i for i, item in enumerate(self.items) if isinstance(item.node, CallEquation) and not item.left
        )
        _scale([item.pivots for item in self.items])
        self.solvable = dict.fromkeys(self.unknowns, 0)
        for item in self.items:
            self._count_solvable(item, 1)
        self.open_uses = {name: len(uses) for name, uses in self.uses.items()}
        self.heap = [self._entry(name) for name in self.unknowns if name not in self.outputs]
        heapq.heapify(self.heap)
        self.calls = deque(i for i, item in enumerate(self.items) if isinstance(item.node, CallEquation))

    def run(self) -> LinearBlock | NonlinearBlock:
        self._propagate()
        for name in self._unsolvable():
            self._tear(name)
        self._propagate()
        while len(self.gain) < len(self.unknowns):
            self._tear(self._choose())
            self._propagate()
        if not self.linear:
            steps = [step for step in self.body if step is not None]
            residuals = [sub(e.lhs, e.rhs) for e in self.residuals]
            return nonlinear_block(self.torn, steps, residuals, self.residuals, self.shapes)
        equations = self._beside_their_unknowns()
        return LinearBlock(
            tuple(self.torn),
            tuple(step for step in self.body if step is not None),
            tuple(sub(e.lhs, e.rhs) for e in equations),
            tuple(equations),
            all(item.constant for item in self.items),
        )

    def _beside_their_unknowns(self) -> list[Equation]:
        """Return the residuals in the order of the torn unknowns, where possible each beside one that it contains.

        So the residual form has few entries besides its diagonal, and a printed block is read line by line.
        """
        column = {name: k for k, name in enumerate(self.torn) if not shape_at(name, self.shapes)}
        if len(column) < len(self.torn):
            return self.residuals
        contained = [sorted(column[v] for v in names(sub(e.lhs, e.rhs)) & column.keys()) for e in self.residuals]
        row_of = match(contained, len(column)).row_of
        left = iter(sorted(set(range(len(column))) - set(row_of)))
        return [self.residuals[row if row >= 0 else next(left)] for row in row_of]

    def _item(self, node: Node, block: frozenset[str]) -> _Item:
        if isinstance(node, CallEquation):
            for k, expr in enumerate(node.inputs):
                inside = names(expr) & block
                if inside and (k not in node.function.linear_in or coefficients(expr, block) is None):
                    self.linear = False
            return _Item(node, _names(node.inputs) & block, constant=False)
        affine = coefficients(sub(node.lhs, node.rhs), block)
        self.linear = self.linear and affine is not None
        factors: Mapping[str, Expr | None] = self._linear_factors(node, block) if affine is None else affine
        item = _Item(_without(node, _names((node.lhs, node.rhs)) & block - factors.keys()), set(factors))
        if affine is None:
            assert isinstance(item.node, Equation)
            item.steep = frozenset(_steep(item.node))
        for name, factor in factors.items():
            if factor is not None and is_constant(factor, self.parameters):
                value = constant_value(factor, self.parameters)
                if math.isfinite(value) and value != 0.0:
                    item.pivots[name] = value
            else:
                item.constant = False
        return item

    def _linear_factors(self, equation: Equation, block: frozenset[str]) -> dict[str, Expr | None]:
        """Return the coefficients of the unknowns in which a nonlinear equation is linear; None for the others."""
        difference = sub(equation.lhs, equation.rhs)
        factors: dict[str, Expr | None] = {}
        for name in names(difference) & block:
            ab = linear_in(difference, name)
            if ab is None or ab[0] != ZERO:
                factors[name] = None if ab is None else ab[0]
        return factors

    def _propagate(self) -> None:
        """Compute all variables that can be computed; functions come last, so that variables behind them become residuals."""
        while self.queue or self.ready_calls:
            i = self.queue.popleft() if self.queue else self.ready_calls.popleft()
            item = self.items[i]
            if item.done:
                continue
            if isinstance(item.node, CallEquation):
                self._finish(item)
                self._execute(item.node)
            elif not item.left:
                self._finish(item)
                self.residuals.append(item.node)
            elif len(item.left) == 1:
                self._solve(i, next(iter(item.left)))

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

    def _solve(self, i: int, name: str) -> None:
        item = self.items[i]
        pivot = item.pivots.get(name)
        if pivot is None or name in self.outputs:
            return
        assert isinstance(item.node, Equation)
        gain = self._amplification(item, name)
        if gain > GROWTH:
            self._cut()
            gain = self._amplification(item, name)
        expr = solve_linear(item.node, name)
        if gain > GROWTH or expr is None:
            return
        self._finish(item)
        self.assigned[name], self.origin[name] = len(self.body), i
        if gain > CUT:
            self.amplified.append(name)
        self.body.append(Assignment(name, expr, item.node))
        self._resolve(name, gain)

    def _amplification(self, item: _Item, name: str) -> float:
        known = sum(c * self.gain[v] for v, c in item.pivots.items() if v != name)
        if not self.linear:
            known += sum(self.gain[v] * (NONLINEAR if v in item.steep else TURNING) for v in item.used if v not in item.pivots)
        return known / item.pivots[name]

    def _cut(self) -> None:
        """Tear all computed variables of a large amplification that are still needed; their assignments become residuals."""
        needed = {v for v in self.amplified if self.open_uses[v] and v in self.assigned}
        self.amplified = []
        for k in range(min((self.assigned[v] for v in needed), default=0), len(self.body)):
            step = self.body[k]
            if not isinstance(step, Assignment):
                continue
            name = step.variable
            gain = self._amplification(self.items[self.origin[name]], name)
            if gain > CUT and name in needed:
                assert step.equation is not None
                self.body[k] = None
                self.residuals.append(step.equation)
                self.torn.append(name)
                del self.assigned[name]
                gain = 1.0
            self.gain[name] = gain

    def _finish(self, item: _Item) -> None:
        item.done = True
        for name in item.used:
            self.open_uses[name] -= 1

    def _resolve(self, name: str, gain: float) -> None:
        self.gain[name] = gain
        for i in self.uses[name]:
            item = self.items[i]
            self._count_solvable(item, -1)
            item.left.discard(name)
            if item.done:
                continue
            self._count_solvable(item, 1)
            if isinstance(item.node, CallEquation):
                if not item.left:
                    self.ready_calls.append(i)
            elif len(item.left) <= 1:
                self.queue.append(i)
            elif len(item.left) == 2:
                for other in item.left - self.outputs:
                    heapq.heappush(self.heap, self._entry(other))

    def _count_solvable(self, item: _Item, change: int) -> None:
        """Keep ``solvable`` up to date: how many equations have one unknown left once a variable is known."""
        if item.done or len(item.left) != 2:
            return
        for name, other in itertools.permutations(item.left):
            if other in item.pivots and other not in self.outputs:
                self.solvable[name] += change

    def _entry(self, name: str) -> tuple[int, int, int, str]:
        """Sort key of a candidate: equations that it would make solvable, equations it occurs in, position."""
        return -self.solvable[name], -self.open_uses[name], self.position[name], name

    def _unsolvable(self) -> list[str]:
        """Return the unknowns that no equation can be solved for: torn in any case.

        Torn first, equations such as ``der(w) = 0 if locked else f(s)`` are evaluated as they are written: exactly.
        """
        if any(item.left - self.outputs for item in self.items if isinstance(item.node, CallEquation)):
            return []
        solvable = {name for item in self.items if not item.done for name in item.pivots} | self.outputs
        return [name for name in self.unknowns if name not in self.gain and name not in solvable]

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
