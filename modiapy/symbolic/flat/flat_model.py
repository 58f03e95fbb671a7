"""`FlatModel`: the border of the language. Whatever front end there is ends here, and all passes after it are the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...acausal.protocol import AcausalComponent, CallEquation
from ...model.expression import Apply, Equation, Expr, postorder
from ...model.places import Places
from ...model.when import ClockDefinition
from .visualizer import Visualizer

TYPES = ("Real", "Integer", "Boolean")

STATE_SELECT = ("never", "avoid", "default", "prefer", "always")
"""Wish that a variable be a state, from the weakest to the strongest."""


@dataclass(frozen=True)
class Variable:
    """A scalar unknown (or input) of the flat model.

    Attributes:
        name: full path, e.g. ``"gear.flange_a.tau"``.
        init: initial value that holds exactly; None if there is none.
        start: guess value, used for a state without ``init``.
        nominal: magnitude, for tolerances; None means 1.
        state_select: "never", "avoid", "default", "prefer" or "always" to be a state.
        input: a top-level input: known from outside (its value is ``start``).
        output, unit, description: documentation.
        potential, flow: role in a connector.
        origin: path of the model that declares it.
        type: "Real", "Integer" or "Boolean". The last two are piecewise constant; ``init`` (or ``start``) is the value of
            ``pre(name)`` at the beginning of the simulation.
        literals: of an enumeration; its values are their positions (``type`` is "Integer").
        discrete: whether it changes at events only (found by the compiler).
        observed: whether nothing but results and animations needs it. Where one equation ``v = expression`` defines it, that is
            evaluated where results are stored and makes no events; where others do need it, it is a variable like any other.
        impulse: whether it is zero except at events: what depends on it is evaluated there only.
        elements: whether the elements of an array are unknowns of their own, see `flattening/array_elements.py`.
    """

    name: str
    init: float | np.ndarray | None = None
    start: float | np.ndarray | None = None
    input: bool = False
    output: bool = False
    potential: bool = False
    flow: bool = False
    unit: str = ""
    description: str = ""
    origin: str = ""
    type: str = "Real"
    discrete: bool = False
    literals: tuple[str, ...] = ()
    nominal: float | None = None
    state_select: str = "default"
    observed: bool = False
    impulse: bool = False
    elements: bool = False


@dataclass(frozen=True)
class WhenBranch:
    """Branch of a when clause: assignments and new values of states at the instant when a condition becomes true.

    Attributes:
        conditions: Boolean expressions; ``initial()`` alone is true at the initial event.
        equations: ``variable = expression``, the left side a `Name`.
        reinits: states and their new values.
        terminations: messages with which the simulation ends then.
    """

    conditions: tuple[Expr, ...]
    equations: tuple[Equation, ...]
    reinits: tuple[tuple[Expr, Expr], ...] = ()
    terminations: tuple[str, ...] = ()


@dataclass(frozen=True)
class WhenEquation:
    """Clause of a flat model (``when``): equations at events.

    Attributes:
        branches: in the order of their priority.
        path: of the model where it stands.
        text: as it was written.
    """

    branches: tuple[WhenBranch, ...]
    path: str = ""
    text: str = ""

    def __str__(self) -> str:
        lines = []
        for word, branch in zip(("when", *["elsewhen"] * len(self.branches)), self.branches, strict=False):
            lines.append(f"{word} {', '.join(map(str, branch.conditions))}:")
            lines += [f"    {equation}" for equation in branch.equations]
            lines += [f"    reinit({state}, {value})" for state, value in branch.reinits]
            lines += [f"    terminate({message!r})" for message in branch.terminations]
        return "\n".join(lines)


@dataclass(frozen=True)
class IfEquation:
    """Equations under conditions, and those that hold where no condition does; the branches have equally many equations.

    Where conditions depend on parameters only, the numbers may differ: one branch is chosen at translation.

    Attributes:
        branches: conditions, each with its equations.
        otherwise: equations that hold where no condition does.
        path: of the model where it stands.
        text: as it was written.
    """

    branches: tuple[tuple[Expr, tuple[Equation | IfEquation | ForEquation, ...]], ...]
    otherwise: tuple[Equation | IfEquation | ForEquation, ...] = ()
    path: str = ""
    text: str = ""

    def __str__(self) -> str:
        lines = []
        for word, (condition, equations) in zip(("if", *["elseif"] * len(self.branches)), self.branches, strict=False):
            lines += [f"{word} {condition}:", *_indented(equations)]
        return "\n".join([*lines, *(["else:", *_indented(self.otherwise)] if self.otherwise else [])])


@dataclass(frozen=True)
class ForEquation:
    """Equations repeated for ``index`` = ``first`` to ``last`` (included), both integer expressions of parameters.

    In the equations the index is a `Name`, and ``Apply("element", (Name("x"), i))`` is the scalar ``x[i]``, or an element of
    the array ``x``.

    Attributes:
        index: its name.
        first, last: its least and its largest value.
        equations: that are repeated.
        path: of the model where it stands.
    """

    index: str
    first: Expr
    last: Expr
    equations: tuple[Equation | IfEquation | ForEquation, ...]
    path: str = ""

    def __str__(self) -> str:
        return "\n".join([f"for {self.index} in {self.first} to {self.last}:", *_indented(self.equations)])


def _indented(entries: Iterable[object]) -> list[str]:
    return ["    " + str(entry).replace("\n", "\n    ") for entry in entries]


@dataclass(frozen=True)
class Assertion:
    """Condition that must hold while a model is simulated.

    Attributes:
        condition: Boolean expression.
        message: of the error, the warning or the end.
        level: "error", "warning", or "terminate": the simulation ends, and that is no mistake.
        path: of the model where it stands.
        text: the condition as it was written.
    """

    condition: Expr
    message: str
    level: str = "error"
    path: str = ""
    text: str = ""

    @property
    def is_silent(self) -> bool:
        """True if it makes no events, as what a function asserts."""
        return type(self.condition) is Apply and self.condition.op == "noEvent"

    def __str__(self) -> str:
        return f"assert {self.text or self.condition}"


_OPERATIONS = "operations"


def _with_full_names(node: Node) -> str:
    """Return an equation as it was written, in a submodel with the paths of its variables."""
    return f"{node.lhs} = {node.rhs}" if isinstance(node, Equation) and node.path else str(node)


def _shown(value: Any) -> str:
    return repr(value.tolist() if isinstance(value, np.ndarray) else value)


@dataclass
class FlatModel:
    """Variables (scalars and arrays), evaluated parameters, equations and components of a model, all by full path.

    Attributes:
        name: of the model.
        variables: by name, in the order of declaration.
        parameters: numeric values by name (``"gear.ratio"``, ``"table[2]"``); equations refer to them by name, so that a
            value may change without any new code.
        equations: `Equation` objects and calls of component functions (`modiapy.acausal.CallEquation`), connections included.
        components: the predefined acausal components by path ("" for the top level).
        objects: what constructors returned, by path (documentation; the components hold what they need).
        compound: if- and for-equations, of which the compiler makes equations.
        initial_equations: hold at the beginning of the simulation only.
        whens, assertions: in the order of declaration.
        arrays: array parameters that equations use as a whole; their elements are no ``parameters``.
        shapes: of all arrays by name: variables, ``arrays``, and what a scalar was made as large as.
        clocks: by path; ``sample(u, clock)`` refers to them by name.
        places: where models, their equations and connections were written, by path of the model.
        bindings: expressions of parameters that others follow when these change: parameters, and initial values under
            ``"x.init"`` and ``"x.start"``; each after those that it refers to.
        premises: expressions of parameters with the values that the equations are built on: these may not change.
        settled: values of parameters that are numbers in the equations and cannot be changed.
        start_time: at which simulations have to begin [s], because the equations are built on it; None: at any.
        defaults: of `simulate`: ``stop_time``, ``start_time``, ``tolerance``, ``interval``.
        visualizers: what animations show.
    """

    name: str
    variables: dict[str, Variable]
    parameters: dict[str, float]
    equations: list[Equation | CallEquation]
    components: dict[str, AcausalComponent] = field(default_factory=dict)
    objects: Mapping[str, Any] = field(default_factory=dict)
    compound: list[IfEquation | ForEquation] = field(default_factory=list)
    initial_equations: list[Equation] = field(default_factory=list)
    whens: list[WhenEquation] = field(default_factory=list)
    assertions: list[Assertion] = field(default_factory=list)
    clocks: dict[str, ClockDefinition] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    places: dict[str, Places] = field(default_factory=dict)
    bindings: Mapping[str, Expr] = field(default_factory=dict)
    premises: Mapping[str, tuple[Expr, float]] = field(default_factory=dict)
    settled: Mapping[str, float] = field(default_factory=dict)
    start_time: float | None = None
    defaults: Mapping[str, float] = field(default_factory=dict)
    visualizers: tuple[Visualizer, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with all operations of the equations, operands first: deep nesting is pickled without recursion."""
        done: set[int] = set()
        operations: list[Expr] = []
        for side in (side for e in (*self.equations, *self.initial_equations) for side in expressions(e)):
            operations += (new := postorder(side, done=done))
            done.update(map(id, new))
        return {_OPERATIONS: operations, **vars(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: value for name, value in state.items() if name != _OPERATIONS})

    def __str__(self) -> str:
        lines = [f"model {self.name}"]
        lines += [f"  parameter {name} = {value!r}" for name, value in self.parameters.items()]
        lines += [f"  parameter {name} = {_shown(np.asarray(value))}" for name, value in self.arrays.items()]
        for v in self.variables.values():
            notes = [f"init={_shown(v.init)}"] if v.init is not None else []
            notes += [f"start={_shown(v.start)}"] if v.start is not None else []
            notes += [f"nominal={v.nominal!r}"] if v.nominal is not None else []
            notes += [f"state_select={v.state_select}"] if v.state_select != "default" else []
            notes += [word for word in ("input", "output", "potential", "flow", "observed", "impulse") if getattr(v, word)]
            notes += [f"enumeration of {', '.join(v.literals)}"] if v.literals else [v.type] if v.type != "Real" else []
            shape = "".join(f"[{n}]" for n in self.shapes.get(v.name, ()))
            lines.append(f"  {v.name}{shape}" + (f"  ({', '.join(notes)})" if notes else ""))
        lines += [f"  clock {name}" for name in self.clocks]
        lines.append("equations")
        lines += [f"  {_with_full_names(equation)}" for equation in self.equations]
        lines += ["  " + str(entry).replace("\n", "\n  ") for entry in self.compound]
        if self.initial_equations:
            lines += ["initial equations", *(f"  {_with_full_names(equation)}" for equation in self.initial_equations)]
        lines += ["  " + str(when).replace("\n", "\n  ") for when in self.whens]
        lines += [f"  {assertion}" for assertion in self.assertions]
        return "\n".join(lines)


Node = Equation | CallEquation


def expressions(node: Node) -> tuple[Expr, ...]:
    """Return both sides of an equation; inputs and outputs of a call."""
    return (*node.inputs, *node.outputs) if isinstance(node, CallEquation) else (node.lhs, node.rhs)
