"""Alias elimination: signs, values, initial values, contradictions."""

import contextlib
import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.flat import Name, sort_model
from modiapy.symbolic.interpreter.interpreter import interpret
from modiapy.symbolic.sorted.parts import Alias

from .flat_models import call, flat_model, function

pytestmark = pytest.mark.white_box


@given(
    signs=st.lists(
        st.sampled_from(["x{i} = x{j}", "x{i} = -x{j}", "x{i} + x{j} = 0", "0 = x{i} - x{j}"]), min_size=1, max_size=8
    ),
    shape=st.randoms(use_true_random=False),
)
def test_every_alias_has_the_sign_that_the_equations_give_it(signs, shape):
    equations = [text.format(i=i + 1, j=shape.randrange(i + 1)) for i, text in enumerate(signs)]
    names = [f"x{i}" for i in range(len(signs) + 1)]
    shape.shuffle(equations)
    shape.shuffle(names)
    model = sort_model(flat_model([*equations, "der(x0) + 3*x0 = time"], names))
    assert len(model.states) == 1
    values = interpret(model, 2.0, [7.0], {})
    for equation in equations:
        lhs, rhs = (eval(side, {}, dict(values)) for side in equation.split("="))
        assert lhs == rhs
    assert abs(values["x0"]) == 7.0


def test_derivative_of_an_alias_is_the_derivative_of_its_representative():
    model = sort_model(flat_model(["x = -y", "der(x) = a", "der(y) + 2*y = 0"], {"x": {}, "y": {"init": 3.0}, "a": {}}))
    values = interpret(model, 0.0, [values_of(model)["y"]], {})
    assert model.states == ["y"]
    assert values["x"] == -3.0
    assert values["der(y)"] == -6.0
    assert values["a"] == 6.0


def values_of(model):
    return dict(zip(model.states, model.initial_states(), strict=True))


def test_parameter_values_propagate_and_their_derivative_vanishes():
    flat = flat_model(["g = 0", "n = g", "v = p - n", "p = -U", "w = der(p) + v"], ["g", "n", "v", "p", "w"], {"U": 5.0})
    model = sort_model(flat)
    assert set(model.aliases) == {"g", "n", "v", "p", "w"}
    assert interpret(model, 0.0, [], {"U": 5.0})["w"] == -5.0
    assert interpret(model, 0.0, [], {"U": 8.0})["v"] == -8.0


def test_outputs_of_calls_are_never_eliminated():
    f = function("f", 0, 2)
    model = sort_model(flat_model([call(f, [], ["a", "b"]), "x = -a", "x = y", "der(z) = b", "b = u"], list("abxyzu")))
    assert model.aliases == {"x": Alias("a", -1), "y": Alias("a", -1), "u": Alias("b", 1)}
    values = interpret(model, 0.0, [0.0], {}, call=lambda c, inputs: [2.0, 3.0])
    assert (values["y"], values["u"], values["der(z)"]) == (-2.0, 3.0, 3.0)


def test_input_stands_for_its_aliases():
    model = sort_model(flat_model(["y = -u", "der(x) = y"], {"u": {"input": True, "start": 4.0}, "y": {}, "x": {}}))
    assert model.inputs == ["u"]
    assert interpret(model, 0.0, [0.0], {})["der(x)"] == -4.0
    assert interpret(model, 0.0, [0.0], {}, inputs={"u": 1.0})["y"] == -1.0


@pytest.mark.parametrize("said", ["init", "start"])
def test_initial_value_is_inherited_with_its_sign(said):
    flat = flat_model(["x = -y", "der(x) = -x"], {"x": {}, "y": {said: 2.0}})
    model = sort_model(flat)
    assert values_of(model) == {"x": -2.0}
    changed = {**flat.variables, "y": flat_model([], {"y": {said: 5.0}}).variables["y"]}
    assert model.initial_states(changed) == [-5.0]


def test_a_guess_of_its_own_counts_more_than_that_of_an_alias():
    model = sort_model(flat_model(["x = -y", "der(x) = -x"], {"y": {"start": 2.0}, "x": {"start": 3.0}}))
    assert values_of(model) == {"x": 3.0}


def eliminated(flat):
    """The aliases of a model, which need not have as many equations as variables."""
    stages = {}
    with contextlib.suppress(ModelError):
        sort_model(flat, observe=stages.__setitem__)
    return stages["eliminate aliases"].elimination.aliases


MERITS = ("anchor", "differentiated", "init", "input of a function", "start")
"""What makes one of several equal variables stand for the others, the most important first."""


@pytest.mark.parametrize("order", list(itertools.permutations("xyz")))
@pytest.mark.parametrize("merit", MERITS)
def test_which_of_equal_variables_stands_for_the_others_is_said_by_what_is_known_of_them(merit, order):
    """x has the merit, y all that are less important, z none; of equal ones it is the one that is declared first.

    (The derivative of an input is refused.)
    """
    less = MERITS[2 if merit == "anchor" else MERITS.index(merit) + 1 :]
    equations, declared = ["x = y", "z = -y", "w = 2*z", "x*w = s + time", "s = 2*t"], {name: {} for name in order}
    for name, merits in (("x", (merit,)), ("y", less)):
        declared[name] = {"init": 1.0} if "init" in merits else {}
        declared[name] |= {"start": 1.0} if "start" in merits else {}
        declared[name] |= {"input": True} if "anchor" in merits else {}
        equations += [f"u{name} = der({name})"] if "differentiated" in merits else []
        equations += [call(function("f", 1, 1), [name], [f"o{name}"])] if "input of a function" in merits else []
    used = [name for name in ("ux", "uy", "ox", "oy") if any(name in str(e) for e in equations)]
    for turned in (equations, equations[::-1]):
        aliases = eliminated(flat_model(turned, {**declared, **{name: {} for name in [*"wst", *used]}}))
        assert {name: aliases[name] for name in "yz"} == {"y": Alias("x"), "z": Alias("x", -1)}
    equal = eliminated(flat_model(["x = y", "y = z", "x*w = time"], {name: {} for name in (*order, "w")}))
    assert {alias.of for alias in equal.values()} == {order[0]}


def test_a_rate_that_a_component_has_itself_may_have_an_alias():
    """The speed of a prescribed motion is what an equation says of it."""
    height = dataclasses.replace(call(function("height", 1, 1), ["time"], ["y"], "drive"), rate=Name("u"))
    model = sort_model(flat_model([height, "x = y", "der(x) = v", "u = -w", "w = 3*time"], ["y", "x", "v", "w", "u"]))
    assert interpret(model, 2.0, [], {}, call=lambda c, inputs: [0.0])["v"] == -6.0


@pytest.mark.parametrize("used", ["q", "p"])
def test_values_of_parameters_with_which_a_removed_equation_contradicts_are_refused(used):
    model = Model(p=2.0, q=2.0, x=Var(), z=Var(init=0.0), equations=["x = p", "x = q", "der(z) = x"])
    sim = instantiate(model)
    assert sim.simulate(1.0, merge=Map(p=3.0, q=3.0))["z"][-1] == pytest.approx(3.0)
    with pytest.raises(ModelError, match=r"the equation 'x = .  .*' was removed, because .* was 0; found .* = -?1\.0"):
        sim.simulate(1.0, merge=Map({used: 3.0}))


def test_contradicting_initial_values_are_named():
    with pytest.raises(ModelError, match=r"'c1.v' and 'c2.v'|'c2.v' and 'c1.v'") as error:
        sort_model(flat_model(["c1.v = c2.v", "der(c1.v) = 1"], {"c1.v": {"init": 1.0}, "c2.v": {"init": 2.0}}))
    assert "init=1.0" in error.value.found
    assert "init=2.0" in error.value.found


def test_initial_value_of_a_constant_must_agree():
    sort_model(flat_model(["x = p"], {"x": {"init": 2.0}}, {"p": 2.0}))
    with pytest.raises(ModelError, match="contradicts") as error:
        sort_model(flat_model(["x = p"], {"x": {"init": 1.0}}, {"p": 2.0}))
    assert error.value.path == "x"


def test_contradicting_equations_are_named():
    with pytest.raises(ModelError) as error:
        sort_model(flat_model([("a", "x = 1"), "x = y", ("b", "y = 2")], ["x", "y"]))
    for text in ("y = 2", "x = 1", "x = y"):
        assert text in str(error.value)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_what_differs_by_more_than_rounding_contradicts(scale):
    """0.1 + 0.2 is 0.3 but for the last bit; a billionth more is not."""

    def model(other):
        return flat_model(["x = p + q", "x = r"], ["x"], {"p": 0.1 * scale, "q": 0.2 * scale, "r": other * scale})

    assert sort_model(model(0.3)).aliases["x"].value is not None
    with pytest.raises(ModelError, match="contradicts"):
        sort_model(model(0.3 * (1.0 + 1e-9)))


def test_repeated_equation_is_removed_and_named_when_another_is_missing():
    model = sort_model(flat_model(["a = b", "b = a", "der(a) = 1"], ["a", "b"]))
    assert model.report["redundant equations"] == 1
    with pytest.raises(ModelError, match="nothing new") as error:
        sort_model(flat_model(["a = b", "b = a", "der(a) = c"], ["a", "b", "c"]))
    assert "b = a" in str(error.value)
    assert "'c'" in str(error.value)


@pytest.mark.parametrize("signs", list(itertools.product((1, -1), repeat=4)))
def test_second_derivatives_of_what_differs_by_constants(signs):
    """y, z, u differ from x by a constant and a sign, v is the derivative of x but for its sign."""
    first, second, third, rate = ("-" if sign < 0 else "" for sign in signs)
    equations = [f"{first}x + c = y", f"z = {second}y + 1", f"u - d = {third}z", f"{rate}v = der(x)", "der(v) = time - x"]
    equations += ["a = der(der(u))", "b = der(u)", "e = der(der(y))"]
    for order in (equations, equations[::-1]):
        model = sort_model(flat_model(order, [*"aebuzyxv"], {"c": 2.0, "d": 3.0}))
        values = interpret(model, 2.0, [{"x": 0.5, "v": 7.0}.get(name, 0.25) for name in model.states], {"c": 2.0, "d": 3.0})
        turned = signs[0] * signs[1] * signs[2]
        assert values["b"] == turned * signs[3] * values["v"]
        assert values["a"] == turned * signs[3] * (2.0 - values["x"])
        assert values["e"] == signs[0] * signs[3] * (2.0 - values["x"])


def test_rates_that_differ_by_constants_are_not_equal():
    equations = ["der(x) = v + 2", "der(y) = w", "x = y", "der(x) = time"]
    for order in itertools.permutations(equations):
        values = interpret(sort_model(flat_model(list(order), list("xyvw"))), 5.0, [0.0], {})
        assert (values["v"], values["w"]) == (3.0, 5.0)
