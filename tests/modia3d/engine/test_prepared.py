"""What an evaluation prepares serves the next one where nothing has moved, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from modia3d import MassProperties, Model3D, Object3D, Revolute, RevoluteWithFlange, Scene, Solid
from modia3d.constraints.joints import released_limits
from modia3d.dynamics.basics.layout import LOCKED, PASSIVE
from modia3d.engine.memory.context import WORKING
from modiapy import Model, Var, instantiate
from modiapy.acausal import SegmentStart
from modiapy.simulation.evaluation.component_checks import begin_runs
from modiapy.simulation.evaluation.machine import Machine
from modiapy.simulation.segments.segment import begin_components

pytestmark = pytest.mark.white_box

BODY = Solid(mass_properties=MassProperties(mass=2.0, center_of_mass=(0.3, 0.1, 0.0), Ixx=0.1, Iyy=0.2, Izz=0.3))
LAGGING = Model(
    flange=Model(phi=Var(potential=True), tau=Var(flow=True)),
    torque=Var(init=0.5),
    equations=["flange.tau = 0.1 - 2.0*torque", "der(torque) = 1.0 - torque"],
)
TORQUE, ANGLE, SPEED = "drive.torque", "joint.phi", "joint.w"
HANGING = 3, 4
"""Angle and speed of the joint that nothing drives, behind the states of the equations."""


def at_the_start():
    """A driven joint with a body on which another one hangs: a machine that nothing has been evaluated in, and the states."""
    model = Model3D(
        world=Object3D(feature=Scene()),
        upper=Object3D(feature=BODY),
        lower=Object3D(feature=BODY),
        joint=RevoluteWithFlange("world", "upper", phi=Var(init=0.3), w=Var(init=0.7)),
        hanging=Revolute("upper", "lower", axis="z"),
        drive=LAGGING,
        connect=[("drive.flange", "joint.flange")],
    )
    sim = instantiate(model)
    machine = Machine(sim.compiled, sim.flat)
    states = dict(zip(sim.sorted.states, sim.sorted.initial_states(), strict=True))
    layouts = begin_components(
        begin_runs(sim.flat.components),
        {path: SegmentStart(0.0, None, lambda name: states.get(name, 0.0)) for path in sim.flat.components},
    )
    x = np.concatenate([list(states.values()), *(layout.x for layout in layouts.values())])
    machine.enter_segment(layouts, x.size, 0)
    return machine, x, {name: k for k, name in enumerate(states)}


def derivatives(machine, x):
    machine.evaluate(0.0, x, 0)
    return machine.derivatives.copy()


def memory_of(machine):
    return next(iter(machine.layouts.values())).keep


def moved(x, *places):
    x = x.copy()
    x[list(places)] += 0.125
    return x


def test_what_was_evaluated_before_has_no_influence():
    machine, x, at = at_the_start()
    points = [x, *(moved(x, k) for k in range(x.size)), moved(x, at[TORQUE], *HANGING), x, moved(x, at[SPEED]), x]
    for point in points:
        fresh, _, _ = at_the_start()
        assert np.array_equal(derivatives(machine, point), derivatives(fresh, point))


@pytest.mark.parametrize("place", [ANGLE, SPEED, *HANGING])
def test_where_something_moves_all_is_prepared_anew_and_else_nothing(place):
    machine, x, at = at_the_start()
    derivatives(machine, x)
    memory = memory_of(machine)
    sizes = {"n": 2, "n_q": 2, "n_v": 2, "n_e": 1, "n_f": 0, "n_loaded": 0, "n_points": 0}
    mass = WORKING.view(next(array for array in memory._arrays if array.size == WORKING.words(**sizes)), "mass", **sizes)
    prepared = mass[0, 0]
    mass[0, 0] *= 2.0
    derivatives(machine, moved(x, at[TORQUE]))
    assert mass[0, 0] == 2.0 * prepared
    derivatives(machine, moved(x, at.get(place, place)))
    assert 0.0 < mass[0, 0] < 2.0 * prepared


def test_a_push_and_a_joint_that_is_held_are_seen_where_nothing_moves():
    machine, x, _ = at_the_start()
    free, memory = derivatives(machine, x), memory_of(machine)
    memory.tau[1] = 1.0
    pushed = derivatives(machine, x)
    assert pushed[HANGING[1]] > free[HANGING[1]] + 0.1
    memory.tau[1] = 0.0
    memory.roles[1] = LOCKED
    assert not np.array_equal(derivatives(machine, x), free)
    with released_limits(memory.roles, np.zeros((0, 6))):
        assert memory.roles[1] == PASSIVE
        assert np.array_equal(derivatives(machine, x), free)
