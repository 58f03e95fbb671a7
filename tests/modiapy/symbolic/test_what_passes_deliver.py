"""What the passes make of a model, seen in its solution: closed forms, observed variables, initial values, relations."""

from __future__ import annotations

import itertools
import math
import random
import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from modiapy import Array, Clock, If, Map, Model, ModelError, NumericalError, SimulationError, Var, When, instantiate
from modiapy.acausal import AcausalComponent, ComponentScope
from modiapy.flat import Apply, Expr, Name, parse, sort_model
from modiapy.model.errors import StructureError
from modiapy.model.expression import evaluate
from modiapy.symbolic.interpreter.interpreter import interpret
from modiapy.symbolic.sorted.parts import Assignment, NonlinearBlock
from modiapy.symbolic.structure.alias import eliminate_aliases
from modiapy.symbolic.terms.arrays import evaluate_arrays
from modiapy.symbolic.terms.readable import signs_collected

from .flat_models import call, flat_model, function
from .sorted_models import linear, sorted_model

pytestmark = pytest.mark.white_box


@pytest.mark.parametrize("equation", ["exp(x) = 3 + time - x", "3 + time - x = exp(x)", "x**3 = 2 + time - 5*x"])
def test_an_unknown_on_both_sides_is_found_by_iteration(equation: str) -> None:
    result = instantiate(Model(x=Var(start=0.5), equations=[equation])).simulate(1.0)
    x, t = result["x"], result.time
    left = x**3 - 2 - t + 5 * x if "**" in equation else np.exp(x) - 3 - t + x
    np.testing.assert_allclose(left, 0.0, atol=1e-9)


def test_an_observed_variable_may_need_derivatives_of_what_stands_for_others() -> None:
    motion = ["der(x) = v", "der(v) = -4*x", "u = -x", "w = der(u)", "n + v = 0"]
    model = Model(
        x=Var(init=1.0),
        v=Var(init=0.5),
        u=Var(),
        w=Var(),
        n=Var(),
        y=Var("2*w + 3*der(u) - n", observed=True),
        equations=motion,
    )
    result = instantiate(model).simulate(1.0)
    np.testing.assert_allclose(result["y"], -4 * result["v"], rtol=1e-9)


@pytest.mark.parametrize("before", [True, False])
def test_the_value_of_a_boolean_before_the_beginning_contradicts_no_constant(before: bool) -> None:
    model = Model(c=3.0, b=Var(type="Boolean", init=before), x=Var(init=0.0), equations=["b = c > 2", "der(x) = 1 if b else 2"])
    assert instantiate(model).simulate(0.5)["x"][-1] == pytest.approx(0.5)


@pytest.mark.parametrize("said", ["start", "init"])
def test_a_state_without_a_finite_value_is_told_by_what_was_said_of_it(said: str) -> None:
    equations = ["der(x) = -x", "der(y) = -y", "z = x*y"]
    model = Model(x=Var(), y=Var(**{said: np.nan}), z=Var(), equations=equations, initial_equations=["z = 1"])
    with pytest.raises(SimulationError, match=rf"'y' cannot be computed from 'y = {said}'"):
        instantiate(model).simulate(1.0)


def test_what_changes_without_event_inside_smooth_is_continuous() -> None:
    """A relation of it makes an event of its own."""
    equations = [
        "n = 1 if time > 5 else 0",
        "der(x) = 1",
        "y = noEvent(smooth(0, 1 if x > 0.5 else 2))",
        "der(z) = 1 if y > 1.5 else 0",
    ]
    model = Model(n=Var(type="Integer"), x=Var(init=0.0), y=Var(), z=Var(init=0.0), equations=equations)
    sim = instantiate(model)
    assert len(sim.sorted.indicators) == 1
    assert sim.simulate(1.0)["z"][-1] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("attribute", ["init", "start"])
@pytest.mark.parametrize(("kind", "value"), [("Integer", 0.5), ("Boolean", 2.0)])
def test_initial_values_are_of_the_type_of_the_variable(kind: str, value: float, attribute: str) -> None:
    model = Model(x=Var(init=0.0), n=Var(type=kind, **{attribute: value}), equations=["der(x) = 1", "n = x > 0.5"])
    with pytest.raises(ModelError, match=rf"n: '{attribute}' is no value of a variable of type {kind}; found {value}"):
        instantiate(model)


def test_a_condition_without_value_chooses_no_branch() -> None:
    """Nor one of those after it, which hold only where it does not."""
    branches = If("1/p > 2", ["x = 1"], elseif=[("p < 0.5", ["x = 3"])], otherwise=["x = 4", "y = 1"])
    model = Model(p=0.2, x=Var(), equations=[branches])
    assert instantiate(model).simulate(0.1)["x"][-1] == 1.0
    assert instantiate(model | Map(p=0.5) | Model(y=Var())).simulate(0.1)["x"][-1] == 4.0
    with pytest.raises(ModelError, match="different numbers of equations; found 1, 1, 2"):
        instantiate(model | Map(p=0.0) | Model(y=Var()))


def test_a_number_of_elements_that_depends_on_itself_is_refused() -> None:
    with pytest.raises(ModelError, match=r"r: the number in 'Array\('n', ...\)' is not known"):
        instantiate(Model(n="m + 1", m="n", r=Array("n", Model(x=Var("2")))))


@pytest.mark.parametrize("turned", [False, True])
def test_elements_of_an_array_are_given_values_by_variables_without_direction(turned: bool) -> None:
    weighted = Model(u=Var(input=True, shape=2), y=Var("u[0] + 2*u[1]"))
    connect = [("s.u[0]", "x"), ("s.u[1]", "z")]
    model = Model(s=weighted, x=Var("time"), z=Var("2"), connect=[ends[::-1] if turned else ends for ends in connect])
    assert instantiate(model).simulate(1.0)["s.y"][-1] == 5.0


def test_a_name_alone_means_no_submodel_but_what_is_so_called_further_out() -> None:
    inner = Model(a=Model(x=Var("1")), b="2*a", y=Var("a + b"))
    assert instantiate(Model(a=3.0, sub=inner)).simulate(0.1)["sub.y"][-1] == 9.0
    with pytest.raises(ModelError, match=r"b: unknown name 'a' in '2\*a'"):
        instantiate(Model(sub=inner))


def test_a_component_is_told_of_an_init_and_else_of_a_start() -> None:
    seen = []

    def component(scope: ComponentScope) -> AcausalComponent:
        seen.append(scope)
        raise LookupError("enough")

    model = Model(_component=component, p=2.0, a=Var(init="p", start=1.0), b=Var(start="3*p"), c=Var())
    with pytest.raises(LookupError):
        instantiate(Model(robot=model))
    assert (dict(seen[0].starts), seen[0].fixed) == ({"a": 2.0, "b": 6.0}, {"a"})


def test_connectors_with_other_names_match_however_their_units_are_written() -> None:
    plug = Model(v=Var(potential=True, unit="N*m/rad"), i=Var(flow=True, unit="A"))
    socket = Model(w=Var(potential=True, unit="N.m/rad"), j=Var(flow=True, unit="A"))
    source, sink = Model(p=plug, equations=["p.v = 3"]), Model(p=socket, equations=["p.w = 2*p.j"])
    for connect in (("a.p", "b.p"), ("b.p", "a.p")):
        assert instantiate(Model(a=source, b=sink, connect=[connect])).simulate(0.1)["b.p.j"][-1] == 1.5


def test_a_branch_is_not_active_where_any_of_those_before_it_is() -> None:
    rules = When("x > 1", ["a = 1"], elsewhen=[("x > 2", ["a = 2"]), ("x > 1", ["a = 3", "b = 1"])])
    model = Model(x=Var(init=0.0), a=Var(init=0.0), b=Var(init=0.0), equations=["der(x) = 1", rules])
    result = instantiate(model).simulate(3.0)
    assert set(result["a"]) == {0.0, 1.0, 2.0}
    assert not result["b"].any()


def test_a_shape_has_two_dimensions_at_most() -> None:
    with pytest.raises(ModelError, match=r"x.shape: the shape is wrong; found \(2, 2, 2\).*one or two positive integers"):
        instantiate(Model(x=Var(shape=(2, 2, 2), init=0.0), equations=["der(x) = -x"]))


def test_a_singular_model_is_told_of_where_equations_are_too_many() -> None:
    many = Model(x=Var(), y=Var(), equations=["x = sin(time)", "x = y", "y = 2*x + 1"])
    with pytest.raises(ModelError, match=r"many: the model is structurally singular[^?]*too few equations .* for 'few.z'"):
        instantiate(Model(few=Model(z=Var()), many=many))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("first", ["v", "s"])
def test_nonlinear_systems_may_have_unknowns_of_different_shapes_in_any_order(first: str, turned: bool) -> None:
    unknowns = {"v": Var(shape=2, start=[1.0, 1.0]), "s": Var(start=1.0)}
    declared = {first: unknowns.pop(first), **unknowns}
    equations = ["v**3 + s*v = [1, 2] + time", "s**3 + s*v[0] + v[1] = 3"]
    result = instantiate(Model(**declared, equations=equations[::-1] if turned else equations)).simulate(0.2)
    v, s, t = result["v"], result["s"][:, None], result.time[:, None]
    np.testing.assert_allclose(v**3 + s * v, [1, 2] + t, rtol=1e-9)
    np.testing.assert_allclose(s**3 + s * v[:, :1] + v[:, 1:], 3.0, rtol=1e-9)


def test_derivatives_of_component_functions_are_central_differences() -> None:
    def value(a: float, b: float) -> float:
        return a**3 * b

    g = function("g", 2, 1)
    model = sort_model(flat_model([call(g, ["2*x", "x + 1"], ["y"]), "y + exp(x) = 3"], {"x": {"start": 0.5}, "y": {}}))
    (block,) = (b for b in model.blocks if isinstance(b, NonlinearBlock))
    values = {"x": 0.5, "x'": 1.0}
    for step in (*block.body, *block.directional_derivatives):
        if isinstance(step, Assignment):
            values[step.variable] = evaluate(step.expr, values)
        else:
            values[step.call.outputs[0].name] = value(*(evaluate(e, values) for e in step.call.inputs))
    # d/dx of 8*x**3*(x + 1) + exp(x)
    assert evaluate(block.residual_derivatives[0], values) == pytest.approx(24 * 0.25 * 1.5 + 1 + math.exp(0.5), rel=1e-8)


def test_derivatives_of_component_functions_are_exact_along_inputs_in_which_they_are_affine() -> None:
    """In the first input it is not, but that is known."""
    g = function("g", 2, 1, linear_in=frozenset({1}))
    flat = flat_model([call(g, ["2*time", "3*x + 1"], ["y"]), "y + exp(x) = 3"], {"x": {"start": 0.5}, "y": {}})
    (block,) = (b for b in sort_model(flat).blocks if isinstance(b, NonlinearBlock))
    values, calls = {"time": 0.7, "x": 0.5, "x'": 1.0}, 0
    for step in (*block.body, *block.directional_derivatives):
        if isinstance(step, Assignment):
            values[step.variable] = evaluate(step.expr, values)
        else:
            a, b = (evaluate(e, values) for e in step.call.inputs)
            values[step.call.outputs[0].name], calls = math.exp(a) * b, calls + 1
    assert calls == 2
    assert evaluate(block.residual_derivatives[0], values) == pytest.approx(3 * math.exp(1.4) + math.exp(0.5), rel=1e-14)


@pytest.mark.parametrize(("affine", "opened"), [({1}, {"y"}), ((), {"v", "y"})])
def test_what_depends_on_unknowns_nonlinearly_by_a_component_function_can_be_opened(affine: set[int], opened: set[str]) -> None:
    """The output of the function, and its input in which it is not affine."""
    g = function("g", 2, 1, linear_in=frozenset(affine))
    equations = [call(g, ["u", "v"], ["y"]), "u = 2*x + 1", "v = 3*x", "y + x + w = 3 + time", "w = 2*x - 1"]
    (block,) = (b for b in sort_model(flat_model(equations, list("xuvyw"))).blocks if isinstance(b, NonlinearBlock))
    assert (block.unknowns, set(block.opened)) == (("u",), opened)


def test_an_initial_value_counts_and_a_guess_only_where_there_is_none() -> None:
    model = Model(x=Var(init=1.0, start=3.0), y=Var(init=[1.0, 2.0], start=[3.0, 3.0], shape=2), z=Var(start=4.0))
    sim = instantiate(model | Model(equations=["der(x) = 0", "der(y) = 0*y", "der(z) = 0"]))
    result = sim.simulate(0.1)
    assert (result["x"][0], result["y"][0].tolist(), result["z"][0]) == (1.0, [1.0, 2.0], 4.0)
    assert sorted(sim.sorted.initial_states()) == [1.0, 1.0, 2.0, 4.0]


def test_relations_are_listed_by_the_numbers_that_equations_have() -> None:
    shown = {}
    equations = ["der(x) = 1 if x > 2 else 2 if x > 1 else 3"]
    sort_model(flat_model(equations, {"x": {"init": 0.0}}), lambda name, state: shown.setdefault(name, str(state)))
    listed = dict(re.findall(r"^  (mode\(\d+\)): (.*)$", shown["extract events"], re.M))
    assert len(listed) == 2
    assert f"1 if {next(m for m, text in listed.items() if '2' in text)}" in shown["extract events"]


@pytest.mark.parametrize(("p", "q", "by_chance"), [(0.0, 3.0, False), (2.0, 0.0, False), (0.0, 0.0, False), (2.0, 3.0, True)])
def test_what_follows_whatever_the_parameters_are_that_are_not_zero_does_so_by_no_chance(
    p: float, q: float, by_chance: bool
) -> None:
    flat = flat_model(["a = b", "a = b + p*q*(p - 2)", "der(b) = -b"], ["a", "b"], {"p": p, "q": q})
    elimination = eliminate_aliases(flat, flat.equations)
    assert (len(elimination.redundant), len(elimination.coincidental)) == (1, int(by_chance))


def test_two_names_of_one_clock_are_one_clock() -> None:
    inside = Model(own="fast", u=Var(input=True), z=Var(init=0.0), equations=["z = u + sample(time, own)"])
    model = Model(fast=Clock(0.1), s=inside, y=Var(init=0.0), equations=["y = previous(y) + sample(time, fast)", "s.u = y"])
    assert instantiate(model).simulate(0.35)["s.z"][-1] == pytest.approx(0.1 + 0.2 + 0.3 + 0.3)


def test_relations_of_what_is_equal_but_for_the_sign_are_told_apart() -> None:
    equations = ["der(x) = 1", "y = -x", "p = 1 if x > 0.5 else 0", "q = 1 if y > 0.5 else 0", "r = 1 if -y > 0.5 else 0"]
    model = Model(x=Var(init=-1.0), y=Var(), p=Var(), q=Var(), r=Var(), equations=equations)
    sim = instantiate(model)
    result = sim.simulate(2.0)
    assert [[result[name][k] for name in "pqr"] for k in (0, -1)] == [[0, 1, 0], [1, 0, 1]]
    assert len(sim.sorted.indicators) == 2


def test_a_derivative_that_has_no_value_is_told_of_with_the_place_of_what_was_differentiated() -> None:
    sub = Model(x=Var(init=1.0), y=Var(), w=Var(init=0.0), equations=["der(x) = -1", "y = asin(x)", "der(w) = der(y)"])
    words = r"s: at time 0 s 'der\(s.y\)' cannot be computed from 'derivative of 'y = asin\(x\)''"
    with pytest.raises(NumericalError, match=words) as caught:
        instantiate(Model(s=sub)).simulate(1.0)
    assert caught.value.path == "s"


@pytest.mark.parametrize("n", [3, 8, 9, 12])
def test_of_equations_that_contradict_each_other_eight_are_named(n: int) -> None:
    """And what is left out is told of."""
    ring = [f"x{k} + y{k} = x{(k + 1) % n} + y{(k + 1) % n} + 1" for k in range(n)]
    rest = [f"y{k} = {k}*sin(time)*x{k}" for k in range(n)]
    with pytest.raises(ModelError, match="contradict each other") as caught:
        instantiate(Model(**{f"{c}{k}": Var() for c in "xy" for k in range(n)}, equations=ring + rest))
    said = caught.value.message.split("each other: ")[1].split("; ")
    assert len([text for text in said if text.startswith("'x")]) == min(n, 8)
    assert (said[-1] == "...") == (n > 8)


def test_systems_of_arrays_are_solved_for_what_has_their_shape_only() -> None:
    """Also when sizes change later: all together there are as many equations as unknowns, of each system there are not."""
    model = Model(
        n=2, m=2, e=np.ones(2), f=np.ones(2), B=np.array([[5.0, 1.0], [2.0, 7.0]]), C=np.array([[5.0, 1.0], [2.0, 7.0]]),
        x=Var(shape="n"), y=Var(shape="m"), equations=["B@x = time*e + 3*sum(x)*e", "C@y = f + 3*sum(y)*f"],
    )  # fmt: skip
    sim = instantiate(model)
    larger = 8.0 * np.eye(3) + 1.0
    found = sim.simulate(1.0, merge=Map(n=3, e=np.ones(3), B=larger))["x"][-1]
    assert larger @ found - 3.0 * found.sum() == pytest.approx(np.ones(3))
    with pytest.raises(
        StructureError, match=r"x: with these sizes the equation 'B@x = .*found shape \(3,\); expected shape \(2,\)"
    ):
        sim.simulate(1.0, merge=Map(m=3, e=np.ones(3), B=np.ones((3, 2)), C=np.ones((2, 3))))


@pytest.mark.parametrize("way", [["i = p.i"], ["0 = i - p.i"], ["i + p.i = 0"], ["-p.i - i = 0"], ["j = p.i", "0 = -i + j"]])
def test_an_open_connector_is_the_reason_however_it_is_written_that_something_is_equal(way: list[str]) -> None:
    pin = Model(v=Var(potential=True), i=Var(flow=True))
    used = {"j": Var()} if len(way) > 1 else {}
    part = Model(p=pin, i=Var(), **used, equations=[*way, "i = time + 2", "p.v = 1"])
    with pytest.raises(ModelError, match=r"too many equations.*\n.*i = time \+ 2") as caught:
        instantiate(Model(c=part))
    assert "Nothing is connected to the connector of 'c.p.i'" in caught.value.remedy


def test_states_that_the_passes_add_need_no_initial_values_of_the_user() -> None:
    """Nor are they named where those that the user gave contradict each other."""
    equations = ["der(x) = vx", "der(y) = vy", "der(vx) = -f*x", "der(vy) = -f*y - 9.81", "x*x + y*y = 1", "e = y + vx"]
    states = {name: Var(init=value) for name, value in {"x": 0.6, "y": -0.8, "vx": 0.0, "vy": 0.0}.items()}
    sim = instantiate(pendulum := Model(**states, f=Var(), e=Var(init=-0.8), equations=equations))
    assert sim.sorted.constraints
    assert sim.sorted.initialization is None
    with pytest.raises(
        SimulationError, match=r"found init=3.0; expected -0.8, computed from the initial values of x, y, vx, vy\."
    ):
        instantiate(pendulum | Map(e=Var(init=3.0))).simulate(0.1)


@pytest.mark.parametrize("name", ["multiplier1", "multiplier2"])
def test_the_user_may_give_the_names_that_the_passes_give(name: str) -> None:
    equations = ["der(x) = vx", "der(y) = vy", "der(vx) = -f*x*{m}", "der(vy) = -f*y*{m} - 9.81", "x*x + y*y = 1"]
    states = {n: Var(init=value) for n, value in {"x": 0.6, "y": -0.8, "vx": 0.0, "vy": 0.0}.items()}

    def end(m: str, value: object) -> float:
        model = Model(**states, **{m: value}, f=Var(), equations=[e.format(m=m) for e in equations])
        return float(instantiate(model).simulate(0.5)["x"][-1])

    assert end(name, 2.0) == end(name, Var("2 + 0*time")) == end("other", 2.0)


def test_an_initial_equation_without_unknown_is_refused() -> None:
    with pytest.raises(ModelError, match="the initial equation 'p = 2' has no unknown"):
        instantiate(Model(p=2.0, x=Var(), equations=["der(x) = -x"], initial_equations=["p = 2"]))


@pytest.mark.parametrize("names_", list(itertools.permutations("xyz")))
def test_states_stand_in_the_order_of_declaration_each_before_its_derivative(names_: tuple[str, ...]) -> None:
    equations = ["der(der(x)) = -x", "der(y) = -y", "der(der(z)) = x - z"]
    sim = instantiate(Model(**{name: Var(init=1.0) for name in names_}, equations=equations))
    expected = [state for name in names_ for state in ([name] if name == "y" else [name, f"der({name})"])]
    assert list(sim.states) == expected


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_model_with_too_few_equations_is_told_of_where_the_first_variable_is_that_is_named(order: str) -> None:
    parts = {name: Model(x=Var(), y=Var("time")) for name in order}
    with pytest.raises(ModelError, match=r"too few equations \(1 missing\)") as caught:
        instantiate(Model(parts | {"equations": ["a.x + b.x = a.y"]}))
    first = re.search(r"missing\) for '(\w)\.x'", caught.value.message)
    assert first is not None
    assert caught.value.path == first[1]


@pytest.mark.parametrize(
    ("level", "second", "bend"), [("xy", "y", ""), ("xz", "z", ""), ("yz", "z", ""), ("xy", "y", " + y*y/9")]
)
def test_what_stands_against_a_wish_are_the_equations_that_were_written(level: str, second: str, bend: str) -> None:
    """And not those that were made of them."""
    wished = Model({name: Var(state_select="always") for name in level})
    free = Model({name: Var() for name in "xyzuvwfg" if name not in level})
    rates = [f"der({x}) = {u}" for x, u in zip("xyz", "uvw", strict=True)]
    forces = ["der(u) = f", "der(v) = f + g", "der(w) = -g"]
    with pytest.raises(ModelError, match='has state_select="always"') as caught:
        instantiate(wished | free | Model(equations=[*rates, *forces, "2*x + y = 1", f"x - 3*y + z{bend} = 2"]))
    assert caught.value.path == second
    constraints = [e for e in ("2*x + y = 1", f"x - 3*y + z{bend} = 2") if second in e]
    assert caught.value.found == "the constraints " + ", ".join(f"'{e}'" for e in constraints)


def test_of_singular_equations_those_are_named_that_depend_on_each_other_and_their_unknowns() -> None:
    model = sorted_model([linear(["a", "b", "c"], [], ["b - c", "2*b - 2*c", "a - 1"])])
    with pytest.raises(NumericalError, match="the linear equations for b, c are singular: b - c = 0; 2\\*b - 2\\*c = 0;"):
        interpret(model, 0.0, [], {})


def test_functions_that_need_each_other_are_told_of_by_the_component_of_what_is_computed_again() -> None:
    f, g = (function(name, 1, 1, linear_in=frozenset({0})) for name in "fg")
    model = sort_model(flat_model([call(f, ["y"], ["x"], "arm"), call(g, ["x"], ["y"], "leg")], ["x", "y"]))
    with pytest.raises(SimulationError, match=r"singular: arm: \(x\) = f\(y\)") as caught:
        interpret(model, 0.0, [], {}, call=lambda _, inputs: [inputs[0] + 1.0])
    assert caught.value.path == "arm"


def test_the_reference_finds_the_solution_near_the_guess() -> None:
    model = sort_model(flat_model(["x*x = 4"], {"x": {"start": 1.0}}))
    found = [interpret(model, 0.0, [], {}, guesses=guesses)["x"] for guesses in (None, {"x": 3.0}, {"x": -3.0})]
    assert found == pytest.approx([2.0, 2.0, -2.0])


@settings(max_examples=60)
@example(seed=22905, products=False)
@given(seed=st.integers(0, 10**9), products=st.booleans())
def test_signs_that_are_collected_for_readers_leave_the_value(seed: int, products: bool) -> None:
    choice = random.Random(seed)
    values = {name: choice.uniform(-2, 2) for name in "abc"}

    def drawn(depth: int) -> Expr:
        kind = choice.choice(("+", "-", "neg", "neg", "name", "*" if products else "+")) if depth else "name"
        if kind == "name":
            return Name(choice.choice("abc"))
        return Apply(kind, tuple(drawn(depth - 1) for _ in range(1 if kind == "neg" else 2)))

    expr = drawn(5)
    shown = signs_collected(expr)
    assert evaluate(shown, values) == pytest.approx(evaluate(expr, values), rel=1e-12, abs=1e-12)
    assert products or not re.search(r"[-+] -|--", str(shown))


@pytest.mark.parametrize("text", ["v*(log(p) if p > 0 else 7)", "v*log(p) if p > 0 else 7*v", "7*v if p < 0 else log(p)*v"])
def test_of_a_choice_only_the_branch_that_counts_needs_a_value(text: str) -> None:
    v = np.array([1.0, 2.0])
    for p, factor in ((4.0, math.log(4.0)), (-1.0, 7.0)):
        np.testing.assert_allclose(evaluate_arrays(parse(text), {"v": v, "p": p}), factor * v)
