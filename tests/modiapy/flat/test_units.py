"""Consistency of units, on request."""

from __future__ import annotations

import sys

import pytest

from modiapy import Function, Map, Model, ModelError, Par, Var, check_units, instantiate
from modiapy.flat import parse
from modiapy.symbolic.terms.arrays import evaluate_arrays

pytestmark = pytest.mark.white_box

Pin = Model(v=Var(potential=True, unit="V"), i=Var(flow=True, unit="A"))
Resistor = Model(R=Par(2.0, unit="Ohm"), p=Pin, n=Pin, v=Var(), equations=["v = p.v - n.v", "0 = p.i + n.i", "R*p.i = v"])
Capacitor = Model(
    C=Par(1.0, unit="F"), p=Pin, n=Pin, v=Var(init=0.0), equations=["v = p.v - n.v", "0 = p.i + n.i", "C*der(v) = p.i"]
)
Source = Model(V=Par(3.0, unit="V"), p=Pin, n=Pin, equations=["V = p.v - n.v", "p.i + n.i = 0", "n.v = 0"])
Circuit = Model(r=Resistor, c=Capacitor, s=Source, connect=[("s.p", "r.p"), ("r.n", "c.p"), ("c.n", "s.n")])


def test_consistent_model_has_no_messages():
    assert check_units(Circuit) == []
    assert instantiate(Circuit, check_units=True).simulate(1.0)["c.v"][0] == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (Map(r=Map(R=Par(unit="F"))), "r: in 'R*p.i = v' 'r.R*r.p.i' is in [A * F] and 'r.v' is in [V]"),
        (Map(c=Map(C=Par(unit="s"))), "c: in 'C*der(v) = p.i'"),
        (Model(y=Var("r.v + time")), "in 'y = r.v + time' 'r.v' is in [V] and 'time' is in [s]"),
        (Model(y=Var("sin(r.v)")), "in 'y = sin(r.v)' the argument of sin, 'r.v', is in [V] and should be a number"),
        (Model(l=Par(1.0, unit="mm"), y=Var("l", unit="m")), "'y' is in [m] and 'l' is in [mm]"),
        (Model(y=Var("r.v if time > r.v else 0")), "'time' is in [s] and 'r.v' is in [V]"),
        (Model(y=Var("2**r.v")), ""),
        (Model(y=Var("r.v**time")), "'r.v' [V] has a unit, but its exponent 'time' may change"),
        (Model(y=Var(1.0, unit="kgg")), "y: the unit 'kgg' is not known"),
    ],
)
def test_inconsistency_names_the_equation_and_both_units(change, message):
    messages = check_units(Circuit | change)
    assert any(message in m for m in messages) if message else messages == []
    if message:
        with pytest.raises(ModelError, match="the units of the model do not agree"):
            instantiate(Circuit | change, check_units=True)


@pytest.mark.parametrize(
    "change",
    [
        Model(w=Var("3", unit="rad/s"), r0=Par(2.0, unit="m"), v=Var("w*r0", unit="m/s")),
        Model(m=Par(2.0, unit="kg"), v=Var("2", unit="m/s"), e=Var("m*v**2/2", unit="J"), back=Var("sqrt(2*e/m)", unit="m/s")),
        Model(tau=Var("5", unit="N.m"), w=Var("1", unit="rad/s"), p=Var("tau*w", unit="W")),
        Model(f=Function(lambda u: u), y=Var("f(r.v) + time")),
        Model(y=Var("r.v + 1"), z=Var("y - c.v")),
    ],
)
def test_what_agrees_is_not_complained_about(change):
    assert check_units(Circuit | change) == []


def test_unit_is_inferred_along_equations():
    model = Circuit | Model(a=Var("b"), b=Var("r.v"), wrong=Var("a + time"))
    assert any("'a' is in [V] and 'time' is in [s]" in m for m in check_units(model))


def test_unit_is_inferred_along_a_chain_written_backwards():
    """Each pass over the equations finds one unit more; it took twice as long as the pass before."""
    n = 30
    variables = {f"y{k}": Var() for k in range(1, n)}
    chain = [f"y{k} = y{k - 1}" for k in range(n - 1, 0, -1)]
    model = Model(y0=Var(init=0.0, unit="m"), **variables, equations=["der(y0) = 1", *chain, f"y{n - 1} + time = y1"])
    assert any("'y29' is in [m] and 'time' is in [s]" in m for m in check_units(model))


@pytest.mark.parametrize("text", [
    "a + b", "a - b", "-a", "a*b", "a/b", "b/a", "1/a", "2*a", "a + 0*b", "abs(a)", "sqrt(a)", "sqrt(a*b)", "a**2",
    "a**(-1)", "a*a*b", "min(a, b)", "max(a, b)", "atan2(a, b)", "sin(a)", "exp(b)", "log(a/b)", "a if a > b else b",
    "b if b > a else a", "a if time > 1 else b", "mod(3*a, 2*a)", "div(a, a)*b", "noEvent(a)", "sum([a, b])",
    "(a*[1, 2])[1]", "tanh(a/b)*b", "mod(a, b)", "rem(a, b)", "rem(-a, b)", "div(5*a, b)", "div(-5*a, b)", "ceil(a/b)*b",
])  # fmt: skip
@pytest.mark.parametrize("units", [("rad", "rad"), ("m", "m"), ("m", "rad"), ("rad", "m")])
def test_units_agree_where_another_unit_of_length_makes_no_difference(text, units):
    """What is called dimensionless, a length, its square or its root is so: seen in the values with another unit of length."""
    expr, factor, ratios = parse(text), 3.7, set()
    for values in ({"a": 2.3, "b": 1.7, "time": 0.0}, {"a": 1.7, "b": 2.3, "time": 2.0}):
        moved = values | {name: values[name] * factor for name, unit in zip("ab", units, strict=True) if unit == "m"}
        ratios.add(round(float(evaluate_arrays(expr, moved) / evaluate_arrays(expr, values)), 12))
    for power, unit in ((-1.0, "1/m"), (0.0, "rad"), (0.5, "m**0.5"), (1.0, "m"), (2.0, "m2"), (3.0, "m3")):
        variables = {name: Var(unit=u) for name, u in zip("ab", units, strict=True)}
        model = Model(**variables, y=Var(unit=unit), equations=["a = 2.3", "b = 1.7", f"y = {text}"])
        assert (check_units(model) == []) == (ratios == {round(factor**power, 12)}), unit


def test_a_remainder_of_unlike_units_names_both():
    model = Model(s=Par(2.0, unit="m"), T=Par(0.5, unit="s"), y=Var("mod(s, T)", unit="m"))
    assert check_units(model) == ["in 'y = mod(s, T)' 's' is in [m] and 'T' is in [s]"]


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("mod(s, 0.5)", "m"), ("mod(0.5, s)", "m"), ("rem(s, 0.5)", "m"), ("rem(-0.5, s)", "m"), ("div(s, 0.5)", "rad"),
        ("div(0.5, s)", "rad"), ("floor(s)", "m"), ("mod(s, 1)", "m"), ("floor(s/(time*w))", "rad"), ("mod(s, free)", "m"),
    ],
)  # fmt: skip
def test_a_number_fits_on_either_side_of_a_remainder(text, unit):
    variables = {"s": Par(2.0, unit="m"), "w": Par(3.0, unit="m/s"), "free": Par(3.0)}
    assert check_units(Model(**variables, y=Var(text, unit=unit))) == []
    assert check_units(Model(**variables, y=Var(f"{text} + time", unit="kg"))) != []


def test_missing_pint_is_named(monkeypatch):
    from modiapy.symbolic.analysis import units

    monkeypatch.setitem(sys.modules, "pint", None)
    units.registry.cache_clear()
    with pytest.raises(ModelError, match="pip install pint"):
        check_units(Circuit)
    units.registry.cache_clear()
