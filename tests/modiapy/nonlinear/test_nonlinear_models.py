"""Models with nonlinear equations against closed forms and scipy."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq, fsolve, root
from scipy.special import lambertw

from modiapy import Map, Model, SimulationError, Var, instantiate
from modiapy.symbolic.codegen.model_context import ModelContext
from modiapy.symbolic.kernels.newton_memory import Header
from modiapy.symbolic.sorted.parts import Assignment, NonlinearBlock

pytestmark = pytest.mark.white_box


def counters(sim, time=0.0, x=()):
    """Solve the model at a point in time and count what the Newton iterations do there."""
    context = ModelContext(sim.compiled)
    states = np.array(x, dtype=float)

    def solve(at):
        before = [memory.header.copy() for memory in context.newton]
        assert context.evaluate(at, states, np.zeros_like(states), None, 2) == 0
        return [memory.header - old for memory, old in zip(context.newton, before, strict=True)]

    return solve(time), solve


# -- circuits -----------------------------------------------------------------------------------------------------------

DIODE = Model(
    saturation=1e-9,
    thermal=0.025,
    R=100.0,
    source=5.0,
    v=Var(),
    i=Var(),
    x=Var(init=0.0),
    equations=["i = saturation*(exp(v/thermal) - 1)", "v + R*i = source*sin(time)", "der(x) = i"],
)


def diode_current(voltage, R=100.0, saturation=1e-9, thermal=0.025):
    """Closed form by Lambert's W (the argument is small enough here)."""
    z = R * saturation / thermal * np.exp((voltage + R * saturation) / thermal)
    return thermal / R * lambertw(z).real - saturation


def test_diode_against_lambert_w():
    result = instantiate(DIODE).simulate(6.0, tolerance=1e-8)
    expected = diode_current(5.0 * np.sin(result.time))
    np.testing.assert_allclose(result["i"], expected, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(result["v"], 5.0 * np.sin(result.time) - 100.0 * expected, atol=1e-9)


def test_merge_of_parameters_needs_no_new_code():
    sim = instantiate(DIODE)
    result = sim.simulate(1.0, merge=Map(R=1000.0, source=3.0))
    np.testing.assert_allclose(result["i"], diode_current(3.0 * np.sin(result.time), R=1000.0), rtol=1e-9, atol=1e-15)
    assert result.statistics["compilations_after_start"] == 0


def test_bridge_of_four_diodes_against_fsolve():
    pairs = [("a", "p"), ("b", "p"), ("n", "a"), ("n", "b")]
    equations = [f"i{k} = 1e-8*(exp(v{k}/0.03) - 1)" for k in range(4)]
    equations += [f"v{k} = {p} - {n}" for k, (p, n) in enumerate(pairs)]
    equations += ["a - b = 4*sin(time)", "n = 0", "load = p/50", "i0 + i1 = load", "source = i0 - i2", "source = i3 - i1"]
    names = ["a", "b", "p", "n", "load", "source", *(f"{x}{k}" for x in "iv" for k in range(4))]
    sim = instantiate(Model(equations=equations, **{name: Var() for name in names}))
    result = sim.simulate(2.0)

    def residual(potentials, u):
        a, b, p = potentials
        current = [1e-8 * (math.exp(v / 0.03) - 1) for v in (a - p, b - p, -a, -b)]
        return [a - b - u, current[0] + current[1] - p / 50, current[1] - current[3] - (current[2] - current[0])]

    for k in (0, 100, 250, 420, len(result.time) - 1):
        u = 4 * math.sin(result.time[k])
        guess = [max(u, 0) - 0.4 * (u > 0.5), max(-u, 0) - 0.4 * (u < -0.5), max(abs(u) - 0.8, 0)]
        got = [result[name][k] for name in ("a", "b", "p")]
        assert np.abs(residual(got, u)).max() < 1e-10
        expected, _, found, _ = fsolve(residual, guess, args=(u,), xtol=1e-12, full_output=True)
        assert found == 1
        np.testing.assert_allclose(got, expected, atol=1e-7)


def test_a_capacitor_and_a_diode_against_scipy():
    from scipy.integrate import solve_ivp

    model = DIODE | Model(C=1e-3, equations=[])
    model = Model(
        **{k: v for k, v in model.items() if k not in ("x", "equations")},
        u=Var(init=0.0),
        equations=["i = saturation*(exp(v/thermal) - 1)", "v + R*i + u = source*sin(10*time)", "C*der(u) = i - u/1000"],
    )
    result = instantiate(model).simulate(1.0, tolerance=1e-8)

    def rhs(t, u):
        return [(diode_current(5.0 * math.sin(10 * t) - u[0]) - u[0] / 1000.0) / 1e-3]

    expected = solve_ivp(rhs, (0.0, 1.0), [0.0], method="LSODA", rtol=1e-9, atol=1e-11, t_eval=result.time)
    np.testing.assert_allclose(result["u"], expected.y[0], atol=2e-6)


# -- mechanics ----------------------------------------------------------------------------------------------------------


def test_statics_of_a_spring_pendulum():
    """A rod held by a torsion spring: m*g*l*sin(phi) = c*(phi0 - phi)."""
    model = Model(
        m=2.0, g=9.81, length=0.5, c=30.0, phi=Var(start=1.0), phi0=Var(),
        equations=["m*g*length*sin(phi) = c*(phi0 - phi)", "phi0 = 1 + time"],
    )  # fmt: skip
    result = instantiate(model).simulate(1.0)
    for t, phi in zip(result.time[::50], result["phi"][::50], strict=True):
        expected = brentq(lambda p, t=t: 9.81 * math.sin(p) - 30.0 * (1.0 + t - p), 0.0, 3.0, xtol=1e-14)
        assert phi == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("crank", ["th2 = time", "der(th2) = 1"])
def test_four_bar_linkage_follows_its_crank(crank):
    """The closed loop of a four-bar linkage determines two angles; the solution stays on its branch for a full turn."""
    model = Model(
        a=1.0, b=3.0, c=2.5, d=3.0, th2=Var(), th3=Var(start=0.7), th4=Var(start=1.5),
        equations=[
            crank,
            "a*cos(th2) + b*cos(th3) = d + c*cos(th4)",
            "a*sin(th2) + b*sin(th3) = c*sin(th4)",
        ],
    )  # fmt: skip
    result = instantiate(model).simulate(2 * math.pi, tolerance=1e-8)
    th2, th3, th4 = result["th2"], result["th3"], result["th4"]
    x = 3.0 - np.cos(th2)
    diagonal = np.hypot(x, np.sin(th2))
    # circle intersection: angle between the diagonal and the coupler
    inner = np.arccos((diagonal**2 + 3.0**2 - 2.5**2) / (2 * 3.0 * diagonal))
    np.testing.assert_allclose(th3, inner - np.arctan2(np.sin(th2), x), atol=1e-9)
    np.testing.assert_allclose(np.cos(th2) + 3 * np.cos(th3), 3 + 2.5 * np.cos(th4), atol=1e-10)


# -- chemistry and hydraulics -------------------------------------------------------------------------------------------


def test_chemical_equilibrium_against_fsolve():
    """Acetic acid in water: mass balance, charge balance, two equilibria."""
    model = Model(
        total=0.1, Ka=1.8e-5, Kw=1e-14,
        h=Var(start=1e-3, nominal=1e-3), oh=Var(start=1e-11, nominal=1e-11),
        ac=Var(start=1e-3, nominal=1e-3), ha=Var(start=0.1),
        equations=["h*ac = Ka*ha", "h*oh = Kw", "ha + ac = total", "h = ac + oh"],
    )  # fmt: skip
    result = instantiate(model).simulate(1.0)
    h = brentq(lambda h: h - 0.1 * 1.8e-5 / (1.8e-5 + h) - 1e-14 / h, 1e-8, 1e-1, xtol=1e-18)
    assert result["h"][0] == pytest.approx(h, rel=1e-9)
    assert result["oh"][0] == pytest.approx(1e-14 / h, rel=1e-9)


def test_hydraulic_network_against_scipy():
    """Pipes with turbulent losses between two reservoirs and consumers: a loop, so that nothing can be solved in sequence."""
    edges = [(0, 1, 4.0), (1, 2, 9.0), (1, 3, 6.0), (2, 3, 20.0), (2, 4, 5.0), (3, 4, 7.0)]
    demand = {1: 0.1, 2: 0.4, 3: 0.6, 4: 0.3}
    equations = [f"p{i} - p{j} = {r}*q{k}*abs(q{k})" for k, (i, j, r) in enumerate(edges)] + ["p0 = 10*(1 + time)"]
    for node, out in demand.items():
        inflow = " + ".join(f"q{k}" for k, e in enumerate(edges) if e[1] == node)
        outflow = "".join(f" - q{k}" for k, e in enumerate(edges) if e[0] == node)
        equations.append(f"{inflow}{outflow} = {out}")
    names = [f"p{n}" for n in range(5)] + [f"q{k}" for k in range(len(edges))]
    result = instantiate(Model(equations=equations, **{n: Var() for n in names})).simulate(1.0)

    def residual(x):
        p, q = [10.0, *x[:4]], x[4:]
        loss = [p[i] - p[j] - r * q[k] * abs(q[k]) for k, (i, j, r) in enumerate(edges)]
        balance = [sum(q[k] * ((e[1] == n) - (e[0] == n)) for k, e in enumerate(edges)) - out for n, out in demand.items()]
        return [*loss, *balance]

    expected = root(residual, [5.0] * 4 + [0.5] * 6, tol=1e-12).x
    got = [result[n][0] for n in names if n != "p0"]
    np.testing.assert_allclose(got, expected, rtol=1e-8, atol=1e-9)
    flows = np.array([result[f"q{k}"] for k in range(6)])
    np.testing.assert_allclose(flows, flows[:, :1] * np.ones(len(result.time)), atol=1e-9)  # consumers decide, not the source


def test_turbulent_flow_through_rest():
    """At q = 0 the derivative of q*|q| vanishes: the iteration must neither fail nor stick there."""
    model = Model(q1=Var(), q2=Var(), p=Var(), equations=["p = q1*abs(q1) + 0.5*q2*abs(q2)", "q2 = 2*q1", "p = sin(time)"])
    result = instantiate(model).simulate(7.0)
    expected = np.sign(np.sin(result.time)) * np.sqrt(np.abs(np.sin(result.time)) / 3.0)
    np.testing.assert_allclose(result["q1"], expected, atol=1e-6)


def test_a_ladder_of_diodes():
    """Each section takes about one diode voltage; currents span many orders of magnitude and reverse twice."""
    n = 12
    equations = [f"i{k} = 1e-12*(exp((v{k} - v{k + 1})/0.025) - 1)" for k in range(n)]
    equations += [f"i{k} = i{k + 1} + v{k + 1}/1000" for k in range(n - 1)] + [f"i{n - 1} = v{n}/1000", "v0 = 20*sin(time)"]
    names = [f"i{k}" for k in range(n)] + [f"v{k}" for k in range(n + 1)]
    result = instantiate(Model(equations=equations, **{name: Var() for name in names})).simulate(7.0)
    v = np.array([result[f"v{k}"] for k in range(n + 1)])
    i = 1e-12 * np.expm1((v[:-1] - v[1:]) / 0.025)
    np.testing.assert_allclose(i[:-1] - i[1:], v[1:-1] / 1000, atol=1e-11)
    assert v[n].max() > 4.0


def test_a_chain_in_which_each_unknown_is_a_polynomial_of_the_ones_before():
    """Broyden's tridiagonal function: computed in one sequence the polynomials would have the degree 2**30."""
    n = 30
    equations = [
        f"(3 - 2*x{i})*x{i}" + (f" - x{i - 1}" if i else "") + (f" - 2*x{i + 1}" if i < n - 1 else "") + " = -1"
        for i in range(n)
    ]
    sim = instantiate(Model(equations=equations, **{f"x{i}": Var(start=-1.0) for i in range(n)}))
    result = sim.simulate(0.1)

    def residual(x):
        return (3 - 2 * x) * x - np.append(0, x[:-1]) - 2 * np.append(x[1:], 0) + 1

    expected = root(residual, -np.ones(n), tol=1e-13).x
    np.testing.assert_allclose([result[f"x{i}"][0] for i in range(n)], expected, atol=1e-10)
    assert sim.report()["nonlinear systems"] == 1
    assert sim.report()["unknowns of nonlinear systems"] < n


# -- single equations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("equation", "expected"),
    [
        ("exp(2*x) = 1 + time", lambda t: np.log(1 + t) / 2),
        ("3*log(x) + 1 = time", lambda t: np.exp((t - 1) / 3)),
        ("log10(x - 1) = time", lambda t: 1 + 10**t),
        ("5 - x**3 = time", lambda t: np.cbrt(5 - t)),
        ("x**3 = time - 0.5", lambda t: np.cbrt(t - 0.5)),
        ("4*x*abs(x) = 0.5 - time", lambda t: np.sign(0.5 - t) * np.sqrt(abs(0.5 - t) / 4)),
        ("2/(1 + x) = 1 + time", lambda t: 2 / (1 + t) - 1),
    ],
)
def test_one_equation_with_one_solution_is_inverted(equation, expected):
    sim = instantiate(Model(x=Var(), equations=[equation]))
    assert [type(b) for b in sim.sorted.blocks] == [Assignment]
    result = sim.simulate(1.0)
    np.testing.assert_allclose(result["x"], expected(result.time), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("equation", "expected"),
    [
        ("x + exp(x) = 1 + time", lambda t, x: x + np.exp(x) - 1 - t),
        ("x**2 = 2 + time", lambda t, x: x - np.sqrt(2 + t)),
        ("sqrt(x) = 1 + time", lambda t, x: x - (1 + t) ** 2),
        ("tanh(x) = 0.9*sin(time)", lambda t, x: x - np.arctanh(0.9 * np.sin(t))),
        ("cos(x) = x*(1 + time)", lambda t, x: np.cos(x) - x * (1 + t)),
        ("max(x, 2*x) = 3 - 6*time", lambda t, x: x - np.where(t < 0.5, (3 - 6 * t) / 2, 3 - 6 * t)),
    ],
)
def test_one_equation_by_iteration(equation, expected):
    sim = instantiate(Model(x=Var(start=1.0), equations=[equation]))
    assert [type(b) for b in sim.sorted.blocks] == [NonlinearBlock]
    result = sim.simulate(1.0)
    np.testing.assert_allclose(expected(result.time, result["x"]), 0.0, atol=1e-10)


# -- start values, warm start -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("start", "solution"), [(3.0, 2.0), (-0.5, -1.0)])
def test_the_start_value_chooses_among_several_solutions(start, solution):
    sim = instantiate(Model(x=Var(start=1.0), equations=["x**2 = x + 2"]))
    assert sim.simulate(1.0, merge=Map(x=Var(start=start)))["x"][0] == pytest.approx(solution, abs=1e-12)


def test_the_iteration_begins_with_the_last_solution():
    sim = instantiate(DIODE)
    first, solve = counters(sim, 0.5, [0.0])
    assert first[0][Header.JACOBIANS] > 2  # from far away
    again = solve(0.5)
    assert again[0][Header.SOLUTIONS] == 1
    assert again[0][Header.JACOBIANS] == again[0][Header.RESIDUALS] == 1  # nothing to do but to see that it is the solution
    near = solve(0.5 + 1e-6)
    assert near[0][Header.JACOBIANS] <= 2
    assert near[0][Header.RESIDUALS] <= 4


def test_few_evaluations_per_step_of_a_simulation():
    sim = instantiate(DIODE)
    context = ModelContext(sim.compiled)
    status, _ = context.evaluate_outputs(np.linspace(0.0, 6.0, 2000), np.zeros((2000, 1)))
    assert status == 0
    header = context.newton[0].header
    assert header[Header.SOLUTIONS] == 2000
    assert header[Header.JACOBIANS] < 2.5 * 2000


def test_stored_points_are_on_the_branch_of_the_integration():
    """Infinitely many solutions y = x + k*pi: outputs, evaluated after a stretch of integration, stay on the first."""
    model = Model(
        x=Var(init=0.0), y=Var(start=0.1), z=Var(init=0.0), p=Var(init=1.0), q=Var(init=0.0),
        equations=["der(x) = 1", "sin(y - x) = 0", "der(z) = y", "der(p) = 5*q", "der(q) = -5*p"],  # p, q keep the steps short
    )  # fmt: skip
    result = instantiate(model).simulate(20.0, tolerance=1e-8)
    np.testing.assert_allclose(result["y"], result["x"], atol=1e-8)
    np.testing.assert_allclose(result["z"], result.time**2 / 2, atol=1e-4)


# -- failures -----------------------------------------------------------------------------------------------------------


def test_no_solution_names_equations_values_and_residuals():
    valve = Model(x=Var(start=1.0), y=Var(), equations=["x*x + y*y = 1 - 2*time", "x - y = 0.5*x*y"])
    with pytest.raises(SimulationError) as error:
        instantiate(Model(valve=valve), "Plant").simulate(1.0)
    text = str(error.value)
    assert "valve: x*x + y*y = 1 - 2*time" in text
    assert "valve.x = " in text
    assert "valve.y = " in text
    assert "start" in error.value.remedy
    assert error.value.time == pytest.approx(0.5, abs=0.01)
    assert len(error.value.result.time) > 100


@pytest.mark.parametrize(("side", "other"), [("exp(x + y) - 1", "x*y*y + y"), ("x*x + y*y", "x - y + sin(x*y)")])
def test_the_amounts_told_are_those_of_the_values_told(side: str, other: str) -> None:
    """And equations that hold are not among those that are not fulfilled."""
    model = Model(x=Var(start=0.7), y=Var(start=0.4), equations=[f"{side} = -4", f"{other} = 0.5"])
    with pytest.raises(SimulationError, match="no solution was found") as error:
        instantiate(model).simulate(0.1)
    values, _, amounts = error.value.found.removeprefix("at last ").partition("; not fulfilled: ")
    known = {name: float(value) for name, value in (text.split(" = ") for text in values.split(", "))}
    x, y = known["x"], known["y"]
    residuals = {
        side: eval(side, {"x": x, "y": y, "exp": math.exp}) + 4.0,
        other: eval(other, {"x": x, "y": y, "sin": math.sin}) - 0.5,
    }
    told = {text.partition(" = ")[0].strip("'"): float(text.rpartition(" by ")[2]) for text in amounts.split("; ")}
    assert told == pytest.approx({name: amount for name, amount in residuals.items() if amount})


def test_equations_without_any_solution():
    with pytest.raises(SimulationError, match=r"no solution was found .* exp\(x\) \+ x\*x"):
        instantiate(Model(x=Var(), equations=["exp(x) + x*x = -1"])).simulate(1.0)


def test_explanation_that_would_take_long_is_that_of_the_machine_code(monkeypatch):
    monkeypatch.setattr("modiapy.simulation.evaluation.explanation.PATIENCE", -1.0)
    with pytest.raises(SimulationError, match="the equations for x could not be solved"):
        instantiate(Model(x=Var(), equations=["exp(x) + x*x = -1"])).simulate(1.0)


def test_equations_that_depend_on_each_other():
    model = Model(x=Var(start=1.0), y=Var(start=1.0), equations=["x*y = 1 + time", "(x*y)**2 = (1 + time)**2"])
    with pytest.raises(SimulationError, match="singular") as error:
        instantiate(model).simulate(1.0)
    assert "x*y = 1 + time" in str(error.value)


def test_closed_form_without_solution():
    with pytest.raises(SimulationError, match=r"exp\(x\) = -1 - time"):
        instantiate(Model(x=Var(), y=Var(), equations=["exp(x) = -1 - time", "der(y) = x"])).simulate(1.0)
