"""A change of structure or of parameters needs no new machine code, and the counter that says so really counts."""

import itertools

import numpy as np
import pytest

from modia3d import ActionAttach, ActionFlipChain, Box, EventAfterPeriod, Model3D, NoGravity, Object3D, Scene, Solid, WorldForce
from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.symbolic.codegen.compilation_counter import compilations

from . import mosar

pytestmark = pytest.mark.white_box

REST = 6.9
"""A time at which no path is under way [s]."""


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MODIA_CACHE_DIR", str(tmp_path))


def decay(rate):
    return Model(x=Var(init=1.0), rate=rate, equations=["der(x) = -rate*x"])


def test_the_walking_robot_is_simulated_without_a_compilation(walk):
    assert len(walk.segments) == 13
    assert walk.statistics["compilations_after_start"] == 0


def test_nothing_is_compiled_where_signals_are_computed_for_the_second_time(walk):
    frames, system = ("greenEnd.r_abs", "greenEnd.v_abs"), ("kinetic_energy", "momentum", "angular_momentum_rate")
    names = [*frames, *(f"mechanics.{name}" for name in system)]
    for name in names:
        walk[name]
    before = compilations()
    for name in names:
        walk.segment(8)[name]
        walk.segment(11)[name]
    assert compilations() == before


def test_new_machine_code_is_counted(empty_cache):
    before = compilations()
    simulation = instantiate(decay(2.0))
    assert compilations() > before
    before = compilations()
    result = simulation.simulate(1.0)
    assert compilations() == before
    assert result.statistics["compilations_after_start"] == 0


@pytest.mark.parametrize("culprit", ["equations", "numba"])
def test_a_compilation_while_the_simulation_runs_is_counted(empty_cache, culprit):
    import numba

    rates = itertools.count(1)

    def compile_equations(time):
        n = next(rates)
        instantiate(Model({f"x{n}": Var(init=1.0)}, equations=[f"der(x{n}) = -x{n}"]))

    def compile_with_numba(time):
        n = float(next(rates))
        numba.njit(lambda x: x + n)(time)

    simulation = instantiate(decay(3.0))
    quiet = simulation.simulate(1.0).statistics["compilations_after_start"]
    progress = compile_equations if culprit == "equations" else compile_with_numba
    loud = simulation.simulate(1.0, progress=progress).statistics["compilations_after_start"]
    assert quiet == 0
    assert loud >= 1
    assert next(rates) > 1


def test_a_merged_parameter_changes_the_motion_without_a_compilation(robot):
    before = compilations()
    softer = Map({drive: Map(c=5e3, d=30.0) for drive in mosar.DRIVES})
    heavier = Map(link4=Map(solid=Map(feature=Map(mass_properties=Map(mass=15.0)))))
    plain, *others = (robot.simulate(REST, tolerance=1e-8, merge=change) for change in (None, softer, heavier))
    assert compilations() == before
    for other in others:
        assert other.statistics["compilations_after_start"] == 0
        stretch = [np.abs(result["drive2.spring.phi_rel"]).max() for result in (plain, other)]
        assert stretch[1] > 1.2 * stretch[0]
    again = robot.simulate(REST, tolerance=1e-8)
    assert np.array_equal(again["joint2.phi"], plain["joint2.phi"])


def test_a_merged_parameter_gives_the_result_of_a_model_translated_with_it(robot):
    change = Map(drive3=Map(J_motor=2e-3, ratio=80.0), link2=Map(solid=Map(feature=Map(mass_properties=Map(mass=9.0)))))
    merged = robot.simulate(REST, tolerance=1e-8, merge=change)
    translated = instantiate(mosar.scenario().model | change).simulate(REST, tolerance=1e-8)
    for signal in ("joint3.phi", "drive3.motor.w", "greenEnd.r_abs"):
        assert merged[signal][-1] == pytest.approx(translated[signal][-1], abs=1e-6)


def test_a_merge_that_changes_the_equations_is_refused(robot):
    with pytest.raises(ModelError, match="changes the structure of the equations"):
        robot.simulate(REST, merge=Model(extra=Var(init=0.0), equations=["der(extra) = 1"]))


def test_another_program_of_actions_needs_no_compilation(robot):
    """What happens, and when, is data: attach and flip at other times with the same machine code."""
    step = mosar.configuration_of_the_step()

    def program(actions):
        actions.record(mosar.reference_path(step))
        ActionAttach(actions, "blueEnd", "platform.X2Y2")
        EventAfterPeriod(actions, 0.5)
        ActionFlipChain(actions, "greenEnd", "platform.X3Y2", "blueEnd")

    change = mosar.starting_at(step) | Map(actions=Map(program=program))
    result = robot.simulate(1.0, merge=change)
    assert [record.start for record in result.segments] == [0.0, 0.0, 0.5]
    assert result.statistics["compilations_after_start"] == 0


def test_what_a_merge_compiles_counts():
    """A new function of time is machine code of its own; new numbers are not."""
    body = Object3D(fixed_to_parent=False, feature=Solid(Box(1.0, 1.0, 1.0), "Steel"))
    push = WorldForce(obj="body", force=(lambda t: 2.0 * t, 0.0, 0.0))
    sim = instantiate(Model3D(world=Object3D(feature=Scene(gravity=NoGravity())), body=body, push=push))
    assert sim.simulate(0.1).statistics["compilations_after_start"] == 0
    merged = sim.simulate(0.1, merge=Map(push=Map(force=(lambda t: 7850.0 * t, 0.0, 0.0))))
    assert merged["body.v_abs"][-1, 0] == pytest.approx(0.1**2 / 2.0, rel=1e-3)
    assert merged.statistics["compilations_after_start"] == 1
    assert sim.simulate(0.1, merge=Map(body=Map(translation=(1.0, 0.0, 0.0)))).statistics["compilations_after_start"] == 0
