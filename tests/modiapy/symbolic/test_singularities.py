"""Singularities of equations with integer coefficients: removed, made visible, chosen, or refused by name."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from modiapy import Map, Model, ModelError, Var, When, instantiate
from modiapy.flat import sort_model
from modiapy.library.electric import Capacitor, ConstantCurrent, ConstantVoltage, Ground, Inductor, Resistor
from modiapy.library.translational import Force, Mass
from modiapy.symbolic.interpreter.interpreter import interpret
from modiapy.symbolic.terms.integer_elimination import Row, dependency, determine, eliminate, peel

from .flat_models import call, flat_model, function

pytestmark = pytest.mark.white_box

# inductors in series behind two parallel resistors, without a ground
LRRL = Model(
    V=ConstantVoltage | Map(V=10.0),
    L1=Inductor | Map(L=0.1),
    L2=Inductor | Map(L=0.2),
    R1=Resistor | Map(R=10.0),
    R2=Resistor | Map(R=20.0),
    connect=[("V.p", "L1.p"), ("L1.n", "R1.p", "R2.p"), ("R1.n", "R2.n", "L2.p"), ("L2.n", "V.n")],
)
R, L = 20.0 / 3.0, 0.3


def grounds(*pins):
    entries = {f"g{k}": Ground for k in range(len(pins))}
    return Model(entries | {"connect": [(f"g{k}.p", pin) for k, pin in enumerate(pins)]})


def current(t):
    return 10.0 / R * (1.0 - np.exp(-R / L * t))


def test_inductors_in_series_have_one_state_and_no_ground_is_needed():
    with pytest.warns(UserWarning, match=r"'(\w+\.)+v' is set to 0, because nothing determines it.*connect a ground"):
        sim = instantiate(LRRL)
    assert len(sim.states) == 1
    result = sim.simulate(0.2, tolerance=1e-9)
    for name in ("L1.i", "L2.i"):
        assert result[name] == pytest.approx(current(result.time), abs=1e-6)
    assert result["R1.i"] == pytest.approx(2.0 * result["R2.i"], abs=1e-9)
    assert "set to 0" in str(sim.report())


@pytest.mark.parametrize("pin", ["V.n", "L1.n", "V.p"])
def test_with_one_ground_nothing_is_arbitrary(pin, recwarn):
    result = instantiate(LRRL | grounds(pin)).simulate(0.2, tolerance=1e-9)
    assert result["L1.i"] == pytest.approx(current(result.time), abs=1e-6)
    assert np.abs(result["g0.p.i"]).max() < 1e-12
    assert not recwarn.list


def test_of_two_grounds_at_one_node_one_equation_goes_and_one_current_is_chosen():
    with pytest.warns(UserWarning, match=r"'g\d\.p\.i' is set to 0.*how they share this flow is arbitrary") as warned:
        sim = instantiate(LRRL | grounds("V.n", "L2.n"))
    assert [record.filename for record in warned] == [__file__]
    result = sim.simulate(0.2, tolerance=1e-9)
    assert result["L1.i"] == pytest.approx(current(result.time), abs=1e-6)


def test_resistors_in_rings_between_two_inductors():
    ring = Model(
        V=ConstantVoltage | Map(V=10.0),
        L1=Inductor | Map(L=0.1),
        L2=Inductor | Map(L=0.2),
        **{f"R{k}": Resistor | Map(R=float(k)) for k in (1, 2, 3, 4)},
        connect=[
            ("V.p", "L1.p"),
            ("L1.n", "R1.p", "R2.p"),
            ("R1.n", "R2.n", "R3.p", "R4.p"),
            ("L2.p", "R3.n", "R4.n"),
            ("L2.n", "V.n"),
        ],
    )
    with pytest.warns(UserWarning, match="is set to 0"):
        sim = instantiate(ring)
    assert len(sim.states) == 1
    resistance = 2.0 / 3.0 + 12.0 / 7.0
    expected = 10.0 / resistance * (1.0 - np.exp(-resistance / 0.3))
    assert sim.simulate(1.0, tolerance=1e-9)["L2.i"][-1] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("component", [Resistor, Capacitor])
def test_source_and_one_component_without_ground(component):
    model = Model(V=ConstantVoltage | Map(V=10.0), X=component, connect=[("V.p", "X.p"), ("X.n", "V.n")])
    with pytest.warns(UserWarning, match="is set to 0"):
        result = instantiate(model).simulate(1.0)
    assert result["X.v"] == pytest.approx(np.full(result.time.size, 10.0))
    assert result["X.i"] == pytest.approx(np.full(result.time.size, 10.0 if component is Resistor else 0.0))


def test_what_a_hidden_constraint_makes_constant_is_so_for_its_aliases_too():
    """Two sums say that x = 3, although x is differentiated; z stands for -x."""
    model = Model(
        x=Var(), z=Var(), p=Var(), q=Var(), v=Var(),
        equations=["z = -x", "p + q + x = 5", "p + q = 2", "p - q = time", "v = der(x)"],
    )  # fmt: skip
    result = instantiate(model).simulate(1.0)
    assert [result[name][-1] for name in "xzvpq"] == pytest.approx([3.0, -3.0, 0.0, 1.5, 0.5])


def test_mass_that_is_connected_twice_at_one_point():
    model = Model(
        m=Mass | Map(m=2.0, s=Map(init=0.0), v=Map(init=0.0)),
        drive=Force,
        equations=["drive.f = 6"],
        connect=[("m.flange_a", "m.flange_b", "drive.flange")],
    )
    with pytest.warns(UserWarning, match="flange_[ab].f' is set to 0"):
        sim = instantiate(model)
    assert sim.simulate(1.0)["m.v"][-1] == pytest.approx(3.0)
    with pytest.raises(ModelError, match="was removed, because") as error:
        sim.simulate(1.0, merge=Map(m=Map(L=0.5)))
    assert "Merge before" in str(error.value)
    with pytest.raises(ModelError, match="contradict each other"):
        instantiate(model | Map(m=Map(L=0.5)))


def test_two_inductors_share_a_current_that_is_only_visible_in_a_sum():
    equations = ["der(x) = a", "der(y) = b", "x = p + q", "y = p + q", "a + b = sin(time)", "q*time = p - 1"]
    model = sort_model(flat_model(equations, ["x", "y", "a", "b", "p", "q"]))
    assert len(model.states) == 1


@pytest.mark.filterwarnings("ignore:.*nothing determines it")
@pytest.mark.parametrize("seed", range(60))
def test_the_equations_named_contradict_each_other_and_without_any_of_them_the_others_do_not(seed: int) -> None:
    """Also where some of them are aliases or values of a variable, which the others do not contain any more."""
    rng, names = np.random.default_rng(seed), "abcdef"
    one = np.eye(6, dtype=int)[rng.permutation(6)]
    sparse = (rng.uniform(size=(4, 6)) < 0.5) * rng.integers(-1, 2, (4, 6))
    rows = [row for row in [one[0], one[1] - one[2], *sparse] if row.any()]
    rows.append(rows[-1] + rows[0] - rows[1])  # nearly always one that the others make superfluous or contradict
    sides = np.array(rows) @ rng.integers(-3, 4, 6) + (np.arange(len(rows)) == rng.integers(len(rows)))
    system = {}
    for k in rng.permutation(len(rows)):
        terms = "".join(f" {'+' if n > 0 else '-'} {abs(n)}*{name}" for name, n in zip(names, rows[k], strict=True) if n)
        system[f"0{terms} = {sides[k]}"] = [*rows[k], sides[k]]

    def fit(texts: list[str]) -> bool:
        matrix = np.array([system[text] for text in texts]).reshape(-1, 7)
        return bool(np.linalg.matrix_rank(matrix) == np.linalg.matrix_rank(matrix[:, :6]))

    message = ""
    try:
        sort_model(flat_model(list(system), [*names]))
    except ModelError as error:
        message = error.message
    if "contradict" in message:
        said = [text for text in system if f"'{text}'" in message]
        assert not fit(said)
        assert all(fit([text for text in said if text != other]) for other in said)
    else:
        assert fit(list(system))
        assert "too many equations" not in message


@pytest.mark.parametrize(
    ("vanishing", "sum_"),
    [
        (["x = 3"], "a + b = 1 + der(x)"),
        (["x = p", "v = der(x)"], "a + b = 1 + v"),
        (["x = 3", "y = -x", "v = der(y)"], "a + b + 2*v = 1"),
        (["x = 3", "v = der(x)", "y = der(v)"], "a + b = 1 - y"),
        (["x + 3 = y", "v = der(x)", "w = der(y)"], "a + b + v = 1 + w"),
        (["y = x + 1", "w = y - x + z - z"], "a + b = w"),
    ],
)
def test_constants_and_their_derivatives_by_which_equations_contradict_each_other_are_named(vanishing, sum_):
    equations = [*vanishing, sum_, "a + b = 2"]
    moving = ["x = exp(-der(x))"] if vanishing[0] in ("x + 3 = y", "y = x + 1") else []
    flat = flat_model([*equations, *moving, "z = sin(time)"], ["x", "y", "v", "w", "z", "a", "b"], {"p": 3.0})
    with pytest.raises(ModelError, match="these equations contradict each other") as error:
        sort_model(flat)
    for text in equations:
        assert f"'{text}'" in error.value.message
    for text in (*moving, "z = sin(time)"):
        assert f"'{text}'" not in error.value.message


@pytest.mark.parametrize("value", ["y = 2", "y + 2 = 2*x + 2"])
def test_what_follows_from_values_of_all_its_variables_is_removed(value: str) -> None:
    model = Model(x=Var(), y=Var(), equations=["x = 1", value, "2*x + y = 4"])
    assert instantiate(model).simulate(0.1)["y"][-1] == 2.0


@pytest.mark.parametrize("name", ["b", "c", "d"])
@pytest.mark.parametrize(
    "use",
    [
        lambda name: Model(equations=[When(f"{name} > 0.5", ["n = 1"])]),
        lambda name: Model(equations=[f"n = 1 if {name} > 0.5 else pre(n)"]),
        lambda name: Model(equations=[f"n = floor({name})"]),
        lambda name: Model(equations=[When("time > 0.5", [f"n = floor(pre({name}))"])]),
        lambda name: Model(equations=[When("time > 0.5", [f"reinit(x, {name})"]), "n = 0"]),
        lambda name: Model(equations=["n = 0"], initial_equations=[f"x = 2*{name}"]),
        lambda name: Model(equations=["n = 0"], y=Var(f"exp({name})", observed=True)),
    ],
)
def test_what_more_than_sums_depends_on_is_not_set_to_zero(name: str, use: Callable[[str], Model]) -> None:
    """Neither it itself nor by a variable that it stands for."""
    open_ = Model(
        a=Var(), b=Var(), c=Var(), d=Var(), x=Var(init=1.0), n=Var(type="Integer", init=0),
        equations=["a + b = 1", "2*a + 2*b = 2", "c = -b", "d = c", "der(x) = -x"],
    )  # fmt: skip
    with pytest.raises(ModelError, match=r"too few equations \(1 missing\)"):
        instantiate(open_ | use(name))
    with pytest.warns(UserWarning, match="'[ab]' is set to 0, .*: only sums with it are determined; add an equation for it"):
        instantiate(open_ | Model(equations=["n = 0"]))


def test_what_a_function_computes_is_not_open_nor_an_input():
    """Beside two variables of which equations say the sum only."""
    equations = [call(function("f", 1, 1), ["time"], ["y"]), "y + a = 1", "b + c + u = 1", "2*b + 2*c = 2 - 2*u"]
    with pytest.warns(UserWarning, match="'[bc]' is set to 0, because nothing determines it"):
        model = sort_model(flat_model(equations, {**{name: {} for name in "yabc"}, "u": {"input": True}}))
    values = interpret(model, 2.0, [], {}, call=lambda c, inputs: [3.0 * inputs[0]], inputs={"u": 3.0})
    assert (values["y"], values["a"], values["b"] + values["c"]) == (6.0, -5.0, -2.0)


def test_a_constraint_that_was_made_visible_is_reported():
    model = Model(**{name: Var() for name in "xyabpq"}, equations=[
        "der(x) = a", "der(y) = b", "x = p + q", "y = p + q", "a + b = sin(time)", "q*time = p - 1"])  # fmt: skip
    report = str(instantiate(model).report())
    said = re.search(r"constraint between states made visible: (.*) = 0 \[follows from '(.*)'; '(.*)'\]", report)
    assert said is not None
    assert said[1] in ("x - y", "y - x", "x + -y", "-x + y", "-y + x")
    assert {text.split("  (")[0] for text in said.groups()[1:]} == {"x = p + q", "y = p + q"}


def test_contradiction_names_all_its_equations_and_no_other():
    equations = [("a", "x = p - q"), ("b", "y = q - r"), ("c", "z = p - r"), ("d", "x + y - z = c"), ("e", "w = p + sin(time)")]
    equations += ["x*y = time", "z*y = 2", "p*q = 5"]
    with pytest.raises(ModelError, match="contradict") as error:
        sort_model(flat_model(equations, ["p", "q", "r", "x", "y", "z", "w", "dummy"], {"c": 1.0}))
    for text in ("a: x = p - q", "b: y = q - r", "c: z = p - r", "d: x + y - z = c"):
        assert text in str(error.value)
    assert "sin(time)" not in str(error.value)


def test_equal_values_of_two_sources_are_no_reason_to_choose_how_they_share_the_current():
    model = Model(V=ConstantVoltage, W=ConstantVoltage, R=Resistor, g=Ground)
    model |= Model(connect=[("V.p", "W.p", "R.p"), ("V.n", "W.n", "R.n", "g.p")])
    with pytest.raises(ModelError, match="singular") as error:
        instantiate(model)
    for text in ("for these parameters it follows from", "'V: v = V", "'W: v = V", "too few equations (1 missing)"):
        assert text in str(error.value)
    with pytest.raises(ModelError, match="contradicts"):
        instantiate(model | Map(W=Map(V=2.0)))


def test_current_sources_in_series_are_refused():
    model = Model(I=ConstantCurrent, J=ConstantCurrent, R=Resistor, g=Ground)
    model |= Model(connect=[("I.n", "J.p"), ("J.n", "R.p"), ("R.n", "I.p", "g.p")])
    with pytest.raises(ModelError, match="singular") as error:
        instantiate(model)
    assert "'J: i = I" in str(error.value)
    assert "'I.v'" in str(error.value)
    assert "'J.v'" in str(error.value)


def test_a_forgotten_equation_is_never_made_up_for_by_a_choice():
    with pytest.raises(ModelError, match="too few equations"):
        sort_model(flat_model(["y = a + b", "y = sin(time)"], ["y", "a", "b"]))


def test_a_variable_that_an_event_depends_on_is_not_chosen():
    circuit = LRRL | Model(k=Var(), equations=["k = 1 if L1.n.v > 2 else 0"])
    with pytest.raises(ModelError, match="too few equations"):
        instantiate(circuit)


def test_elimination_of_rows():
    rows = {0: {"a": 1, "b": 1}, 1: {"b": 1, "c": -1}, 2: {"a": 1, "c": 1}, 3: {"c": 2, "d": 1}}
    assert set(peel(rows, lambda name: True)) == {0, 1, 2}
    assert dependency(rows, 2) == [0, 1, 2]
    left = eliminate({i: Row(dict(t), {i: 1}) for i, t in rows.items()}, lambda name: name != "d")
    ((_, rest),) = left.items()
    assert not rest.terms
    combined = {name: sum(factor * rows[i].get(name, 0) for i, factor in rest.origin.items()) for name in "abcd"}
    assert not any(combined.values())
    assert determine({0: {"a": 1}, 1: {"a": 1, "b": 2}, 2: {"c": 1, "d": 1}}) == {"a", "b"}


def test_elimination_is_exact_for_large_coefficients():
    random = np.random.default_rng(1)
    matrix = random.integers(-9, 10, (12, 8))
    rows = {i: {f"v{k}": int(c) for k, c in enumerate(line) if c} for i, line in enumerate(matrix)}
    left = eliminate({i: Row(dict(t), {i: 1}) for i, t in rows.items()}, lambda name: True)
    assert len(left) == 12 - np.linalg.matrix_rank(matrix)
    for row in left.values():
        total = sum((factor * matrix[i].astype(object) for i, factor in row.origin.items()), np.zeros(8, dtype=object))
        assert not row.terms
        assert not any(total)


def test_second_ground_beside_components_in_series():
    model = Model(
        V=ConstantVoltage | Map(V=10.0),
        R=Resistor | Map(R=5.0),
        C=Capacitor | Map(C=0.1),
        connect=[("V.p", "R.p"), ("R.n", "C.p"), ("C.n", "V.n")],
    )
    with pytest.warns(UserWarning, match=r"'g\d\.p\.i' is set to 0.*how they share this flow is arbitrary"):
        sim = instantiate(model | grounds("V.n", "C.n"))
    assert sim.simulate(1.0, tolerance=1e-9)["C.v"][-1] == pytest.approx(10.0 * (1.0 - np.exp(-2.0)), abs=1e-6)


def test_mass_whose_flanges_are_connected_with_nothing_but_each_other():
    model = Model(m=Mass | Map(s=Map(init=0.0), v=Map(init=1.0)), connect=[("m.flange_a", "m.flange_b")])
    with pytest.warns(UserWarning, match=r"flange_[ab]\.f' is set to 0"):
        sim = instantiate(model)
    assert sim.simulate(1.0)["m.s"][-1] == pytest.approx(1.0)


@pytest.mark.parametrize("component", [Resistor, Capacitor, Inductor])
def test_a_component_closed_upon_itself_has_an_arbitrary_potential(component):
    """Which cancels out of all equations."""
    with pytest.warns(
        UserWarning, match=r"'r\.[pn]\.v' is set to 0, .*only differences to it are determined; connect a ground"
    ):
        result = instantiate(Model(r=component, connect=[("r.p", "r.n")])).simulate(0.1)
    assert not any(np.any(result[f"r.{name}"]) for name in ("v", "i", "p.v", "n.v", "p.i"))


@pytest.mark.parametrize("sign", ["", "-"])
def test_a_potential_is_told_of_as_one_whatever_stands_for_it(sign):
    pins = ["V.n", "L1.n", "V.p", "R2.n", "L2.n"]
    equations = [f"u{k} = {sign}{pin}.v" for k, pin in enumerate(pins)]
    with pytest.warns(UserWarning, match=r"'u\d' is set to 0.*connect a ground"):
        instantiate(LRRL | Model(**{f"u{k}": Var(start=1.0) for k in range(len(pins))}, equations=equations))


@pytest.mark.parametrize("given", ["a", "b"])
def test_a_flow_with_an_initial_value_is_not_set_to_zero(given):
    """Here it cancels, as the flanges are connected with each other."""
    flange = Model(s=Var(potential=True), f=Var(flow=True))
    part = Model(a=flange, b=flange, s=Var(init=0.0), v=Var(init=0.0))
    part |= Model(equations=["der(s) = v", "der(v) = a.f + b.f", "a.s = s", "b.s = s"])
    model = Model(m=part, connect=[("m.a", "m.b")])
    with pytest.warns(UserWarning, match=r"m\.[ab]\.f' is set to 0"):
        instantiate(model)
    with pytest.raises(ModelError, match=r"too few equations \(1 missing\) for .*'m\.[ab]\.f'"):
        instantiate(model | Map(m=Map({given: Map(f=Map(init=2.0))})))


@pytest.mark.parametrize("twice", ["(-2)*b", "b*(-2)", "-(2*b)", "-b - b"])
def test_equations_that_depend_on_each_other_by_negative_factors(twice):
    """The third equation is the first one plus twice the second; what they leave open is chosen, with a warning."""
    model = Model(a=Var(), b=Var(), c=Var(), equations=[f"a + {twice} = 1", "b + c = 3", "a + 2*c = 7"])
    with pytest.warns(UserWarning, match="set to 0, because nothing determines it"):
        result = instantiate(model).simulate(1.0)
    a, b, c = (result[name] for name in "abc")
    np.testing.assert_allclose(a - 2.0 * b, 1.0, atol=1e-12)
    np.testing.assert_allclose(b + c, 3.0, atol=1e-12)
    wrong = [f"a + {twice} = 1", "b + c = 3", "a + 2*c = 8"]
    with pytest.raises(ModelError, match="contradict"):
        instantiate(Model(a=Var(), b=Var(), c=Var(), equations=wrong))
