"""Algorithm sections of models: their statements are executed with expressions, and each variable gets one equation.

A variable that only one ``when`` of the section assigns becomes part of a when-equation. Where several statements assign it,
its value is chosen by whether conditions become true. Source: Modelica Language Specification 3.6, sections 11.1.2 and 8.3.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...model.expression import Apply, Const, Equation, Expr, Name, apply
from ...symbolic.flat.flat_model import WhenBranch, WhenEquation
from .equations import add_assertion
from .events import assertion_of_branch, claims_of_branch, conditions_of
from .reading import Reading
from .statements import Execution, target_of
from .terms.asserted import Asserted
from .terms.context import ModelLocals
from .terms.refusals import Refusal
from .terms.subscripts import joined_path
from .terms.values import Value, mapped, merged, scalars

_INITIAL = Apply("initial", ())


def read_algorithms(reading: Reading) -> None:
    """Read all algorithm sections."""
    for section in reading.trees["algorithms"]:
        _Section(reading, section).read()
    reading.initial = True
    for section in reading.trees["initial_algorithms"]:
        _Section(reading, section).read_initial()
    reading.initial = False


class _Section:
    def __init__(self, reading: Reading, section: Mapping[str, Any]) -> None:
        self.reading, self.section = reading, section
        reading.component = str(section["origin"]).removeprefix("algorithm from ").strip()
        self.in_whens: dict[str, int] = {}
        self.elsewhere: set[str] = set()
        self.assigned: list[str] = []
        for statement in section["statements"]:
            for name in dict.fromkeys(self._targets(statement)):
                if name not in self.in_whens:
                    self.assigned.append(name)
                    self.in_whens[name] = 0
                if "When" in statement:
                    self.in_whens[name] += 1
                else:
                    self.elsewhere.add(name)
        self.values: dict[str, Value] = {name: reading.names.whole(name) for name in self.assigned}

    def _targets(self, tree: Any) -> Iterator[str]:
        """Generate the names of the variables that statements assign."""
        if isinstance(tree, Mapping):
            for key, value in tree.items():
                if key == "Assignment":
                    yield self._declared(value["comp"])
                elif key == "FunctionCall" and "outputs" in value:
                    yield from (self._declared(target) for output in value["outputs"] if (target := target_of(output)))
                else:
                    yield from self._targets(value)
        elif isinstance(tree, list):
            for item in tree:
                yield from self._targets(item)

    def _declared(self, reference: Any) -> str:
        """Return the variable, or the record, of which a reference means the whole or a part."""
        trees = self.reading.trees
        found = joined_path(reference["parts"], trees["variables"]) or joined_path(
            reference["parts"], trees["record_instances"]
        )
        if not found:
            name = ".".join(part["ident"] for part in reference["parts"])
            raise Refusal(f"'{name}' in an algorithm is not a variable", path=self.reading.component)
        return str(found[0]["ident"])

    # -- execution ------------------------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read the equations and when-equations of the section."""
        local = ModelLocals({name: self._before(name) for name in self.assigned})
        execution = Execution(self.reading.interpreter, local, self._asserted, self._when)
        execution.run(self.section["statements"])
        path = self.reading.component
        for name in self.assigned:
            if self._by_when(name):
                continue
            pairs = zip(scalars(self.values[name]), _as_many(local[name], self.values[name]), strict=True)
            text = f"{name} in the algorithm of {path or self.reading.flat.name}"
            self.reading.flat.equations += [Equation(a, b, path, text) for a, b in pairs]

    def read_initial(self) -> None:
        """Read the initial equations of the section."""
        local = ModelLocals({name: self.values[name] for name in self.assigned})
        Execution(self.reading.interpreter, local, self._asserted).run(self.section["statements"])
        path = self.reading.component
        for name in self.assigned:
            pairs = zip(scalars(self.values[name]), _as_many(local[name], self.values[name]), strict=True)
            self.reading.flat.initial_equations += [Equation(a, b, path) for a, b in pairs if a is not b]

    def _by_when(self, name: str) -> bool:
        """Return whether a when-equation sets the variable."""
        return self.in_whens[name] == 1 and name not in self.elsewhere

    def _before(self, name: str) -> Value:
        """Return the value of a variable when the section begins: of discrete ones the last, of others the start value."""
        if self._by_when(name):
            return self.values[name]
        variables = self.reading.flat.variables
        discrete = self.in_whens[name] > 0 or self._is_discrete(name)

        def one(element: Expr) -> Expr:
            assert type(element) is Name
            start = variables[element.name].start if variables[element.name].init is None else variables[element.name].init
            return Apply("pre", (element,)) if discrete else Const(float(start or 0.0))

        return mapped(one, self.values[name])

    def _is_discrete(self, name: str) -> bool:
        return name in self.reading.trees["variables"] and self.reading.is_discrete(name)

    def _asserted(self, condition: Expr, message: str, level: str) -> None:
        add_assertion(self.reading, condition, message, level)

    def _when(self, parts: Any, execution: Execution) -> None:
        """Read a ``when`` of the section: its branches are executed, each beginning with what there is before."""
        local = execution.local
        before = dict(local)
        own = [name for name in self.assigned if self._by_when(name) and before[name] is self.values[name]]
        before |= {name: mapped(lambda e: Apply("pre", (e,)), self.values[name]) for name in own}
        branches: list[tuple[tuple[Expr, ...], dict[str, Value], Execution]] = []
        for block in parts["blocks"]:
            conditions = conditions_of(self.reading, block["cond"], local)
            inner = ModelLocals(before)
            with self.reading.under_conditions(conditions):
                branch = self._executed(block["stmts"], inner)
            branches.append((conditions, inner, branch))
        self._emit(branches, before)
        changed = [n for n in self.assigned if any(values[n] is not before[n] for _, values, _ in branches)]
        active = [self._active(conditions) for conditions, _, _ in branches] if not all(map(self._by_when, changed)) else []
        for name in changed:
            if self._by_when(name):
                local[name] = self.values[name]
                continue
            value = before[name]
            for now, (_, values, _) in reversed(list(zip(active, branches, strict=True))):
                value = merged(lambda a, b, now=now: apply("if", now, a, b), values[name], value)  # type: ignore[misc]
            local[name] = value

    def _executed(self, statements: Sequence[Any], local: ModelLocals) -> Execution:
        """Return the statements of a branch; assertions are looked at when it becomes active."""
        others: list[Equation] = []

        def asserted(condition: Expr, message: str, level: str) -> None:
            others.append(assertion_of_branch(self.reading, condition, message, level))

        branch = Execution(self.reading.interpreter, local, asserted)
        self.reading.draws.open()
        claimed: list[Asserted] = []
        with self.reading.asserted.apart(claimed.append):
            branch.run(statements)
        others += claims_of_branch(self.reading, claimed)
        branch.others = [*others, *self.reading.draws.close(self.reading.component)]
        return branch

    def _emit(self, branches: Sequence[tuple[tuple[Expr, ...], dict[str, Value], Execution]], before: dict[str, Value]) -> None:
        """Emit the when-equation of those variables that nothing else sets."""
        path, flat = self.reading.component, self.reading.flat
        made = []
        for conditions, values, execution in branches:
            equations = [
                Equation(a, b, path)
                for name in self.assigned
                if self._by_when(name) and values[name] is not before[name]
                for a, b in zip(scalars(self.values[name]), _as_many(values[name], self.values[name]), strict=True)
                if a is not b
            ]
            equations += execution.others
            made.append(WhenBranch(conditions, tuple(equations), tuple(execution.reinits), tuple(execution.terminations)))
        if any(b.equations or b.reinits or b.terminations for b in made):
            text = f"when {', '.join(map(str, made[0].conditions))[:100]} in the algorithm of {path or flat.name}"
            flat.whens.append(WhenEquation(tuple(made), path, text))

    def _active(self, conditions: Sequence[Expr]) -> Expr:
        """Return whether one of the conditions becomes true."""
        active: Expr = Const(0.0)
        for condition in conditions:
            if condition == _INITIAL:
                own: Expr = _INITIAL
            else:
                name = condition if type(condition) is Name else self.reading.named(condition, "Boolean")
                own = apply("and", Apply("edge", (name,)), apply("not", _INITIAL))
            active = apply("or", active, own)
        return active


def _as_many(value: Value, like: Value) -> list[Expr]:
    items = list(scalars(value))
    count = sum(1 for _ in scalars(like))
    if len(items) != count or isinstance(value, np.ndarray) != isinstance(like, np.ndarray):
        raise Refusal(
            "the sides of an assignment have different shapes", found=str(np.shape(value)), expected=str(np.shape(like))
        )
    return items
