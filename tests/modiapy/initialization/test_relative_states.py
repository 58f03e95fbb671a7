"""What a choice of states does to the accuracy of small differences, and attributes of variables that others stand for."""

import itertools

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modiapy import Map, Model, ModelError, Var, When, instantiate
from modiapy.library import rotational, translational

from ..reference.more_models import ELASTIC_BEARING

FAST = 1000.0
"""Speed [rad/s] of two shafts that swing against each other by 1 mrad."""


def difference(time, c=1e4, d=1.0, mass=2.0 / 3.0):
    """phi_rel and w_rel of both shafts, which begin 1e-3 apart with the same speed: a damped oscillation."""
    decay = d / 2 / mass
    omega = np.sqrt(c / mass - decay**2)
    envelope = 1e-3 * np.exp(-decay * time)
    distance = envelope * (np.cos(omega * time) + decay / omega * np.sin(omega * time))
    return distance, -envelope * (omega + decay**2 / omega) * np.sin(omega * time)


@pytest.mark.parametrize(
    "between",
    [
        {"s": rotational.SpringDamper | Map(c=1e4, d=1.0)},
        {"s": rotational.Spring | Map(c=1e4), "d": rotational.Damper},
        {"s": rotational.SpringDamper | Map(c=1e4, d=0.5), "d": rotational.Damper | Map(d=0.5)},
    ],
)
def test_relative_motion_of_fast_shafts(between):
    ends = [(f"{name}.flange_a", "a.flange_b") for name in between] + [(f"{name}.flange_b", "b.flange_a") for name in between]
    turning = rotational.Inertia | Map(w=Map(init=FAST))
    shafts = Model(a=turning | Map(phi=Map(init=0.0)), b=turning | Map(J=2.0, phi=Map(init=1e-3)), connect=ends)
    result = instantiate(Model(**between) | shafts).simulate(5.0)
    distance, speed = difference(result.time)
    assert np.abs(result["s.phi_rel"] - distance).max() < 0.01 * 1e-3  # 5000 rad turned meanwhile
    if "d" in between:
        assert np.abs(result["d.w_rel"] - speed).max() < 0.01 * np.abs(speed).max()
    assert np.abs(result["a.phi"] + 2.0 * result["b.phi"] - 3.0 * FAST * result.time - 2e-3).max() < 1e-2


def test_relative_motion_of_fast_masses():
    spring = translational.SpringDamper | Map(c=1e4, d=1.0)
    moving = translational.Mass | Map(v=Map(init=FAST))
    model = Model(a=moving | Map(s=Map(init=0.0)), spring=spring, b=moving | Map(m=2.0, L=0.5, s=Map(init=0.251)))
    model |= Map(connect=[("a.flange_b", "spring.flange_a"), ("spring.flange_b", "b.flange_a")])
    result = instantiate(model).simulate(5.0)
    distance, speed = difference(result.time)
    assert np.abs(result["spring.s_rel"] - distance).max() < 0.01 * 1e-3
    assert np.abs(result["spring.v_rel"] - speed).max() < 0.01 * np.abs(speed).max()


def bearing(times):
    """Speed of the housing of the example: the gear 3:1 couples shaft (3 o - 2 h), output o and housing h."""
    inverse = np.linalg.inv(np.array([[4.0 + 5.0, -6.0, 0.0], [-6.0, 9.0, 0.0], [0.0, 0.0, 50.0]]))

    def rates(t, x):
        h, o, load = x[:3]
        torque = 100.0 * min(t / 5.0, 1.0)
        forces = [-2.0 * torque - 1e5 * h - 5.0 * x[3], 3.0 * torque + 1e3 * (load - o), 1e3 * (o - load)]
        return [*x[3:], *(inverse @ forces)]

    first = solve_ivp(rates, (0.0, 5.0), np.zeros(6), "DOP853", dense_output=True, rtol=1e-12, atol=1e-16)
    second = solve_ivp(rates, (5.0, times[-1]), first.y[:, -1], "DOP853", dense_output=True, rtol=1e-12, atol=1e-16)
    return np.where(times <= 5.0, first.sol(np.minimum(times, 5.0))[3], second.sol(np.maximum(times, 5.0))[3])


@pytest.mark.parametrize("at", ["spring_damper", "housing", "multi_sensor"])
def test_elastic_bearing_with_the_nominal_speed_of_the_example(at):
    """The attribute may stand at any of the variables that are equal: 15 % are wrong where it is lost."""
    where = {
        "spring_damper": Map(w_rel=Map(nominal=1e-4)),
        "housing": Map(w=Map(nominal=1e-4)),
        "multi_sensor": Map(w=Map(nominal=1e-4)),
    }
    result = instantiate(ELASTIC_BEARING | Map({at: where[at]})).simulate(10.0)
    expected = bearing(result.time)
    assert np.abs(result["spring_damper.w_rel"] - expected).max() < 1e-3 * np.abs(expected).max()


EQUAL = {
    "itself": (Map(), []),
    "alias": (Map(u=Var()), ["u = w"]),
    "negated": (Map(u=Var()), ["u = -w"]),
    "chain": (Map(u=Var(), v=Var()), ["v = -w", "0 = u + v"]),
    "derivative": (Map(u=Var()), ["u = der(phi)"]),
    "derivative of an alias": (Map(u=Var(), psi=Var()), ["psi = -phi", "u = der(psi)"]),
    "derivative of a shifted variable": (Map(u=Var(), psi=Var()), ["psi = a - phi", "u = der(psi)"]),
}


@pytest.mark.parametrize("where", EQUAL)
@pytest.mark.parametrize("order", [1, -1])
def test_attributes_of_what_is_equal_are_those_of_the_state(where, order):
    """Steps and results are the same wherever the magnitude and the initial value of the speed are declared."""
    extra, equations = EQUAL[where]
    sign = -1.0 if where in ("negated", "derivative of an alias", "derivative of a shifted variable") else 1.0
    swing = Model(a=0.5, phi=Var(init=0.1), w=Var(), equations=["w = der(phi)", "der(w) = -100*sin(phi)"])
    told = Map(nominal=1e-5, init=sign * 0.3)
    model = swing | extra | Map({"w" if where == "itself" else "u": told}) | Map(equations=equations)
    model = Model({**model, "equations": model["equations"][::order]})
    plain = instantiate(swing | Map(w=told | Map(init=0.3))).simulate(2.0)
    result = instantiate(model).simulate(2.0)
    assert result["w"][0] == pytest.approx(0.3, abs=1e-15)
    assert result.statistics["steps"] == plain.statistics["steps"]
    np.testing.assert_allclose(result["w"], plain["w"], rtol=0.0, atol=1e-9)
    if where != "itself":
        np.testing.assert_allclose(result["u"], sign * result["w"], rtol=0.0, atol=1e-15)


def test_equal_derivatives_in_any_order():
    """x, y, z differ by sign and constants: their derivatives are one variable up to sign, in whatever order that is said."""
    equations = ["y = c - x", "z = y", "u = der(x)", "v = der(y)", "der(v) = x", "b = der(der(z))", "p = der(u)"]
    for chosen in itertools.islice(itertools.permutations(equations), 0, None, 211):
        model = Model(c=2.0, x=Var(init=1.0), u=Var(init=0.5), **{n: Var() for n in "yzvbp"}, equations=list(chosen))
        result = instantiate(model).simulate(1.0, tolerance=1e-9)
        t = result.time  # der(v) = -der(der(x)) = x: x = cos(t) + 0.5 sin(t)
        np.testing.assert_allclose(result["x"], np.cos(t) + 0.5 * np.sin(t), atol=1e-7)
        np.testing.assert_allclose(result["v"], np.sin(t) - 0.5 * np.cos(t), atol=1e-7)
        np.testing.assert_allclose(result["b"], result["x"], atol=1e-9)
        np.testing.assert_allclose(result["p"], -result["x"], atol=1e-9)
        np.testing.assert_allclose(result["b"], result["x"], atol=1e-12)
        np.testing.assert_allclose(result["p"], -result["x"], atol=1e-12)


@pytest.mark.parametrize("second", ["v = der(x)", "-v = der(y)"])
def test_an_equation_for_a_derivative_that_is_said_twice_is_redundant(second):
    model = Model(x=Var(init=1.0), y=Var(), v=Var(), w=Var(), equations=["y = -x", "v = der(x)", "v = -x", "w = 2*v", second])
    result = instantiate(model).simulate(1.0, tolerance=1e-9)
    np.testing.assert_allclose(result["w"], -2.0 * np.exp(-result.time), atol=1e-7)


def test_a_derivative_that_contradicts_another_is_refused():
    model = Model(x=Var(init=1.0), y=Var(), v=Var(), u=Var(), equations=["y = 3", "v = der(y)", "v = 2", "der(x) = u", "u = v"])
    with pytest.raises(ModelError, match="contradicts"):
        instantiate(model)


def test_a_wish_never_costs_a_jump():
    """Two dampers in series behind a torque that jumps: the relative speeds jump too, so they must not become states."""
    model = Model(
        inertia=rotational.Inertia | Map(J=2.0, w=Map(init=1.0), phi=Map(init=0.0)),
        first=rotational.Damper | Map(d=1.0),
        second=rotational.Damper | Map(d=3.0),
        fixed=rotational.Fixed,
        torque=rotational.Torque,
        step=Var("1 if time > 1 else 0"),
        connect=[
            ("inertia.flange_b", "first.flange_a"),
            ("first.flange_b", "second.flange_a", "torque.flange"),
            ("second.flange_b", "fixed.flange"),
        ],
        equations=["torque.tau = 4*step"],
    )
    result = instantiate(model).simulate(2.0, tolerance=1e-8)
    t, w = result.time, result["inertia.w"]
    # torque of the first damper: (w - w2) where w - w2 + 4 step = 3 w2
    late = t > 1.0
    decay = np.exp(-0.375 * t)
    expected = np.where(late, 4.0 / 3.0 + (np.exp(-0.375) - 4.0 / 3.0) * np.exp(-0.375 * (t - 1.0)), decay)
    np.testing.assert_allclose(w, expected, atol=1e-6)
    np.testing.assert_allclose(result["first.w_rel"], (w + 4.0 * result["step"]) / 4.0 - w, atol=1e-9)


@pytest.mark.parametrize("side", ["a", "b"])
def test_what_is_reinitialised_is_a_state_beside_relative_ones(side):
    model = Model(
        a=rotational.Inertia, s=rotational.SpringDamper | Map(c=100.0, d=0.1), b=rotational.Inertia | Map(J=2.0),
        connect=[("a.flange_b", "s.flange_a"), ("s.flange_b", "b.flange_a")],
        equations=[When("after(0.5)", [f"reinit({side}.w, 3.0)"])],
    )  # fmt: skip
    result = instantiate(model).simulate(1.0, tolerance=1e-9)
    assert np.abs(result["s.w_rel"][result.time < 0.5]).max() == 0.0
    after = result.time > 0.5
    momentum = result["a.w"] + 2.0 * result["b.w"]
    np.testing.assert_allclose(momentum[after], 3.0 if side == "a" else 6.0, atol=1e-6)
    assert np.abs(result["s.phi_rel"]).max() > 0.1


@pytest.mark.parametrize("given", ["x", "y"])
def test_what_an_event_sets_takes_nothing_else_with_it(given):
    """A distance that would like to be a state, and is differentiated, jumps with the position that an event sets."""
    model = Model(
        x=Var(init=0.0),
        y=Var(init=1.0),
        d=Var(state_select="prefer"),
        v=Var(),
        equations=["der(x) = 1", "der(y) = 2", "d = y - x", "v = der(d)", When("after(0.5)", [f"reinit({given}, 7)"])],
    )
    result = instantiate(model).simulate(1.0, tolerance=1e-9)
    end = {"x": 1.0, "y": 3.0} | {given: 7.5 if given == "x" else 8.0}
    assert [result["x"][-1], result["y"][-1]] == pytest.approx([end["x"], end["y"]], abs=1e-8)
    np.testing.assert_allclose(result["d"], result["y"] - result["x"], atol=1e-9)
    np.testing.assert_allclose(result["v"], 1.0, atol=1e-9)


@pytest.mark.parametrize("jump", ["1 if time > 0.5 else 0", "floor(2*time + 0.5)", "n"])
def test_a_distance_between_what_jumps_is_no_state(jump):
    """Its own equation is linear; one that it is computed from is not smooth, and its slope would lose the jump.

    Another distance, between what does not jump, becomes a state all the same.
    """
    model = Model(
        x=Var(init=0.0),
        y=Var(init=1.0),
        z=Var(),
        n=Var(start=0.0),
        d=Var(state_select="prefer"),
        e=Var(state_select="prefer"),
        equations=["der(x) = 1", "der(y) = 2", "d = y - z", f"z = 2*x + ({jump})", "e = y - x", When("time > 0.6", ["n = 4"])],
    )
    sim = instantiate(model)
    assert "e" in sim.states
    assert "d" not in sim.states
    result = sim.simulate(1.0, tolerance=1e-9)
    np.testing.assert_allclose(result["d"], result["y"] - result["z"], atol=1e-9)
    assert result["d"][-1] == pytest.approx(3.0 - 2.0 - (4.0 if jump == "n" else 2.0 if "floor" in jump else 1.0), abs=1e-7)


@pytest.mark.parametrize("order", [1, -1])
def test_what_an_event_moves_keeps_no_other_distance_from_being_a_state(order):
    distances = {"d": Var(state_select="prefer"), "e": Var(state_select="prefer")}
    model = Model(
        **dict(list(distances.items())[::order]),
        x=Var(init=0.0), y=Var(init=1.0), p=Var(init=2.0), q=Var(init=5.0),
        equations=["der(x) = 1", "der(y) = 2", "d = y - x", "der(p) = 1", "der(q) = 3", "e = q - p",
                   When("after(0.5)", ["reinit(x, 7)"])],
    )  # fmt: skip
    sim = instantiate(model)
    assert "e" in sim.states
    assert "d" not in sim.states
    result = sim.simulate(1.0, tolerance=1e-9)
    assert [result[name][-1] for name in "dexy"] == pytest.approx([3.0 - 7.5, 5.0, 7.5, 3.0], abs=1e-7)


@pytest.mark.parametrize("order", [2, 3, 4])
@pytest.mark.parametrize("signs", [1, -1])
def test_derivatives_of_derivatives_are_the_variables_that_equations_say_they_are(order, signs):
    """However often they are written one in the other: no equation is differentiated, and the variables are the states."""
    rates, sign = {}, 1
    equations = [f"{'der(' * order}x{')' * order} = {(-1) ** order}*x"]
    for k in range(1, order):
        turned = signs if k % 2 else 1
        sign *= turned
        rates[f"v{k}"] = Var(init=sign * (-1.0) ** k)
        equations.append(f"v{k} = {'-' * (turned < 0)}der({f'v{k - 1}' if k > 1 else 'x'})")
    for turn in (1, -1):
        sim = instantiate(Model(x=Var(init=1.0), **rates, equations=equations[::turn]))
        assert set(sim.states) == {"x", *rates}
        assert sim.report()["differentiated equations"] == 0
        result = sim.simulate(1.0, tolerance=1e-9)
        assert result["x"][-1] == pytest.approx(np.exp(-1.0), abs=1e-6)
