"""`StepperPoint`: where a stepped simulation stands, for the views of its components."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ..acausal.abilities import OffersViews
from ..acausal.protocol import ComponentRun
from ..model.errors import ModelError, nearest
from ..model.expression import Equation, Expr, evaluate, names
from ..symbolic.sorted.parts import Assignment
from ..symbolic.terms.affine import coefficients
from .evaluation.machine import Machine
from .segment_loop import SegmentLoop
from .simulate import Simulation


class Stepped(Protocol):
    """Stepper, as its present point sees it."""

    _simulation: Simulation

    @property
    def _loop(self) -> SegmentLoop: ...
    def __getitem__(self, name: str) -> Any: ...


class StepperPoint:
    """See `PresentPoint`.

    Args:
        stepper: whose present point it is.
    """

    def __init__(self, stepper: Stepped) -> None:
        self._stepper = stepper
        self.version = self.structure = 0
        self._before: list[Callable[[], None]] = []
        self._after: list[Callable[[], None]] = []
        self._back: list[Callable[[], None]] = []
        self._segment: object = None
        self._equal: dict[str, list[tuple[str, float]]] = {}
        self._same: dict[str, tuple[str, float]] = {}
        self.x, self.inputs, self.time = np.zeros(0), np.zeros(0), 0.0
        self.changed()

    @property
    def input_names(self) -> Sequence[str]:
        """See `PresentPoint`."""
        return self._stepper._loop.inputs.names

    def component(self, path: str) -> ComponentRun:
        """See `PresentPoint`."""
        return self._stepper._loop.components[path]

    @property
    def _machine(self) -> Machine:
        return self._stepper._loop.machine

    def changed(self) -> None:
        """Note that the point has changed."""
        loop = self._stepper._simulation.loop
        self.time = loop.current.time
        if loop.current.segment is not self._segment:
            self._segment, self.structure = loop.current.segment, self.structure + 1
            self.x, self.inputs = loop.current.x, loop.inputs.values
        self.version += 1
        for work in self._after:
            work()

    def send(self) -> None:
        """Let views write their inputs before a step."""
        for work in self._before:
            work()

    def went_back(self) -> None:
        """Note that the point, and the inputs, are those of another state."""
        self.changed()
        for work in self._back:
            work()

    def on_step(
        self,
        before: Callable[[], None] | None = None,
        after: Callable[[], None] | None = None,
        back: Callable[[], None] | None = None,
    ) -> None:
        """See `PresentPoint`."""
        self._before += [before] if before is not None else []
        self._after += [after] if after is not None else []
        self._back += [back] if back is not None else []

    def component_states(self, path: str) -> slice:
        """See `PresentPoint`."""
        part: slice = self._stepper._loop.current.segment.parts[path]
        return part

    def state_index(self, name: str) -> tuple[int, float] | None:
        """See `PresentPoint`."""
        source = self._machine.table.find(name)
        if source is None or source.kind != "state" or source.shape:
            return None
        return source.index, float(source.factor)

    def affine(self, name: str) -> tuple[int, float, float] | None:
        """See `PresentPoint`."""
        found = self.state_index(name)
        if found is not None:
            return *found, 0.0
        machine = self._machine
        alias = machine.sorted.aliases.get(name)
        if alias is not None:
            return _scaled(self.affine(alias.of), float(alias.sign), 0.0) if alias.of else None
        block = next((b for b in machine.sorted.blocks if isinstance(b, Assignment) and b.variable == name), None)
        known: Mapping[str, Any] = machine.flat.parameters
        unknown = set() if block is None else names(block.expr) - known.keys()
        if block is None or len(unknown) != 1:
            return None
        (other,) = unknown
        try:
            factor = evaluate((coefficients(block.expr, unknown) or {})[other], known)
            return _scaled(self.affine(other), factor, evaluate(block.expr, {**known, other: 0.0}))
        except (ArithmeticError, KeyError, TypeError, ValueError):
            return None

    def aliases(self, name: str) -> Sequence[tuple[str, float]]:
        """See `PresentPoint`."""
        if not self._equal:
            self._find_equal()
        of, sign = self._same.get(name, (name, 1.0))
        return [(other, sign * other_sign) for other, other_sign in self._equal.get(of, [(of, 1.0)])]

    def _find_equal(self) -> None:
        """Collect variables that are equal. Elements of inputs are no variables: equations say what equals them."""
        model = self._machine.sorted
        steps = {name: (alias.of, float(alias.sign)) for name, alias in model.aliases.items() if alias.of}

        def last(name: str) -> tuple[str, float]:
            sign = 1.0
            while name in steps:
                name, factor = steps[name]
                sign *= factor
            return name, sign

        elements = set(self.input_names) - set(model.inputs)
        for equation in self._machine.flat.equations if elements else ():
            sides = [(str(side).removeprefix("-"), -1.0 if str(side).startswith("-") else 1.0) for side in _sides(equation)]
            for (name, sign), (element, other) in (sides, sides[::-1]) if len(sides) == 2 else ():
                if element in elements and name in self._machine.table:
                    of, factor = last(name)
                    if of != element:
                        steps[of] = element, factor * sign * other
        for name in steps:
            self._same[name] = of, sign = last(name)
            self._equal.setdefault(of, [(of, 1.0)]).append((name, sign))

    def value(self, name: str) -> Any:
        """See `PresentPoint`."""
        return self._stepper[name]


def _sides(equation: Any) -> tuple[Expr, ...]:
    """Return both sides of an equation; nothing of a call."""
    return (equation.lhs, equation.rhs) if isinstance(equation, Equation) else ()


def _scaled(found: tuple[int, float, float] | None, factor: float, offset: float) -> tuple[int, float, float] | None:
    return None if found is None else (found[0], factor * found[1], factor * found[2] + offset)


def view_of(components: Mapping[str, ComponentRun], point: StepperPoint, path: str, options: Mapping[str, Any]) -> Any:
    """Return a view of the component, or of a part of one, at a path.

    Raises:
        ModelError: there is none; no component of the model, or more than one, has views.
    """
    offering = {at: run for at, run in components.items() if isinstance(run, OffersViews)}
    if not offering:
        raise ModelError("nothing in the model has views", expected="a Model3D")
    inside = [at for at in offering if not at or path == at or path.startswith(f"{at}.")]
    below = [at for at in offering if not path or at.startswith(f"{path}.")]
    if inside:
        at = max(inside, key=len)
        return offering[at].view(path.removeprefix(at).removeprefix("."), point, **options)
    if len(below) == 1:
        return offering[below[0]].view("", point, **options)
    if below:
        raise ModelError("the path of a view is not clear", path=path, found=", ".join(below), expected="one of them")
    raise ModelError(
        "nothing at this path has views", path=path, expected=f"a path in {', '.join(offering)}", remedy=nearest(path, offering)
    )
