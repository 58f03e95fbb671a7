"""The equations of a model as objects of sympy, before and after they were sorted: `Equations`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError, nearest
from ...model.expression import Apply, Const, Equation, Expr, Name, rewrite
from ...model.latex import aligned, latex, latex_of_equation
from ...model.sympy_bridge import equations_of, symbols_of, sympy_of, truth
from ..flattening.control import expand_control
from ..sorted.parts import Assignment, Block, Call, LinearBlock, defined_by
from ..sorted.sorted_model import SortedModel
from ..terms.arrays import element_names, shape_at


@dataclass(frozen=True, repr=False)
class EquationBlock:
    """Equations that are solved together, in the order of evaluation.

    Attributes:
        unknowns: symbols that it computes.
        equations: as many `Eq` of sympy as there are unknowns; arrays element by element.
        kind: "assignment", "call" (of a component's function), "linear" or "nonlinear".
        torn: the unknowns that are iterated over, all others follow from them in sequence.
    """

    unknowns: tuple[Any, ...]
    equations: tuple[Any, ...]
    kind: str
    torn: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"<{self.kind} of {', '.join(map(str, self.unknowns))}: {'; '.join(_text(e) for e in self.equations)}>"

    def _repr_latex_(self) -> str:
        return aligned(list(map(latex_of_equation, self.equations)))


class EquationBlocks(tuple[EquationBlock, ...]):
    """All blocks in the order of their evaluation; a notebook shows each with its unknowns."""

    def _repr_latex_(self) -> str:
        lines = []
        for k, block in enumerate(self, 1):
            lines.append(rf"&\text{{{k}. {block.kind} of }} {', '.join(map(latex, block.unknowns))}")
            lines += [rf"\quad {latex_of_equation(e)}" for e in block.equations]
        return aligned(lines)


@dataclass(frozen=True)
class EventEquations:
    """Equations that hold at the instant when one of the conditions becomes true.

    Attributes:
        conditions: Boolean expressions of sympy.
        equations: `Eq` of sympy; the new value of a state stands as ``Eq(x, value)``, too.
    """

    conditions: tuple[Any, ...]
    equations: tuple[Any, ...]

    def _repr_latex_(self) -> str:
        condition = r" \text{ or } ".join(map(latex, self.conditions))
        return aligned([rf"&\text{{when }} {condition}", *(rf"\quad {latex_of_equation(e)}" for e in self.equations)])


class Equations(Sequence[Any]):
    """The flat equations of a model as a sequence of ``sympy.Eq``; a notebook shows them as LaTeX.

    Variables and parameters are real symbols with their paths as names, ``equations["gear.phi"]`` is one; ``der(x)`` and the
    elements ``x[0]`` of an array are symbols, too, and ``time`` is. An array equation is one equation for each element;
    if-expressions are `Piecewise`; ``pre(x)``, ``sample(...)``, functions of the user and those of components are functions.

    Args:
        model: sorted.
    """

    def __init__(self, model: SortedModel) -> None:
        self._model = model
        self._shapes = model.flat.shapes

    @cached_property
    def _flat(self) -> tuple[Any, ...]:
        flat = expand_control(self._model.flat)
        return tuple(e for equation in flat.equations for e in self._of(equation))

    def __len__(self) -> int:
        return len(self._flat)

    def __getitem__(self, item: Any) -> Any:
        return self.symbol(item) if isinstance(item, str) else self._flat[item]

    def __repr__(self) -> str:
        return "\n".join([f"{len(self)} equations of {self._model.flat.name}", *(f"  {_text(e)}" for e in self)])

    def _repr_latex_(self) -> str:
        return aligned(list(map(latex_of_equation, self)))

    def symbol(self, name: str) -> Any:
        """Return the symbol of a variable, parameter or derivative; a numpy array of symbols for an array.

        Raises:
            ModelError: there is none of that name.
        """
        flat = self._model.flat
        shape = shape_at(name, self._shapes)
        known = {"time", *flat.variables, *flat.parameters, *flat.arrays, *self._model.unknowns, *self._model.states}
        if not (name in known or name in element_names(known, self._shapes)):
            raise ModelError(f"there is no '{name}' in the equations", path=name, remedy=nearest(name, known))
        return symbols_of(name, shape)

    @property
    def parameters(self) -> dict[Any, float]:
        """Values of the parameters that equations refer to, by symbol: ``equation.subs(equations.parameters)``."""
        flat = self._model.flat
        arrays = {
            s: float(v)
            for name, values in flat.arrays.items()
            for s, v in zip(symbols_of(name, np.shape(values)).flat, np.ravel(values), strict=True)
        }
        return {symbols_of(name, ()): float(value) for name, value in flat.parameters.items()} | arrays

    @property
    def states(self) -> tuple[Any, ...]:
        """Symbols of the states."""
        return self._symbols(self._model.states)

    @property
    def inputs(self) -> tuple[Any, ...]:
        """Symbols of the inputs."""
        return self._symbols(self._model.inputs)

    @cached_property
    def aliases(self) -> Mapping[Any, Any]:
        """Eliminated variables: symbol -> what it is equal to."""
        found: dict[Any, Any] = {}
        for name, alias in self._model.aliases.items():
            value = Apply("neg", (Name(alias.of),)) if alias.sign < 0 else Name(alias.of)
            for equation in self._pairs(Name(name), alias.value if alias.value is not None else value):
                found[equation.lhs] = equation.rhs
        return found

    @cached_property
    def blocks(self) -> EquationBlocks:
        """The sorted equations: each block follows from those before it, from states, inputs, parameters and time."""
        return EquationBlocks(self._block(block) for block in self._model.blocks)

    @cached_property
    def initial(self) -> tuple[Any, ...]:
        """Equations that hold at the beginning only, as `Eq`."""
        return tuple(e for equation in self._model.flat.initial_equations for e in self._of(equation))

    @cached_property
    def events(self) -> tuple[EventEquations, ...]:
        """Return the equations of each `When`, branch by branch."""
        found = []
        for when in self._model.flat.whens:
            for branch in when.branches:
                equations = [e for equation in branch.equations for e in self._of(equation)]
                equations += [e for state, value in branch.reinits for e in self._pairs(state, value)]
                found.append(EventEquations(tuple(truth(self._sympy(c)) for c in branch.conditions), tuple(equations)))
        return tuple(found)

    # -- conversion -----------------------------------------------------------------------------------------------------

    def _sympy(self, expr: Expr) -> Any:
        return sympy_of(expr, lambda name: shape_at(name, self._shapes))

    def _symbols(self, names: Sequence[str]) -> tuple[Any, ...]:
        return tuple(s for name in names for s in np.ravel(np.asarray(symbols_of(name, shape_at(name, self._shapes)))))

    def _pairs(self, lhs: Expr, rhs: Expr) -> list[Any]:
        return equations_of(self._sympy(lhs), self._sympy(rhs))

    def _of(self, equation: Equation | CallEquation) -> list[Any]:
        if isinstance(equation, CallEquation):
            return self._call(equation, self._sympy)
        try:
            return self._pairs(equation.lhs, equation.rhs)
        except ModelError as error:
            error.path = error.path or equation.path
            raise

    def _call(self, call: CallEquation, convert: Callable[[Expr], Any]) -> list[Any]:
        """Return each output as a function of all inputs, with the name of the output where there are several."""
        import sympy

        inputs = [value for e in call.inputs for value in np.ravel(np.asarray(convert(e), dtype=object))]
        name = call.function.name
        outputs = self._symbols([output.name for output in call.outputs])
        equations = []
        for output in outputs:
            own = name if len(outputs) == 1 else f"{name}.{output.name.removeprefix(f'{call.component}.')}"
            equations.append(sympy.Eq(output, sympy.Function(own, real=True)(*inputs), evaluate=False))
        return equations

    def _block(self, block: Block) -> EquationBlock:
        unknowns = self._symbols(defined_by(block))
        if isinstance(block, Assignment | Call):
            kind = "assignment" if isinstance(block, Assignment) else "call"
            return EquationBlock(unknowns, tuple(self._step(block)), kind)
        steps = [e for step in block.body for e in self._step(step)]
        residuals = [e for residual in block.residuals for e in equations_of(self._readable(residual), 0)]
        kind = "linear" if isinstance(block, LinearBlock) else "nonlinear"
        return EquationBlock(unknowns, tuple(steps + residuals), kind, self._symbols(block.unknowns))

    def _step(self, block: Assignment | Call) -> list[Any]:
        if isinstance(block, Call):
            return self._call(block.call, self._readable)
        return equations_of(self._sympy(Name(block.variable)), self._readable(block.expr))

    def _readable(self, expr: Expr) -> Any:
        """Return an expression with relations, times of events and remembered values in place of their numbers."""
        model = self._model

        def change(node: Expr) -> Expr | None:
            if type(node) is not Apply or node.op not in ("mode", "after") or type(node.args[0]) is not Const:
                return None
            k = int(node.args[0].value)
            if node.op == "after":
                return model.time_relation(k, rewrite(model.time_events[k], change))
            return Apply(model.relations[k], (rewrite(model.indicators[k], change), Const(0.0)))

        return self._sympy(model.discrete.readable(rewrite(expr, change)))


def _text(equation: Any) -> str:
    return f"{equation.lhs} = {equation.rhs}"
