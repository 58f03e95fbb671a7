"""Removal of singularities in equations that are linear with integer coefficients.

Connections, differences of potentials and sums of flows are such equations. Gaussian elimination in exact integer arithmetic
finds among them

- equations that follow from others (a circuit without ground, a loop of rigid connections): they are removed;
- equations that contradict others: an error names them all;
- constraints between potential states that no single equation shows (inductors in series behind parallel resistors): one
  equation is replaced by the constraint, so that index reduction sees it;
- if equations were removed: variables that the rest leaves open and that nothing but sums depends on (the currents of two
  grounds, the level of all potentials of a circuit without ground): they are set to zero, with a warning.

Source: M. Otter, H. Elmqvist, Transformation of Differential Algebraic Array Equations to Index One Form, Modelica Conference
(2017), section 4.1. Rows and columns that cannot take part are peeled off before, so that a regular model costs linear time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError, StructureError
from ...model.expression import ZERO, Apply, Const, Equation, Expr, Name, add, mul, names, sum_of
from ..flat.flat_model import FlatModel
from ..sorted.parts import Alias
from ..sorted.sorted_model import SortedModel
from ..terms.affine import summands
from ..terms.constants import constant_value, is_constant
from ..terms.integer_elimination import Row, Terms, combination, dependency, determine, eliminate, peel
from ..terms.names import base_of, derivative_of, order_of
from .alias import MAX_TERMS, Elimination, always_vanishes, compose, eliminate_aliases, signed_terms, vanishes, zero_is
from .diagnosis import located, remedy_for_contradiction
from .equation_system import MAX_ORDER

SHOWN = 8
"""So many equations are named in a message."""


@dataclass
class Singularities:
    """Outcome of the removal of singularities.

    Attributes:
        elimination: alias elimination and the equations that are left, singularities removed.
        constraints: equations between potential states that stand for others.
        arbitrary: variables that were set to zero because nothing determines them.
    """

    elimination: Elimination
    constraints: list[Equation] = field(default_factory=list)
    arbitrary: list[str] = field(default_factory=list)

    def notes(self, flat: FlatModel) -> list[str]:
        """Return the list of changes, line by line."""
        lines = [f"removed, because it follows from others: {located(e, flat)}" for e in self.elimination.redundant]
        lines += [f"constraint between states made visible: {located(e, flat)}" for e in self.constraints]
        return lines + [f"set to 0, because nothing determines it: {name}" for name in self.arbitrary]


@dataclass
class _Form:
    """An equation as ``sum of terms + constant + others = 0``."""

    terms: Terms = field(default_factory=dict)
    constant: Expr = ZERO
    others: list[Expr] = field(default_factory=list)


def remove_singularities(
    flat: FlatModel, elimination: Elimination, elsewhere: Collection[str] = (), anchors: Collection[str] = ()
) -> Singularities:
    """Remove redundant equations, show hidden constraints, choose what is arbitrary.

    Args:
        flat: the model.
        elimination: what alias elimination left.
        elsewhere: names that occur outside of the equations (events, when clauses, initial equations).
        anchors: see `eliminate_aliases`.

    Raises:
        ModelError: equations that contradict each other.
    """
    return _Removal(flat, elimination, elsewhere, anchors).run()


class _Removal:
    def __init__(self, flat: FlatModel, elimination: Elimination, elsewhere: Collection[str], anchors: Collection[str]) -> None:
        self.flat, self.before, self.anchors = flat, elimination, anchors
        self.assumptions = list(elimination.assumptions)
        self.equations = elimination.equations
        self.forms = [self._form(e) if isinstance(e, Equation) else _Form() for e in self.equations]
        self.known = {name for name, v in flat.variables.items() if v.input}
        self.differentiated = set(elimination.differentiated)
        self.opaque = {base_of(name) for name in elsewhere}
        for equation, form in zip(self.equations, self.forms, strict=True):
            inside = [*equation.inputs, *equation.outputs] if isinstance(equation, CallEquation) else form.others
            for expr in inside:
                for name in names(expr):
                    base, order = base_of(name), order_of(name)
                    (self.differentiated if order else self.opaque).add(base)

    def run(self) -> Singularities:
        removed, constraints = self._dependent()
        kept = [
            constraints.get(i, equation) for i, equation in enumerate(self.equations) if i not in removed or i in constraints
        ]
        redundant = [*self.before.redundant, *(e for i in removed if isinstance(e := self.equations[i], Equation))]
        chance = list(self.before.coincidental)
        chance += [e for i, always in removed.items() if not always and isinstance(e := self.equations[i], Equation)]
        limit = len(redundant) - len(chance)
        arbitrary = self._arbitrary(removed.keys() | constraints.keys(), limit) if limit else []
        if not removed and not constraints and not arbitrary:
            return Singularities(self.before)
        kept += [Equation(Name(name), ZERO, "", f"{name} = 0 [arbitrary]") for name in arbitrary]
        left = replace(self.flat, variables=self.before.variables)
        again = eliminate_aliases(left, kept, self.anchors, self.before.differentiated)
        aliases = compose(self.before.aliases, again.aliases, self.flat.variables)
        elimination = replace(
            again,
            aliases=aliases,
            redundant=[*redundant, *again.redundant],
            coincidental=chance,
            assumptions=self.assumptions,
        )
        return Singularities(elimination, list(constraints.values()), arbitrary)

    def _form(self, equation: Equation) -> _Form:
        form = _Form()
        for node, weight in summands([(equation.lhs, 1), (equation.rhs, -1)], self._split):
            if type(node) is Name and self._is_scalar(node.name):
                form.terms[node.name] = form.terms.get(node.name, 0) + weight
            elif is_constant(node, self.flat.parameters):
                form.constant = add(form.constant, mul(Const(weight), node))
            else:
                form.others.append(node)
        form.terms = {name: factor for name, factor in form.terms.items() if factor}
        return form

    def _split(self, node: Expr) -> list[tuple[Expr, int]] | None:
        if type(node) is Apply and node.op in ("+", "-"):
            return [(node.args[0], 1), (node.args[1], 1 if node.op == "+" else -1)]
        if type(node) is Apply and node.op == "neg":
            return [(node.args[0], -1)]
        scaled = _integer_multiple(node)
        return None if scaled is None else [scaled]

    def _is_scalar(self, name: str) -> bool:
        variable = self.flat.variables.get(name)
        return variable is not None and variable.type == "Real" and name not in self.flat.shapes

    # -- equations that depend on others ----------------------------------------------------------------------------------

    def _dependent(self) -> tuple[dict[int, bool], dict[int, Equation]]:
        """Return the redundant equations by number, and whether they always are; equations that a constraint of states
        replaces.
        """
        states = self.differentiated | self.known
        rows = {
            i: form.terms for i, form in enumerate(self.forms) if isinstance(self.equations[i], Equation) and not form.others
        }
        core = {i: Row(dict(terms), {i: 1}) for i, terms in peel(rows, lambda name: name not in states).items()}
        rest = eliminate(core, lambda name: name not in states)
        removed: dict[int, bool] = {}
        constraints: dict[int, Equation] = {}
        last = eliminate(dict(rest), lambda name: name in self.differentiated)
        for i, row in rest.items():
            if i not in last and len(row.origin) > 1:
                constraints[i] = self._constraint(i, row)
        for i, row in last.items():
            if not row.terms:
                removed[i] = self._remove(i, row)
        return removed, constraints

    def _constant(self, row: Row) -> Expr:
        return sum_of(mul(Const(factor), self.forms[i].constant) for i, factor in row.origin.items())

    def _constraint(self, i: int, row: Row) -> Equation:
        total = sum_of(mul(Const(factor), Name(name)) for name, factor in row.terms.items())
        equation = self.equations[i]
        assert isinstance(equation, Equation)
        lhs = add(total, self._constant(row))
        return Equation(
            lhs, ZERO, equation.path, f"{lhs} = 0 [follows from {self._texts(self.equations[k] for k in row.origin)}]"
        )

    def _remove(self, i: int, row: Row) -> bool:
        """Check a redundant equation; whether it would be redundant for other values of parameters, too."""
        constant = self._constant(row)
        equation = self.equations[i]
        assert isinstance(equation, Equation)
        if not vanishes(constant, self.flat.parameters):
            involved = [*(self.equations[k] for k in row.origin), *self._replaced(row)]
            raise ModelError(
                f"these equations contradict each other: {self._texts(involved)}",
                path=equation.path,
                found=f"{zero_is(constant, self.flat.parameters)}, their sum",
                remedy=remedy_for_contradiction(involved),
            )
        if names(constant):
            self.assumptions.append((constant, equation))
        return always_vanishes(constant, self.flat.parameters)

    def _replaced(self, row: Row) -> list[Equation]:
        """Return those equations that made aliases by which the terms of the equations of ``row`` have vanished."""
        written = [(factor, e) for i, factor in row.origin.items() if isinstance(e := self.before.kept[i], Equation)]
        forms = [(factor, self._form(equation)) for factor, equation in written]
        within = set().union(*(names(expr) for _, form in forms for expr in form.others))
        wanted = [combination((factor, form.terms) for factor, form in forms), *({name: 1} for name in sorted(within))]
        others = [e for i, e in enumerate(self.before.kept) if i not in row.origin and isinstance(e, Equation)]
        said = self._said(self.before.consumed, max(map(order_of, within), default=0), others)
        rows = {i: terms for i, (terms, _) in enumerate(said)}
        used = set().union(*(dependency({**rows, -1: terms}, -1) for terms in wanted)) - {-1}
        return list(dict.fromkeys(said[i][1] for i in sorted(used)))

    def _said(self, consumed: Iterable[Equation], order: int, others: Iterable[Equation]) -> list[tuple[Terms, Equation]]:
        """Collect the information of equations about variables and derivatives.

        Of the ``others``, only those that join two variables are used.
        """
        said = []
        for equations, size in ((consumed, MAX_TERMS), (others, 2)):
            for equation in equations:
                form = signed_terms(equation, self.flat)
                terms = {name: factor for name, factor in form[0].items() if factor} if form is not None else {}
                if 0 < len(terms) <= size:
                    said.append((terms, equation))
        levels = range(1 + min(order + sum(max(map(order_of, terms)) for terms, _ in said), MAX_ORDER))  # of one in the other
        return [({derivative_of(name, k): factor for name, factor in terms.items()}, e) for k in levels for terms, e in said]

    def _texts(self, equations: Iterable[Equation | CallEquation]) -> str:
        texts = [f"'{located(equation, self.flat)}'" for equation in equations]
        return "; ".join(texts[:SHOWN]) + ("; ..." if len(texts) > SHOWN else "")

    # -- variables that are left open -------------------------------------------------------------------------------------

    def _arbitrary(self, gone: Set[int], limit: int) -> list[str]:
        """Return the variables that the equations (but those ``gone``) leave open; none if they are more than ``limit``."""
        fixed = self.opaque | self.differentiated | self.known
        rows = {
            i: {name: factor for name, factor in form.terms.items() if name not in fixed}
            for i, form in enumerate(self.forms)
            if i not in gone
        }
        columns = {name for terms in rows.values() for name in terms} | self._cancelled(fixed)
        determined = determine(rows)
        core = {i: Row(dict(terms), {}) for i, terms in rows.items() if terms}
        open_columns = columns - determined
        eliminate(core, lambda name: True, open_columns.discard)
        position = {name: k for k, name in enumerate(self.flat.variables)}
        return sorted(open_columns, key=position.__getitem__) if len(open_columns) <= limit else []

    def _cancelled(self, fixed: Set[str]) -> set[str]:
        """Return the potentials and flows that stand for others and have cancelled out of all equations (a mass closed upon
        itself).
        """
        variables = self.flat.variables
        of_connectors = {name for name, v in variables.items() if (v.flow or v.potential) and v.init is None}
        classes = {alias.of for name, alias in self.before.aliases.items() if alias.of and name in of_connectors}
        used = {name for form in self.forms for name in form.terms}
        return {name for name in classes & of_connectors - used - fixed if self._is_scalar(name)}


def _integer_multiple(node: Expr) -> tuple[Expr, int] | None:
    """Return ``(e, k)`` for ``k*e`` or ``e*k`` with an integer k."""
    if type(node) is Apply and node.op == "*":
        for factor, other in (node.args, node.args[::-1]):
            if type(factor) is Const and factor.value.is_integer() and abs(factor.value) < 2**31:
                return other, int(factor.value)
    return None


def check_assumptions(model: SortedModel, parameters: Mapping[str, float]) -> None:
    """Check that the equations that were removed as redundant still follow from others with other values of parameters.

    Raises:
        StructureError: one of them does not.
    """
    for constant, equation in model.assumptions:
        if not vanishes(constant, parameters):
            raise StructureError(
                f"the equation '{located(equation, model.flat)}' was removed, because {constant} was 0",
                path=equation.path,
                found=f"{constant} = {constant_value(constant, parameters)!r}",
                remedy="Merge before: instantiate(model | Map(...)).",
            )


def describe_arbitrary(names_: list[str], flat: FlatModel, aliases: Mapping[str, Alias]) -> str:
    """Return a warning that names the variables that were set to zero, and what would determine them."""
    parts = []
    for name in names_:
        members = [name, *(n for n, alias in aliases.items() if alias.of == name)]
        if any(flat.variables[n].flow for n in members):
            hint = "several components prescribe the same potential, and how they share this flow is arbitrary"
        elif any(flat.variables[n].potential for n in members):
            hint = "only differences to it are determined; connect a ground (or what fixes a potential)"
        else:
            hint = "only sums with it are determined; add an equation for it"
        parts.append(f"'{name}' is set to 0, because nothing determines it: {hint}")
    return f"{flat.name}: " + "; ".join(parts)
