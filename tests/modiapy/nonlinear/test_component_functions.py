"""Functions of components inside nonlinear systems: exact slopes where metadata give them, differences elsewhere."""

import dataclasses

import numpy as np
import pytest
from scipy.optimize import brentq

from modiapy import Function, Map, Model, Var, instantiate
from modiapy.acausal import CONTEXT_SLOTS, CallEquation
from modiapy.flat import FlatModel, Name, Variable, parse, parse_equation, sort_model
from modiapy.symbolic.codegen.model import compile_model
from modiapy.symbolic.codegen.model_context import ModelContext
from modiapy.symbolic.interpreter.interpreter import interpret
from modiapy.symbolic.kernels.newton_memory import Header
from modiapy.symbolic.sorted.parts import NonlinearBlock

from ..symbolic.sorted_models import component_function, value_in

pytestmark = pytest.mark.white_box


def solve(calls, equations, variables, start=0.5):
    """Values by machine code, and the memory of the only nonlinear block."""
    entries = [
        CallEquation(f, tuple(parse(i) for i in inputs), tuple(Name(o) for o in outputs), "c") for f, inputs, outputs in calls
    ]
    names = {name: Variable(name, start=start) for name in variables}
    flat = FlatModel("test", names, {}, [*entries, *(parse_equation(e) for e in equations)], components={"c": object()})
    model = sort_model(flat)
    assert [type(b) for b in model.blocks] == [NonlinearBlock]
    compiled = compile_model(model)
    context = ModelContext(compiled, {}, [np.zeros(CONTEXT_SLOTS, dtype=np.int64)])
    assert context.evaluate(0.0, np.zeros(0), np.zeros(0), None, 2) == 0
    return {name: value_in(context, name, 0.0, np.zeros(0)) for name in variables}, context.newton[0], model


def cubic(context, inputs, outputs):
    outputs[0] = inputs[0] + inputs[0] ** 3 + inputs[1]
    return 0


def test_a_function_by_differences():
    f = component_function("cubic", 2, 1, cubic)
    values, memory, _ = solve([(f, ["a", "2*b"], ["force"])], ["2*a = 1 - force", "b = 0.1*a"], ["a", "b", "force"])
    expected = brentq(lambda a: a + a**3 + 0.2 * a + 2 * a - 1, 0, 1, xtol=1e-15)
    assert values["a"] == pytest.approx(expected, rel=1e-13)
    assert memory.header[Header.JACOBIANS] <= 5


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e12])
@pytest.mark.parametrize("n", [1, 2])
def test_steps_of_differences_are_those_of_the_size_of_inputs(scale, n):
    """A step that a large number does not notice would give no slope; of two functions the whole sequence is taken.

    The unit 1 is the least: the iteration may begin at 0.
    """
    begin = 0.5 * scale if scale > 1.0 else 0.0

    def scaled(context, inputs, outputs):
        x = inputs[0] / scale
        outputs[0] = scale * (x + 5 * x**3) + inputs[1]
        return 0

    calls = [(component_function(f"scaled{k}", 2, 1, scaled), ["a", "2*b"], [f"force{k}"]) for k in range(n)]
    total = " - ".join(f"force{k}" for k in range(n))
    equations = [f"2*a = {scale!r} - {total}", "b = 0.1*a"]
    values, memory, _ = solve(calls, equations, ["a", "b", *(f"force{k}" for k in range(n))], start=begin)
    expected = brentq(lambda a: n * (a + 5 * a**3 + 0.2 * a) + 2 * a - 1, 0, 1, xtol=1e-15)
    assert values["a"] / scale == pytest.approx(expected, rel=1e-12)
    assert memory.header[Header.JACOBIANS] <= 7


def curved(u, s):
    return u + 5.0 * u * u * u / (s * s)


def test_steps_of_differences_of_functions_of_users_are_those_of_the_size_of_inputs():
    sim = instantiate(Model(f=Function(curved, derivative=None), s=1.0, x=Var(start=0.5), equations=["2*x = s - f(x, s)"]))
    expected = brentq(lambda a: a + 5 * a**3 + 2 * a - 1, 0, 1, xtol=1e-15)
    for scale in (1.0, 1e6, 1e12):
        result = sim.simulate(0.0, merge=Map(s=scale, x=Map(start=0.5 * scale)))
        assert result["x"][0] / scale == pytest.approx(expected, rel=1e-11)


def test_a_function_with_derivative_needs_no_small_steps():
    seen = []

    def derivative(context, inputs, outputs):
        seen.append(inputs[2])
        outputs[0] = (1 + 3 * inputs[0] ** 2) * inputs[2] + inputs[3] + 17.0  # what changes by itself in time drops out
        return 0

    d = component_function("cubic_derivative", 4, 1, derivative)
    f = dataclasses.replace(component_function("cubic", 2, 1, cubic), derivative=d)
    values, memory, _ = solve([(f, ["a", "b"], ["force"])], ["2*a = 1 - force", "b = 0.1*a"], ["a", "b", "force"])
    assert values["a"] == pytest.approx(brentq(lambda a: 3.1 * a + a**3 - 1, 0, 1, xtol=1e-15), rel=1e-13)
    assert set(seen) == {0.0, 1.0}
    assert memory.header[Header.JACOBIANS] <= 5


def test_a_function_that_is_affine_in_one_input_only_takes_small_steps_in_the_other():
    """Where it is affine, a step of one is exact and needs no more; it is none where another input moves with it."""
    seen = []

    def noted(context, inputs, outputs):
        seen.append((inputs[0], inputs[1]))
        return cubic(context, inputs, outputs)

    f = dataclasses.replace(component_function("partly", 2, 1, noted), linear_in=frozenset([1]))
    values, memory, _ = solve([(f, ["a", "b"], ["force"])], ["2*a = 1 - force", "b = 0.1*a"], ["a", "b", "force"])
    assert values["a"] == pytest.approx(brentq(lambda a: 3.1 * a + a**3 - 1, 0, 1, xtol=1e-15), rel=1e-13)
    assert memory.header[Header.JACOBIANS] <= 5
    assert max(a for a, _ in seen) < 0.51


@pytest.mark.parametrize("order", [1, -1])
def test_differences_displace_each_input_by_a_small_part_of_its_size(order):
    """Inputs of a million and of one: the step that is nothing for the large one would lead the small one far away."""
    seen = []

    def product(context, inputs, outputs):
        large, small = (inputs[0], inputs[1])[::order]
        seen.append(small)
        outputs[0] = 1e-6 * large * np.exp(small)
        return 0

    f = component_function(f"product{order}", 2, 1, product)
    inputs = ["1e6 + a", "a"][::order]
    values, memory, _ = solve([(f, inputs, ["force"])], ["force = 2 - a"], ["a", "force"])
    expected = brentq(lambda a: (1 + 1e-6 * a) * np.exp(a) - 2 + a, 0, 1, xtol=1e-15)
    assert values["a"] == pytest.approx(expected, rel=1e-12)
    assert memory.header[Header.JACOBIANS] <= 5
    assert all(0.3 < small < 0.6 for small in seen)


def test_functions_that_share_data_unseen():
    """One function prepares data (here: in Python) that the other uses, as a multibody component does."""
    data = {}

    def prepare(context, inputs, outputs):
        data["x"] = inputs[0]
        outputs[0] = 0.0
        return 0

    def use(context, inputs, outputs):
        outputs[0] = np.sin(data["x"]) + 0.5 * inputs[1] + inputs[0]
        return 0

    calls = [
        (component_function("prepare", 1, 1, prepare), ["phi"], ["token"]),
        (component_function("use", 2, 1, use), ["token", "phi"], ["tau"]),
    ]
    values, memory, model = solve(calls, ["tau = 1 - phi"], ["phi", "token", "tau"])
    expected = brentq(lambda p: np.sin(p) + 1.5 * p - 1, 0, 1, xtol=1e-15)
    assert values["phi"] == pytest.approx(expected, rel=1e-12)
    assert memory.header[Header.JACOBIANS] <= 5

    def interpreted(call, inputs):
        outputs = [0.0]
        (prepare if call.function.name == "prepare" else use)(None, inputs, outputs)
        return outputs

    assert interpret(model, 0.0, [], {}, call=interpreted)["phi"] == pytest.approx(expected, rel=1e-12)
    assert data["x"] == pytest.approx(expected, rel=1e-12)  # the last call was with the solution


def test_a_function_that_fails_stops_the_evaluation():
    f = component_function("broken", 1, 1, lambda context, inputs, outputs: 9)
    with pytest.raises(AssertionError):
        solve([(f, ["a"], ["force"])], ["2*a = 1 - force"], ["a", "force"])
