"""Linear models, steady states and sensitivities against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm

from modiapy import Map, Model, ModelError, SimulationError, Var, instantiate

PENDULUM = Model(
    m=2.0,
    L=0.5,
    d=0.3,
    g=9.81,
    phi=Var(init=0.4),
    w=Var(init=0.0),
    tau=Var(input=True, start=0.0),
    height=Var("-L*cos(phi)", output=True),
    power=Var("tau*w", output=True),
    equations=["der(phi) = w", "m*L**2*der(w) = tau - d*w - m*g*L*sin(phi)"],
)


@pytest.fixture(scope="module")
def pendulum():
    return instantiate(PENDULUM)


def matrices(phi, w, m=2.0, length=0.5, d=0.3, g=9.81):
    inertia = m * length**2
    a = [[0.0, 1.0], [-g / length * math.cos(phi), -d / inertia]]
    return np.array(a), np.array([[0.0], [1.0 / inertia]]), np.array([[length * math.sin(phi), 0.0], [0.0, 0.0]]), [[0.0], [w]]


@pytest.mark.parametrize(("time", "options"), [(0.0, {}), (0.7, {}), (0.7, {"tolerance": 1e-10})])
def test_the_matrices_of_a_pendulum(pendulum, time, options):
    linear = pendulum.linearize(time, **options)
    assert linear.time == time
    assert (linear.states, linear.inputs, linear.outputs) == (("phi", "w"), ("tau",), ("height", "power"))
    phi, w = linear.x
    end = pendulum.simulate(time, **options)
    assert (phi, w) == (end["phi"][-1], end["w"][-1])
    for found, expected in zip((linear.A, linear.B, linear.C, linear.D), matrices(phi, w), strict=True):
        assert found == pytest.approx(np.array(expected), abs=1e-8)
    assert linear.rates == pytest.approx([w, -9.81 / 0.5 * math.sin(phi) - 0.3 / 0.5 * w], abs=1e-12)
    assert linear.y == pytest.approx([-0.5 * math.cos(phi), 0.0], abs=1e-14)
    s = 0.3 + 2.0j
    c, b = matrices(phi, w)[2], matrices(phi, w)[1]
    assert linear.transfer(s) == pytest.approx(c @ np.linalg.solve(s * np.eye(2) - linear.A, b) + linear.D, abs=1e-7)


def test_merged_parameters_and_chosen_names(pendulum):
    linear = pendulum.linearize(merge=Map(L=0.8, phi=Var(init=0.0)), inputs=[], outputs=["w", "tau", "height"])
    assert linear.A[1, 0] == pytest.approx(-9.81 / 0.8, rel=1e-8)
    assert linear.B.shape == (2, 0)
    assert linear.C[0] == pytest.approx([0.0, 1.0], abs=1e-12)
    damping = 0.3 / (2.0 * 0.8**2)
    root = -0.5 * damping + 1j * math.sqrt(9.81 / 0.8 - 0.25 * damping**2)
    assert linear.eigenvalues() == pytest.approx([root.conjugate(), root], rel=1e-8)
    assert pendulum.linearize(outputs=["tau"]).D.item() == pytest.approx(1.0, abs=1e-9)


def test_the_linear_model_is_the_model_to_second_order(pendulum):
    """Where deviations are halved, the difference of both falls to a quarter."""
    linear, stop = pendulum.linearize(steady=True), 0.6
    exact = expm(stop * linear.A)
    differences = []
    for size in (0.1, 0.05, 0.025):
        result = pendulum.simulate(stop, tolerance=1e-11, merge=Map(phi=Var(init=size), w=Var(init=size)))
        end = np.array([result["phi"][-1], result["w"][-1]])
        differences.append(np.abs(end - exact @ [size, size]).max())
    assert differences[0] / differences[1] > 3.9
    assert differences[1] / differences[2] > 3.9


def test_a_relation_keeps_its_branch():
    model = Model(x=Var(init=0.0), equations=["der(x) = -x if x >= 0 else -5*x"])
    assert instantiate(model).linearize().A.item() == pytest.approx(-1.0, abs=1e-9)


def test_algebraic_loops_and_arrays():
    model = Model(
        x=Var(init=[1.0, 2.0]), y=Var(start=1.0), u=Var(input=True, start=2.0), z=Var(output=True),
        equations=["y**3 + y = x[0] + u", "der(x) = [-y, x[0] - 3*x[1]]", "z = y*u"],
    )  # fmt: skip
    linear = instantiate(model).linearize(outputs=["z", "x"])
    y = np.roots([1.0, 0.0, 1.0, -3.0])
    y = float(y[np.abs(y.imag) < 1e-9][0].real)
    slope = 1.0 / (3.0 * y**2 + 1.0)
    assert linear.states == ("x[0]", "x[1]")
    assert linear.outputs == ("z", "x[0]", "x[1]")
    np.testing.assert_allclose(linear.A, [[-slope, 0.0], [1.0, -3.0]], atol=1e-8)
    np.testing.assert_allclose(linear.B, [[-slope], [0.0]], atol=1e-8)
    np.testing.assert_allclose(linear.C, [[2.0 * slope, 0.0], [1.0, 0.0], [0.0, 1.0]], atol=1e-8)
    np.testing.assert_allclose(linear.D, [[2.0 * slope + y], [0.0], [0.0]], atol=1e-8)


def test_steady_states(pendulum):
    steady = pendulum.steady_state(merge=Map(tau=Var(start=3.0)))
    assert steady["phi"] == pytest.approx(math.asin(3.0 / (2.0 * 9.81 * 0.5)), rel=1e-12)
    assert steady["w"] == pytest.approx(0.0, abs=1e-12)
    assert steady["height"] == pytest.approx(-0.5 * math.cos(steady["phi"]), rel=1e-12)
    assert pendulum.value("height") == steady["height"]
    tank = Model(A=2.0, h=Var(init=0.1), equations=["A*der(h) = 1.0 - 0.8*sqrt(h)"])
    assert instantiate(tank).steady_state()["h"] == pytest.approx((1.0 / 0.8) ** 2, rel=1e-9)
    switched = Model(x=Var(init=-1.0), equations=["der(x) = 2 - x if x >= 0 else 1 - 3*x"])
    assert instantiate(switched).steady_state()["x"] == pytest.approx(2.0, rel=1e-9)


def test_there_is_no_steady_state():
    with pytest.raises(SimulationError, match=r"x: .*no steady state was found; found der\(x\) = 1"):
        instantiate(Model(x=Var(init=0.0), y=Var(init=1.0), equations=["der(x) = 1 + 0*y", "der(y) = -y"])).steady_state()


def test_sensitivities_of_a_low_pass():
    model = Model(f=Model(T=0.5, k=2.0, x=Var(init=0.0), equations=["T*der(x) + x = k"]), y=Var("3*f.x"))
    sim = instantiate(model)
    result = sim.sensitivities(2.0, ["f.T", "f.k"], ["y", "f.x"], points=11)
    t = result.time
    assert t == pytest.approx(np.linspace(0.0, 2.0, 11))
    assert result.values["y"] == pytest.approx(6.0 * (1.0 - np.exp(-t / 0.5)), abs=1e-6)
    assert result["y", "f.k"] == pytest.approx(3.0 * (1.0 - np.exp(-t / 0.5)), abs=1e-5)
    assert result["f.x", "f.T"] == pytest.approx(-2.0 * t / 0.25 * np.exp(-t / 0.5), abs=1e-4)
    assert sim.simulate(0.1).statistics["compilations_after_start"] == 0


def test_sensitivities_to_a_parameter_that_is_zero():
    """Its step has a size of its own."""
    model = Model(b=0.0, x=Var(init=0.0), equations=["der(x) = 1 + b*time"])
    result = instantiate(model).sensitivities(2.0, ["b"], ["x"], points=5)
    assert result["x", "b"] == pytest.approx(0.5 * result.time**2, abs=1e-5)


def test_mistakes(pendulum):
    with pytest.raises(ModelError, match="'tua' is no input; expected one of tau"):
        pendulum.linearize(inputs=["tua"])
    with pytest.raises(ModelError, match=r"there is no signal 'hight'.*height"):
        pendulum.linearize(outputs=["hight"])
    with pytest.raises(ModelError, match="no such parameter"):
        pendulum.sensitivities(1.0, ["q"], ["w"])
    cartesian = Model(x=Var(init=0.6), y=Var(start=-0.5), f=Var(),
        equations=["der(der(x)) = -f*x", "der(der(y)) = -f*y - 9.81", "x**2 + y**2 = 1"])  # fmt: skip
    sim = instantiate(cartesian)
    for ask in (sim.linearize, sim.steady_state):
        with pytest.raises(ModelError, match=r"not explicit; found the constraint 'x\*\*2 \+ y\*\*2 = 1'"):
            ask()


def test_eigenvalues_begin_with_the_slowest_or_unstable_one():
    model = Model(x=Var(init=[0.0, 0.0, 0.0]), equations=["der(x) = [-7*x[0], 0.5*x[1], -2*x[2]]"])
    assert instantiate(model).linearize().eigenvalues() == pytest.approx([0.5, -2.0, -7.0], abs=1e-8)


def test_inputs_in_another_order():
    model = Model(
        a=Var(input=True, start=1.0), b=Var(input=True, start=2.0), x=Var(init=3.0), y=Var("a + 10*b + 100*x", output=True),
        equations=["der(x) = 2*a + 3*b - x"],
    )  # fmt: skip
    linear = instantiate(model).linearize(inputs=["b", "a"])
    assert (linear.inputs, linear.u.tolist()) == (("b", "a"), [2.0, 1.0])
    np.testing.assert_allclose(linear.B, [[3.0, 2.0]], atol=1e-8)
    np.testing.assert_allclose(linear.D, [[10.0, 1.0]], atol=1e-7)
    assert linear.y == pytest.approx([321.0])


@pytest.mark.parametrize("driven", [{}, {"a": ([0.0, 1.0], [0.0, 4.0]), "r": ([0.0, 1.0], [[0.0, 0.0], [4.0, 8.0]])}])
@pytest.mark.parametrize("ask", ["linearize", "steady_state"])
def test_what_was_asked_leaves_the_inputs_as_they_were(driven, ask):
    """Values at the end are those at the point: inputs that were varied have their own again."""
    model = Model(
        a=Var(input=True, start=1.0), b=Var(input=True, start=-3.0), r=Var(input=True, start=[1.0, 2.0]), x=Var(init=3.0),
        y=Var("a - b + r[1] + 0*x"), equations=["der(x) = 2 - x"],
    )  # fmt: skip
    sim = instantiate(model)
    given = {"series": driven} if ask == "linearize" else {"inputs": driven}
    getattr(sim, ask)(0.5, **given)
    values = {"a": 2.0, "r": [2.0, 4.0]} if driven else {"a": 1.0, "r": [1.0, 2.0]}
    assert (sim.value("a"), sim.value("b"), sim.value("r").tolist()) == (values["a"], -3.0, values["r"])
    assert sim.value("y") == values["a"] + 3.0 + values["r"][1]


@pytest.mark.parametrize("init", [20.0, -20.0, 2.5])
def test_a_steady_state_from_far_away(init):
    """Newton's method without shorter steps goes away from it; the state passes several branches on its way."""
    model = Model(x=Var(init=init), s=Var("3 if x > 0 else 2"), equations=["der(x) = -s*atan(x - 2)"])
    assert instantiate(model).steady_state()["x"] == pytest.approx(2.0, rel=1e-9)


def test_formulas_of_a_linear_model_name_states_inputs_and_outputs():
    model = Model(x=Var(init=0.0), u=Var(input=True), y=Var(), equations=["der(x) = -2*x + 3*u", "y = 4*x + 5*u"])
    shown = instantiate(model).linearize(outputs=["y"])._repr_latex_()
    lines = [line.replace(r"\begin{bmatrix}", "[").replace(r"\end{bmatrix}", "]") for line in shown.split("\n")[1:-1]]
    assert lines == [r"[\dot{x}] &= [-2] [x] + [3] [u] \\", "[y] &= [4] [x] + [5] [u]"]


def test_a_state_has_the_size_that_its_nominal_value_says():
    """Its differences are of that size, and so is what is left of its derivative in a steady state."""
    unit = 1e-9
    equations = ["der(x) = unit*(2 - exp(x/unit))", "der(y) = -y + 1e3"]
    model = Model(unit=unit, x=Var(init=0.0, nominal=unit), y=Var(init=0.0, nominal=1e3), equations=equations)
    sim = instantiate(model)
    np.testing.assert_allclose(sim.linearize().A, [[-1.0, 0.0], [0.0, -1.0]], rtol=1e-8, atol=1e-12)
    steady = sim.steady_state()
    assert (steady["x"] / unit, steady["y"]) == (pytest.approx(math.log(2.0), rel=1e-9), pytest.approx(1e3))
    np.testing.assert_allclose(sim.linearize(steady=True).A, [[-2.0, 0.0], [0.0, -1.0]], rtol=1e-8, atol=1e-12)


def test_of_many_steady_states_the_nearest_is_found():
    model = Model(x=Var(init=3.0), y=Var(init=0.0), equations=["der(x) = 1 - x - y", "der(y) = 2*(1 - x - y)"])
    steady = instantiate(model).steady_state()
    assert (steady["x"], steady["y"]) == pytest.approx((2.0, -1.0), abs=1e-9)


def test_a_steady_state_begins_where_a_simulation_of_that_tolerance_ends():
    """The integral of x until then is free."""
    sim = instantiate(Model(x=Var(init=1.0), w=Var(init=0.0), equations=["der(x) = -x", "der(w) = x"]))
    for tolerance in (1e-3, 1e-10):
        end = sim.simulate(1.0, tolerance=tolerance)["w"][-1]
        assert sim.steady_state(1.0, tolerance=tolerance)["w"] == pytest.approx(end, abs=1e-12)
        assert (abs(end - (1.0 - math.exp(-1.0))) < 1e-8) == (tolerance == 1e-10)


def test_outputs_that_are_arrays_and_the_models_own():
    model = Model(
        r=Var(input=True, start=[1.0, 2.0]), u=Var(input=True, start=3.0), x=Var(init=0.0), y=Var(["u*r[1]", "x"], output=True),
        part=Model(z=Var("time", output=True)), equations=["der(x) = 5*r[0] - 7*r[1] + u - x"],
    )  # fmt: skip
    linear = instantiate(model).linearize(inputs=["u"])
    assert (linear.inputs, linear.outputs) == (("u",), ("y[0]", "y[1]"))
    assert (linear.u.tolist(), linear.y.tolist()) == ([3.0], [6.0, 0.0])
    np.testing.assert_allclose(linear.B, [[1.0]], atol=1e-8)
    np.testing.assert_allclose(linear.D, [[2.0], [0.0]], atol=1e-8)
    chosen = instantiate(model).linearize(outputs=["r", "part.z", "u", "r[1]"])
    assert (chosen.inputs, chosen.outputs) == (("u", "r[0]", "r[1]"), ("r[0]", "r[1]", "part.z", "u", "r[1]"))
    assert (chosen.u.tolist(), chosen.y.tolist()) == ([3.0, 1.0, 2.0], [1.0, 2.0, 0.0, 3.0, 2.0])
    np.testing.assert_allclose(chosen.B, [[1.0, 5.0, -7.0]], atol=1e-8)
    np.testing.assert_allclose(chosen.D, [[0, 1, 0], [0, 0, 1], [0, 0, 0], [1, 0, 0], [0, 0, 1]], atol=1e-8)
    element = instantiate(model).linearize(inputs=["r[1]", "u"], series={"r": ([0.0, 1.0], [[0.0, 5.0], [2.0, 7.0]])})
    assert (element.inputs, element.u.tolist()) == (("r[1]", "u"), [5.0, 3.0])
    np.testing.assert_allclose(element.B, [[-7.0, 1.0]], atol=1e-8)
    np.testing.assert_allclose(element.D, [[3.0, 5.0], [0.0, 0.0]], atol=1e-8)
    for name in ("r[2]", "r[0,0]", "u[0]"):
        with pytest.raises(ModelError, match=r"is no input; expected one of u, r"):
            instantiate(model).linearize(inputs=[name])


SIZES = [(1, 1, 2, (2, 2)), (3, 2, 1, (1, 3)), (2, 3, 3, (3, 1)), (4, 0, 2, (2, 3))]


@given(data=st.data(), size=st.sampled_from(SIZES), time=st.sampled_from([0.0, 0.3]))
@settings(max_examples=20)
def test_a_random_linear_system_with_inputs_that_are_arrays(data, size, time):
    """Its own matrices come out, whatever the state and the values of the inputs are."""
    nx, ns, nv, shape = size
    numbers = st.integers(-4, 4).map(lambda k: 0.5 * k)
    nu, ny = ns + nv + math.prod(shape), 2
    A, B, C, D = (data.draw(arrays(float, dims, elements=numbers)) for dims in ((nx, nx), (nx, nu), (ny, nx), (ny, nu)))
    x, u, slopes = (data.draw(arrays(float, n, elements=numbers)) for n in (nx, nu, nu))
    names = [f"u{k}" for k in range(ns)]
    elements = [*names, *(f"v[{k}]" for k in range(nv)), *(f"w[{i},{k}]" for i, k in np.ndindex(shape))]
    states = [f"x[{k}]" for k in range(nx)]

    def row(coefficients):
        return " + ".join(f"{c!r}*{name}" for c, name in zip(coefficients.tolist(), [*states, *elements], strict=True))

    def parts(values):
        values = np.asarray(values)
        scalars = {name: float(value) for name, value in zip(names, values, strict=False)}
        return scalars | {"v": values[ns : ns + nv], "w": values[ns + nv :].reshape(shape)}

    inputs = {name: Var(input=True, start=np.asarray(value).tolist()) for name, value in parts(u).items()}
    model = Model(
        **inputs,
        x=Var(init=x.tolist()),
        y=Var(output=True, start=[0.0] * ny),
        equations=[f"der(x) = [{', '.join(map(row, np.hstack([A, B])))}]", f"y = [{', '.join(map(row, np.hstack([C, D])))}]"],
    )
    over_time = {
        name: ([0.0, 1.0], [value, value + slope])
        for (name, value), slope in zip(parts(u).items(), parts(slopes).values(), strict=True)
    }
    linear = instantiate(model).linearize(time, series=over_time)
    assert (linear.states, linear.inputs, linear.outputs) == ((*states,), (*elements,), ("y[0]", "y[1]"))
    assert linear.u == pytest.approx(u + time * slopes)
    for found, expected in ((linear.A, A), (linear.B, B), (linear.C, C), (linear.D, D)):
        np.testing.assert_allclose(found, expected, atol=1e-7)
    assert linear.rates == pytest.approx(A @ linear.x + B @ linear.u, abs=1e-9)
    assert linear.y == pytest.approx(C @ linear.x + D @ linear.u, abs=1e-9)


def test_a_model_without_states_has_a_direct_part_only():
    linear = instantiate(Model(u=Var(input=True, start=2.0), y=Var("u**2", output=True))).linearize()
    assert (linear.A.shape, linear.B.shape, linear.C.shape, linear.eigenvalues().size) == ((0, 0), (0, 1), (1, 0), 0)
    np.testing.assert_allclose(linear.D, [[4.0]], rtol=1e-8)
    np.testing.assert_allclose(linear.transfer(2.0j), [[4.0]], rtol=1e-8)


@pytest.mark.parametrize(("options", "step"), [({}, 1e-4), ({"relative_step": 0.1}, 0.1)])
def test_sensitivities_are_differences_of_a_step_that_is_relative_to_the_parameter(options, step):
    """Of a cubic parabola the difference has the error k**2*step**2; where a signal jumps it is that after the event."""
    model = Model(k=-2.0, y=Var("k**3*time"), jump=Var("k if time >= 1 else 0"), v=Var(["k", "time"]))
    result = instantiate(model).sensitivities(2.0, ["k"], ["y", "jump", "v"], **options)
    assert result.time == pytest.approx(np.linspace(0.0, 2.0, 101))
    np.testing.assert_allclose(result["y", "k"], 4.0 * (3.0 + step**2) * result.time, rtol=1e-9)
    np.testing.assert_allclose(result["jump", "k"], np.where(result.time >= 1.0, 1.0, 0.0), atol=1e-9)
    np.testing.assert_allclose(result["v", "k"], np.tile([1.0, 0.0], (101, 1)), atol=1e-9)
    assert result.values["y"] == pytest.approx(-8.0 * result.time)
    with pytest.raises(
        ModelError, match=r"no such sensitivity; found \('k', 'y'\); expected one of \('y', 'k'\), \('jump', 'k'\)"
    ):
        result["k", "y"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, ["T"], ["x"], 1), "found 1 points until 1.0 s; expected at least 2 points, a positive time"),
        ((0.0, ["T"], ["x"], 11), "found 11 points until 0.0 s; expected at least 2 points, a positive time"),
        ((1.0, ["part"], ["x"], 11), "part: this parameter is not a number"),
        ((1.0, ["T"], ["y"], 11), "no signal 'y'"),
    ],
)
def test_sensitivities_that_cannot_be_are_refused(arguments, message):
    *given, points = arguments
    sim = instantiate(Model(T=2.0, part=Model(k=1.0), x=Var(init=1.0), equations=["T*der(x) = -x"]))
    with pytest.raises(ModelError, match=message):
        sim.sensitivities(*given, points=points)
