"""Random array expressions: machine code, interpreter and numpy agree, also after the sizes have changed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, Var, instantiate
from modiapy.flat import Apply, Name, parse
from modiapy.model.expression import names
from modiapy.symbolic.flattening.flatten import flatten
from modiapy.symbolic.hybrid.events import total_derivative
from modiapy.symbolic.interpreter.interpreter import interpret
from modiapy.symbolic.terms.arrays import evaluate_arrays

pytestmark = pytest.mark.white_box

VECTORS = ["p", "q", "x", "(M@p)", "(p@M)", "(transpose(M)@x)", "M[0]", "concat(p[0], q[1:])", "concat(x[1:], s)", "x[::-1]"]
VECTORS += ["M[:,1]", "(cross(p[:3], x[:3])[0]*q)", "(skew(x[:3])[2,0]*q)"]
CONDITIONS = ["s", "-2.5", "sum(p)", "(p@x)", "x[-1]", "M[1,0]"]
SCALARS = [*CONDITIONS, "dot(q, q)", "norm(x + p)", "sum(M)", "time"]
UNARY = ["-({})", "sin({})", "exp(0.1*{})", "abs({})", "sqrt(1 + ({})**2)", "tanh({})"]


def scalar(depth):
    leaf = st.sampled_from(SCALARS)
    if depth == 0:
        return leaf
    below, vectors = scalar(depth - 1), vector(depth - 1)
    return st.one_of(
        leaf,
        st.builds("({} {} {})".format, below, st.sampled_from("+-*"), below),
        st.builds("sum({})".format, vectors),
        st.builds("({} @ {})".format, vectors, vectors),
        st.builds("({})[1]".format, vectors),
    )


def vector(depth):
    leaf = st.sampled_from(VECTORS)
    if depth == 0:
        return leaf
    below = vector(depth - 1)
    return st.one_of(
        leaf,
        st.builds("({} {} {})".format, below, st.sampled_from("+-*"), below),
        st.builds("({} {} {})".format, scalar(depth - 1), st.sampled_from("+-*"), below),
        st.builds("({} / (2 + ({})**2))".format, below, below),
        st.builds(lambda form, e: form.format(e), st.sampled_from(UNARY), below),
        st.builds("({} if {} > 0 else {})".format, below, st.sampled_from(CONDITIONS), below),
        st.builds("max({}, {})".format, below, scalar(0)),
    )


def values(n, seed):
    rng = np.random.default_rng(seed)
    return {"p": rng.normal(size=n), "q": rng.normal(size=n), "M": rng.normal(size=(n, n)), "x": rng.normal(size=n), "s": 0.7}


def numpy_value(text, known):
    functions = {"transpose": np.transpose, "dot": np.dot, "cross": np.cross, "sum": np.sum, "max": np.maximum, "time": 0.0}
    functions |= {"norm": np.linalg.norm, "skew": lambda v: np.cross(np.eye(3), v)}
    functions |= {"concat": lambda *a: np.concatenate([np.atleast_1d(e) for e in a])}
    functions |= {name: getattr(np, name) for name in ("sin", "exp", "abs", "sqrt", "tanh")}
    return eval(text, {"__builtins__": {}}, {**functions, **known})


@settings(max_examples=30)
@given(vector(3), scalar(3), st.integers(3, 6), st.integers(0, 1000))
def test_machine_code_and_interpreter_agree_with_numpy(text, number, n, seed):
    known = values(3, seed)
    model = Model(
        **{k: known[k] for k in ("p", "q", "M", "s")},
        x=Var(init=known["x"]),
        y=Var(shape=3),
        z=Var(),
        equations=["der(x) = -x", f"y = {text}", f"z = {number}"],
    )
    sim = instantiate(model)
    other = values(n, seed + 1)
    merge = {k: other[k] for k in ("p", "q", "M")} | {"x": Var(init=other["x"]), "y": Var(shape=n)}
    for now, result in ((known, sim.simulate(0.0)), (other, sim.simulate(0.0, merge=Map(**merge)))):
        expected = np.broadcast_to(numpy_value(text, now), now["x"].shape)
        np.testing.assert_allclose(result["y"][0], expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(result["z"][0], numpy_value(number, now), rtol=1e-12, atol=1e-12)
    modes = [
        float(evaluate_arrays(e, {**sim.flat.parameters, **known, "time": 0.0}, sim.flat.shapes) > 0)
        for e in sim.sorted.indicators
    ]
    interpreted = interpret(sim.sorted, 0.0, known["x"], sim.flat.parameters, modes=modes)
    np.testing.assert_allclose(interpreted["y"], sim.simulate(0.0)["y"][0], rtol=1e-12, atol=1e-12)


@settings(max_examples=60)
@given(vector(3), st.integers(0, 1000))
def test_time_derivative_agrees_with_differences(text, seed):
    """With x moving at constant speed; kinks of abs, max and if are passed with probability 0."""
    known, speed, h = values(3, seed), np.array([0.3, -0.2, 0.5]), 1e-6
    given = {k: known[k] for k in ("p", "q", "M", "s")}
    model = Model(**given, x=Var(init=known["x"]), y=Var(shape=3), equations=[f"y = {text}"])
    flat = flatten(model)
    expr, known = flat.equations[0].rhs, {**flat.parameters, **known}
    slope = total_derivative(expr, flat)

    def at(t):
        return evaluate_arrays(expr, {**known, "x": known["x"] + t * speed, "time": 0.1 + t}, flat.shapes)

    now = evaluate_arrays(slope, {**known, "der(x)": speed, "time": 0.1}, flat.shapes)
    difference = (np.asarray(at(h)) - np.asarray(at(-h))) / (2 * h)
    np.testing.assert_allclose(np.broadcast_to(now, 3), np.broadcast_to(difference, 3), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A@x", "A@x"),
        ("x[1:]", "x[1:]"),
        ("A[0,-1]", "A[0,-1]"),
        ("(a + b)[0]", "(a + b)[0]"),
        ("[a, 2*b]", "[a, 2*b]"),
        ("A@(x + y)", "A@(x + y)"),
        ("dot(a, b)", "a@b"),
        ("concat(a, cross(b, c))", "concat(a, cross(b, c))"),
        ("A@x*2", "A@x*2"),
        ("A@(B@x)", "A@(B@x)"),
    ],
)
def test_expressions_are_shown_as_they_are_written(text, shown):
    assert str(parse(text)) == shown
    assert parse(str(parse(text))) == parse(text)


def test_subscript_of_a_name_keeps_the_name():
    assert parse("a.b[0,1]") == Name("a.b[0,1]")
    assert parse("x[-1]") == Apply("[-1]", (Name("x"),))
    assert names(parse("x[1:] + y")) == {"x", "y"}


def test_parameters_are_computed_from_arrays():
    model = Model(
        M=[[1.0, 2.0], [3.0, 4.0]], v="M@[1, 1]", n="sum(v)", w="2*v + n", k="w[-1]", y=Var("k"), z=Var("M[1,0] + v@w")
    )
    result = instantiate(model).simulate(0.0)
    assert result["y"][0] == 24.0
    assert result["z"][0] == 3.0 + 3 * 16 + 7 * 24


def test_derivative_of_what_is_constant_keeps_its_shape():
    """Parts of an expression that do not change have the derivative 0, also where an array is expected."""
    model = Model(
        p=[1.0, 2.0, 3.0],
        s=0.5,
        x=Var(init=[1.0, 1.0, 1.0]),
        y=Var(),
        w=Var(),
        equations=["der(x) = [1, 0, 2]", "y = (p @ (p if s > 0 else x))*x + concat(time, p[1:]) + (p + time)", "w = der(y)"],
    )
    result = instantiate(model).simulate(1.0)
    np.testing.assert_allclose(result["w"], np.broadcast_to([14.0 + 1 + 1, 1.0, 28.0 + 1], (result.time.size, 3)))


def test_a_variable_equal_to_a_scalar_is_one_beside_arrays():
    """Without a declared shape; its definition comes before sums with arrays say anything."""
    model = Model(
        A=[[1.0, 2.0], [3.0, 4.0]],
        x=Var(init=[1.0, 2.0]),
        s=Var(),
        y=Var(),
        M=Var(),
        equations=["M = A - s", "y = x + s", "der(x) = -x", "s = 0.5 + x[1]"],
    )
    result = instantiate(model).simulate(1.0)
    s = 0.5 + result["x"][:, 1]
    np.testing.assert_allclose(result["s"], s)
    np.testing.assert_allclose(result["y"], result["x"] + s[:, None])
    np.testing.assert_allclose(result["M"], np.array([[1.0, 2.0], [3.0, 4.0]]) - s[:, None, None])


@pytest.mark.parametrize("product", ["v = u @ B", "transpose(B) @ u = v", "W = A @ B"])
def test_shapes_of_factors_follow_from_the_product(product):
    """u or A declares none: it has as many elements (columns) as the matrix that is 3 by 2 has rows."""
    B, c = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]]), np.array([1.0, 2.0, -3.0])
    name, whole = ("A", "W") if "W" in product else ("u", "v")
    c = np.vstack([c, 2.0 * c]) if name == "A" else c
    shape = (2, 2) if name == "A" else 2
    model = Model({name: Var(), whole: Var(shape=shape)}, B=B, c=c, equations=[product, f"der({name}) = c"])
    result = instantiate(model).simulate(1.0)
    assert result[name][-1] == pytest.approx(c, abs=1e-12)
    assert result[whole][-1] == pytest.approx(c @ B, abs=1e-12)
