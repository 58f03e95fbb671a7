"""Component functions ``f = M a + h``: order of the calls, torn accelerations, couplings between joints."""

import dataclasses
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import ModelError, SimulationError
from modiapy.flat import Equation, parse, sort_model
from modiapy.symbolic.interpreter.interpreter import interpret
from modiapy.symbolic.sorted.parts import Assignment, Call, LinearBlock

from .flat_models import call, flat_model, function, multibody, residual

pytestmark = pytest.mark.white_box


class Dynamics:
    """A fake mechanism: mass matrix and h depend on angles and speeds, which only ``set_states`` gets to see."""

    def __init__(self, n, seed=0):
        self.n = n
        self.root = np.random.default_rng(seed).normal(size=(n, n))
        self.called = []

    def matrices(self, phi, w):
        shape = self.root * np.cos(phi)
        return shape @ shape.T + 0.5 * np.eye(self.n), np.sin(phi) + w**2

    def __call__(self, equation, inputs):
        name = equation.function.name
        self.called.append(name)
        if name == "set_states":
            self.mass, self.h = self.matrices(np.array(inputs[: self.n]), np.array(inputs[self.n :]))
            return [42.0]
        assert inputs[0] == 42.0
        return [1.0] if name == "finish" else list(self.mass @ inputs[1:] + self.h)


def linear_blocks(model):
    return [b for b in model.blocks if isinstance(b, LinearBlock)]


def states_of(model, n, phi, w):
    given = {f"rev{i + 1}.phi": phi[i] for i in range(n)} | {f"rev{i + 1}.w": w[i] for i in range(n)}
    return [given[name] for name in model.states]


@pytest.mark.parametrize("n", [1, 2, 7])
def test_prescribed_torques_give_forward_dynamics(n):
    flat = multibody(n, [f"rev{i}.tau = {i}*cos(time)" for i in range(1, n + 1)], {}, {})
    model = sort_model(flat)
    (block,) = linear_blocks(model)
    assert block.unknowns == tuple(f"der(rev{i}.w)" for i in range(1, n + 1))
    assert not block.constant
    assert sum(isinstance(step, Call) for step in block.body) == 1
    dynamics = Dynamics(n)
    phi, w = np.linspace(0.1, 1.0, n), np.linspace(-1.0, 1.0, n)
    values = interpret(model, 0.0, states_of(model, n, phi, w), {}, call=dynamics)
    mass, h = dynamics.matrices(phi, w)
    expected = np.linalg.solve(mass, np.arange(1.0, n + 1) - h)
    np.testing.assert_allclose([values[f"der(rev{i}.w)"] for i in range(1, n + 1)], expected, rtol=1e-12)
    assert dynamics.called[0] == "set_states"
    assert dynamics.called[-1] == "finish"
    assert dynamics.called.count("set_states") == dynamics.called.count("finish") == 1


@pytest.mark.parametrize("n", [1, 7])
def test_free_joints_have_zero_torque(n):
    model = sort_model(multibody(n, [f"rev{i}.tau = 0" for i in range(1, n + 1)], {}, {}))
    dynamics = Dynamics(n)
    phi, w = np.full(n, 0.3), np.full(n, 0.5)
    values = interpret(model, 0.0, states_of(model, n, phi, w), {}, call=dynamics)
    mass, h = dynamics.matrices(phi, w)
    np.testing.assert_allclose([values[f"der(rev{i}.w)"] for i in range(1, n + 1)], np.linalg.solve(mass, -h), rtol=1e-12)
    assert all(abs(values[f"rev{i}.tau"]) < 1e-12 for i in range(1, n + 1))


def rigid_drive(i):
    """Rotor, ideal gear, joint, as the library connects them."""
    m, g, r = f"motor{i}", f"gear{i}", f"rev{i}"
    equations = [
        f"der({m}.phi) = {m}.w",
        f"der({m}.w) = {m}.a",
        f"{m}.J*{m}.a = {m}.flange_a.tau + {m}.flange_b.tau",
        f"{m}.phi = {m}.flange_b.phi",
        f"{m}.flange_b.phi = {g}.flange_a.phi",
        f"{g}.flange_a.phi = {g}.ratio*{g}.flange_b.phi",
        f"0 = {g}.ratio*{g}.flange_a.tau + {g}.flange_b.tau",
        f"{m}.flange_b.tau + {g}.flange_a.tau = 0",
        f"{g}.flange_b.tau + {r}.tau = 0",
        f"{g}.flange_b.phi = {r}.phi",
        f"{m}.flange_a.tau = 0.5*sin(time + {i}) - 0.1*{m}.w",
    ]
    names = [f"{m}.phi", f"{m}.w", f"{m}.a", f"{m}.flange_a.tau", f"{m}.flange_b.tau", f"{m}.flange_b.phi"]
    names += [f"{g}.flange_a.phi", f"{g}.flange_b.phi", f"{g}.flange_a.tau", f"{g}.flange_b.tau"]
    return equations, {name: {} for name in names}, {f"{m}.J": 1e-3 * i, f"{g}.ratio": 50.0 + i}


@pytest.mark.parametrize("n", [1, 7])
def test_rigid_gears_make_one_unknown_per_joint(n):
    equations, names, parameters = [], {}, {}
    for i in range(1, n + 1):
        for collected, part in zip((names, parameters), rigid_drive(i)[1:], strict=True):
            collected.update(part)
        equations += rigid_drive(i)[0]
    flat = multibody(n, equations, names, parameters)
    model = sort_model(flat)
    assert sorted(model.states) == sorted(f"rev{i}.{q}" for i in range(1, n + 1) for q in ("phi", "w"))
    sizes = {record.name: record.equations for record in model.passes}
    assert sizes["expand control"] == len(flat.equations) - 1 + n  # the function of forces has n outputs
    assert sizes["remove singularities"] == sizes["expand control"] - model.report["aliases"]
    assert sizes["reduce index"] == sizes["remove singularities"] + model.report["differentiated equations"]
    (block,) = linear_blocks(model)
    assert block.unknowns == tuple(f"der(rev{i}.w)" for i in range(1, n + 1))
    dynamics = Dynamics(n)
    phi, w = np.linspace(0.1, 1.0, n), np.linspace(-1.0, 1.0, n)
    values = interpret(model, 0.2, states_of(model, n, phi, w), parameters, call=dynamics)
    mass, h = dynamics.matrices(phi, w)
    number = np.arange(1, n + 1)
    ratio, inertia = 50.0 + number, 1e-3 * number
    torque = ratio * (0.5 * np.sin(0.2 + number) - 0.1 * ratio * w)
    expected = np.linalg.solve(mass + np.diag(inertia * ratio**2), torque - h)
    np.testing.assert_allclose([values[f"der(rev{i}.w)"] for i in number], expected, rtol=1e-11)
    scalar = [e for e in flat.equations if isinstance(e, Equation)]
    assert max(abs(residual(model, e, {**values, "time": 0.2})) for e in scalar) < 1e-9


def test_elastic_drives_keep_their_own_states():
    equations = [
        "der(m.phi) = m.w",
        "m.J*der(m.w) = u - s.tau/r",
        "s.tau = c*(m.phi/r - rev1.phi) + d*(m.w/r - rev1.w)",
        "rev1.tau = s.tau",
        "u = 5 - m.w",
    ]
    names = {"m.phi": {"init": 0.0}, "m.w": {"init": 0.0}, "s.tau": {}, "u": {}}
    model = sort_model(multibody(1, equations, names, {"m.J": 1e-3, "r": 100.0, "c": 1e4, "d": 10.0}))
    assert set(model.states) == {"rev1.phi", "rev1.w", "m.phi", "m.w"}
    (block,) = linear_blocks(model)
    assert block.unknowns == ("der(rev1.w)",)
    assert len(block.body) == 1
    assert isinstance(block.body[0], Call)
    explicit = [b.variable for b in model.blocks if isinstance(b, Assignment)]
    assert "der(m.w)" in explicit


def test_joints_coupled_by_a_gear_have_one_common_acceleration():
    equations = ["rev1.phi = 2*rev2.phi", "rev1.tau = t", "rev2.tau = 3 - 2*t"]
    flat = multibody(2, equations, {"t": {}}, {})
    model = sort_model(flat)
    assert len(model.states) == 2
    (block,) = linear_blocks(model)
    assert len(block.unknowns) == 1
    dynamics = Dynamics(2)
    states = {"rev1.phi": 0.6, "rev2.phi": 0.3, "rev1.w": 1.0, "rev2.w": 0.5}
    values = interpret(model, 0.0, [states[name] for name in model.states], {}, call=dynamics)
    mass, h = dynamics.matrices(np.array([0.6, 0.3]), np.array([1.0, 0.5]))
    g = np.array([2.0, 1.0])
    assert values["der(rev2.w)"] == pytest.approx((3.0 - g @ h) / (g @ mass @ g), rel=1e-12)


def test_prescribed_joint_gives_inverse_dynamics():
    model = sort_model(multibody(1, ["rev1.phi = sin(time)"], {}, {}))
    assert model.states == []
    assert not linear_blocks(model)
    dynamics = Dynamics(1)
    values = interpret(model, 0.4, [], {}, call=dynamics)
    mass, h = dynamics.matrices(np.sin([0.4]), np.cos([0.4]))
    assert values["rev1.tau"] == pytest.approx(float(mass[0, 0] * -np.sin(0.4) + h[0]), rel=1e-12)


@pytest.mark.parametrize("derivative", [None, function("friction_derivative", 2, 1)])
def test_function_that_is_not_affine_in_an_unknown(derivative):
    """a + a**3 + 2*a = 1, the cubic in a function; its slope by differences or by its derivative."""
    f = function("friction", 1, 1, derivative=derivative)
    model = sort_model(flat_model([call(f, ["a"], ["force"], "brake"), "2*a = 1 - force"], ["a", "force"]))

    def compute(c, inputs):
        a = inputs[0]
        return [a + a**3] if c.function is f else [(1.0 + 3.0 * a**2) * inputs[1]]

    values = interpret(model, 0.0, [], {}, call=compute)
    assert values["a"] == pytest.approx(max(np.roots([1.0, 0.0, 3.0, -1.0]), key=np.isreal).real, rel=1e-12)


@pytest.mark.parametrize("inside", ["x*x", "x*y", "2*x"])
def test_a_function_of_what_is_not_affine_in_the_unknowns_makes_no_linear_system(inside):
    """Although the function is affine."""
    f = function("f", 1, 1, linear_in=frozenset({0}))
    flat = flat_model([call(f, [inside], ["y"]), "y + x = 10"], {"x": {"start": 1.9}, "y": {"start": 7.9}})
    values = interpret(sort_model(flat), 0.0, [], {}, call=lambda c, inputs: [2.0 * inputs[0]])
    x, y = values["x"], values["y"]
    assert y == pytest.approx(2.0 * eval(inside, {"x": x, "y": y}), rel=1e-9)
    assert x + y == pytest.approx(10.0)


def test_two_functions_that_need_each_other_are_solved():
    f, g = (function(name, 1, 1, linear_in=frozenset({0})) for name in "fg")
    model = sort_model(flat_model([call(f, ["y"], ["x"]), call(g, ["x"], ["y"])], ["x", "y"]))
    values = interpret(model, 0.0, [], {}, call=lambda c, a: [3.0 * a[0] + 1.0] if c.function is f else [0.5 * a[0] + 2.0])
    assert (values["x"], values["y"]) == pytest.approx((-14.0, -5.0))


def test_failed_function_is_named_with_its_inputs():
    model = sort_model(multibody(1, ["rev1.tau = 0"], {}, {}))
    with pytest.raises(SimulationError, match="component function 'set_states' failed") as error:
        interpret(model, 1.5, [0.25, 0.5], {}, call=lambda c, inputs: [float("nan")])
    assert "rev1.phi = 0.25" in error.value.found
    assert error.value.path == "robot"
    assert error.value.time == 1.5


def test_massless_joint_is_singular_by_name():
    model = sort_model(multibody(1, ["rev1.tau = 1"], {}, {}))
    with pytest.raises(SimulationError, match=r"der\(rev1.w\).*singular"):
        interpret(model, 0.0, [0.0, 0.0], {}, call=lambda c, inputs: [0.0])


FUNCTIONS = {
    "both": lambda a, b: [a * b, np.sin(a) + b],
    "first": lambda a, b, va, vb: [va * b + a * vb, np.cos(a) * va + vb],
    # of the four inputs of the first derivative the rates, too
    "second": lambda a, b, va, vb, ra, rb, fa, fb: [
        fa * b + va * rb + ra * vb + a * fb,
        np.cos(a) * fa - np.sin(a) * ra * va + fb,
    ],
    "clock": lambda t: [t],
    "height": lambda t: [np.sin(t)],
    "speed": lambda t: [np.cos(t)],
    "acceleration": lambda t: [-np.sin(t)],
}  # fmt: skip


@settings(max_examples=25)
@given(seed=st.integers(0, 10**9), n=st.integers(1, 4))
def test_motion_prescribed_by_functions_of_functions_has_its_rates(seed: int, n: int) -> None:
    """Speeds and forces by derivatives of functions, by rates that a component has itself, and by equations between them."""
    choice = random.Random(seed)
    both = function("both", 2, 2, derivative=function("first", 4, 2, derivative=function("second", 8, 2)))
    equations, names = ["w0 = 0.3*time + 0.2*cos(time)"], ["u0", "w0", "x", "v", "f"]
    if choice.random() < 0.5:
        equations.append("u0 = sin(time)")
    else:
        motion = [call(function(name, 1, 1), ["u_t"], [output], "drive") for name, output in zip(
            ("height", "speed", "acceleration"), ("u0", "u_v", "u_a"), strict=True)]  # fmt: skip
        rates = (parse("u_v"), parse("u_a"), None)
        equations += [call(function("clock", 1, 1), ["time"], ["u_t"], "drive")]  # has no derivative, and needs none
        equations += [dataclasses.replace(c, rate=rate) for c, rate in zip(motion, rates, strict=True)]
        names += ["u_t", "u_v", "u_a"]
    for k in range(n):
        inputs = choice.choice(([f"u{k}", f"0.5*w{k} + 0.1*time"], [f"w{k} - u{k}", f"u{k}"]))
        if choice.random() < 0.6:
            equations += [f"a{k} + b{k} = {inputs[0]}", f"{inputs[1]} = 2*b{k} - a{k}"]
            inputs = [f"a{k}", f"b{k}"]
            names += inputs
        equations.append(call(both, inputs, [f"u{k + 1}", f"w{k + 1}"], f"c{k}"))
        names += [f"u{k + 1}", f"w{k + 1}"]
    equations += [f"x = u{n} - 0.5*w{n}", "der(x) = v", "der(v) = f"]
    choice.shuffle(equations)
    choice.shuffle(names)
    model, h = sort_model(flat_model(equations, names)), 1e-3
    assert not model.states

    def at(t: float) -> dict[str, float]:
        return interpret(model, t, [], {}, call=lambda c, inputs: list(FUNCTIONS[c.function.name](*inputs)))

    before, now, after = at(0.4 - h), at(0.4), at(0.4 + h)
    assert now["v"] == pytest.approx((after["x"] - before["x"]) / (2 * h), rel=1e-4, abs=1e-5)
    assert now["f"] == pytest.approx((after["x"] - 2 * now["x"] + before["x"]) / h**2, rel=1e-4, abs=1e-5)


def test_a_rate_without_value_is_told_of_with_its_component():
    height = dataclasses.replace(call(function("height", 1, 1), ["time"], ["y"], "drive"), rate=parse("log(-time)"))
    model = sort_model(flat_model([height, "x = 2*y", "der(x) = v"], ["y", "x", "v"]))
    with pytest.raises(SimulationError, match=r"'der\(y\)' cannot be computed") as caught:
        interpret(model, 1.0, [], {}, call=lambda c, inputs: [0.0])
    assert caught.value.path == "drive"


def test_a_constraint_through_a_function_whose_slopes_are_not_known_needs_a_static_selection():
    radius = function("radius", 1, 1, derivative=function("slope", 2, 1))
    equations = [call(radius, ["z"], ["s"]), "x*x + y*y = s", "der(x) = 2*x*r + 1", "der(y) = 2*y*r", "der(z) = 1"]
    with pytest.raises(ModelError, match="no static selection of states exists"):
        sort_model(flat_model(equations, ["x", "y", "z", "s", "r"]))
