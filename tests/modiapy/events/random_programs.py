"""Random hybrid programs, and what they do by a slow interpreter: the rules of docs/language.md, word by word.

States grow with piecewise constant slopes, so that the instants of all events are known in closed form.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from modiapy import Clock, Model, Var, When

AFTER = 1e-10
"""So long after an instant its relations are looked at [s]."""

FUNCTIONS: dict[str, Any] = {
    "mod": lambda x, y: x - math.floor(x / y) * y,
    "div": lambda x, y: float(math.trunc(x / y)),
    "floor": math.floor,
    "integer": math.floor,
    "sin": math.sin,
    "abs": abs,
    "max": max,
    "noEvent": lambda e: e,
    "smooth": lambda _, e: e,
}


@dataclass(frozen=True)
class Text:
    """An expression as the program has it, and as Python evaluates it."""

    program: str
    python: str

    def __format__(self, which: str) -> str:
        return self.program if which == "m" else self.python


def join(form: str, *parts: Text) -> Text:
    """``form`` with ``{0}`` and so on."""
    return Text(*(form.format(*(getattr(part, side) for part in parts)) for side in ("program", "python")))


@dataclass
class Branch:
    conditions: list[Text]
    assignments: dict[str, Text]
    reinits: dict[str, Text]


@dataclass
class RandomProgram:
    """Variables in an order in which each needs only those before it; the program has them in another order.

    Attributes:
        kinds: of the variables: "state", "Boolean", "Integer", "when", "continuous".
        values: of those that are computed, in their order; of states the slope.
        crossings: differences whose changes of sign are events.
        starts: values before the initial event.
    """

    random: random.Random
    kinds: dict[str, str] = field(default_factory=dict)
    values: dict[str, Text] = field(default_factory=dict)
    whens: list[list[Branch]] = field(default_factory=list)
    relations: list[tuple[str, str, str]] = field(default_factory=list)
    jumps: list[str] = field(default_factory=list)
    samples: list[tuple[float, float]] = field(default_factory=list)
    starts: dict[str, float] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    observed: set[str] = field(default_factory=set)
    clock: float = 0.0

    def build(self, parts: int) -> RandomProgram:
        names = [*"abcdefghijklmnopqrstuvw"]
        self.random.shuffle(names)
        for _ in range(self.random.choice((1, 1, 2))):
            x = names.pop()
            self.kinds[x], self.starts[x] = "state", round(self.random.uniform(0.0, 0.4), 3)
        makers = [self.boolean, self.boolean, self.integer, self.integer, self.when, self.when, self.continuous, self.watched]
        for _ in range(parts):
            self.random.choice(makers)(names.pop())
        if self.random.random() < 0.4:
            self.clocked(names)
        for x in self.of("state"):
            self.slope(x)
        return self

    def of(self, *kinds: str) -> list[str]:
        return [name for name, kind in self.kinds.items() if kind in kinds]

    def one(self, *kinds: str) -> Text | None:
        found = self.of(*kinds)
        return Text(name := self.random.choice(found), name) if found else None

    # -- expressions ------------------------------------------------------------------------------------------------------

    def relation(self) -> Text:
        """Of a quantity that is affine in time between events, or of discrete ones."""
        number = Text(text := repr(round(self.random.uniform(0.3, 2.0), 3)), text)
        left = self.one("state", "continuous") or number
        kind = self.random.random()
        if kind < 0.3:
            instant = repr(0.125 * self.random.randint(1, 15))
            return self._related(Text("time", "time"), Text(instant, instant), self.random.choice((">=", ">", "<", "<=")))
        if kind < 0.45 and (n := self.one("Integer")):
            value = Text(text := str(self.random.randint(0, 2)), text)
            return join(f"{{0}} {self.random.choice(('==', '!=', '>', '<='))} {{1}}", n, value)
        if kind < 0.6 and (n := self.one("Integer", "when")):
            return self._related(left, join("0.37*{0} + {1}", n, number), self.random.choice("<>"))
        forms = ("{0}", "2*{0} - 0.1", "1.7 - {0}", "-(-{0})")
        return self._related(join(self.random.choice(forms), left), number, self.random.choice("<>"))

    def _related(self, left: Text, right: Text, op: str) -> Text:
        if self.random.random() < 0.3:
            left, right, op = right, left, {"<": ">", ">": "<", "<=": ">=", ">=": "<="}[op]
        self.relations.append((left.python, right.python, op))
        return Text(f"{left.program} {op} {right.program}", f"R({len(self.relations) - 1})")

    def condition(self) -> Text:
        """Of Booleans and relations."""
        b, c = self.one("Boolean"), self.one("Boolean")
        forms = ["{0}", "not ({0})", "({0})"]
        if b and c and self.random.random() < 0.6:
            forms = ["{1}", "not {1}", "{1} and {2}", "{1} or ({0})", "not ({1} and {2}) and ({0})", "({0}) or not {1}"]
        return join(self.random.choice(forms), self.relation(), *([b, c] if b and c else []))

    def instant(self) -> Text:
        """What a when clause waits for."""
        kind = self.random.random()
        if kind < 0.3:
            start, interval = self.random.choice((0.0, 0.25, 0.1875)), self.random.choice((0.25, 0.5, 0.375))
            self.samples.append((start, interval))
            return Text(f"sample({start!r}, {interval!r})", f"S({start!r}, {interval!r})")
        if kind < 0.4:
            return Text("initial()", "initial")
        if kind < 0.55 and (b := self.one("Boolean")):
            return self.random.choice((Text(f"edge({b:m})", f"({b} and not P['{b}'])"), Text(f"not {b:m}", f"not {b}")))
        if kind < 0.65 and (n := self.one("Integer", "Boolean")):
            return Text(f"change({n:m})", f"({n} != P['{n}'])")
        return self.condition()

    def number(self) -> Text:
        """A value that a when clause sets."""
        n, y = self.one("Integer", "when"), self.one("continuous", "state")
        pool = [Text("time", "time"), Text("2.5", "2.5")]
        if n:
            pool += [join("{0} + 1", n), Text(f"pre({n:m}) - 0.5", f"P['{n}'] - 0.5"), join("(3*{0} if {0} < 2 else 0)", n)]
        if y:
            pool += [y, Text(f"2*pre({y:m})", f"2*P['{y}']"), join("{0}*{1}", n, y) if n else y]
        return self.random.choice(pool)

    # -- variables --------------------------------------------------------------------------------------------------------

    def boolean(self, name: str) -> None:
        value, other = self.condition(), self.one("Boolean")
        if self.random.random() < 0.25:  # with two states
            value = join(f"{{0}} or (pre({name}) and {{1}})", value, self.condition())
            value = Text(value.program, value.python.replace(f"pre({name})", f"P['{name}']"))
        elif other and self.random.random() < 0.15:
            value = Text(f"pre({other:m})", f"P['{other}']")
        start = self.starts[value.program] if value.program in self.starts else float(self.random.random() < 0.5)
        self.kinds[name], self.values[name], self.starts[name] = "Boolean", value, start

    def integer(self, name: str) -> None:
        n, own = self.one("Integer"), Text(f"pre({name})", f"P['{name}']")
        forms = [join("1 if {0} else 3", self.condition()), join("(0 if {0} else 2) if {1} else 1", *(self.condition(),) * 2)]
        counted = join("{0} + (1 if {1} else 0)", own, self.instant()) if self.of("Boolean") else None
        if counted and "R(" not in counted.python.replace("not R", "") and re.search(r"P\['\w'\]\)", counted.python):
            forms += [counted] * 2
        if n:
            forms += [join(form, n) for form in ("{0} + 1", "mod({0} + 1, 3)", "div({0}, 2)", "2 - {0}", "{0}*{0}")]
            forms.append(Text(f"pre({n:m})", f"P['{n}']"))
        if (x := self.one("state", "continuous")) and self.random.random() < 0.5:
            inside = join(self.random.choice(("{0}", "2*{0} + 0.05", "0.9 - {0}", "{0}/0.7")), x)
            forms = [join(f"{self.random.choice(('floor', 'integer'))}({{0}})", inside)]
            self.jumps.append(inside.python)
        self.kinds[name], self.values[name] = "Integer", self.random.choice(forms)
        inside = self.values[name].program.partition("(")[2]  # equal values have equal starts
        self.starts[name] = float(random.Random(inside).randint(-1, 3))

    def continuous(self, name: str) -> None:
        x, n = self.one("state", "continuous"), self.one("Integer", "when", "Boolean")
        assert x is not None
        forms = [join("2*{0} + 1", x), join("{0} if {1} else 0.4 - {0}", x, self.condition())]
        if n:
            forms += [join("{0} - 0.3*{1}", x, n), join("1.5*{1} + 0.5*{0}", x, n)]
        self.kinds[name], self.values[name] = "continuous", self.random.choice(forms)

    def watched(self, name: str) -> None:
        """What makes no events."""
        x, a = self.one("state", "continuous"), round(self.random.uniform(0.2, 2.0), 3)
        assert x is not None
        forms = ("noEvent(1 if {0} > %r else {0})", "smooth(1, {0} - %r if {0} > %r else 0)", "abs({0} - %r)", "max({0}, %r)")
        form = self.random.choice((*forms, "(2 if {0} > %r and {0} < %r + 0.3 else sin({0}))"))
        if form.startswith("("):
            self.observed.add(name)
        self.kinds[name], self.values[name] = "watched", join(form % ((a, a) if form.count("%r") == 2 else (a,)), x)

    def when(self, name: str) -> None:
        branches, names = [], [name]
        self.starts[name] = round(self.random.uniform(-1.0, 1.0), 2)
        state = self.random.choice(self.of("state"))
        free = not any(state in branch.reinits for when in self.whens for branch in when)
        for _ in range(self.random.choice((1, 1, 2, 3))):
            conditions = [self.instant() for _ in range(self.random.choice((1, 1, 2)))]
            branch = Branch(conditions, {n: self.number() for n in names if self.random.random() < 0.9}, {})
            if free and self.random.random() < 0.3:
                low = Text(text := repr(round(self.random.uniform(0.0, 0.25), 3)), text)
                branch.reinits[state] = join("{0} + 0.1*abs(sin({1}))", low, self.one("when", "Integer") or low)
            if not branch.reinits and not branch.assignments:
                branch.assignments[name] = self.number()
            branches.append(branch)
        if not any(branch.assignments for branch in branches):
            branches[0].assignments[name] = Text("1", "1")
        self.whens.append(branches)
        self.kinds[name] = "when"
        self.values[name] = Text("", f"W({len(self.whens) - 1}, '{name}')")

    def clocked(self, names: list[str]) -> None:
        """``c`` is sampled, ``s`` is its sum, ``h`` holds that."""
        x, (c, s, h) = self.one("state", "continuous"), (names.pop() for _ in range(3))
        self.clock = self.random.choice((0.25, 0.3125))
        self.starts |= {s: 0.5, c: 0.0}
        self.kinds |= {c: "clocked", s: "clocked", h: "watched"}
        tick = f"S(0.0, {self.clock!r})"
        self.values[c] = Text(f"sample({x:m}, clock)", f"(P['{x}'] if {tick} else P['{c}'])")
        self.values[s] = Text(f"previous({s}) + 2*{c}", f"(P['{s}'] + 2*{c} if {tick} else P['{s}'])")
        self.values[h] = Text(f"3*hold({s})", f"3*{s}")
        self.samples.append((0.0, self.clock))

    def slope(self, x: str) -> None:
        a, b = (round(self.random.uniform(0.4, 1.6), 3) for _ in range(2))
        numbers = Text(repr(a), repr(a)), Text(repr(b), repr(b))
        value = join("{0} if {2} else {1}", *numbers, self.condition()) if self.random.random() < 0.7 else numbers[0]
        self.values[x] = value

    # -- the program ------------------------------------------------------------------------------------------------------

    def model(self) -> Model:
        """In random order, by equations or by values of variables."""
        entries: dict[str, Any] = {"clock": Clock(self.clock)} if self.clock else {}
        equations: list[Any] = []
        for name, kind in self.kinds.items():
            attributes: dict[str, Any] = {"type": kind} if kind in ("Boolean", "Integer") else {}
            if name in self.starts and not (kind == "clocked" and "sample(" in self.values[name].program):
                attributes["init"] = self.starts[name]
            if name in self.observed:
                attributes["observed"] = True
            value = self.values[name].program
            if kind == "state":
                equations.append(self.random.choice((f"der({name}) = {value}", f"{value} = der({name})")))
            elif value and (name in self.observed or (f"({name})" not in value and self.random.random() < 0.4)):
                entries[name] = Var(value, **attributes)
                continue
            elif value:
                equations.append(f"{name} = {value}")
            entries[name] = Var(**attributes)
        for branches in self.whens:
            first, *others = [
                (
                    [c.program for c in b.conditions] if len(b.conditions) > 1 else b.conditions[0].program,
                    [f"{n} = {v.program}" for n, v in b.assignments.items()]
                    + [f" reinit({n}, {v.program})" for n, v in b.reinits.items()],
                )
                for b in branches
            ]
            equations.append(When(*first, elsewhen=others))
        self.random.shuffle(equations)
        shuffled = list(entries.items())
        self.random.shuffle(shuffled)
        return Model(**dict(shuffled), equations=equations)


class TooMany(Exception):
    """Events that go on and on."""


@dataclass
class Stretch:
    """From an event to the next: values at the first instant, and their slopes."""

    begin: float
    end: float
    at: Callable[[float], dict[str, float]]
    made_by: str


class Interpreter:
    """Runs a program event by event."""

    def __init__(self, program: RandomProgram) -> None:
        self.program = program
        self.codes: dict[str, Any] = {}
        self.order = [n for n in program.values if program.kinds[n] != "state"]
        self.modes: dict[int, bool] = {}
        self.x = {n: program.starts[n] for n in program.of("state")}
        self.before = {n: program.starts.get(n, 0.0) for n in program.kinds}
        self.tick: set[tuple[float, float]] = set()
        self.edges: dict[tuple[int, int, int], bool] = {}

    def value(self, text: str, env: dict[str, Any]) -> float:
        if text not in self.codes:
            self.codes[text] = compile(text, text, "eval")
        return float(eval(self.codes[text], env))

    def run(self, stop: float) -> list[Stretch]:
        t, made_by, found = 0.0, "initial", []
        while True:
            values = self.event(t, made_by == "initial")
            slopes = {n: self.value(self.program.values[n].python, self.frozen(t, values, {})) for n in self.x}
            begin = t

            at = partial(self.later, t, dict(self.x), slopes, values, dict(self.modes))
            t, made_by = self.next_event(t, at, stop)
            found.append(Stretch(begin, min(t, stop), at, made_by))
            if t > stop:
                return found
            if len(found) > 120:
                raise TooMany
            self.before = at(t + AFTER)
            self.x = {n: self.before[n] for n in self.x}
            self.tick = {
                (s, i) for s, i in self.program.samples if t >= s - 1e-9 and abs((t - s) / i - round((t - s) / i)) < 1e-9
            }

    def later(
        self, begin: float, x: dict[str, float], slopes: dict[str, float], values: dict[str, float], modes: dict[int, bool],
        now: float,
    ) -> dict[str, float]:  # fmt: skip
        """Values until the next event."""
        grown = {n: x[n] + slopes[n] * (now - begin) for n in x}
        return self.between(now, {**values, **grown}, modes)

    def frozen(self, t: float, values: dict[str, float], modes: dict[int, bool]) -> dict[str, Any]:
        modes = modes or self.modes
        return {**FUNCTIONS, **values, "time": t, "R": lambda k: modes[k], "P": values, "initial": False,
                "S": lambda *_: False}  # fmt: skip

    def between(self, t: float, values: dict[str, float], modes: dict[int, bool]) -> dict[str, float]:
        """What is continuous, with relations as they were; the rest stays."""
        for n in self.order:
            if self.program.kinds[n] in ("continuous", "watched"):
                values[n] = self.value(self.program.values[n].python, self.frozen(t, values, modes))
        return values

    def event(self, t: float, initial: bool) -> dict[str, float]:
        """Values after the event: `before` has those before it."""
        t += AFTER
        for _ in range(60):
            env: dict[str, Any] = {**FUNCTIONS, **self.x, "time": t, "P": self.before, "initial": initial}
            begins = initial
            env["S"] = lambda s, i: (s, i) in self.tick

            def related(k: int, env: dict[str, Any] = env) -> bool:
                left, right, op = self.program.relations[k]
                difference = self.value(left, env) - self.value(right, env)
                self.modes[k] = difference > 0.0 if op in (">", ">=") else difference < 0.0
                return self.modes[k]

            env["R"] = related
            if begins:  # a continuous variable has no past yet
                self.before |= {n: self.x[n] for n in self.x}
            reinits: dict[str, float] = {}
            edges: dict[tuple[int, int, int], bool] = {}
            env["W"] = lambda k, name: self.when(k, name, env, begins, edges, reinits)  # noqa: B023
            for n in self.order:
                env[n] = self.value(self.program.values[n].python, env)
                if begins and self.program.kinds[n] in ("continuous", "watched"):
                    self.before[n] = env[n]
            for n in self.x:
                self.value(self.program.values[n].python, env)
            values = {n: float(env[n]) for n in (*self.x, *self.order)}
            self.tick = set()
            done = values == self.before and not reinits and edges == self.edges and not begins
            initial = False
            self.edges, self.before = edges, values
            self.x |= reinits
            if begins:  # what follows is an event of its own, in which clocks tick for the first time
                self.before = self.between(t, {**values, **self.x}, self.modes)
                self.tick = {(s, i) for s, i in self.program.samples if s == 0.0}
            if done:
                return values
        raise TooMany

    def when(
        self, k: int, name: str, env: dict[str, Any], initial: bool, edges: dict[tuple[int, int, int], bool],
        reinits: dict[str, float],
    ) -> float:  # fmt: skip
        """The value that a when clause gives its variable."""
        result, open_ = self.before[name], True
        for j, branch in enumerate(self.program.whens[k]):
            active = False
            for i, condition in enumerate(branch.conditions):
                holds = bool(self.value(condition.python, env))
                edges[k, j, i] = holds
                if condition.program == "initial()":
                    active |= initial
                else:
                    active |= holds and not self.edges.get((k, j, i), False) and not initial
            if active and open_:
                open_ = False
                if name in branch.assignments:
                    result = self.value(branch.assignments[name].python, env)
                for state, value in branch.reinits.items():
                    reinits[state] = self.value(value.python, env)
        return result

    def next_event(self, t: float, at: Callable[[float], dict[str, float]], stop: float) -> tuple[float, str]:
        """The first instant after t at which something happens, and what."""
        found = [(stop + 1.0, "end")]
        for s, i in self.program.samples:
            k = math.floor((t - s) / i + 1e-9) + 1 if t >= s else 0
            found.append((s + k * i, "clock"))
        differences = [f"({left}) - ({right})" for left, right, _ in self.program.relations]
        for inside in self.program.jumps:
            low = math.floor(self.value(inside, self.frozen(t + AFTER, at(t + AFTER), {})))
            differences += [f"({inside}) - {low}", f"({inside}) - {low + 1}"]
        here, there = t + 2 * AFTER, stop + 1.0
        ends = [self.frozen(now, at(now), {}) for now in (here, there)]
        for text in differences:
            first, last = (self.value(text, env) for env in ends)
            if first * last < 0.0:
                found.append((here + first / (first - last) * (there - here), "relation"))
        return min(found)
