"""A flipped chain is the same chain: flipped twice it is as before, flipped once as if modelled from its other end."""

import numpy as np
import pytest

from modia3d import MatingTolerance, NoGravity, Object3D, RevoluteWithFlange, Scene, UniformGravity
from modia3d.actions.structural.attach import Attach
from modia3d.actions.structural.flip_chain import FlipChain
from modiapy import Map, Model, Var, instantiate

from . import mosar

pytestmark = pytest.mark.white_box

BASE = Attach("blueEnd", "platform.X2Y2")
FLIP = FlipChain("greenEnd", "platform.X3Y2", "blueEnd")
BACK = FlipChain("blueEnd", "platform.X2Y2", "greenEnd")
FROM_GREEN = Attach("greenEnd", "platform.X3Y2")
ACCELERATIONS = [f"der({joint}.w)" for joint in mosar.JOINTS] + [f"der({drive}.motor.w)" for drive in mosar.DRIVES]


def world(gravity, mating=None):
    return Map(world=Object3D(feature=Scene(gravity=gravity, mating=MatingTolerance() if mating is None else mating)))


ANYHOW = MatingTolerance(position=10.0, z_angle=4.0, velocity=100.0, angular_velocity=100.0, symmetry=0)
"""Lock frames mate in any pose and motion: the measured pose is kept, so that any configuration can be flipped."""
GRAVITY = UniformGravity(g=9.81, n=(0.3, -0.2, -0.9))


def in_motion(seed):
    """Modification: any joint angles and speeds; springs under tension, rotors faster or slower than their joints."""
    rng = np.random.default_rng(seed)
    phi, w = rng.uniform(-2.0, 2.0, 7), rng.uniform(-1.0, 1.0, 7)
    drives = {
        drive: Map(phi0=float(phi[k] + rng.uniform(-5e-5, 5e-5)), w0=float(w[k] + rng.uniform(-1e-3, 1e-3)))
        for k, drive in enumerate(mosar.DRIVES)
    }
    return mosar.starting_at(phi.tolist(), w.tolist()) | Map(**drives)


def robot(*program):
    return mosar.with_actions(mosar.scenario().model, program)


def from_the_other_end(result):
    """The robot with the green end effector as its base and every joint declared from green to blue.

    Its base stands where the green end is at the beginning of a result.
    """
    start = result.segment(1)
    base = Object3D(
        fixed_to_parent=False,
        assembly_root=True,
        translation=start["link7.body.r_abs"][0].tolist(),
        rotation=start["link7.body.R_abs"][0].tolist(),
    )
    joints = {}
    for joint in mosar.JOINTS:
        old = mosar.scenario().model[joint]
        joints[joint] = RevoluteWithFlange(
            obj1=old["obj2"], obj2=old["obj1"], axis=f"-{old['axis']}", phi=Var(init=0.0), w=Var(init=0.0)
        )
    return robot(FROM_GREEN) | Map(link0=Map(body=Object3D()), link7=Map(body=base)) | Model(**joints)


def simulate(model, stop_time=0.01, interval=None, tolerance=1e-10):
    """The simulation and its result; short, where only the beginning of the last segment counts."""
    simulation = instantiate(model)
    return simulation, simulation.simulate(stop_time, tolerance=tolerance, interval=interval)


def last_segment(result):
    return result.segment(len(result.segments))


def at_the_step():
    return mosar.starting_at(mosar.configuration_of_the_step())


def forest_after(*program):
    simulation, result = simulate(robot(*program) | at_the_step())
    return simulation.last.components[""].forest, result


def test_flipped_twice_the_structure_is_the_first_one():
    (first, once), (second, twice) = forest_after(BASE), forest_after(BASE, FLIP, BACK)
    assert [record.info["dof"] for record in twice.segments] == [49, 43, 43, 43]
    assert last_segment(twice).record.cause == str(BACK)
    for array in ("ints", "body_joint", "reversed", "frame_body"):
        assert np.array_equal(getattr(first, array), getattr(second, array)), array
    for array in ("floats", "frame_R", "frame_p"):
        np.testing.assert_allclose(getattr(second, array), getattr(first, array), rtol=0.0, atol=1e-12, err_msg=array)
    assert (first.dof, first.nq, first.n_equation) == (second.dof, second.nq, second.n_equation)
    assert [str(lock) for lock in first.structure.locks] == [str(lock) for lock in second.structure.locks]
    layouts = [last_segment(result).layouts[""] for result in (once, twice)]
    assert layouts[0].names == layouts[1].names
    assert np.array_equal(layouts[0].x, layouts[1].x)
    assert layouts[0].n_z == layouts[1].n_z
    assert layouts[0].info == layouts[1].info
    assert set(layouts[0].signals) == set(layouts[1].signals)


def test_flipped_once_it_is_another():
    (first, _), (flipped, _) = forest_after(BASE), forest_after(BASE, FLIP)
    assert first.reversed_joints == frozenset()
    assert flipped.reversed_joints == frozenset(mosar.JOINTS)
    assert not np.array_equal(first.frame_body, flipped.frame_body)
    assert first.dof == flipped.dof


def test_flipped_twice_the_robot_moves_as_if_nothing_had_happened():
    modification = world(GRAVITY, ANYHOW) | in_motion(0)
    (_, once), (_, twice) = (simulate(robot(*program) | modification, 0.5, 0.05) for program in ((BASE,), (BASE, FLIP, BACK)))
    a, b = last_segment(once), last_segment(twice)
    for signal in ACCELERATIONS:
        assert b[signal][0] == pytest.approx(a[signal][0], rel=1e-10, abs=1e-9), signal
    for frame in ("greenEnd", "link3.body"):
        np.testing.assert_allclose(b[f"{frame}.r_abs"][-1], a[f"{frame}.r_abs"][-1], rtol=0.0, atol=1e-7)


@pytest.fixture(scope="module")
def flipping():
    """The robot to be flipped, in any pose and motion by `in_motion`."""
    return instantiate(robot(BASE, FLIP) | world(NoGravity(), ANYHOW))


@pytest.mark.parametrize("gravity", [NoGravity(), GRAVITY], ids=["no gravity", "gravity"])
@pytest.mark.parametrize("seed", range(3))
def test_flipped_it_accelerates_like_the_one_modelled_from_the_other_end(flipping, seed, gravity):
    modification = world(gravity, ANYHOW) | in_motion(seed)
    flipped = flipping.simulate(0.2, tolerance=1e-10, merge=modification)
    _, other = simulate(from_the_other_end(flipped) | modification, 0.2)
    a, b = last_segment(flipped), last_segment(other)
    assert a.record.cause == str(FLIP)
    assert b.record.cause == str(FROM_GREEN)
    for names in (ACCELERATIONS[:7], ACCELERATIONS[7:]):
        found, expected = (np.array([segment[name][0] for name in names]) for segment in (a, b))
        scale = np.abs(expected).max()
        assert scale > 1.0
        assert np.abs(found - expected).max() <= 1e-10 * scale
    for state in (f"{joint}.{c}" for joint in mosar.JOINTS for c in ("phi", "w")):
        assert a[state][0] == b[state][0]
        assert a[state][-1] == pytest.approx(b[state][-1], abs=1e-7)
    for frame in ("blueEnd", "link4.end", "link7.solid"):
        for quantity, limit in (("r_abs", 1e-12), ("R_abs", 1e-12), ("v_abs", 1e-11), ("w_abs", 1e-11)):
            signal = f"{frame}.{quantity}"
            np.testing.assert_allclose(a[signal][0], b[signal][0], rtol=0.0, atol=limit, err_msg=signal)


def test_within_the_scenario_s_own_tolerances_the_two_models_agree_along_the_path_after_the_step():
    step, program = mosar.configuration_of_the_step(), mosar.actions()
    lift_off = program[next(i for i, action in enumerate(program) if isinstance(action, FlipChain)) + 1]
    model = mosar.with_actions(mosar.scenario().model, [BASE, FLIP, lift_off], step)
    _, flipped = simulate(model | at_the_step(), 20.0, 0.1)
    model = mosar.with_actions(from_the_other_end(flipped), [FROM_GREEN, lift_off], step)
    _, other = simulate(model | at_the_step(), 20.0, 0.1)
    a, b = last_segment(flipped), last_segment(other)
    assert np.ptp(a["blueEnd.r_abs"], axis=0).max() > 0.1
    np.testing.assert_array_equal(a.time, b.time)
    for signal in [f"{joint}.phi" for joint in mosar.JOINTS] + ["blueEnd.r_abs"]:
        np.testing.assert_allclose(a[signal], b[signal], rtol=0.0, atol=1e-7, err_msg=signal)
