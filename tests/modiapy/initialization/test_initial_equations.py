"""Initial equations, init of variables that are not states, and what is wrong with them."""

import math

import numpy as np
import pytest

from modia3d import Box, Model3D, Object3D, RevoluteWithFlange, Scene, Solid
from modiapy import Map, Model, ModelError, SimulationError, Var, instantiate
from modiapy.library.rotational import Damper, Fixed, Inertia, Spring, SpringDamper, Torque


def train(**extra):
    """Motor with torque, elastic shaft, load with viscous friction to the ground."""
    return Model(
        tau=10.0, J1=1.0, J2=2.0, c=100.0, d=3.0, b=0.5,
        phi1=Var(), phi2=Var(init=0.3), w1=Var(), w2=Var(), shaft=Var(),
        equations=[
            "w1 = der(phi1)", "w2 = der(phi2)",
            "shaft = c*(phi1 - phi2) + d*(w1 - w2)",
            "J1*der(w1) = tau - shaft", "J2*der(w2) = shaft - b*w2",
        ],
        initial_equations=["der(w1) = 0", "der(w2) = 0", "w1 = w2"],
        **extra,
    )  # fmt: skip


def steady_state(tau=10.0, c=100.0, b=0.5, phi2=0.3):
    """Unknowns w, phi1 - phi2 of the train turning steadily, by linear algebra."""
    w, twist = np.linalg.solve([[b, 0.0], [0.0, c]], [tau, tau])
    return {"w1": w, "w2": w, "phi1": phi2 + twist, "phi2": phi2}


def test_steady_state_of_a_drive_train():
    result = instantiate(train()).simulate(2.0)
    for name, value in steady_state().items():
        assert result[name][0] == pytest.approx(value, abs=1e-12), name
    np.testing.assert_allclose(result["w1"], 20.0, atol=1e-6)  # it stays there
    np.testing.assert_allclose(result["shaft"], 10.0, atol=1e-5)


def test_initial_values_follow_merged_parameters_without_new_code():
    sim = instantiate(train())
    result = sim.simulate(0.1, merge=Map(tau=4.0, c=50.0, phi2=Var(init=-1.0)))
    for name, value in steady_state(tau=4.0, c=50.0, phi2=-1.0).items():
        assert result[name][0] == pytest.approx(value, abs=1e-12), name
    assert result.statistics["compilations_after_start"] == 0


def test_steady_state_of_library_components():
    model = Model(
        torque=Torque, motor=Inertia | Map(J=0.2), spring=Spring | Map(c=40.0), load=Inertia | Map(J=1.5),
        damper=Damper | Map(d=2.0), ground=Fixed,
        connect=[
            ("torque.flange", "motor.flange_a"), ("motor.flange_b", "spring.flange_a"), ("spring.flange_b", "load.flange_a"),
            ("load.flange_b", "damper.flange_a"), ("damper.flange_b", "ground.flange"),
        ],
        equations=["torque.tau = 6"],
        initial_equations=["der(motor.w) = 0", "der(load.w) = 0", "motor.w = load.w", "load.phi = 0.25"],
    )  # fmt: skip
    model = model | Map(motor=Map(phi=Var(init=None), w=Var(init=None)), load=Map(phi=Var(init=None), w=Var(init=None)))
    result = instantiate(model).simulate(1.0)
    assert result["load.w"][0] == pytest.approx(3.0)
    assert result["motor.phi"][0] == pytest.approx(0.25 + 6.0 / 40.0)
    np.testing.assert_allclose(result["motor.w"], 3.0, atol=1e-6)


def test_steady_state_of_a_nonlinear_tank():
    """Two tanks with turbulent outflow: q = k*sqrt(h)."""
    model = Model(
        inflow=0.3, k1=0.2, k2=0.1, h1=Var(start=1.0), h2=Var(start=1.0),
        equations=["der(h1) = inflow - k1*sqrt(h1)", "der(h2) = k1*sqrt(h1) - k2*sqrt(h2)"],
        initial_equations=["der(h1) = 0", "der(h2) = 0"],
    )  # fmt: skip
    result = instantiate(model).simulate(10.0)
    np.testing.assert_allclose(result["h1"], 2.25, rtol=1e-6)
    np.testing.assert_allclose(result["h2"], 9.0, rtol=1e-6)


PENDULUM = Model(
    length=1.3, g=9.81, phi=Var(), w=Var(init=0.0), height=Var(), x=Var(),
    equations=["der(phi) = w", "der(w) = -g/length*sin(phi)", "height = length*(1 - cos(phi))", "x = length*sin(phi)"],
)  # fmt: skip


@pytest.mark.parametrize("start", [0.5, -0.5])
def test_pendulum_by_its_height(start):
    """The height determines the angle through a nonlinear relation; the start value says on which side."""
    model = PENDULUM | Map(height=Var(init=0.4), phi=Var(start=start))
    result = instantiate(model).simulate(3.0, tolerance=1e-8)
    angle = math.copysign(math.acos(1 - 0.4 / 1.3), start)
    assert result["phi"][0] == pytest.approx(angle, abs=1e-10)
    energy = 0.5 * (1.3 * result["w"]) ** 2 + 9.81 * result["height"]
    np.testing.assert_allclose(energy, 9.81 * 0.4, rtol=1e-5)


def test_cartesian_pendulum_by_its_angle():
    """States that depend on each other: the angle determines both coordinates, one velocity the other."""
    model = Model(
        x=Var(start=0.5), y=Var(start=-1.0), vx=Var(init=0.3), vy=Var(), force=Var(), phi=Var(init=0.7),
        equations=[
            "der(x) = vx", "der(y) = vy", "der(vx) = -force*x", "der(vy) = -force*y - 9.81",
            "x**2 + y**2 = 1", "phi = atan2(x, -y)",
        ],
    )  # fmt: skip
    result = instantiate(model).simulate(1.0)
    assert [result[n][0] for n in ("x", "y", "vy")] == pytest.approx(
        [math.sin(0.7), -math.cos(0.7), 0.3 * math.tan(0.7)], abs=1e-9
    )
    energy = 0.5 * (result["vx"] ** 2 + result["vy"] ** 2) + 9.81 * result["y"]
    np.testing.assert_allclose(energy, energy[0], atol=1e-4)


def test_init_of_an_algebraic_variable_wins_over_start_of_a_state():
    result = instantiate(PENDULUM | Map(x=Var(init=0.65), phi=Var(start=1.0))).simulate(0.1)
    assert result["phi"][0] == pytest.approx(math.asin(0.5), abs=1e-10)


def test_init_of_a_derivative_by_an_initial_equation():
    model = Model(T=0.5, u=Var(), x=Var(), equations=["T*der(x) = u - x", "u = 2 + time"], initial_equations=["der(x) = 3"])
    assert instantiate(model).simulate(0.1)["x"][0] == pytest.approx(2 - 0.5 * 3)


def test_states_without_any_condition_begin_with_start(capsys):
    model = Model(x=Var(start=3.0), y=Var(), z=Var(), equations=["der(x) = -x", "der(y) = x - y", "der(z) = -z"])
    model = model | Model(initial_equations=["der(y) = 0"])
    sim = instantiate(model)
    result = sim.simulate(0.1, log=True)
    assert [result[name][0] for name in "xyz"] == pytest.approx([3.0, 3.0, 0.0])
    assert "x, z: start values are used" in capsys.readouterr().err
    assert sim.report()["states fixed by start"] == 2


def test_without_initial_equations_nothing_is_compiled_for_them():
    sim = instantiate(Model(x=Var(init=1.0), y=Var(), equations=["der(x) = -x", "y = 2*x"]))
    assert sim.sorted.initialization is None
    assert sim.compiled.initial is None


def test_relations_at_initialization():
    """The initial solution lies in the region whose equations were used."""
    model = Model(
        x=Var(start=-1.0), f=Var(),
        equations=["der(x) = -f", "f = 2*x if x > 0 else 0.5*x"],
        initial_equations=["f = 3"],
    )  # fmt: skip
    assert instantiate(model).simulate(0.1)["x"][0] == pytest.approx(1.5)


def test_constrained_states():
    """Two inertias on a gear: one of the two speeds is a state, either may be given."""
    model = Model(
        r=3.0, phi1=Var(), phi2=Var(), w1=Var(), w2=Var(), t1=Var(), t2=Var(),
        equations=["w1 = der(phi1)", "w2 = der(phi2)", "phi1 = r*phi2", "der(w1) = 1 - t1", "2*der(w2) = t2", "t2 = r*t1"],
    )  # fmt: skip
    for given in ({"w1": 6.0, "phi1": 3.0}, {"w2": 2.0, "phi2": 1.0}, {"w1": 6.0, "phi2": 1.0}):
        result = instantiate(model | Map(**{k: Var(init=v) for k, v in given.items()})).simulate(0.1)
        assert [result[n][0] for n in ("w1", "w2", "phi1", "phi2")] == pytest.approx([6.0, 2.0, 3.0, 1.0])


# -- what a user gets wrong ---------------------------------------------------------------------------------------------


def test_one_initial_equation_too_many():
    model = train() | Model(initial_equations=["shaft = 3"])
    with pytest.raises(ModelError, match="one too many") as error:
        instantiate(Model(drive=model), "Plant")
    assert "drive" in error.value.path
    assert "shaft = 3" in str(error.value)
    assert "'der(w1) = 0'" in error.value.found


def test_init_values_that_contradict_each_other():
    model = Model(x=Var(init=1.0), y=Var(init=3.0), equations=["der(x) = -x", "y = 2*x"])
    with pytest.raises(SimulationError, match="contradicts") as error:
        instantiate(model).simulate(1.0)
    assert error.value.path == "y"
    assert "3.0" in error.value.found
    assert "2.0" in error.value.expected


def test_init_of_a_state_against_an_initial_equation():
    model = Model(x=Var(init=1.0), equations=["der(x) = 2 - x"], initial_equations=["der(x) = 0"])
    with pytest.raises(SimulationError, match="contradicts") as error:
        instantiate(model).simulate(1.0)
    assert error.value.path == "x"
    assert instantiate(model | Map(x=Var(init=2.0))).simulate(1.0)["x"][-1] == pytest.approx(2.0)


def test_unknown_name_in_an_initial_equation():
    with pytest.raises(ModelError, match="speed"):
        instantiate(Model(x=Var(), equations=["der(x) = -x"], initial_equations=["speed = 0"]))


def test_initial_equations_are_a_list():
    with pytest.raises(ModelError, match="is not a list"):
        instantiate(Model(x=Var(), equations=["der(x) = -x"], initial_equations="der(x) = 0"))


def test_an_initial_equation_without_solution():
    model = Model(x=Var(), equations=["der(x) = -x"], initial_equations=["x*x = -4"])
    with pytest.raises(SimulationError, match=r"initialization: .*x\*x = -4"):
        instantiate(model).simulate(1.0)


def test_a_steady_state_that_is_not_unique():
    """A free inertia without torque stands still at any angle."""
    rest = ["der(phi) = 0", "der(w) = 0"]
    model = Model(phi=Var(), w=Var(), equations=["der(phi) = w", "der(w) = -w"], initial_equations=rest)
    with pytest.raises(ModelError, match="one too many"):
        instantiate(model)


def test_merge_may_not_change_initial_equations():
    sim = instantiate(train())
    with pytest.raises(ModelError, match="structure"):
        sim.simulate(0.1, merge=Map(initial_equations=["shaft = 1"]))


def test_the_derivative_of_what_is_no_state_in_an_initial_equation():
    """As `a_rel = der(spring.w_rel)` in the gears of `MultiBody.Examples.Systems.RobotR3`."""
    model = Model(
        one=Inertia | Map(J=1.0, phi=Var(), w=Var()),
        two=Inertia | Map(J=2.0, phi=Var(init=0.3), w=Var(init=0.5)),
        spring=SpringDamper | Map(c=100.0, d=1.0, phi_rel=Map(state_select="default"), w_rel=Map(state_select="default")),
        drive=Torque,
        equations=["drive.tau = 10"],
        initial_equations=["spring.w_rel = 0", "der(spring.w_rel) = 0"],
        connect=[
            ("drive.flange", "one.flange_a"),
            ("one.flange_b", "spring.flange_a"),
            ("spring.flange_b", "two.flange_a"),
        ],
    )
    result = instantiate(model).simulate(0.1)
    assert result["one.w"][0] == pytest.approx(result["two.w"][0], abs=1e-9)
    assert result["two.flange_a.tau"][0] == pytest.approx(20.0 / 3.0)  # both accelerate like one inertia of 3 kg.m2
    for name in ("one.w", "two.w"):
        assert result[f"der({name})"][0] == pytest.approx(10.0 / 3.0)


DERIVATIVES = {
    "of an algebraic variable": (
        Model(x=Var(start=1.0), y=Var(), equations=["der(x) = -x", "y = 3*x**2 + time"], initial_equations=["der(y) = -11"]),
        {"x": np.sqrt(2.0), "y": 6.0},
    ),
    "above the highest": (
        Model(x=Var(), v=Var(init=0.5), equations=["der(x) = v", "der(v) = -4*x - v"], initial_equations=["der(der(v)) = -1"]),
        {"x": 0.125, "der(v)": -1.0},
    ),
    "in a loop": (
        Model(
            x=Var(init=1.0), v=Var(), y=Var(), z=Var(),
            equations=["der(x) = v", "der(v) = -x", "y + z**3 = x", "2*y - z = 1"], initial_equations=["der(z) = v - 0.2"],
        ),
        # with z' = s: s/2 + 3*z**2*s = v, s = v - 0.2
        {"v": 0.2 * (0.5 + 3 * 0.5897545123015**2) / (3 * 0.5897545123015**2 - 0.5), "z": 0.5897545123015},
    ),
    "of a constraint force": (
        Model(
            x=Var(init=0.0), y=Var(), f=Var(),
            equations=["der(der(x)) = f - x", "der(der(y)) = -f - 9.81", "x = 2*y"], initial_equations=["der(f) = 1"],
        ),
        # f - x = 2*(-f - 9.81): der(x) = 3*der(f)
        {"der(x)": 3.0, "f": -2 * 9.81 / 3},
    ),
}  # fmt: skip


@pytest.mark.parametrize("beside", [Model(), Model(n=Var(type="Integer"), equations=["n = 2 if time < 0.05 else 3"])])
@pytest.mark.parametrize("kind", DERIVATIVES)
def test_derivatives_that_only_initial_equations_need(kind, beside):
    model, expected = DERIVATIVES[kind]
    sim = instantiate(model | beside)
    result = sim.simulate(0.1)
    for name, value in expected.items():
        assert result[name][0] == pytest.approx(value, rel=1e-6), name


def test_the_derivative_of_an_input_in_an_initial_equation_is_refused():
    model = Model(x=Var(), u=Var(input=True, start=1.0), y=Var(), equations=["der(x) = -x", "y = u + x"])
    with pytest.raises(ModelError, match="derivative of the input 'u'"):
        instantiate(model | Model(initial_equations=["der(y) = 0"]))


@pytest.mark.parametrize("order", [1, -1])
def test_what_initial_equations_leave_open_begins_where_a_start_says(order):
    """Of two states that one equation joins, the one with a start keeps it, in whatever order they are declared."""
    variables = dict([("x", Var()), ("y", Var(start=1.0))][::order])
    model = Model(variables, equations=["der(x) = -x", "der(y) = -2*y"], initial_equations=["x + y = 3"])
    result = instantiate(model).simulate(1.0)
    assert (result["x"][0], result["y"][0]) == (pytest.approx(2.0), pytest.approx(1.0))


@pytest.mark.parametrize(("y", "x"), [(1.5, 2.0), (0.5, 3.0)])
def test_a_relation_in_an_initial_equation_holds_at_the_beginning(y, x):
    """It is none of the model's: another relation there has its own value, and no event comes of it later."""
    model = Model(
        x=Var(),
        y=Var(init=y),
        z=Var("1 if y > 5 else 0"),
        equations=["der(x) = 0", "der(y) = 1"],
        initial_equations=["x = 2 if y > 1 else 3"],
    )
    result = instantiate(model).simulate(1.0)
    assert result["x"][0] == result["x"][-1] == pytest.approx(x)
    assert result["z"][-1] == 0.0
    assert result.statistics["events"] == 0


# -- which of several values that are declared the others follow from ---------------------------------------------------


@pytest.mark.parametrize("k", [0.0, 1e-9, 1.0])
@pytest.mark.parametrize("names", ["xyzw", "wzyx", "yxwz"])
def test_states_follow_from_what_is_declared_of_them(names, k):
    """y follows from x, and x not from y, as the factor may be zero at the beginning; z follows from w."""
    init = {"x": 1.0, "y": 3.0 + k * 1.0, "w": 2.0}
    model = Model(
        k=k,
        **{name: Var(init=init[name]) if name in init else Var() for name in names},
        equations=["y = 3 + (k + time)*x", "der(x) = -x", "der(z) = 1", "w = z + 1"],
    )
    result = instantiate(model).simulate(1.0)
    assert (result["x"][0], result["z"][0]) == (1.0, 1.0)
    np.testing.assert_allclose(result["y"], 3.0 + (k + result.time) * np.exp(-result.time), atol=1e-5)


@pytest.mark.parametrize("coordinate", [Map(), Map(rev=Map(phi=Var(start=0.1)))])
@pytest.mark.parametrize("last", [False, True])
def test_values_of_the_user_win_over_those_of_joints(coordinate, last):
    """A joint begins at 0 where nobody says anything; here something else says 0.3."""
    angle = {"y": Var("2*rev.phi", init=0.6)}
    scene = {"world": Object3D(feature=Scene()), "link": Object3D(feature=Solid(Box(0.1, 0.1, 1.0), "Steel"))}
    joint = scene | {"rev": RevoluteWithFlange("world", "link", "x")}
    model = Model3D(**(joint | angle if last else angle | joint)) | coordinate
    result = instantiate(model).simulate(0.1)
    assert result["rev.phi"][0] == pytest.approx(0.3, abs=1e-12)
    assert result["rev.w"][0] == 0.0


def test_an_equation_from_which_a_state_does_not_follow_is_named():
    model = Model(x=Var(), y=Var(init=1.0), equations=["y = 3 + time*x", "der(x) = -x"])
    with pytest.raises(SimulationError, match=r"initialization: 'x' cannot be computed from 'y = 3 \+ time\*x'"):
        instantiate(model).simulate(1.0)


def test_a_contradiction_is_told_where_nothing_can_be_evaluated():
    """A pendulum beside its circle, pushed by what has no value there."""
    motion = ["der(x) = v", "der(y) = w", "der(v) = push - f*x", "der(w) = -f*y", "x**2 + y**2 = 2", "push = log(x - 2)"]
    begin = {"x": Var(init=0.0), "y": Var(init=1.0), "v": Var(init=0.0), "w": Var(), "f": Var(), "push": Var()}
    with pytest.raises(SimulationError, match=r"contradict the constraint 'x\*\*2 \+ y\*\*2 = 2'"):
        instantiate(Model(**begin, equations=motion)).simulate(1.0)


@pytest.mark.parametrize("wish", ["default", "avoid", "prefer"])
@pytest.mark.parametrize("place", [0, 2])
def test_the_variable_that_a_derivative_is_says_the_initial_value_where_that_is_a_state(wish: str, place: int) -> None:
    """That of a force is declared, too, and follows: no speed follows from it, because what damps both cancels."""
    entries = [("x", Var(init=0.5)), ("v", Var(init=0.25, state_select=wish))]
    entries += [("w", Var(state_select=wish)), ("y", Var())]
    entries.insert(place, ("f", Var(init=-0.8)))
    equations = ["v = der(x)", "der(v) = 2*f - v/2", "w = der(y)", "der(w) = 4 + f - w/2", "2*x + y = 0"]
    sim = instantiate(Model(dict(entries) | {"equations": equations}))
    assert ("der(x)" in sim.states) == (wish == "avoid")
    result = sim.simulate(1.0, tolerance=1e-8)
    assert [result[name][0] for name in "xvwf"] == pytest.approx([0.5, 0.25, -0.5, -0.8], abs=1e-12)
    np.testing.assert_allclose(result["v"], 3.45 * np.exp(-result.time / 2) - 3.2, atol=1e-6)  # der(v) = -1.6 - v/2
