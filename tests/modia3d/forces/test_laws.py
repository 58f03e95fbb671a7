"""Laws of springs and dampers, and forces as functions of time."""

import math

import numpy as np
import pytest

from modia3d import (
    ActionDelete,
    Actions,
    ActionWait,
    Formula,
    FreeMotion,
    Model3D,
    ModelActions,
    Object3D,
    Prismatic,
    SpringDamperPtP,
    UniformGravity,
    WorldForce,
)
from modia3d.files import read_scenario
from modiapy import Function, ModelError, SimulationError, Table1D, instantiate

from ..scenes import assert_constant, body, energy, free, run, world

pytestmark = pytest.mark.white_box


def spring_force(x):
    return math.copysign(100.0 * abs(x) ** 1.2, x)


def damper_force(v):
    return math.copysign(2.0 * abs(v) ** 0.8, v)


FINAL = (
    *(-0.021470308199951636, -0.02147058281625833, -0.22258015450088536),
    *(0.3258869790149358, 0.3258860982698221, 0.007384571696148934),
)
"""Position and velocity at the end of Modia3D's BoxNonLinearSpringDamperPtP (tolerance 1e-6)."""


@pytest.mark.parametrize("written", ["functions", "formulas"])
def test_box_on_a_nonlinear_spring_ends_as_in_modia3d(written):
    laws = spring_force, Function(damper_force)
    if written == "formulas":
        laws = Formula("sign(x)*100*abs(x)**1.2", "x"), Formula("sign(u)*2*abs(u)**0.8")
    result = run(
        5.0,
        tolerance=1e-8,
        world=world(UniformGravity(n="-z")),
        box=body(),
        corner=Object3D(parent="box", translation=(0.05, 0.05, 0.05)),
        joint=FreeMotion("world", "box"),
        force=SpringDamperPtP("world", "corner", *laws, nominal_length=0.1, nominal_force=5.0),
    )
    end = [*result["box.r_abs"][-1], *result["box.v_abs"][-1]]
    assert end == pytest.approx(FINAL, abs=2e-4)


HARDENING = [[-0.3, -60.0], [-0.1, -5.0], [0.0, 0.0], [0.2, 8.0], [0.4, 50.0]]


@pytest.mark.parametrize(
    "law",
    [
        Table1D(HARDENING),
        Table1D(HARDENING, interpolation="monotone"),
        Table1D(HARDENING, interpolation="akima", extrapolation="hold"),
        Formula("40*u + 300*u**3"),
        spring_force,
    ],
    ids=["linear", "monotone", "akima", "formula", "function"],
)
def test_nonlinear_springs_keep_the_energy(law):
    result = run(
        3.0,
        tolerance=1e-11,
        world=world(UniformGravity(n="-z")),
        box=free(translation=(0.6, 0.1, 0.0), velocity=(0.0, 1.0, 0.5)),
        spring=SpringDamperPtP("world", "box", law, nominal_length=0.4, nominal_force=1.0),
    )
    assert_constant(energy(result), 2e-7)
    assert np.ptp(result["mechanics.potential_energy"]) > 1.0


def test_table_of_a_spring_is_extrapolated_linearly():
    """Beyond the last point the slope is 2 N/m: harmonic motion about where that line is zero."""
    mass, start = 0.5, 3.0
    result = run(
        1.0,
        world=world(),
        box=body(mass=mass),
        joint=Prismatic("world", "box", "x", s=start),
        spring=SpringDamperPtP("world", "box", Table1D([[0.0, 0.0], [0.5, 1.0], [1.0, 2.0]])),
    )
    assert result["joint.s"] == pytest.approx(start * np.cos(2.0 * result.time), abs=1e-7)


def test_quadratic_damper_slows_down_as_the_closed_form_says():
    c, mass, v = 0.7, 2.0, 3.0
    result = run(
        2.0,
        world=world(),
        box=body(mass=mass),
        joint=Prismatic("world", "box", "x", s=1.0, v=v),
        damper=SpringDamperPtP("world", "box", damping=Formula("0.7*abs(v)*v", "v")),
    )
    assert result["joint.v"] == pytest.approx(v / (1.0 + c / mass * v * result.time), abs=1e-8)


@pytest.mark.parametrize("law", [lambda t: math.sin(2.0 * t), Formula("sin(2*t)", "t")], ids=["function", "formula"])
def test_force_as_a_function_of_time(law):
    result = run(3.0, world=world(), box=free(mass=2.0), force=WorldForce("box", (0.0, law, 1.0)))
    t = result.time
    expected = np.stack([0.0 * t, 0.25 * (1.0 - np.cos(2.0 * t)), 0.5 * t], axis=1)
    assert result["box.v_abs"] == pytest.approx(expected, abs=1e-8)


def test_short_pulse_of_a_table_is_not_missed():
    pulse = Table1D([[0.0, 0.0], [7.0, 0.0], [7.0, 1000.0], [7.001, 1000.0], [7.001, 0.0]], extrapolation="hold")
    result = run(10.0, tolerance=1e-6, world=world(), box=free(), force=WorldForce("box", (pulse, 0.0, 0.0)))
    assert result["box.v_abs"][-1] == pytest.approx([1.0, 0.0, 0.0], abs=1e-4)


def test_merge_changes_tables_without_compiling():
    sim = instantiate(
        Model3D(
            world=world(),
            box=body(mass=2.0),
            joint=Prismatic("world", "box", "x", s=1.0),
            spring=SpringDamperPtP("world", "box", Table1D([[0.0, 0.0], [1.0, 2.0]])),
        )
    )
    for stiffness in (8.0, 18.0):
        table = Table1D([[0.0, 0.0], [0.5, 0.5 * stiffness], [1.0, stiffness]])
        result = sim.simulate(1.0, tolerance=1e-10, merge={"spring": SpringDamperPtP("world", "box", table)})
        assert result["joint.s"] == pytest.approx(np.cos(math.sqrt(stiffness / 2.0) * result.time), abs=1e-7)
        assert result.statistics["compilations_after_start"] == 0


def test_tables_and_formulas_are_written_in_scenarios(tmp_path):
    file = tmp_path / "box.yaml"
    file.write_text(
        """
modia3d: 1
simulation: {stop_time: 1.0, tolerance: 1e-10}
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: {}}}}}}
  box:
    Object3D:
      feature: {Solid: {shape: {Sphere: {diameter: 0.1}}, mass_properties: {MassProperties: [2.0, [0, 0, 0], 1.0, 1.0, 1.0]}}}
  joint: {Prismatic: {obj1: world, obj2: box, axis: x, s: 1.0}}
  spring: {SpringDamperPtP: {obj1: world, obj2: box, stiffness: {Table1D: {data: [[0, 0], [1, 4]]}}}}
  other: {SpringDamperPtP: {obj1: world, obj2: box, stiffness: {Formula: {expression: "4*s", argument: s}}}}
"""
    )
    result = read_scenario(file).instantiate().simulate(1.0, tolerance=1e-10)
    assert result["joint.s"] == pytest.approx(np.cos(2.0 * result.time), abs=1e-7)


def test_mistakes_are_refused_by_name():
    def refused(match, law):
        with pytest.raises(ModelError, match=match):
            instantiate(Model3D(world=world(), box=free(), force=SpringDamperPtP("world", "box", law)))

    with pytest.raises(ModelError, match=r"unknown name 'k'.*an expression of u"):
        Formula("k*u")
    refused(r"stiffness of SpringDamperPtP.*2 columns of results", Table1D([[0, 0, 1], [1, 1, 2]]))
    refused(r"stiffness of SpringDamperPtP.*extrapolation='error'", Table1D([[0, 0], [1, 1]], extrapolation="error"))
    refused(r"'two' does not fit.*2 arguments", lambda_of_two())
    with pytest.raises(ModelError, match=r"force\[0\] of WorldForce"):
        instantiate(Model3D(world=world(), box=free(), force=WorldForce("box", (Table1D([[0, 0, 1], [1, 1, 2]]), 0, 0))))


def lambda_of_two():
    def two(a, b):
        return a + b

    return two


@pytest.mark.parametrize("others", [(), ("push", "shove")])
def test_a_force_that_is_no_number_stops_the_simulation_by_name(others):
    """Whatever other forces there are before it."""
    forces = {name: WorldForce("box", (1.0, 0.0, 0.0)) for name in others}
    forces["pull"] = WorldForce("box", (Formula("sqrt(0.5 - t)", "t"), 0, 0))
    model = Model3D(world=world(), box=free(velocity=(1.0, 0.0, 0.0)), **forces)
    with pytest.raises(SimulationError, match=r" pull: at time 0\.[45].*'pull' is not a number"):
        instantiate(model).simulate(1.0)


@pytest.mark.parametrize("order", [1, -1])
def test_each_table_of_time_jumps_at_its_own_time(order):
    """Two forces that begin at 0.3 s and 0.7 s: each jump is an event, whichever force is declared first."""
    forces = [
        WorldForce("box", force=(Table1D([[0.0, 0.0], [t, 0.0], [t, f], [9.0, f]]), 0.0, 0.0))
        for t, f in ((0.3, 2.0), (0.7, 5.0))
    ]
    named = {f"force{k}": force for k, force in enumerate(forces[::order])}
    result = run(1.0, world=world(), box=free(mass=1.0), tolerance=1e-4, **named)
    assert result["box.v_abs"][-1, 0] == pytest.approx(2.0 * 0.7 + 5.0 * 0.3, rel=1e-6)
    assert result.statistics["events_by_kind"]["time"] >= 2


def test_times_of_a_table_and_of_a_program_are_events_beside_each_other():
    table = Table1D([[0.0, 0.0], [0.3, 0.0], [0.3, 2.0], [0.7, 2.0], [0.7, 0.0], [9.0, 0.0]])
    steps = [ActionWait(Actions(), 0.5), ActionDelete(Actions(), "other"), ActionWait(Actions(), 0.4)]
    parts = {"world": world(), "box": free(), "other": free(translation=(1.0, 1.0, 1.0), assembly_root=True)}
    result = run(1.0, **parts, push=WorldForce("box", (table, 0.0, 0.0)), actions=ModelActions(steps))
    assert [segment.start for segment in result.segments] == [0.0, 0.5]
    assert result.time[1:][np.diff(result.time) == 0.0] == pytest.approx([0.3, 0.5, 0.7, 0.9], abs=1e-15)
