"""What a user of Modelica writes first: elements of arrays, sizes, names of Modelica that are other names here."""

from __future__ import annotations

import math

import numpy as np
import pytest

from modiapy import Clock, For, Function, Map, Model, ModelError, SimulationError, Var, When, check_units, instantiate
from modiapy.library import blocks, electric, rotational

MIMO = blocks.StateSpace | Map(A=[[-1.0]], B=[[1.0, 2.0]], C=[[1.0]], D=[[0.0, 0.0]])
ONE, HALF = (blocks.Constant | Map(k=k) for k in (1.0, 0.5))


def end(model: Model, name: str, stop: float = 1.0, **options):
    return instantiate(model).simulate(stop, tolerance=1e-8, **options)[name][-1]


def refused(model: Model, *words: str) -> None:
    with pytest.raises(ModelError) as info:
        instantiate(model)
    assert all(word in str(info.value) for word in words), str(info.value)


# -- connect: elements of arrays of signals ----------------------------------------------------------------------------


@pytest.mark.parametrize("connect", [[("c.y", "s.u[0]"), ("d.y", "s.u[1]")], [("s.u[1]", "d.y"), ("s.u[0]", "c.y")]])
def test_elements_of_inputs_are_connected_in_any_order(connect):
    model = Model(s=MIMO, c=ONE, d=HALF, g=blocks.Gain | Map(k=3.0), connect=[*connect, ("s.y[0]", "g.u")])
    assert end(model, "g.y") == pytest.approx(3 * 2 * (1 - math.exp(-1)), abs=1e-6)


def test_elements_are_connected_with_elements_and_with_inputs_and_outputs_of_the_model():
    one = blocks.StateSpace | Map(A=[[-1.0]])
    chain = Model(s=MIMO, r=one, c=ONE, equations=["connect(r.y[0], s.u[0])"])
    for connect in ([("c.y", "r.u[0]", "s.u[1]")], [("r.u[0]", "s.u[1]"), ("c.y", "r.u[0]")]):
        y = end(chain | Model(connect=connect), "s.y")[0]
        assert y == pytest.approx(2 * (1 - math.exp(-1)) + 1 - 2 * math.exp(-1), abs=1e-6)
    ends = Model(
        u=Var(input=True, start=[1.0, 2.0]),
        y=Var(output=True, shape=2),
        g=blocks.Gain,
        h=blocks.Gain | Map(k=2.0),
        connect=[("u[0]", "g.u"), ("u[1]", "h.u"), ("g.y", "y[1]"), ("y[0]", "h.y")],
    )
    assert [*end(ends, "y")] == [4.0, 1.0]


def test_wrong_connections_of_elements_are_named():
    base = Model(s=MIMO, c=ONE, d=HALF)
    refused(base | Model(connect=[("c.y", "s.u[0]")]), "too few equations (1 missing) for 's.u'", "for all elements of 's.u'")
    refused(base | Model(connect=[("c.y", "s.u[0]"), ("d.y", "s.u[0]")]), "2 sources", "'c.y', 'd.y'")
    refused(base | Model(connect=[("c.y", "s.u[0]"), ("d.y", "s.u[2]")]), "there is no 's.u[2]'", "Indices count from 0")
    plug = Model(p=Model(v=Var(potential=True, shape=2), i=Var(flow=True, shape=2)))
    refused(
        Model(a=plug, c=electric.Pin, connect=[("a.p.v[0]", "c.v")]), "'v[0]'", "neither input nor output", "whole connector"
    )


# -- when: elements -------------------------------------------------------------------------------------------------------


def counters(*equations: str, **entries) -> Model:
    given = {"n": Var(type="Integer", init=[0, 10, 20])} | entries
    return Model(**given, equations=[When("time > 0.5", list(equations))])


@pytest.mark.parametrize(
    ("equations", "expected"),
    [
        (["n[1] = pre(n[1]) + 3"], [0, 13, 20]),
        (["n[2] = 5", "n[0] = 4"], [4, 10, 5]),
        (["n[-1] = pre(n[0]) + 1"], [0, 10, 1]),
        (["n[0] = pre(n[1])", "n[1] = pre(n[0])"], [10, 0, 20]),
    ],
)
def test_when_sets_elements_and_the_others_stay(equations, expected):
    assert [*end(counters(*equations), "n")] == expected
    assert [*end(Model(sub=counters(*equations)), "sub.n")] == expected


def test_constraint_of_elements_of_an_array_is_refused_with_what_is_possible():
    equations = ["der(r) = v", "der(v) = -f*r + [0, -9.81]", "r@r = 1"]
    model = Model(r=Var(init=[0.6, -0.8]), v=Var(init=[0.0, 0.0]), f=Var(), equations=equations)
    refused(
        model,
        "too few equations (1 missing) for 'f'",
        "elements of 'r', or make them unknowns of their own: Var(shape=..., elements=True)",
    )
    result = instantiate(model | Map(r=Var(elements=True))).simulate(1.0, tolerance=1e-10)
    x, y = result["r"].T
    assert np.hypot(x, y) == pytest.approx(1.0, abs=1e-9)
    assert 9.81 * y + (result["v"] ** 2).sum(axis=1) / 2 == pytest.approx(9.81 * y[0], abs=1e-7)


def test_elements_set_by_when_with_another_size_and_in_other_branches():
    sim = instantiate(counters("n[1] = pre(n[1]) + 3"))
    result = sim.simulate(1.0, merge=Map(n=Var(init=[0, 1, 2, 3, 4])))
    assert [*result["n"][-1]] == [0, 4, 2, 3, 4]
    assert result.statistics["compilations_after_start"] == 0
    late = When("time > 0.5", ["n[0] = 1"], elsewhen=[("time > 0.25", ["n[2] = 2"])])
    assert [*end(Model(n=Var(type="Integer", init=[0, 0, 0]), equations=[late]), "n")] == [1, 0, 2]
    real = Model(n=Var(init=[0.0, 0.0]), x=Var("time**2"), equations=[When("time > 0.5", ["n[1] = x"])])
    assert end(real, "n") == pytest.approx([0.0, 0.25], abs=1e-9)


def test_other_parts_of_arrays_are_refused_with_what_is_possible():
    matrix = {"n": Var(type="Integer", init=[[1, 2], [3, 4]])}
    refused(counters("n[3] = 5"), "there is no 'n[3]'", "Indices count from 0")
    refused(counters("n[0,1] = 5", **matrix), "sets a part of an array", "Assign the whole array")
    refused(counters("n[1:] = [1, 2]"), "sets a part of an array", "one element of a vector")
    refused(counters("n[0] = 5", n=Var(type="Integer", init=0)), "'n' is a scalar")


# -- sizes ---------------------------------------------------------------------------------------------------------------


def test_sizes_of_parameters_and_zeros():
    model = Model(
        p=[1.0, 2.0, 3.0],
        A=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        n="size(p, 0)",
        x=Var(shape="n"),
        z=Var(init="zeros(size(A, 0))"),
        equations=[For("i", "n", ["x[i] = p[i]*time"]), "der(z) = A@p"],
    )
    sim = instantiate(model)
    result = sim.simulate(1.0, tolerance=1e-8)
    assert [*result["x"][-1]] == [1.0, 2.0, 3.0]
    assert result["z"][-1] == pytest.approx([14.0, 32.0])
    larger = sim.simulate(1.0, merge=Map(A=[[1.0, 0.0, 0.0]]))
    assert larger["z"][-1] == pytest.approx([1.0])


def test_functions_of_the_user_may_be_called_size_and_zeros():
    model = Model(size=Function(lambda a, b: a + b), zeros=Function(lambda a: 7 * a), n="size(1, 2)", x=Var("zeros(n)"))
    assert end(model, "x") == 21.0


def test_sizes_that_do_not_exist_are_named():
    refused(Model(A=[[1.0, 2.0]], n="size(A, 2)"), "n: 'size(A, 2)'", "'A' of shape (1, 2)", "counted from 0")
    refused(Model(A=3.0, n="size(A, 0)"), "'A' of shape ()")
    refused(Model(n="zeros(-1)"), "'zeros' in 'zeros(-1)'", "0 or more")
    refused(Model(A=[1.0], y=Var("size(A, 0)")), "unknown function 'size'", "n='size(A, 0)'")


def test_state_space_takes_its_sizes_from_its_matrices():
    oscillator = Map(A=[[0.0, 1.0], [-1.0, 0.0]], B=[[0.0], [1.0]], C=[[1.0, 0.0]], D=[[0.0]])
    model = Model(s=blocks.StateSpace | oscillator, c=ONE, connect=[("c.y", "s.u[0]")])
    assert end(model, "s.y")[0] == pytest.approx(1 - math.cos(1.0), abs=1e-6)
    result = instantiate(blocks.StateSpace).simulate(1.0, tolerance=1e-8, merge=oscillator | Map(x_start=[1.0, 0.0]))
    assert result["y"][-1, 0] == pytest.approx(math.cos(1.0), abs=1e-6)


# -- names of Modelica ----------------------------------------------------------------------------------------------------


def test_words_of_modelica_are_answered_with_those_of_this_language():
    refused(Model(u=Var("sin(time)"), y=Var("delay(u)")), "does not say by how much", "delay(expression, time)")
    refused(Model(x=Var(init=0.0), equations=["der(x, 2) = 1"]), "2 arguments", "der(der(x))")
    refused(Model(r=[electric.Resistor, electric.Resistor]), "a name of its own", "for i in range(3)")
    with pytest.raises(ModelError, match=r"no attribute 'fixed'.* init=\.\.\., a guess is start="):
        Var(start=1.0, fixed=True)


def test_both_arguments_of_homotopy_are_read():
    assert end(Model(x=Var(), equations=["homotopy(x**3, 0.5*x) = 8*time"]), "x") == pytest.approx(2.0)
    assert end(Model(sub=Model(x=Var(), y=Var("homotopy(x, 2*x)"), equations=["x = time"])), "sub.y") == 1.0
    refused(Model(x=Var(), equations=["homotopy(x, 2*xx) = time"]), "unknown name 'xx'", "Did you mean 'x'?")
    square = Function(lambda u: u * u)
    refused(Model(f=square, x=Var(), equations=["homotopy(x, g(x)) = time"]), "unknown function 'g'")


@pytest.mark.parametrize("unit", ["kg.m2/s2", "kg*m**2/s**2", "N.m", "W.s", "V.A.s", "kg.m2.s-2"])
def test_units_are_written_as_in_modelica(unit):
    assert check_units(Model(e=Var("2", unit=unit), f=Var("e", unit="J"))) == []


def test_units_of_the_library_agree():
    train = Model(
        a=rotational.Inertia, b=rotational.SpringDamper, c=rotational.Fixed,
        connect=[("a.flange_b", "b.flange_a"), ("b.flange_b", "c.flange")],
    )  # fmt: skip
    assert check_units(train) == []
    assert check_units(Model(w=Var("1", unit="rad/s2"), t=Var("w", unit="s2")))[0].startswith("in 't = w'")


def test_clocks_and_when_of_elements_live_side_by_side():
    model = Model(
        tick=Clock(0.1), k=Var(init=0.0), y=Var(), n=Var(type="Integer", init=[0, 0]),
        equations=["k = previous(k) + sample(time, tick)", "y = hold(k)", When("y > 1", ["n[0] = 1"])],
    )  # fmt: skip
    assert [*end(model, "n")] == [1, 0]


# -- events --------------------------------------------------------------------------------------------------------------


def test_relation_that_switches_twice_at_once_is_no_zeno_behaviour():
    """An oscillator of negative resistance, limited by its amplifier: two events within rounding errors of each other."""
    model = Model(
        o=electric.IdealizedOpAmpLimited | Map(V0=15e3),
        C=electric.Capacitor | Map(C=1e-6, v=Map(init=0.1)),
        L=electric.Inductor | Map(L=1e-3, i=Map(init=0.0)),
        r1=electric.Resistor | Map(R=1e4),
        r2=electric.Resistor | Map(R=1e4),
        R=electric.Resistor | Map(R=1e3),
        g=electric.Ground,
        connect=[
            ("C.n", "L.n", "g.p", "r1.n"),
            ("C.p", "L.p", "R.p", "o.in_p"),
            ("R.n", "o.out", "r2.p"),
            ("r2.n", "r1.p", "o.in_n"),
        ],
    )
    r = instantiate(model).simulate(1e-2)
    crossings = r.time[1:][(r["C.v"][1:] > 0) & (r["C.v"][:-1] <= 0)]
    assert np.diff(crossings) == pytest.approx(2 * math.pi * math.sqrt(1e-9), rel=0.2)


def test_sliding_mode_is_named_as_such():
    with pytest.raises(SimulationError, match="hysteresis"):
        instantiate(Model(x=Var(init=1.0), equations=["der(x) = -1 if x > 0 else 1"])).simulate(2.0)


# -- types -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "equation", "message"),
    [
        ("Integer", "n = 2.5", "the Integer 'n' cannot have the value '2.5'"),
        ("Integer", When("sample(0.1, 0.2)", ["n = pre(n)/2"]), "cannot have the value 'pre(n)/2'"),
        ("Integer", "n = 2 if time > 0.5 else 1 + 0.5", "cannot have the value '1.5'"),
        ("Boolean", "n = 3", "the Boolean 'n' cannot have the value '3'"),
    ],
)
def test_integers_are_whole_and_booleans_true_or_false(kind, equation, message):
    refused(Model(n=Var(type=kind, init=1), equations=[equation]), message)


def test_rounded_values_are_whole():
    model = Model(
        n=Var(type="Integer"), h=Var(type="Integer", init=9),
        equations=["n = integer(2.6*time + 0.5)", When("sample(0.1, 0.2)", ["h = div(pre(h), 2)"])],
    )  # fmt: skip
    r = instantiate(model).simulate(0.7)
    assert (r["n"][-1], r["h"][-1]) == (2.0, 0.0)  # halved at 0.1, 0.3, 0.5 and 0.7


@pytest.mark.parametrize("y", ["sin(z)", "time", "2*time"])
def test_conditions_and_truth_values_that_are_another_name_of_something_continuous_are_refused(y):
    entries = {"z": Var(init=0.0), "y": Var(y), "x": Var(init=0.0)}
    refused(Model(**entries, equations=["der(z) = 1", When("y", ["x = 1"])]), "'y' in 'When('y')' is continuous")
    refused(Model(**entries, b=Var(type="Boolean"), equations=["der(z) = 1", "der(x) = b", "b = y"]), "continuous value 'y'")


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("when time > 0.3 then x = 1; end when", "When('condition'"),
        ("if time > 0.3 then x = 1; else x = 2; end if", "If('condition'"),
        ("for i in 1:3 loop x[i] = 1; end for", "For('i'"),
        ("assert(x > 0, 'negative')", "Assert('condition'"),
        ("x = if time > 0.5 then 1 else 2", "a if condition else b"),
    ],
)
def test_statements_of_modelica_are_answered_with_those_of_this_language(text, remedy):
    refused(Model(x=Var(), equations=[text]), remedy)
