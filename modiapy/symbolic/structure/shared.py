"""Variables for subexpressions that equations share: passes go through equations one by one, and meet each part once.

A front end that writes functions out hands over expressions with common parts, in one equation and in several. Within an
equation each pass visits a shared operation once; an operation that several equations share would be visited by each of them,
and the work would grow with the square of what is written. So it is named, as long as it is no trifle, and the equations that
are left have, together, no more operations than there are.

Not named are constants, which alias elimination knows, parts of arrays, and what stands in a branch of ``if`` only: its value
may not exist where the condition does not hold.
"""

from __future__ import annotations

from dataclasses import replace

from ...acausal.protocol import CallEquation
from ...model.entry import Kind
from ...model.expression import (
    Apply,
    Equation,
    Expr,
    Name,
    Operator,
    Rewritten,
    is_array_operator,
    postorder,
    rewrite,
    tree_size,
)
from ...model.language import entry_of
from ..flat.flat_model import Node, Variable
from ..hybrid.events import Events

SMALLEST = 20
"""What has less operations, those counted that have a name as one, is written as often as it occurs."""


def name_shared(events: Events) -> Events:
    """Return the equations where what several of them share is a variable; the same if nothing is shared."""
    return _Naming(events).run()


def _sides(node: Node) -> tuple[Expr, ...]:
    if isinstance(node, CallEquation):
        return node.inputs if node.rate is None else (*node.inputs, node.rate)
    return node.lhs, node.rhs


class _Naming:
    """``names`` has the names of operations by identity, ``order`` all operations, operands first."""

    def __init__(self, events: Events) -> None:
        self.events, self.flat = events, events.flat
        self.roots = [_sides(e) for e in events.equations]
        at_events = [*events.indicators, *events.time_events]
        at_events += [e for r in events.discrete.reinits for e in (r.active, r.value)]
        self.roots += [(e,) for e in at_events]
        self.order: list[Expr] = []
        self.names: dict[int, Name] = {}
        self.done: Rewritten = {}

    def run(self) -> Events:
        if not self._is_any_shared():
            return self.events
        visited: set[int] = set()
        for side in (side for sides in self.roots for side in sides):
            self.order += (new := postorder(side, done=visited))
            visited.update(map(id, new))
        self._choose(self._common())
        parts = [node for node in self.order if type(node) is Apply and id(node) in self.names]
        if not parts:
            return self.events
        events, discrete = self.events, self.events.discrete
        definitions = [self._definition(part) for part in parts]
        reinits = [replace(r, active=self._new(r.active), value=self._new(r.value)) for r in discrete.reinits]
        hidden = {name.name: Variable(name.name, state_select="avoid") for name in self.names.values()}
        return replace(
            events,
            flat=replace(self.flat, variables={**self.flat.variables, **hidden}),
            equations=[*map(self._changed, events.equations), *definitions],
            indicators=[self._new(e) for e in events.indicators],
            time_events=[self._new(e) for e in events.time_events],
            discrete=replace(discrete, reinits=reinits, hidden={*discrete.hidden, *hidden}),
        )

    # -- what is shared ---------------------------------------------------------------------------------------------------

    def _is_any_shared(self) -> bool:
        """Return whether any operation that may get a name stands in two equations: in most models there is none."""
        first: dict[int, int] = {}
        for k, sides in enumerate(self.roots):
            stack = [side for side in sides if type(side) is Apply]
            while stack:
                node = stack.pop()
                before = first.get(id(node))
                if before is None:
                    first[id(node)] = k
                    stack += [a for a in node.args if type(a) is Apply]
                elif before != k and tree_size(node) >= SMALLEST:
                    return True
        return False

    def _common(self) -> set[int]:
        """Return the operations to which one comes from several equations, or others of these operations; in a branch only:
        none.
        """
        common: set[int] = set()
        reached: dict[int, int] = {}  # from this equation or operation, _SEVERAL
        free: set[int] = set()  # outside of branches

        def reach(node: Expr, source: int, outside: bool) -> None:
            if type(node) is Apply:
                if reached.setdefault(id(node), source) != source:
                    reached[id(node)] = _SEVERAL
                if outside:
                    free.add(id(node))

        for k, sides in enumerate(self.roots):
            for side in sides:
                reach(side, k, True)
        for node in reversed(self.order):
            if type(node) is not Apply:
                continue
            source, outside = reached[id(node)], id(node) in free
            if source == _SEVERAL and outside:
                common.add(id(node))
                source = len(self.roots) + len(common)
            for i, a in enumerate(node.args):
                reach(a, source, outside and not (node.op == "if" and i > 0))
        return common

    def _choose(self, common: set[int]) -> None:
        """Choose names for the ``common`` operations that are worth it: continuous scalars, not too small."""
        if not common:
            return
        size, varies, scalar = dict[int, int](), dict[int, bool](), dict[int, bool]()
        for node in self.order:
            key = id(node)
            size[key], varies[key], scalar[key] = 0, self._varies(node), self._is_scalar(node)
            if type(node) is not Apply:
                continue
            size[key] = min(1 + sum(size[id(a)] for a in node.args), SMALLEST)
            varies[key] |= any(varies[id(a)] for a in node.args)
            scalar[key] &= all(scalar[id(a)] for a in node.args)
            if key in common and size[key] >= SMALLEST and varies[key] and scalar[key] and _gives_number(node):
                self.names[key] = self._name()
                size[key] = 0

    def _varies(self, node: Expr) -> bool:
        if type(node) is Apply:
            return entry_of(node.op).reads
        return type(node) is Name and node.name not in self.flat.parameters and node.name not in self.flat.arrays

    def _is_scalar(self, node: Expr) -> bool:
        if type(node) is Name:
            return node.name not in self.flat.shapes
        return type(node) is not Apply or not is_array_operator(node.op)

    def _name(self) -> Name:
        text = f"shared({len(self.names) + 1})"
        while text in self.flat.variables:
            text += "'"
        return Name(text)

    # -- equations with names ---------------------------------------------------------------------------------------------

    def _new(self, expr: Expr) -> Expr:
        return rewrite(expr, lambda node: self.names.get(id(node)), self.done)

    def _definition(self, part: Apply) -> Equation:
        return Equation(self.names[id(part)], Apply(part.op, tuple(map(self._new, part.args))))

    def _changed(self, node: Node) -> Node:
        if isinstance(node, CallEquation):
            rate = None if node.rate is None else self._new(node.rate)
            return replace(node, inputs=tuple(map(self._new, node.inputs)), rate=rate)
        return replace(node, lhs=self._new(node.lhs), rhs=self._new(node.rhs))


_SEVERAL = -1


def _gives_number(node: Apply) -> bool:
    return type(node.op) is Operator or entry_of(node.op).kind in (Kind.ARITHMETIC, Kind.FUNCTION, Kind.CHOICE)
