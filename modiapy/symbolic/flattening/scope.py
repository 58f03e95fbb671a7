"""The equations of one model of the tree, with all names by full path."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...acausal.protocol import CallEquation
from ...model.control import For, If
from ...model.errors import ModelError
from ...model.expression import Apply, Const, Equation, Name
from ...model.limits import count_copies
from ...model.model import is_number
from ...model.parser import parse_equation, parse_statement
from ...model.scoping import levels_of
from ...model.when import Assert, When
from ..hybrid.when import flat_assertion, flat_when
from ..terms.names import join
from .control import Branch, chosen, integer, joined
from .instance import Instance
from .parameters import parsed
from .resolution import Resolution


@functools.lru_cache(maxsize=65536)
def _parsed_equation(text: str) -> Equation:
    return parse_equation(text)


def _bound(value: Any, path: str) -> Any:
    """Return the binding of a variable: a number, or the text of an expression; lists and arrays become its ``[a, b]``."""
    if is_number(value) or isinstance(value, str):
        return value
    items = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(items, list | tuple) and items:
        return f"[{', '.join(str(_bound(item, path)) for item in items)}]"
    raise ModelError(
        "the binding has no meaning", path=path, found=repr(value), expected="a number, an expression or a list of these"
    )


class Scope(Resolution):
    """Equations of one instance, see `Resolution`."""

    def equations(self) -> Iterator[Equation | CallEquation]:
        """Generate the binding equations of the variables, then the equations of the model."""
        path = self.instance.path
        for key, var in self.instance.variables.items():
            value = var.get("value")
            if value is None:
                continue
            writer = self.outside(levels_of(value))
            value = _bound(value, join(path, key))
            text = f"{key} = {value}"
            rhs = Const(float(value)) if is_number(value) else writer.resolve(parsed(value, join(path, key)), text, skip=key)
            yield Equation(Name(join(path, key)), rhs, path, text)
        for entry in self.instance.model.get("equations") or ():
            yield from self.entry(entry)

    def entry(self, entry: object) -> Iterator[Equation | CallEquation]:
        """Generate the equations of one entry of ``equations``; when clauses and assertions are kept apart."""
        path = self.instance.path
        if isinstance(entry, When):
            self.whens.append(flat_when(entry, path, self.resolve, self.several))
        elif isinstance(entry, Assert):
            self.assertions.append(flat_assertion(entry, path, self.resolve))
        elif isinstance(entry, If):
            yield from self.choice(entry)
        elif isinstance(entry, For):
            yield from self.repetition(entry)
        else:
            yield from self.equation(entry)

    def choice(self, entry: If) -> Iterator[Equation | CallEquation]:
        """Generate the equations of an `If`: those of the branch that parameters choose, or if-expressions of all branches."""
        path = self.instance.path
        conditions = [self.resolve(parsed(c, path), c) for c, _ in entry.branches]
        sides = [*(e for _, e in entry.branches), entry.otherwise]
        choice = chosen(conditions, self.handles if len({len(s) for s in sides}) > 1 else {})
        if choice is not None:
            for inner in sides[choice]:
                yield from self.entry(inner)
            return
        flat = [list(self.branch(side, entry)) for side in sides]
        yield from joined([Branch(c, e) for c, e in zip(conditions, flat, strict=False)], flat[-1], path, str(entry))

    def branch(self, entries: Sequence[object], of: If) -> Iterator[Equation]:
        """Generate the equations of one branch."""
        for entry in entries:
            self.refuse_statement(entry, f"'{of}'")
            if isinstance(entry, When | Assert):
                raise ModelError(f"'{entry}' cannot stand in '{of}'", path=self.instance.path, expected="equations, If and For")
            for equation in self.entry(entry):
                if not isinstance(equation, Equation):
                    raise ModelError(f"'{equation}' cannot stand in '{of}'", path=self.instance.path, expected="equations")
                yield equation

    def refuse_statement(self, entry: object, of: str) -> None:
        """Refuse a ``connect(...)`` where there may be equations only."""
        path = self.instance.path
        if isinstance(entry, str) and parse_statement(entry, path) is not None:
            expected = "equations; connections stand in 'connect' or among the equations of the model"
            raise ModelError(f"'{entry}' cannot stand in {of}", path=path, expected=expected)

    def repetition(self, entry: For) -> Iterator[Equation | CallEquation]:
        """Generate the equations of a `For`, unrolled."""
        path, key = self.instance.path, (entry.index, "")
        first, count = (
            integer(self.resolve(parsed(str(n), path), str(entry)), self.handles, str(entry), path)
            for n in (entry.first, entry.count)
        )
        count_copies(count, path, f"the number of repetitions in '{entry}'")
        outer = self.known.get(key)
        for k in range(first, first + count):
            self.known[key] = Const(k)
            for inner in entry.equations:
                self.refuse_statement(inner, f"'{entry}'")
                for equation in self.entry(inner):
                    if isinstance(equation, Equation):
                        equation = dataclasses.replace(equation, text=f"{equation} with {entry.index} = {k}")
                    yield equation
        self.known.pop(key, None)
        if outer is not None:
            self.known[key] = outer

    def initial_equations(self) -> Iterator[Equation]:
        """Generate the equations that hold at the beginning only."""
        path = self.instance.path
        for entry in self.instance.model.get("initial_equations") or ():
            self.refuse_statement(entry, "'initial_equations'")
            for equation in self.equation(entry):
                if not isinstance(equation, Equation):
                    raise ModelError("a call of a component cannot be an initial equation", path=path, found=str(entry))
                yield equation

    def equation(self, equation: object) -> Iterator[Equation | CallEquation]:
        """Generate one entry of ``equations``, all names by full path; nothing for a ``connect``."""
        path = self.instance.path
        if isinstance(equation, CallEquation):
            yield self.call(equation)
            return
        if isinstance(equation, str):
            if parse_statement(equation, path) is not None:
                return
            try:
                equation = _parsed_equation(equation)
            except ModelError as error:
                error.path = path
                raise
        if not isinstance(equation, Equation):
            raise ModelError(
                "this is not an equation", path=path, found=repr(equation), expected='text such as "J*der(w) = tau"'
            )
        if type(equation.lhs) is Apply and equation.lhs.op == "results":
            yield from self.several(equation)
            return
        if type(equation.lhs) is Name and type(equation.rhs) is Name:
            records = [r for r in (self.record(equation.lhs), self.record(equation.rhs)) if r is not None]
            if len(records) == 2:
                yield from self.equal_records(equation, *records)
                return
        text = str(equation)
        yield Equation(self.resolve(equation.lhs, text), self.resolve(equation.rhs, text), path, text)

    def record(self, side: Name) -> Instance | None:
        """Return the submodel without equations that a name means, if it does."""
        here: Instance | None = self.instance
        for part in side.name.split("."):
            here = here.children.get(part) if here is not None else None
        return here if here is not None and not any(i.model.get("equations") for i in here.walk()) else None

    def equal_records(self, equation: Equation, a: Instance, b: Instance) -> Iterator[Equation]:
        """Generate ``a = b`` of two records: an equation for each variable of a."""
        text = str(equation)
        names_a, names_b = ({join(i.path, k)[len(r.path) :]: i for i in r.walk() for k in i.variables} for r in (a, b))
        if names_a.keys() != names_b.keys():
            raise ModelError(
                f"'{equation.lhs}' and '{equation.rhs}' in '{text}' are different records",
                path=self.instance.path,
                found=f"{', '.join(n[1:] for n in sorted(names_a.keys() ^ names_b.keys()))} in one of them only",
                expected="records with the same variables",
            )
        for rest in names_a:
            sides = (Name(f"{equation.lhs}{rest}"), Name(f"{equation.rhs}{rest}"))
            yield Equation(
                self.resolve(sides[0], text), self.resolve(sides[1], text), self.instance.path, f"{text} [{rest[1:]}]"
            )

    def call(self, call: CallEquation) -> CallEquation:
        """Return the call with full paths, belonging to the component that is nearest above."""
        owner: Instance | None = self.instance
        while owner is not None and owner.component is None:
            owner = owner.parent
        if owner is None:
            raise ModelError(f"'{call}' stands in no predefined acausal component", path=self.instance.path)
        for what, given, wanted in (
            ("inputs", call.inputs, call.function.n_in),
            ("outputs", call.outputs, call.function.n_out),
        ):
            if len(given) != wanted:
                message = f"'{call}' has a wrong number of {what}"
                raise ModelError(message, path=owner.path, found=str(len(given)), expected=str(wanted))
        outputs = tuple(self.resolve(name, str(call)) for name in call.outputs)
        if not all(isinstance(name, Name) and name.name not in self.instance.values for name in outputs):
            raise ModelError(f"an output of '{call}' is not a variable", path=self.instance.path)
        return dataclasses.replace(
            call,
            inputs=tuple(self.resolve(expr, str(call)) for expr in call.inputs),
            outputs=tuple(name for name in outputs if isinstance(name, Name)),
            component=owner.path,
            rate=None if call.rate is None else self.resolve(call.rate, str(call)),
        )

    def several(self, equation: Equation) -> Iterator[Equation]:
        """Generate ``(a, b) = f(u)`` as one equation for each result; ``_`` is a result that nobody wants."""
        path, text = self.instance.path, str(equation)
        targets = equation.lhs.args if type(equation.lhs) is Apply else ()
        call = equation.rhs
        if type(call) is not Apply or call.op != "call":
            raise ModelError(f"'{text}' has several left sides", path=path, expected="a call of a function on the right side")
        results = self.results(call, text)
        if len(targets) != len(results):
            raise ModelError(
                f"'{call.args[0]}' in '{text}' has another number of results than there are left sides",
                path=path,
                found=f"{len(targets)} left sides",
                expected=f"{len(results)} results",
            )
        for target, result in zip(targets, results, strict=True):
            if target != Name("_"):
                yield Equation(self.resolve(target, text), result, path, text)
