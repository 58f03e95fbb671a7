"""Random differential-algebraic equations with a known solution, for the tests of the symbolic passes.

Smooth functions of time are chosen first. Each equation is a random left side, and as right side its value for these functions.
So they are the solution, whatever is linear or not, differentiated, constrained, renamed, and in whatever order it is written.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Wave:
    """``sign*(amplitude*sin(frequency*time + phase) + offset)`` and its derivatives."""

    amplitude: float
    frequency: float
    phase: float
    offset: float
    sign: int = 1

    def value(self, t: float, order: int = 0) -> float:
        turned = self.frequency * t + self.phase + 0.5 * math.pi * order
        return self.sign * (self.amplitude * self.frequency**order * math.sin(turned) + (0.0 if order else self.offset))

    def text(self, order: int = 0) -> str:
        factor = self.sign * self.amplitude * self.frequency**order
        rest = 0.0 if order else self.sign * self.offset
        return f"({factor!r}*sin({self.frequency!r}*time + {self.phase + 0.5 * math.pi * order!r}) + {rest!r})"


@dataclass
class RandomDae:
    """Equations for waves, made part by part; a part refers to variables of earlier ones, so that errors do not grow.

    Attributes:
        waves: the solution, by variable.
        equations: texts.
        parameters: by name.
        integers: names of the discrete variables with the type Integer.
        names: not used yet.
        others: variable -> ``(name, sign, shift)`` with ``name = sign*variable + shift``.
        rates: variable -> ``(v, sign)`` with ``v = sign*der(variable)``.
        unnamed: variables that are differentiated twice, and no variable is their derivative.
        factors: what equations may be multiplied by: discrete variables, which are never 0.
    """

    random: random.Random
    waves: dict[str, Wave] = field(default_factory=dict)
    equations: list[str] = field(default_factory=list)
    parameters: dict[str, float] = field(default_factory=dict)
    integers: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    others: dict[str, list[tuple[str, int, float]]] = field(default_factory=dict)
    rates: dict[str, tuple[str, int]] = field(default_factory=dict)
    unnamed: list[str] = field(default_factory=list)
    factors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names = [f"x{k}" for k in range(200)]
        self.random.shuffle(self.names)

    def build(self, parts: int) -> RandomDae:
        """Add parts of random kinds; equations are shuffled at the end."""
        if self.random.random() < 0.4:
            self.discrete()
        kinds = [self.first_order, self.second_order, self.algebraic, self.nonlinear]
        kinds += [self.index_two, self.index_three, self.hidden, self.hidden, self.second_order]
        for _ in range(parts):
            self.random.choice(kinds)()
        self.random.shuffle(self.equations)
        return self

    # -- pieces of equations ----------------------------------------------------------------------------------------------

    def number(self) -> float:
        return self.random.choice((-1, 1)) * self.random.choice((1.0, 1.0, 2.0, 0.5, 1.7, 3.1))

    def positive(self) -> float:
        return abs(self.number())

    def new(self) -> str:
        """A variable, with others that are it, or minus it, or differ by a constant."""
        uniform = self.random.uniform
        wave = Wave(uniform(0.3, 1.5), uniform(0.5, 3.0), uniform(0.0, 6.0), uniform(-1.0, 1.0))
        return self.named(wave)

    def named(self, wave: Wave, aliases: bool = True) -> str:
        name = self.names.pop()
        self.waves[name] = wave
        self.others[name] = [(name, 1, 0.0)]
        for _ in range(self.random.choice((0, 1, 1, 2, 3)) if aliases else 0):
            self._alias(name)
        return name

    def _alias(self, name: str) -> None:
        other, sign, shift = self.random.choice(self.others[name])
        alias, turned = self.names.pop(), self.random.choice((-1, 1))
        form = self.random.choice(
            ("{a} = {s}{b}", "{a} - ({s}{b}) = 0", "0 = {s}{b} - {a}", "-{a} = -({s}{b})", "{a} = {s}{b} + {c}")
        )
        constant = self.constant() if "{c}" in form else ("", 0.0)
        self.equations.append(form.format(a=alias, s="-" if turned < 0 else "", b=other, c=constant[0]))
        self.others[name].append((alias, sign * turned, shift * turned + constant[1]))
        base = self.waves[other]
        self.waves[alias] = Wave(
            base.amplitude, base.frequency, base.phase, base.offset + base.sign * turned * constant[1], base.sign * turned
        )

    def constant(self) -> tuple[str, float]:
        """A parameter, a variable with a constant value, or a number, and its value."""
        value = self.random.choice((0.0, 1.0, -2.0))
        kind = self.random.choice(("number", "parameter", "variable"))
        if kind == "number":
            return f"({value!r})", value
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        if kind == "parameter":
            return name, value
        variable = self.named(Wave(0.0, 1.0, 0.0, -value), aliases=False)
        self.equations.append(f"{variable} = -{name}")
        return f"(-{variable})", value

    def use(self, name: str, order: int = 0, scaled: bool = True) -> tuple[str, str]:
        """A derivative of a variable, by one of its names, and its value as text."""
        alias, sign, shift = self.random.choice(self.others[name])
        minus = "-" if sign < 0 else ""
        if order == 2 and name in self.rates and self.random.random() < 0.3:
            v, turned = self.rates[name]
            text, value = self.use(v, 1)
            return (text, value) if turned > 0 else (f"(-{text})", f"(-{value})")
        if order:
            inside = self.random.choice((alias, alias, f"{alias} + 2", f"3*{alias}" if scaled else alias))
            text = inside
            for _ in range(order):
                text = f"der({text})"
            text = f"({minus}{text}{'/3' if '*' in inside else ''})"
            return text, self.waves[name].text(order)
        return f"({minus}({alias} - ({shift!r})))", self.waves[name].text()

    def say(self, left: str, right: str, steady: bool = False) -> None:
        """``left = right`` in one of its forms; ``steady``: its coefficients stay constant."""
        forms = ("{0} = {1}", "{1} = {0}", "({0}) - ({1}) = 0", "0 = 2*({1}) - 2*({0})", "q*({0}) = q*({1})")
        form = self.random.choice(forms)
        if "q" in form:
            self.parameters["q"] = 1.3
        if self.factors and not steady and self.random.random() < 0.5:
            factor = self.random.choice(self.factors)
            left, right = f"{factor}*({left})", f"{factor}*({right})"
        self.equations.append(form.format(left, right))

    def coupling(self, known: list[str]) -> tuple[str, str]:
        """Terms of variables of earlier parts."""
        left, right = "", ""
        for name in self.random.sample(known, min(len(known), self.random.choice((0, 0, 1, 2)))):
            a, (x, value) = self.number(), self.use(name)
            wrap = self.random.choice(("{0}", "{0}", "sin({0})", "{0}*{0}", "{0}*time"))
            left, right = f"{left} + ({a!r})*{wrap.format(x)}", f"{right} + ({a!r})*{wrap.format(value)}"
        return left, right

    def sum_of(self, terms: list[tuple[float, tuple[str, str]]], known: list[str]) -> tuple[str, str]:
        more = self.coupling(known)
        return tuple(" + ".join(f"({a!r})*{pair[k]}" for a, pair in terms) + more[k] for k in (0, 1))  # type: ignore[return-value]

    # -- parts ------------------------------------------------------------------------------------------------------------

    def first_order(self) -> None:
        known, x = list(self.others), self.new()
        self.say(*self.sum_of([(self.number(), self.use(x, 1))], known))

    def second_order(self) -> None:
        known, x = list(self.others), self.new()
        if self.random.random() < 0.25:
            self.unnamed.append(x)
            self.say(*self.sum_of([(self.positive(), self.use(x, 2)), (self.number(), self.use(x, 1))], known))
            return
        self.rate(x)
        self.say(*self.sum_of([(self.number(), self.use(x, 2)), (self.number(), self.use(x))], known))

    def rate(self, x: str) -> str:
        """A variable that is the derivative of x, or minus it."""
        base, sign = self.waves[x], self.random.choice((-1, 1))
        wave = Wave(base.amplitude * base.frequency, base.frequency, base.phase + 0.5 * math.pi, 0.0, base.sign * sign)
        v = self.named(wave)
        self.rates[x] = v, sign
        minus = "-" if sign < 0 else ""
        self.equations.append(
            self.random.choice(
                (f"{minus}{v} = {self.use(x, 1, scaled=False)[0]}", f"0 = {self.use(x, 1, scaled=False)[0]} - ({minus}{v})")
            )
        )
        return v

    def algebraic(self) -> None:
        known = list(self.others)
        unknowns = [self.new() for _ in range(self.random.randint(1, 4))]
        for i in range(len(unknowns)):
            terms = [
                (5.0 * self.number() if i == j else self.number(), self.use(x))
                for j, x in enumerate(unknowns)
                if i == j or self.random.random() < 0.6
            ]
            self.say(*self.sum_of(terms, known))

    def nonlinear(self) -> None:
        known = list(self.others)
        unknowns = [self.new() for _ in range(self.random.randint(1, 3))]
        for i, x in enumerate(unknowns):
            terms = [(4.0 if i == j else 0.5, self.use(y)) for j, y in enumerate(unknowns)]
            left, right = self.sum_of(terms, known)
            form = self.random.choice(("{0}**3", "tanh({0})", "{0}*abs({0})", "atan({0})"))
            own = self.use(x)
            self.say(f"{left} + {form.format(own[0])}", f"{right} + {form.format(own[1])}")

    def index_two(self) -> None:
        """Rates driven by a common unknown, and a constraint between the variables."""
        known = list(self.others)
        n = self.random.randint(2, 3)
        moving, force = [self.new() for _ in range(n)], self.new()
        self._constrained(moving, moving, force, known)

    def index_three(self) -> None:
        known = list(self.others)
        n = self.random.randint(2, 3)
        places, force = [self.new() for _ in range(n)], self.new()
        self._constrained(places, [self.rate(x) for x in places], force, known)

    def two_constraints(self, level: int) -> None:
        """Two constraints between the same variables, with a force of each; at ``level`` 1 their rates move, at 0 they do."""
        known = list(self.others)
        places, forces = [self.new() for _ in range(self.random.randint(3, 4))], [self.new(), self.new()]
        moving = [self.rate(x) for x in places] if level else places
        factors = [[self.number() + 3.0 * (i == j) for j in range(len(places))] for i in range(2)]
        for j, x in enumerate(moving):
            sign = self._direction(places, moving, x)
            terms = [(self.positive(), self.use(x, 1)), (self.positive(), self.use(x))]
            terms += [(factors[i][j] * sign, self.use(force)) for i, force in enumerate(forces)]
            self.say(*self.sum_of(terms, known))
        for row in factors:
            left, right = self.sum_of([(a, self.use(x)) for a, x in zip(row, places, strict=True)], known)
            for a, x in zip(row, places, strict=True):
                if self.random.random() < 0.6:
                    text, value = self.use(x)
                    left, right = f"{left} + ({0.2 * a!r})*sin({text})", f"{right} + ({0.2 * a!r})*sin({value})"
            self.say(left, right, steady=True)

    def _constrained(self, constrained: list[str], moving: list[str], force: str, known: list[str]) -> None:
        factors = [self.number() for _ in constrained]
        for x, a in zip(moving, factors, strict=True):
            # the force of a constraint: what it does to x grows with the factor of x, so that it is determined
            sign = self._direction(constrained, moving, x)
            terms = [(self.positive(), self.use(x, 1)), (self.positive(), self.use(x)), (a * sign, self.use(force))]
            self.say(*self.sum_of(terms, known))
        left, right = self.sum_of([(a, self.use(x)) for a, x in zip(factors, constrained, strict=True)], known)
        curved = self.random.choice(([], [], constrained[-1:], constrained))
        for a, x in zip(factors, constrained, strict=True):
            if x in curved:
                text, value = self.use(x)
                left, right = f"{left} + ({0.3 * a!r})*sin({text})", f"{right} + ({0.3 * a!r})*sin({value})"
        self.say(left, right, steady=True)

    def hidden(self) -> None:
        """Two states that are equal, or constant, because both are the same sum: no single equation says so."""
        known = list(self.others)
        first, second, force = self.number(), self.number(), self.new()
        wave = self.waves[force]
        if self.random.random() < 0.3:
            wave = Wave(0.0, 1.0, 0.0, 0.7)
        a, b = (self.named(Wave(k * wave.amplitude, wave.frequency, wave.phase, k * wave.offset)) for k in (first, second))
        total, states = f"{a} + {b}", []
        shifted = self.random.random() < 0.4
        for _ in range(2):
            (text, shift), sign = self.constant() if shifted else ("0", 0.0), self.random.choice((-1, 1))
            k, offset = first + second, sign * (first + second) * wave.offset + shift
            x = self.named(Wave(sign * k * wave.amplitude, wave.frequency, wave.phase, offset))
            minus = "-" if sign < 0 else ""
            self.equations.append(
                self.random.choice(
                    (
                        f"{x} = {minus}({total}) + {text}",
                        f"0 = {x} - ({minus}({total})) - {text}",
                        f"0 = 2*{x} - 2*({minus}({total}) + {text})",
                    )
                )
            )
            states.append((x, sign))
        for (x, sign), pulls in zip(states, (2.0, -2.0), strict=True):
            terms = [(self.positive(), self.use(x, 1)), (self.number(), self.use(x)), (pulls * sign, self.use(force))]
            self.say(*self.sum_of(terms, known))
        self.say(*self.sum_of([(2.0, self.use(a)), (-1.0, self.use(b))], known))

    def _direction(self, constrained: list[str], moving: list[str], x: str) -> int:
        """1 if the variable that moves is the derivative of the constrained one, -1 if it is minus it."""
        place = constrained[moving.index(x)]
        return 1 if place == x else self.waves[x].sign * self.waves[place].sign

    def discrete(self) -> None:
        """An Integer that changes at time 0.4, and real variables that follow it."""
        n, d, e = (self.names.pop() for _ in range(3))
        self.integers.append(n)
        self.equations.append(f"{n} = 2 if time < 0.4 else 5")
        self.equations.append(self.random.choice((f"{d} = {n}", f"{d} = 3*{n} - 1", f"{d} = -{n}", f"0 = {d} + {n}")))
        self.equations.append(self.random.choice((f"{e} = {d}*{d}", f"{e} + {d} = 3*{d}", f"{e} = -{d}")))
        self.factors = [n, d, e]

    # -- the model --------------------------------------------------------------------------------------------------------

    def variables(self) -> dict[str, dict[str, Any]]:
        """All variables with their values at time 0 as ``start``, in random order."""
        starts = {name: {"start": wave.value(0.0)} for name, wave in self.waves.items()}
        kinds = {name: {"type": "Integer"} if name in self.integers else {} for name in self.factors}
        declared = list({**starts, **kinds}.items())
        self.random.shuffle(declared)
        return dict(declared)

    def exact(self, name: str, t: float) -> float:
        """The solution for a variable or a derivative."""
        order = 0
        while name.startswith("der("):
            name, order = name[4:-1], order + 1
        return self.waves[name].value(t, order)


def values_of(dae: RandomDae, names: Mapping[str, object], t: float) -> dict[str, float]:
    """The solution for all these names that it has."""
    return {name: dae.exact(name, t) for name in names if name.replace("der(", "").rstrip(")") in dae.waves}
