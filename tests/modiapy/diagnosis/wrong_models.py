"""Models with one mistake each, by the name of the mistake; what a user is told of them is in ``messages.txt``."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from modiapy import Assert, Clock, For, Function, If, Model, ModiaError, Par, Var, When, instantiate


def twice(u: float) -> float:
    return 2.0 * u


Pin = Model(v=Var(potential=True), i=Var(flow=True))
Part = Model(p=Pin, n=Pin, R=2.0, equations=["p.v - n.v = R*p.i", "p.i + n.i = 0"])
Decay = Model(x=Var(init=1.0), equations=["der(x) = -x"])
Pendulum = ["der(x) = u", "der(y) = v", "der(u) = -x*f", "der(v) = -y*f - 9.81"]


def algebraic(*equations: Any, **entries: Any) -> Model:
    """x, y, z and equations between them."""
    return Model(**{"x": Var(), "y": Var(), "z": Var(), **entries}, equations=list(equations))


def moving(*equations: Any, **entries: Any) -> Model:
    """A state, and what else there is."""
    return Model(**{"x": Var(init=1.0), **entries}, equations=["der(x) = -x", *equations])


WRONG: dict[str, Model] = {
    # names
    "unknown name": moving("y = xx + 1", y=Var()),
    "unknown name in a submodel": Model(part=Part, equations=["part.q.v = 1", "part.n.v = 0"]),
    "unknown function": moving("y = sine(x)", y=Var()),
    "a model in an expression": Model(part=Part, y=Var(), equations=["y = part"]),
    "a name with a meaning": Model(time=Var()),
    "a function of the language": Model(sin=1.0),
    "an element that is not there": moving("y = w[3]", y=Var(), w=np.ones(2)),
    "a variable of an enclosing model": Model(q=Var("time"), part=Model(y=Var("2*q"))),
    "bound to itself": Model(y=Var("y + 1")),
    # parameters
    "parameters in a circle": Model(a="2*b", b="c + 1", c="a"),
    "no value": Model(p=Par(), y=Var("p")),
    "division by zero": Model(p="1/q", q=0.0),
    "out of range": Model(p=Par(value=-1.0, min=0.0)),
    "a choice that is not there": Model(p=Par(value="PD", choices=("P", "PI"), type="String")),
    "a parameter from a variable": moving(p="2*x"),
    "text in a sum": Model(p=Par(value="air", type="String"), q="p + 1"),
    "a derivative in a parameter": Model(p="der(2)"),
    "a list of texts": Model(p=["a", 2.0]),
    # attributes
    "unknown type": Model(x=Var(type="Complex")),
    "two causalities": Model(x=Var(input=True, output=True, flow=True)),
    "half of an integer": Model(n=Var(type="Integer", init=0.5), equations=["n = pre(n)"]),
    "nominal of zero": Model(x=Var(init=1.0, nominal=0.0), equations=["der(x) = -x"]),
    "a shape of no elements": Model(x=Var(shape=(0,))),
    # equations
    "no equation": moving("y + 1", y=Var()),
    "a parenthesis too few": moving("y = sin(x", y=Var()),
    "too many equations": algebraic("x = sin(time)", "x*y = 1", "y*x = 2 + time", "z = 1"),
    "too few equations": algebraic("x = sin(time)", "x = y + z*z"),
    "too many and too few": algebraic("x = sin(time)", "exp(x) = 2*time", "z = y*y"),
    "an equation that contradicts": algebraic("x = y", "y = z", "x = z + 1"),
    "a sum that contradicts": algebraic("x + y = 1", "x + y + z = 3", "z = 1"),
    "equations that say nothing new": algebraic("x + y = 1", "2*x + 2*y = 2", "z = x*y", "3*x + 3*y = 3"),
    "a constant twice": algebraic("x = 1", "y = -x", "y = 2", "z = time"),
    "an unknown that cancels": algebraic("x = time", "y + x - y = 3*z", "(p + 0.0)*y - y*p = sin(time)", p=2.0),
    "an equation between parameters": moving("p = 3", p=2.0),
    "a potential that nothing fixes": Model(part=Part, y=Var(), equations=["y = exp(part.p.v)"]),
    "an unused flow that is determined": Model(part=Part, equations=["part.n.v = 0", "part.p.v = 1"]),
    "an input that nothing gives": Model(part=Model(u=Var(input=True), y=Var("2*u"))),
    "a connection that leads nowhere": Model(one=Part, two=Part, connect=[("one.n", "two.q")]),
    "a connection of unlike ends": Model(one=Part, two=Decay, connect=[("one.n", "two.x")]),
    "records of different kinds": Model(one=Part, two=Decay, equations=["one = two"]),
    "different shapes": Model(x=Var(shape=2), y=Var(shape=3), equations=["x = time*y", "y[0] = 1", "y[1] = 1", "y[2] = 2"]),
    "a product of unlike shapes": Model(A=np.ones((2, 3)), x=Var(init=[1.0, 2.0]), equations=["der(x) = A@x"]),
    "elements and the whole": Model(x=Var(shape=2), y=Var(), equations=["x[0] = time", "x[1] = y"]),
    # derivatives and states
    "the derivative of an input": Model(u=Var(input=True), y=Var("der(u)")),
    "a constraint on an input": Model(u=Var(input=True), x=Var(), f=Var(), equations=["der(x) = f", "x = 2*u"]),
    "a function without derivative": Model(
        f=Function(twice, derivative=None), x=Var(), y=Var(), v=Var(), equations=["der(x) = v", "y = f(x)", "y = sin(time)"]
    ),
    "always, but constant": Model(x=Var(state_select="always"), equations=["x = 2"]),
    "always, but prescribed": Model(x=Var(state_select="always"), equations=["x = sin(time)"]),
    "always, but an input": moving("der(y) = u", u=Var(input=True, state_select="always"), y=Var()),
    "always, but discrete": moving("n = 1 if x > 0.5 else 0", n=Var(type="Integer", state_select="always")),
    "never, but needed": Model(x=Var(init=1.0, state_select="never"), equations=["der(x) = -x"]),
    "constraints that depend on each other": Model(
        **{name: Var(init=0.5) for name in "xyuv"}, f=Var(), g=Var(),
        equations=[*Pendulum, "x*x + y*y = 1", "2*x*x + 2*y*y = 3 + g*0"],
    ),
    "a nonlinear constraint between arrays": Model(
        **{name: Var(init=[0.6, 0.8]) for name in "xyuv"}, f=Var(shape=2), equations=[*Pendulum, "x*x + y*y = 1"]
    ),
    "an arbitrary index": Model(**{f"x{k}": Var() for k in range(14)}, equations=[
        *(f"x{k} = der(x{k + 1})" for k in range(13)), "x13 = abs(sin(time))"]),
    # initial values
    "init of what is constant": Model(x=Var(init=1.0), equations=["x = 2"]),
    "init of equal variables": Model(x=Var(init=1.0), y=Var(init=2.0), equations=["der(x) = -x", "x = y"]),
    "init of opposite variables": Model(x=Var(init=1.0), y=Var(init=2.0), equations=["der(x) = -x", "x = -y"]),
    "an initial equation too many": Decay | Model(y=Var("2*x"), initial_equations=["x = 2", "y + x = 3"]),
    "an initial equation of no unknown": Decay | Model(p=2.0, initial_equations=["p = 2"]),
    "an initial equation of an input": Decay | Model(u=Var(input=True), initial_equations=["der(u) = 1"]),
    # events
    "equality of what is continuous": moving("y = 1 if x == 0.5 else 0", y=Var()),
    "a continuous Integer": moving("n = 2*x", n=Var(type="Integer")),
    "a fraction as Integer": moving("n = m/2", n=Var(type="Integer"), m=Var("2 if x > 0.5 else 4", type="Integer")),
    "a number as Boolean": moving("b = 3", b=Var(type="Boolean")),
    "a condition that is continuous": moving(When("x", ["n = 1"]), n=Var(init=0.0)),
    "the past of an expression": moving("y = pre(2*x)", y=Var()),
    "two when clauses": moving(When("x > 0.5", ["n = 1"]), When("x < 0.2", ["n = 2"]), n=Var(init=0.0)),
    "twice in one branch": moving(When("x > 0.5", ["n = 1", "n = 2"]), n=Var(init=0.0)),
    "a parameter in a when": moving(When("x > 0.5", ["p = 1"]), p=2.0),
    "a state in a when": moving(When("x > 0.5", ["x = 1"])),
    "reinit of what is no state": moving("y = 2*x", When("x > 0.5", ["reinit(y, 1)"]), y=Var()),
    "reinit of an expression": moving(When("x > 0.5", ["reinit(2*x, 1)"])),
    "no assignment in a when": moving(When("x > 0.5", ["2*n = 1"]), n=Var(init=0.0)),
    "terminate without a text": moving(When("x > 0.5", ["terminate(x)"])),
    "present values that need each other": moving("n = m + 1", "m = mod(n, 2)", n=Var(type="Integer"), m=Var(type="Integer")),
    "a value that needs itself": moving("n = mod(n, 2) + 1", n=Var(type="Integer")),
    "a sample that changes": moving("n = pre(n) + (1 if sample(0, x) else 0)", n=Var(type="Integer", init=0)),
    "smooth of half an order": moving("y = smooth(0.5, abs(x))", y=Var()),
    "a condition of arrays": Model(x=Var(init=[1.0, 2.0]), y=Var("1 if x > 0.5 else 2"), equations=["der(x) = -x"]),
    # clocks
    "two clocks in one partition": moving(
        "y = sample(x, one)", "z = sample(x, two) + y", one=Clock(0.1), two=Clock(0.3), y=Var(), z=Var()
    ),
    "no clock": moving("y = previous(z) + 1", "z = y", y=Var(init=0.0), z=Var(init=0.0)),
    "time in a clocked equation": moving("y = sample(x, one) + time", one=Clock(0.1), y=Var()),
    "previous of a sum": moving("y = previous(y + 1) + sample(x, one)", one=Clock(0.1), y=Var(init=0.0)),
    "nothing is sampled": moving("der(x)*0 = sample(1, one)", one=Clock(0.1)),
    # control, delays, assertions
    "branches of unequal length": algebraic(If("x > 0", ["y = 1"], otherwise=["y = 2", "z = 3"]), "x = time", "z = 2"),
    "a loop to infinity": Model(y=Var(shape=2), equations=[For("i", "inf", ["y[i] = 1"])]),
    "an index out of range": Model(y=Var(shape=2), equations=[For("i", 3, ["y[i] = i"])]),
    "a delay by nothing": moving("y = delay(x)", y=Var()),
    "a delay that changes": moving("y = delay(x, x)", y=Var()),
    "a delay of arrays": Model(x=Var(init=[1.0, 2.0]), y=Var("delay(x, 1)", shape=2), equations=["der(x) = -x"]),
    "an assertion that fails": moving(Assert("x > 0.5", "x has become small")),
    "a square root of a negative number": moving("der(y) = sqrt(x - 0.5)", y=Var(init=0.0)),
    "an assertion of nothing": moving(Assert("q > 0", "too small")),
}  # fmt: skip


def refusal(model: Model) -> ModiaError:
    """Of a model that has a mistake, which is found when it is translated or simulated."""
    try:
        instantiate(model).simulate(1.0)
    except ModiaError as error:
        return error
    raise AssertionError("no mistake is found")


def told(error: ModiaError, within: str = "") -> str:
    """All that a user is told, without lines of files and later digits, names as they are in the model ``within``."""
    parts = {key: getattr(error, key) for key in ("path", "message", "found", "expected", "remedy")}
    text = "\n".join(f"{key}: {part}" for key, part in parts.items() if part)
    text = re.sub(r"\d+\.\d{6,}", lambda number: f"{float(number[0]):.4g}", text)
    return re.sub(r"  \(\w+\.py:\d+\)", "", re.sub(rf"\b{within}(\.|: )", "", text) if within else text)


if __name__ == "__main__":  # writes messages.txt, which is to be read before it is trusted
    print("\n\n".join(f"# {name}\n{told(refusal(model))}" for name, model in WRONG.items()))
