"""Constraints between states: rigid gears, rigidly connected inertias, parallel capacitors, inductors in series."""

import dataclasses
import math

import pytest

from modiapy import ModelError
from modiapy.flat import Equation, sort_model
from modiapy.symbolic.interpreter.interpreter import interpret
from modiapy.symbolic.sorted.parts import LinearBlock

from .flat_models import call, flat_model, function, residual

pytestmark = pytest.mark.white_box


def inertia(name):
    return [f"der({name}.phi) = {name}.w", f"{name}.J*der({name}.w) = {name}.tau"]


def variables(*names, **attributes):
    return {n: attributes.get(n.replace(".", "_"), {}) for n in names}


def satisfied(model, flat, values):
    equations = [e for e in flat.equations if isinstance(e, Equation)]
    return max(abs(residual(model, e, values)) for e in equations) < 1e-12


GEAR = [*inertia("a"), *inertia("b"), "a.phi = r*b.phi", "a.tau = u + ta", "r*ta = -b.tau", "u = 5"]
GEAR_NAMES = ["a.phi", "a.w", "a.tau", "b.phi", "b.w", "b.tau", "u", "ta"]


def test_rigid_gear_between_inertias():
    parameters = {"a.J": 2.0, "b.J": 3.0, "r": 4.0}
    flat = flat_model(GEAR, variables(*GEAR_NAMES, b_phi={"init": 0.1}, b_w={"init": 0.2}), parameters)
    model = sort_model(flat)
    assert model.states == ["b.phi", "b.w"]
    assert model.initial_states() == [0.1, 0.2]
    values = interpret(model, 0.0, [0.1, 0.2], parameters)
    assert values["a.phi"] == pytest.approx(0.4)
    assert values["a.w"] == pytest.approx(0.8)
    assert values["der(b.w)"] == pytest.approx(4.0 * 5.0 / (2.0 * 16.0 + 3.0), rel=1e-14)
    assert values["der(a.w)"] == pytest.approx(4.0 * values["der(b.w)"], rel=1e-14)
    assert satisfied(model, flat, values)
    block = next(b for b in model.blocks if isinstance(b, LinearBlock))
    assert block.constant
    assert len(block.unknowns) == 1


@pytest.mark.parametrize("chosen", ["a", "b"])
def test_init_decides_which_side_is_the_state(chosen):
    given = {f"{chosen}_phi": {"init": 1.0}, f"{chosen}_w": {"init": 2.0}}
    model = sort_model(flat_model(GEAR, variables(*GEAR_NAMES, **given), {"a.J": 2.0, "b.J": 3.0, "r": 4.0}))
    assert model.states == [f"{chosen}.phi", f"{chosen}.w"]


def test_start_is_preferred_and_init_wins_over_start():
    parameters = {"a.J": 2.0, "b.J": 3.0, "r": 4.0}
    only_start = variables(*GEAR_NAMES, b_phi={"start": 1.0}, b_w={"start": 2.0})
    assert sort_model(flat_model(GEAR, only_start, parameters)).states == ["b.phi", "b.w"]
    both = {**only_start, "a.phi": {"init": 0.0}, "a.w": {"init": 0.0}}
    assert sort_model(flat_model(GEAR, both, parameters)).states == ["a.phi", "a.w"]


MERITS = ("prefer", "default", "init", "start", "input of a function")
"""What makes one of two variables the state, the most important first; "default" is more than "avoid"."""


@pytest.mark.parametrize("order", ["xy", "yx"])
@pytest.mark.parametrize("merit", MERITS)
def test_the_state_is_the_variable_of_which_more_is_known_wherever_it_is_declared(merit, order):
    """x has the merit, y all that are less important.

    (What follows from a variable that a function gets is not preferred to it, whatever is wished.)
    """
    less = MERITS[MERITS.index(merit) + 1 : -1 if merit == "prefer" else None]
    equations, declared = ["der(x) = f", "der(y) = g", "x + y = sin(time)", "f - g = x"], {}
    for name, merits in (("x", (merit,)), ("y", less)):
        declared[name] = {key: 0.0 for key in ("init", "start") if key in merits}
        declared[name]["state_select"] = (
            "prefer" if "prefer" in merits else "avoid" if merit == "default" and name == "y" else "default"
        )
        equations += [call(function("f", 1, 1), [name], [f"o{name}"])] if "input of a function" in merits else []
    rest = {name: {} for name in ["f", "g", *(f"o{name}" for name in "xy" if f"o{name}" in str(equations))]}
    for turned in (equations, equations[::-1]):
        assert sort_model(flat_model(turned, {**{name: declared[name] for name in order}, **rest})).states == ["x"]


def test_initial_value_of_a_dependent_variable_is_reported():
    given = {"a_phi": {"init": 4.0}, "b_phi": {"init": 1.0}, "b_w": {"init": 0.0}, "b_tau": {"start": 1.0}}
    model = sort_model(flat_model(GEAR, variables(*GEAR_NAMES, **given), {"a.J": 2.0, "b.J": 3.0, "r": 4.0}))
    assert set(model.states) | set(model.redundant_initials) == {"a.phi", "b.phi", "b.w"}
    assert len(model.redundant_initials) == 1


def test_rigidly_connected_inertias_are_one():
    equations = [*inertia("a"), *inertia("b"), "a.phi = b.phi", "a.tau = 7 + t", "b.tau = -t"]
    parameters = {"a.J": 2.0, "b.J": 3.0}
    flat = flat_model(equations, ["a.phi", "a.w", "a.tau", "b.phi", "b.w", "b.tau", "t"], parameters)
    model = sort_model(flat)
    assert len(model.states) == 2
    values = interpret(model, 0.0, [0.5, 1.5], parameters)
    assert values["der(a.w)"] == pytest.approx(7.0 / 5.0)
    assert values["a.w"] == values["b.w"] == 1.5
    assert satisfied(model, flat, values)


@pytest.mark.parametrize("n", [2, 5])
def test_chain_of_gears_reduces_to_one_inertia(n):
    ratios = [1.5 + k for k in range(n - 1)]
    equations, names, parameters = [], [], {}
    for k in range(n):
        equations += inertia(f"m{k}")
        names += [f"m{k}.phi", f"m{k}.w", f"m{k}.tau", f"t{k}"]
        parameters[f"m{k}.J"] = 1.0 + k
        equations.append(f"m{k}.tau = t{k} - {f'r{k}*t{k + 1}' if k < n - 1 else '0'}")
        if k:
            parameters[f"r{k - 1}"] = ratios[k - 1]
            equations.append(f"m{k}.phi = r{k - 1}*m{k - 1}.phi")
    flat = flat_model([*equations, "t0 = 3"], names, parameters)
    model = sort_model(flat)
    values = interpret(model, 0.0, [0.1] * len(model.states), parameters)
    assert len(model.states) == 2
    total = sum((1.0 + k) * math.prod(ratios[:k]) ** 2 for k in range(n))
    assert values["der(m0.w)"] == pytest.approx(3.0 / total, rel=1e-12)
    assert satisfied(model, flat, values)


def test_second_derivative_makes_two_states():
    flat = flat_model(["m*der(der(s)) + d*der(s) + c*s = 0"], {"s": {"init": 1.0}}, {"m": 2.0, "d": 3.0, "c": 4.0})
    model = sort_model(flat)
    assert (model.states, model.derivatives) == (["s", "der(s)"], ["der(s)", "der(der(s))"])
    assert model.initial_states() == [1.0, 0.0]
    assert interpret(model, 0.0, [1.0, 5.0], flat.parameters)["der(der(s))"] == -(3.0 * 5.0 + 4.0) / 2.0


def test_parallel_capacitors_through_a_transformer_add_their_capacities():
    # u1 = n*u2 ideal transformer between two capacitors: C = C1*n**2 + C2 seen from the second side
    equations = ["C1*der(u1) = i1", "C2*der(u2) = i2", "u1 = n*u2", "n*i_a = -i_b", "i1 = -i_a", "i2 = I - i_b"]
    parameters = {"C1": 1e-3, "C2": 2e-3, "n": 3.0, "I": 0.5}
    flat = flat_model(equations, {**variables("u1", "i1", "i2", "i_a", "i_b"), "u2": {"init": 1.0}}, parameters)
    model = sort_model(flat)
    assert model.states == ["u2"]
    values = interpret(model, 0.0, [1.0], parameters)
    assert values["der(u2)"] == pytest.approx(0.5 / (1e-3 * 9.0 + 2e-3))
    assert values["u1"] == 3.0


def test_inductors_in_series_with_a_source_add():
    equations = ["L1*der(i1) = u1", "L2*der(i2) = u2", "i1 + i2 = 0", "u1 - u2 = U"]
    parameters = {"L1": 0.1, "L2": 0.3, "U": 2.0}
    model = sort_model(flat_model(equations, ["i1", "i2", "u1", "u2"], parameters))
    assert len(model.states) == 1
    assert interpret(model, 0.0, [0.7], parameters)["der(i1)"] == pytest.approx(2.0 / 0.4)


def test_three_inductors_in_a_star_have_two_states():
    equations = [f"L*der(i{k}) = u{k} - v" for k in (1, 2, 3)] + ["i1 + i2 + i3 = 0", "u1 = 1", "u2 = 2", "u3 = 6"]
    given = {"i2": {"init": 1.0}, "i3": {"init": 2.0}, **variables("i1", "u1", "u2", "u3", "v")}
    model = sort_model(flat_model(equations, given, {"L": 0.5}))
    assert model.states == ["i2", "i3"]
    values = interpret(model, 0.0, [1.0, 2.0], {"L": 0.5})
    assert values["i1"] == -3.0
    assert values["v"] == pytest.approx(3.0)


def test_prescribed_motion_is_differentiated_twice():
    flat = flat_model([*inertia("a"), "a.phi = sin(2*time)"], ["a.phi", "a.w", "a.tau"], {"a.J": 3.0})
    model = sort_model(flat)
    assert model.states == []
    values = interpret(model, 0.3, [], {"a.J": 3.0})
    assert values["a.w"] == pytest.approx(2.0 * math.cos(0.6))
    assert values["a.tau"] == pytest.approx(-12.0 * math.sin(0.6))


def test_slider_with_changing_coefficient_takes_the_angle_as_state():
    equations = ["x = l*sin(phi)", "der(x) = v", "der(phi) = w", "m*der(v) = f", "der(w) = -f*l*cos(phi)"]
    flat = flat_model(equations, ["x", "v", "phi", "w", "f"], {"l": 0.5, "m": 2.0})
    model = sort_model(flat)
    assert model.states == ["phi", "w"]
    phi, w = 0.4, 1.1
    values = interpret(model, 0.0, [phi, w], flat.parameters)
    l, m = 0.5, 2.0
    # f = m*(l*cos(phi)*wdot - l*sin(phi)*w**2), wdot = -f*l*cos(phi)
    wdot = m * l * math.sin(phi) * w**2 * l * math.cos(phi) / (1.0 + m * (l * math.cos(phi)) ** 2)
    assert values["der(w)"] == pytest.approx(wdot, rel=1e-12)


def test_nonlinear_constraint_is_kept_at_both_levels():
    equations = ["der(x) = vx", "der(y) = vy", "der(vx) = -F*x", "der(vy) = -F*y - 9.81", ("rod", "x**2 + y**2 = L**2")]
    model = sort_model(flat_model(equations, ["x", "y", "vx", "vy", "F"], {"L": 1.0}))
    positions, velocities = model.constraints
    assert str(positions.equation) == "x**2 + y**2 = L**2"
    assert positions.equation.path == "rod"
    assert set(positions.directions) == {"x", "y"}
    assert set(velocities.directions) == {"vx", "vy"}
    assert list(model.states) == ["x", "y", "vx", "vy", positions.multiplier, velocities.multiplier]


def test_dependent_constraints_are_named():
    # the second gear says the same as the first: structurally regular, numerically singular
    equations = [*inertia("a"), *inertia("b"), "a.phi = 2*b.phi", "2*a.phi = 4*b.phi + 0*c", "a.tau = c", "b.tau = c + d"]
    with pytest.raises(ModelError) as error:
        sort_model(
            flat_model(equations, ["a.phi", "a.w", "a.tau", "b.phi", "b.w", "b.tau", "c", "d"], {"a.J": 1.0, "b.J": 1.0})
        )
    assert "a.phi = 2*b.phi" in str(error.value)
    assert "2*a.phi = 4*b.phi + 0*c" in str(error.value)


def test_derivative_of_an_input_is_refused_by_name():
    with pytest.raises(ModelError, match="derivative of the input 'u'") as error:
        sort_model(flat_model(["der(x) = v", "x = 2*u"], {"x": {}, "v": {}, "u": {"input": True}}))
    assert "x = 2*u" in str(error.value)


def test_function_without_derivative_is_refused_by_name():
    position = function("position", 0, 1)
    with pytest.raises(ModelError, match="component function 'position' of component 'path' cannot be differentiated") as error:
        sort_model(flat_model([call(position, [], ["s"], "path"), "x = 2*s", "der(x) = v"], ["s", "x", "v"]))
    assert "x = 2*s" in str(error.value)


def test_the_derivative_of_a_function_gets_inputs_then_their_slopes():
    """``(a*b**2, a/b)``, of functions of time, by the chain rule."""
    slope, both = function("slope", 4, 2), function("both", 2, 2)
    both = dataclasses.replace(both, derivative=slope)
    equations = [call(both, ["2 + time", "3 - time**2"], ["p", "q"]), "x = p - q", "der(x) = v", "y = p", "der(y) = w"]
    model = sort_model(flat_model(equations, ["p", "q", "x", "v", "y", "w"]))

    def evaluate(equation, inputs):
        if equation.function is both:
            a, b = inputs
            return [a * b**2, a / b]
        a, b, da, db = inputs
        return [da * b**2 + 2 * a * b * db, da / b - a * db / b**2]

    t, h = 0.7, 1e-6
    values = interpret(model, t, [], {}, call=evaluate)
    later, earlier = (interpret(model, t + s, [], {}, call=evaluate) for s in (h, -h))
    for name, of in (("v", "x"), ("w", "y")):
        assert values[name] == pytest.approx((later[of] - earlier[of]) / (2 * h), rel=1e-6)


def test_function_with_derivative_is_differentiated():
    slope = function("slope", 2, 1)
    square = function("square", 1, 1, derivative=slope)
    flat = flat_model([call(square, ["3*time"], ["s"]), "x = 2*s", "der(x) = v"], ["s", "x", "v"])
    model = sort_model(flat)

    def evaluate(equation, inputs):
        return [inputs[0] ** 2] if equation.function is square else [2.0 * inputs[0] * inputs[1]]

    assert model.states == []
    values = interpret(model, 2.0, [], {}, call=evaluate)
    assert values["x"] == 72.0
    assert values["v"] == 2.0 * 2.0 * 6.0 * 3.0
