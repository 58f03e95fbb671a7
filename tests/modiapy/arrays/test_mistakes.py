"""What is said about shapes that do not fit, and about what arrays cannot do."""

import numpy as np
import pytest

from modiapy import Map, Model, ModelError, SimulationError, Var, When, instantiate
from tests.modiapy.runs import refusal

X = Model(x=Var(init=[1.0, 2.0, 3.0]), y=Var(), equations=["der(x) = -x"])


@pytest.mark.parametrize(
    ("equation", "parts"),
    [
        ("y = [[1, 2], [3, 4]]@x", ["has no meaning", "shape (2, 2)", "'x' of shape (3,)", "has columns (2)", "'y = "]),
        ("y = x + [1, 2]", ["different shapes", "(3,) and (2,)"]),
        ("y = x[3]", ["there is no 'x[3]'", "shape (3,)", "count from 0"]),
        ("y = x[0, 1]", ["there is no 'x[0,1]'"]),
        ("y = x[i]", ["'i' in 'y = x[i]'"]),
        ("y = 1 if x > 0 else 2", ["'x > 0'", "relation of arrays", "expected a scalar", "noEvent"]),
        ("y = 2@x", ["the scalar '2'", "a product with a scalar is written '*'"]),
        ("y = cross(x, x[1:])", ["two vectors of shape (3,)"]),
        ("y = cross(x)", ["'cross' in", "1 arguments", "expected 2"]),
        ("y = transpose(x)", ["expected a matrix"]),
        ("y = sum(time)", ["the scalar 'time'", "expected an array"]),
        ("y = [x, 1]", ["rows of equal length"]),
        ("y = concat(1, [[1, 2]])", ["vectors and scalars"]),
        ("y = 1 if x > time else 2", ["'x > time'", "relation of arrays"]),
        ("x = [1, 2]", ["two sides", "(3,) = (2,)"]),
    ],
)
def test_shapes_that_do_not_fit(equation, parts):
    message = refusal(X | Model(sub=Model(z=Var("1"))) | Map(equations=[equation]))
    for part in parts:
        assert part in message, message


def test_message_names_the_submodel():
    message = refusal(Model(sub=X | Map(equations=["y = x + [1, 2]"])))
    assert "sub: " in message


def test_array_is_not_a_scalar():
    message = refusal(Model(x=Var(init=[1.0, 2.0]), y=Var(init=0.0), equations=["der(x) = -x", "y = x"]))
    assert "one side of the equation is an array, the other a scalar variable" in message
    assert "'y' of shape () and 'x' of shape (2,)" in message


def test_connectors_of_different_shapes():
    a = Model(p=Model(v=Var(potential=True, shape=3), i=Var(flow=True, shape=3)), equations=["p.v = [1, 2, 3]"])
    b = Model(p=Model(v=Var(potential=True, shape=2), i=Var(flow=True, shape=2)), equations=["p.i = [1, 2]"])
    message = refusal(Model(a=a, b=b, connect=[("a.p", "b.p")]))
    assert "connect(a.p, b.p)" in message
    assert "(3,)" in message
    assert "(2,)" in message


@pytest.mark.parametrize(
    ("var", "part"),
    [
        (Var(shape=0), "x.shape: the shape is wrong"),
        (Var(shape=2.5), "positive integers"),
        (Var(shape=(1, 2, 3)), "one or two"),
        (Var(shape="m"), "unknown name 'm'"),
        (
            Var(init=[1.0, 2.0], shape=3),
            "'init' does not have the shape of the variable; found shape (2,)",
        ),
        (Var(init=[1.0, 2.0], start=[1.0]), "'start' does not have the shape"),
        (Var(init=[[1.0], [1.0, 2.0]]), "is not a number"),
    ],
)
def test_declarations(var, part):
    assert part in refusal(Model(x=var, equations=["der(x) = -x"]))


def test_incomplete_elements():
    message = refusal(Model(x=Var(shape=3), equations=["x[0] = time", "x[2] = 2"]))
    assert "x[0] = time" in message
    assert "too few equations" in message


def test_initial_equation_for_one_element_of_an_array():
    message = refusal(X | Map(initial_equations=["x[0] = 3"]) | Map(y=Var("sum(x)")))
    assert "initial equation 'x[0] = 3' determines no variable as a whole" in message
    assert "'x' of shape (3,)" in message
    assert "all elements" in message


def test_initial_equation_too_many():
    message = refusal(X | Map(y=Var("sum(x)"), initial_equations=["y = 3"]))
    assert "initial equation 'y = 3' is one too many" in message


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        ("reinit(x, [1, 1])", ["reinit(x, [1, 1])", "(3,) = (2,)"]),
        ("reinit(x[5], 1)", ["there is no 'x[5]'", "shape (3,)"]),
        ("reinit(x[1:], 1)", ["an element of one"]),
        ("n = [1, 2]", ["n = [1, 2]", "(3,) = (2,)"]),
    ],
)
def test_bodies_of_when_clauses_of_wrong_shapes(body, parts):
    model = X | Map(y=Var("1")) | Model(n=Var(shape=3, type="Integer"), equations=[When("x[0] < 0.5", [body])])
    message = refusal(model)
    for part in parts:
        assert part in message, message


def test_conditions_are_scalars():
    message = refusal(X | Map(y=Var("1")) | Model(equations=[When("x < 0.5", ["reinit(x, 1)"])]))
    assert "the condition 'x < 0.5' is an array" in message
    assert "found shape (3,)" in message


@pytest.mark.parametrize(
    ("merge", "part"),
    [
        (Map(x=Var(init=[1.0, 2.0, 3.0])), "'A' of shape (2, 2) and 'x' of shape (3,)"),
        (Map(x=Var(init=1.0)), "the scalar 'x'"),
        (Map(A=np.eye(3), x=Var(init=[1.0, 2.0, 3.0])), "'x' and 'y' in 'x + y' have different shapes"),
        (Map(A=2.0), "the scalar 'A'"),
        (Map(A=np.eye(2), z=Var(shape=3)), "(3,) = (2,)"),
    ],
)
def test_merge_with_sizes_that_do_not_fit(merge, part):
    model = Model(A=np.eye(2), x=Var(init=[1.0, 2.0]), y=Var(init=[1.0, 1.0]), z=Var(shape=2))
    sim = instantiate(model | Model(equations=["der(x) = A@x", "der(y) = -y", "z = x + y"]))
    with pytest.raises(ModelError) as error:
        sim.simulate(1.0, merge=merge)
    assert part in str(error.value)


def test_singular_matrix_is_named_with_values():
    sim = instantiate(Model(A=[[2.0, 0.0], [0.0, 1.0]], x=Var(init=[1.0, 2.0]), y=Var(), equations=["der(x) = -x", "A@y = x"]))
    np.testing.assert_allclose(sim.simulate(1.0)["y"][0], [0.5, 2.0])
    with pytest.raises(SimulationError) as error:
        sim.simulate(1.0, merge=Map(A=[[1.0, 1.0], [1.0, 1.0]]))
    assert "linear equations for y are singular" in str(error.value)
    assert "A@y = x" in str(error.value)
