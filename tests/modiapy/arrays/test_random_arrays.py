"""Random equations of arrays with a known solution, in both modes, and again with arrays of other sizes."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, Var, When, instantiate
from modiapy.symbolic.codegen import systems

pytestmark = pytest.mark.white_box

BEGIN, STOP = 0.1, 1.0
FIRST, DISTANCE = 0.23, 0.2
"""Of a sample [s]."""


@dataclass
class RandomArrays:
    """Each variable ``x`` is ``x_a*sin(x_f*time + x_p) + x_c`` with arrays of parameters, whose values follow from the sizes.

    Attributes:
        random: where the choices of the structure come from.
        shapes: of the variables, in letters.
        matrices: parameters that are not of a wave, and their shapes in letters; square ones are well conditioned.
        aliases: variable -> what it is, as text, of variables with waves.
        moving: what has a derivative.
        starts: variable that is set at events -> parameter that it begins with.
    """

    random: random.Random
    shapes: dict[str, str] = field(default_factory=dict)
    matrices: dict[str, str] = field(default_factory=dict)
    equations: list[Any] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    moving: list[str] = field(default_factory=list)
    starts: dict[str, str] = field(default_factory=dict)

    def build(self, parts: int) -> RandomArrays:
        self.new("n")
        self.moving += self.shapes
        self.say("{der x0} + {x0}", x0="x0")
        makers = [self.first_order, self.system, self.nonlinear, self.scalar, self.table, self.alias, self.alias]
        makers += [self.second_order, self.counter]
        for _ in range(parts):
            self.random.choice(makers)()
        self.random.shuffle(self.equations)
        return self

    def new(self, shape: str) -> str:
        name = f"x{len(self.shapes)}"
        self.shapes[name] = shape
        return name

    def matrix(self, shape: str) -> str:
        name = f"M{len(self.matrices)}"
        self.matrices[name] = shape
        return name

    def known(self, shape: str) -> str:
        """A term of this shape of earlier variables, with ``{x}`` for each."""
        terms = {"n": ["{v}", "0.5*{v}*{v}", "M@{v}", "{v}@M", "transpose(M)@{v}", "sin({v})", "sum({v})*{v}"]}
        terms["n"].append("concat({v}[1:], {v}[:1])")
        terms[""] = ["{v}[0]", "sum({v})", "0.3*{v}@{v}", "{v}[1]*{v}[0]", "dot({v}, {v})"]
        terms["nm"] = ["0.1*sum({v})*N", "{v}[0]*N"]
        text = self.random.choice(terms[shape])
        text = re.sub(r"\b[MN]\b", lambda found: self.matrix({"M": "nn", "N": "nm"}[found[0]]), text)
        return text.replace("{v}", "{" + self.random.choice([x for x, s in self.shapes.items() if s == "n"]) + "}")

    def say(self, left: str, **own: str) -> None:
        """``left`` is what it is for the solution."""
        given = {x: "{" + x + "}" for x in self.shapes}
        for key, x in own.items():
            given |= {"der " * k + key: "{" + "der " * k + x + "}" for k in range(3)}
        left = left.format_map(given)
        names = {x: x for x in self.shapes} | {f"der {x}": f"der({x})" for x in self.shapes}
        names |= {f"der der {x}": f"der(der({x}))" for x in self.shapes}
        waves = {"der " * k + x: self.wave(x, k) for x in self.shapes for k in range(3)}
        sides = left.format_map(names), left.format_map(waves)
        form = self.random.choice(("{0} = {1}", "{1} = {0}", "2*({0}) - 2*({1}) = 0*({1})", "q*({0}) = q*({1})"))
        self.equations.append(form.format(*sides))

    def wave(self, x: str, order: int = 0) -> str:
        rest = "" if order else f" + {x}_c"
        return f"({x}_a*{x}_f**{order}*sin({x}_f*time + {x}_p + {order}*pi/2){rest})"

    # -- parts ------------------------------------------------------------------------------------------------------------

    def first_order(self) -> None:
        other, x = self.known("n"), self.new("n")
        self.moving.append(x)
        self.say(f"{self.matrix('nn')}@{{der y}} + {{y}} + {other}", y=x)

    def second_order(self) -> None:
        other, x = self.known("n"), self.new("n")
        if self.random.random() < 0.5:
            self.aliases[v := f"v{len(self.aliases)}"] = "-{der " + x + "}"
            self.equations.append(self.random.choice((f"{v} = -der({x})", f"0*{v} = {v} + der({x})")))
            self.say(f"2*{{der der y}} + {self.matrix('nn')}@{{y}} + {other}", y=x)
            self.equations[-1] = self.equations[-1].replace(f"der(der({x}))", f"(-der({v}))")
            self.moving += [x, v]
        else:
            y, matrix = self.new("n"), self.matrix("nn")
            self.say(f"{{der x}} + {matrix}@{{der y}} + {other}", x=x, y=y)
            self.say("{der x} - 4*{der y}", x=x, y=y)
            self.moving += [x, y]

    def system(self) -> None:
        other, (x, y) = self.known("n"), (self.new("n"), self.new("n"))
        factor = self.random.choice(("", "(2 + sin(time))*"))
        self.say(f"{factor}({self.matrix('nn')}@{{x}} - 0.5*{{y}}) + {other}", x=x, y=y)
        self.say(f"{{x}} + {self.matrix('nn')}@{{y}}", x=x, y=y)

    def nonlinear(self) -> None:
        other, x = self.known("n"), self.new("n")
        form = self.random.choice(("5*{y} + {y}**3", "5*{y} + sin(W@{y})", "9*{y} + sum({y})*{y}/9", "exp({y}/2) + 4*{y}"))
        self.say(f"{form.replace('W', self.matrix('nn'))} + {other}", y=x)

    def scalar(self) -> None:
        other, x = self.known(""), self.new("")
        if self.random.random() < 0.5:
            self.moving.append(x)
            self.say(f"{{der y}} + 2*{{y}} + {other}", y=x)
        else:
            self.say(f"3*{{y}} + {other}", y=x)

    def table(self) -> None:
        other, x = self.known("nm"), self.new("nm")
        self.moving.append(x)
        self.say(f"{{der y}} + {self.matrix('nn')}@{{y}} + {other}", y=x)

    def alias(self) -> None:
        """Of the whole, of a part, or of a derivative."""
        x = self.random.choice([x for x, s in self.shapes.items() if s == "n"])
        forms = ["-{x}", "{x} + w", "{x}[1]", "-{x}[0]", "concat({x}[1:], {x}[:1])", "[{x}[1], {x}[0]]", "sum({x})", "{x}[1:]"]
        forms += ["{der x}"] if x in self.moving else []
        text = self.random.choice(forms).replace("w", self.matrix("n")).replace("x}", x + "}")
        self.aliases[name := f"y{len(self.aliases)}"] = text
        value = text.format_map({x: x, f"der {x}": f"der({x})"})
        whole = text in ("-{" + x + "}", "{der " + x + "}")
        self.equations.append(f"0*{name} = {name} - ({value})" if whole and self.random.random() < 0.5 else f"{name} = {value}")

    def counter(self) -> None:
        """What a when clause sets, as a whole or one element of it."""
        name, by = f"w{len(self.aliases)}", self.matrix("n")
        whole = self.random.random() < 0.5
        value = f"pre({name}) + {by}" if whole else f"pre({name}[1]) + 2"
        self.aliases[name] = f"(1 + ticks)*{by}" if whole else f"concat({by}[:1], {by}[1:2] + 2*ticks, {by}[2:])"
        self.starts[name] = by
        body = [f"{name if whole else name + '[1]'} = {value}"]
        if self.random.random() < 0.5:  # the value that it has anyway
            x = self.random.choice([x for x in self.moving if self.shapes.get(x) == "n"])
            body.append(f"reinit({x}, {self.wave(x)})")
        self.equations.append(When(f"sample({FIRST}, {DISTANCE})", body))

    # -- with sizes -------------------------------------------------------------------------------------------------------

    def values(self, n: int, seed: int) -> dict[str, Any]:
        """Parameters for vectors of n elements."""
        draw, sizes = np.random.default_rng(seed), {"n": n, "m": 2}
        found: dict[str, Any] = {"n": n, "m": 2, "q": 1.3}
        for name, letters in self.matrices.items():
            found[name] = draw.uniform(-0.3, 0.3, [sizes[c] for c in letters]) + (3.0 * np.eye(n) if letters == "nn" else 0.0)
        for x, letters in self.shapes.items():
            shape = [sizes[c] for c in letters]
            for key, low, high in (("a", 0.3, 1.2), ("f", 0.5, 2.5), ("p", 0.0, 6.0), ("c", -0.6, 0.6)):
                number = draw.uniform(low, high, shape)
                found[f"{x}_{key}"] = number if shape else float(number)
            found[f"{x}_0"] = self.exact(x, BEGIN, found)
        for x in self.moving:
            if x not in self.shapes:
                found[f"{x}_0"] = self.exact(x, BEGIN, found)
        return found

    def exact(self, name: str, t: float, values: dict[str, Any]) -> Any:
        """The solution for a variable."""
        if name not in self.shapes:
            names = {"der " * k + x: f"wave('{x}', {k})" for x in self.shapes for k in range(3)}
            known = {**values, "wave": lambda x, k: self._wave(x, k, t, values), "sum": np.sum}
            known |= {"concat": lambda *a: np.concatenate(a), "ticks": max(0, np.floor((t - FIRST) / DISTANCE + 1e-9) + 1)}
            result = eval(self.aliases[name].format_map(names), {}, known)
            return np.array(result) if isinstance(result, list) else result
        return self._wave(name, 0, t, values)

    def _wave(self, x: str, order: int, t: float, values: dict[str, Any]) -> Any:
        a, f, p, c = (values[f"{x}_{key}"] for key in "afpc")
        return a * f**order * np.sin(f * t + p + order * np.pi / 2) + (0.0 if order else c)

    def model(self, values: dict[str, Any], elements: bool = False) -> Model:
        """The model; with ``elements`` those of about every second array are unknowns of their own."""
        declared = []
        for name in (*self.shapes, *self.aliases):
            given: dict[str, Any] = {"init" if name in self.moving else "start": f"{name}_0"} if f"{name}_0" in values else {}
            if name in self.starts:
                given["init"] = self.starts[name]
            like = np.shape(self.exact(name, 0.0, values))
            sizes = {values["n"]: "n", values["n"] - 1: "n - 1", 2: 2}
            if like:
                given["shape"] = ("n", "m") if len(like) > 1 else sizes[like[0]]
                given["elements"] = elements and self.random.random() < 0.5
            declared.append((name, Var(**given)))
        self.random.shuffle(declared)
        return Model(**values, **dict(declared), equations=self.equations)


@settings(max_examples=15, phases=(Phase.explicit, Phase.generate))
@given(
    seed=st.integers(0, 10**9), parts=st.integers(1, 7), mode=st.sampled_from(("ode", "dae", "auto")), other=st.integers(2, 6)
)
def test_variables_of_any_shape_follow_the_closed_form(seed: int, parts: int, mode: str, other: int) -> None:
    arrays = RandomArrays(random.Random(seed)).build(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(systems, "DAE_SIZE", 2)
        sim = instantiate(arrays.model(arrays.values(4, seed)))
        for n in (4, other):
            values = arrays.values(n, seed + n)
            result = sim.simulate(STOP, start_time=BEGIN, mode=mode, tolerance=1e-8, merge=Map(**values), interval=0.1)
            later = np.append(np.diff(result.time) > 0.0, True)  # after events, not before them
            for name in (*arrays.shapes, *arrays.aliases):
                exact = np.array([arrays.exact(name, t, values) for t in result.time[later]])
                np.testing.assert_allclose(result[name][later], exact, atol=2e-5, err_msg=f"{name} in {arrays.equations}")


@settings(max_examples=15, phases=(Phase.explicit, Phase.generate))
@given(seed=st.integers(0, 10**9), parts=st.integers(1, 7), mode=st.sampled_from(("ode", "auto")))
def test_elements_that_are_unknowns_of_their_own_follow_it_as_well(seed: int, parts: int, mode: str) -> None:
    arrays = RandomArrays(random.Random(seed)).build(parts)
    sim = instantiate(arrays.model(arrays.values(3, seed), elements=True))
    for values in (arrays.values(3, seed), arrays.values(3, seed + 1)):
        result = sim.simulate(STOP, start_time=BEGIN, mode=mode, tolerance=1e-8, merge=Map(**values), interval=0.1)
        later = np.append(np.diff(result.time) > 0.0, True)
        for name in (*arrays.shapes, *arrays.aliases):
            exact = np.array([arrays.exact(name, t, values) for t in result.time[later]])
            np.testing.assert_allclose(result[name][later], exact, atol=2e-5, err_msg=f"{name} in {arrays.equations}")
