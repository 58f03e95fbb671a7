"""Models whose constraints allow no static selection of states, against independent mechanics in minimal coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modiapy import Map, Model, ModelError, SimulationError, Var, When, instantiate

G = 9.81

PENDULUM = Model(
    L=1.0,
    m=2.0,
    x=Var(init=1.0),
    y=Var(init=0.0),
    vx=Var(init=0.0),
    vy=Var(init=0.0),
    force=Var(),
    equations=[
        "der(x) = vx",
        "der(y) = vy",
        "m*der(vx) = -force*x",
        "m*der(vy) = -force*y - m*9.81",
        "x**2 + y**2 = L**2",
    ],
)
SECOND_ORDER = Model(
    L=1.0,
    m=2.0,
    x=Var(init=1.0),
    y=Var(init=0.0),
    force=Var(),
    equations=["m*der(der(x)) = -force*x", "m*der(der(y)) = -force*y - m*9.81", "x**2 + y**2 = L**2"],
)


def angle(times: np.ndarray, start: float = np.pi / 2, speed: float = 0.0) -> np.ndarray:
    """Angle from the vertical of a pendulum of length 1 and its rate, shape (2, nt)."""
    return solve_ivp(
        lambda t, u: [u[1], -G * np.sin(u[0])], (0, times[-1]), [start, speed], "DOP853", times, rtol=1e-12, atol=1e-12
    ).y


@pytest.mark.parametrize("model", [PENDULUM, SECOND_ORDER])
@pytest.mark.parametrize("solver", ["cvode", "sundae"])
def test_cartesian_pendulum_is_a_pendulum(model: Model, solver: str) -> None:
    result = instantiate(model, "Pendulum").simulate(10.0, tolerance=1e-9, absolute_tolerance=1e-10, solver=solver)
    phi, w = angle(result.time)
    x, y, vx, vy = result["x"], result["y"], result["der(x)"], result["der(y)"]
    assert np.abs(x - np.sin(phi)).max() < 1e-6
    assert np.abs(y + np.cos(phi)).max() < 1e-6
    assert np.abs(x**2 + y**2 - 1.0).max() < 1e-8
    assert np.abs(x * vx + y * vy).max() < 1e-7
    energy = vx**2 / 2 + vy**2 / 2 + G * y
    assert np.abs(energy).max() < 1e-5
    assert np.abs(result["force"] - 2.0 * (w**2 + G * np.cos(phi))).max() < 1e-4


@pytest.mark.parametrize("factor", [3.0, -0.5])
def test_a_pendulum_whose_position_is_measured_in_another_unit(factor: float) -> None:
    """``u = factor*x`` is a linear constraint beside the nonlinear one, which has u in the place of x."""
    bar = ["u = factor*x", "u**2/factor**2 + y**2 = L**2"]
    equations = [e for e in PENDULUM["equations"] if "**2" not in e] + bar
    variables = {k: v for k, v in PENDULUM.items() if k != "equations"}
    result = instantiate(Model(**variables, factor=factor, u=Var(), equations=equations)).simulate(5.0, tolerance=1e-9)
    phi, _ = angle(result.time)
    assert np.abs(result["x"] - np.sin(phi)).max() < 1e-6
    assert np.abs(result["u"] - factor * np.sin(phi)).max() < 1e-5
    assert np.abs(result["u"] ** 2 / factor**2 + result["y"] ** 2 - 1.0).max() < 1e-8
    assert result.statistics["steps"] < 6000


def test_drift_stays_at_the_tolerance_for_long() -> None:
    result = instantiate(PENDULUM).simulate(200.0, tolerance=1e-6)
    assert np.abs(result["x"] ** 2 + result["y"] ** 2 - 1.0).max() < 1e-5


def test_start_values_are_projected_and_init_is_kept() -> None:
    model = PENDULUM | Map(x=Var(init=0.6), y=Var(init=None, start=-0.5), vx=Var(init=0.8), vy=Var(init=None))
    result = instantiate(model).simulate(1.0, tolerance=1e-9)
    assert (result["x"][0], result["vx"][0]) == (0.6, 0.8)
    assert result["y"][0] == pytest.approx(-0.8, abs=1e-12)
    assert result["vy"][0] == pytest.approx(0.6, abs=1e-12)
    phi, _ = angle(result.time, np.arcsin(0.6), 1.0)
    assert np.abs(result["x"] - np.sin(phi)).max() < 1e-6


def test_initial_equations_and_constraints_are_solved_together() -> None:
    model = SECOND_ORDER | Map(x=Var(init=0.6), y=Var(init=None, start=-0.5), initial_equations=["der(y) = 0.3"])
    result = instantiate(model).simulate(1.0)
    first = [result[name][0] for name in ("x", "y", "der(x)", "der(y)")]
    assert first == pytest.approx([0.6, -0.8, 0.4, 0.3], abs=1e-10)


def test_another_length_needs_no_new_translation() -> None:
    sim = instantiate(SECOND_ORDER)
    result = sim.simulate(1.0, merge=Map(L=4.0, x=Var(init=0.0), y=Var(init=-4.0)))
    assert np.abs(result["force"] - 2.0 * G / 4.0).max() < 1e-6


def test_initial_values_off_the_circle_are_refused_by_name() -> None:
    model = PENDULUM | Map(y=Var(init=0.5))
    with pytest.raises(SimulationError, match=r"contradict the constraint 'x\*\*2") as error:
        instantiate(model).simulate(1.0)
    assert "x = 1" in str(error.value)
    assert "start" in str(error.value)


def test_ode_mode_and_unsuitable_solvers_are_refused() -> None:
    sim = instantiate(PENDULUM)
    with pytest.raises(ModelError, match="no static selection"):
        sim.simulate(1.0, mode="ode")
    with pytest.raises(ModelError, match="solver 'scipy' cannot integrate residuals"):
        sim.simulate(1.0, solver="scipy")


CRANK, ROD = 0.3, 1.0
SLIDER_CRANK = Model(
    r=CRANK,
    l=ROD,
    m1=1.5,
    m2=0.7,
    x1=Var(init=CRANK),
    y1=Var(init=0.0),
    x2=Var(start=1.2),
    f1=Var(),
    f2=Var(),
    equations=[
        "m1*der(der(x1)) = -f1*x1 + f2*(x2 - x1)",
        "m1*der(der(y1)) = -f1*y1 - f2*y1 - m1*9.81",
        "m2*der(der(x2)) = -f2*(x2 - x1)",
        "x1**2 + y1**2 = r**2",
        "(x2 - x1)**2 + y1**2 = l**2",
    ],
)


def test_slider_crank_moves_like_one_in_its_angle() -> None:
    result = instantiate(SLIDER_CRANK).simulate(5.0, tolerance=1e-9, absolute_tolerance=1e-10)

    def rates(t: float, u: np.ndarray) -> list[float]:
        phi, w = u
        root = np.sqrt(ROD**2 - (CRANK * np.sin(phi)) ** 2)
        p = CRANK**2 * np.sin(phi) * np.cos(phi) / root
        first = -CRANK * np.sin(phi) - p
        second = -CRANK * np.cos(phi) - CRANK**2 * np.cos(2 * phi) / root - p**2 / root
        return [w, -(0.7 * first * second * w**2 + 1.5 * G * CRANK * np.cos(phi)) / (1.5 * CRANK**2 + 0.7 * first**2)]

    phi = solve_ivp(rates, (0, 5), [0.0, 0.0], "DOP853", result.time, rtol=1e-12, atol=1e-12).y[0]
    x2 = CRANK * np.cos(phi) + np.sqrt(ROD**2 - (CRANK * np.sin(phi)) ** 2)
    assert np.abs(result["x2"] - x2).max() < 1e-5
    assert np.abs(result["y1"] - CRANK * np.sin(phi)).max() < 1e-5
    assert np.abs((result["x2"] - result["x1"]) ** 2 + result["y1"] ** 2 - ROD**2).max() < 1e-7


def tilted_loop() -> tuple[Model, np.ndarray]:
    """A four-bar loop of two point masses in space, held in a tilted plane by linear constraints; the plane's axes."""
    e1 = np.array([2.0, 1.0, 2.0]) / 3.0
    e2 = np.array([-2.0, 2.0, 1.0]) / 3.0
    normal = np.cross(e1, e2)
    p1, p2 = 0.5 * e2, 1.0 * e1 + 0.5 * e2
    variables: dict[str, Var] = {name: Var() for name in ("f1", "f2", "f3", "c1", "c2")}
    equations = []
    for i, axis in enumerate("xyz"):
        variables[f"{axis}1"] = Var(start=float(p1[i]))
        variables[f"{axis}2"] = Var(start=float(p2[i]))
        weight = " - 9.81" if axis == "z" else ""
        a1, a2 = f"{axis}1", f"{axis}2"
        equations += [
            f"der(der({a1})) = -f1*{a1} + f2*({a2} - {a1}) + c1*{normal[i]}{weight}",
            f"der(der({a2})) = -f2*({a2} - {a1}) - f3*({a2} - {e1[i]}) + c2*{normal[i]}{weight}",
        ]
    squares = " + ".join(f"({axis}2 - {axis}1)**2" for axis in "xyz")
    equations += [
        "x1**2 + y1**2 + z1**2 = 0.25",
        f"{squares} = 1.0",
        " + ".join(f"({axis}2 - {e1[i]})**2" for i, axis in enumerate("xyz")) + " = 0.25",
        " + ".join(f"{normal[i]}*{axis}1" for i, axis in enumerate("xyz")) + " = 0",
        " + ".join(f"{normal[i]}*{axis}2" for i, axis in enumerate("xyz")) + " = 0",
    ]
    return Model(**variables, equations=equations), np.array([e1, e2, normal])


def loop_in_the_plane(times: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """The same loop, a parallelogram that turns about the points 0 and (1, 0): its angle from the second axis."""
    return solve_ivp(
        lambda t, u: [u[1], 2.0 * gravity @ [-np.cos(u[0]), -np.sin(u[0])] * 0.5 / (2.0 * 0.25)],
        (0, times[-1]),
        [0.0, 0.0],
        "DOP853",
        times,
        rtol=1e-12,
        atol=1e-12,
    ).y[0]


def test_planar_loop_in_a_tilted_plane() -> None:
    model, axes = tilted_loop()
    result = instantiate(model).simulate(0.4, tolerance=1e-9, absolute_tolerance=1e-10)
    points = [np.column_stack([result[f"{axis}{k}"] for axis in "xyz"]) @ axes.T for k in (1, 2)]
    theta = loop_in_the_plane(result.time, axes[:2] @ [0.0, 0.0, -G])
    expected = 0.5 * np.column_stack([-np.sin(theta), np.cos(theta), 0.0 * theta])
    assert np.abs(theta).max() > 0.5  # it moves
    assert np.abs(points[0] - expected).max() < 1e-5
    assert np.abs(points[1] - expected - [1.0, 0.0, 0.0]).max() < 1e-5


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize("event", ["x < 0.3", "vy > 0", "sample(0.1, 0.1)"])
def test_an_event_that_jumps_nothing_leaves_the_states_alone(event: str, tolerance: float) -> None:
    """What they have drifted within the tolerance is no reason to move them: all bits stay, at the turning points, too."""
    model = PENDULUM | Map(n=Var(init=0, type="Integer"), equations=[When(event, ["n = pre(n) + 1"])])
    result = instantiate(model).simulate(3.0, tolerance=tolerance)
    jumps = np.flatnonzero(np.diff(result.time) == 0.0)
    assert result["n"][-1] >= 1
    assert jumps.size >= 1
    for name in ("x", "y", "vx", "vy"):
        assert np.array_equal(result[name][jumps], result[name][jumps + 1]), name


def test_after_a_jump_of_a_velocity_the_states_are_consistent() -> None:
    model = PENDULUM | Map(x=Var(init=0.6), y=Var(init=-0.8), equations=[When("after(0.5)", ["reinit(vx, pre(vx) + 1.0)"])])
    result = instantiate(model).simulate(1.0, tolerance=1e-8)
    x, y, vx, vy = (result[name] for name in ("x", "y", "vx", "vy"))
    assert result.statistics["events"] == 1
    assert np.abs(x * vx + y * vy).max() < 1e-5
    assert np.abs(x**2 + y**2 - 1.0).max() < 1e-6
    jump = int(np.flatnonzero(np.diff(result.time) == 0.0)[-1])
    before, after = np.array([vx[jump], vy[jump]]), np.array([vx[jump + 1], vy[jump + 1]])
    rod = np.array([x[jump], y[jump]])
    pushed = before + [1.0, 0.0]
    assert np.abs(after - (pushed - rod * (rod @ pushed))).max() < 1e-6  # the part along the rod is taken away
    force = 2.0 * (vx**2 + vy**2 - G * y)  # in the rod, from the states of the same point
    assert np.abs(result["force"] - force)[jump : jump + 2].max() < 1e-5


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("off", [0.3, 1.0, 10.0, 99.0, 1e3])
def test_the_integrator_starts_again_however_little_a_jump_leaves_the_constraint(off: float, tolerance: float) -> None:
    """From less than the tolerance to a thousand times that; the error of a first step did not get smaller with the step."""
    again = When("sample(0.3, 0.25)", [f"reinit(x, {1.0 + off * tolerance!r}*x)"])
    model = PENDULUM | Map(x=Var(init=0.8), y=Var(init=-0.6), equations=[again])
    result = instantiate(model).simulate(1.0, tolerance=tolerance)
    x, y, vx, vy = (result[name] for name in ("x", "y", "vx", "vy"))
    assert np.abs(x**2 + y**2 - 1.0).max() < 2.0 * tolerance
    assert np.abs(x * vx + y * vy).max() < 20.0 * tolerance
    energy = 0.5 * (vx**2 + vy**2) + G * y
    assert np.abs(energy - energy[0]).max() < (50.0 + 20.0 * off) * tolerance


@pytest.mark.parametrize("change", [3e-6, 3e-5, 1e-3])
def test_a_constraint_may_change_where_no_state_jumps(change: float) -> None:
    """The rod is longer from an event on; the smallest change of the states along the rod makes them fit."""
    length = f"(L + {change!r}*grown)**2"
    equations = ["grown = 1.0 if time > 0.4 else 0.0", f"x**2 + y**2 = {length}"]
    others = ["der(x) = vx", "der(y) = vy", "m*der(vx) = -force*x", "m*der(vy) = -force*y - m*9.81"]
    begin = {"x": Var(init=0.8), "y": Var(init=-0.6), "vx": Var(init=0.0), "vy": Var(init=0.0)}
    model = Model(L=1.0, m=2.0, **begin, force=Var(), grown=Var(), equations=[*others, *equations])
    result = instantiate(model).simulate(1.0, tolerance=1e-6)
    radius = np.hypot(result["x"], result["y"])
    assert np.abs(radius - 1.0 - change * result["grown"]).max() < 2e-6
    assert result["grown"][-1] == 1.0


@pytest.mark.parametrize("factor", [2.25, 0.16, -2.0])
def test_where_a_constraint_changes_the_states_follow_or_are_told(factor: float) -> None:
    """The rod becomes longer or shorter: the point moves along it, its velocity stays as it is. Of -2 there is no circle."""
    pendulum = Model(
        x=Var(init=0.8),
        y=Var(init=-0.6),
        u=Var(init=0.6),
        v=Var(init=0.8),
        force=Var(),
        S=Var(init=1.0),
        equations=["der(x) = u", "der(y) = v", "der(u) = -force*x", "der(v) = -force*y - 9.81", "x**2 + y**2 = S"],
    )
    sim = instantiate(Model(p=pendulum | Model(c=factor, equations=[When("time >= 0.3", ["S = c"])])))
    if factor > 0.0:
        result = sim.simulate(0.4, tolerance=1e-8)
        jump = int(np.flatnonzero(np.diff(result.time) == 0.0)[0])
        x, y, u, v = (result[f"p.{name}"] for name in "xyuv")
        for place in (x, y):
            assert place[jump + 1] == pytest.approx(np.sqrt(factor) * place[jump], rel=1e-6)
        for speed in (u, v):
            assert speed[jump + 1] == pytest.approx(speed[jump], rel=1e-6)
        assert x[-1] ** 2 + y[-1] ** 2 == pytest.approx(factor, rel=1e-6)
        return
    with pytest.raises(
        SimulationError, match=r"no values of the states satisfy the constraint 'x\*\*2 \+ y\*\*2 = S'"
    ) as error:
        sim.simulate(0.4, tolerance=1e-8)
    assert (error.value.time, error.value.path) == (0.3, "p")
    x, y = (error.value.result[f"p.{name}"][-1] for name in "xy")
    assert error.value.found == f"p.x = {x:.6g}, p.y = {y:.6g}"
    assert x**2 + y**2 == pytest.approx(1.0, abs=1e-6)
    assert error.value.expected == "values that satisfy 'p.x**2 + p.y**2 - p.S = 0'"
