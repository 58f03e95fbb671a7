"""Other expressions in all that a flat model consists of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ...model.expression import Equation, Expr, rewrite
from ..terms.names import join
from .flat_model import Assertion, Variable, WhenBranch, WhenEquation


@dataclass(frozen=True)
class Rewriting:
    """Rebuilds equations and what else a flat model has.

    Attributes:
        change: what stands for a node, see `rewrite`.
        path: put before all paths.
    """

    change: Callable[[Expr], Expr | None]
    path: str = ""

    def expr(self, expr: Expr) -> Expr:
        """Return the expression rewritten."""
        return rewrite(expr, self.change)

    def variable(self, variable: Variable) -> Variable:
        """Return a variable, by its new name."""
        return replace(variable, name=join(self.path, variable.name), origin=join(self.path, variable.origin))

    def equation(self, equation: Equation) -> Equation:
        """Return an equation, with the text that it had."""
        return Equation(self.expr(equation.lhs), self.expr(equation.rhs), join(self.path, equation.path), str(equation))

    def when(self, when: WhenEquation) -> WhenEquation:
        """Return a when-equation with all its branches."""
        return replace(when, branches=tuple(map(self._branch, when.branches)), path=join(self.path, when.path))

    def _branch(self, branch: WhenBranch) -> WhenBranch:
        return replace(
            branch,
            conditions=tuple(map(self.expr, branch.conditions)),
            equations=tuple(map(self.equation, branch.equations)),
            reinits=tuple((self.expr(state), self.expr(value)) for state, value in branch.reinits),
        )

    def assertion(self, assertion: Assertion) -> Assertion:
        """Return the assertion rewritten."""
        return replace(assertion, condition=self.expr(assertion.condition), path=join(self.path, assertion.path))
