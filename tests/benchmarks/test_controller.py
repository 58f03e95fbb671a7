"""The benchmark of controllers: both engines have one machine and one law, each is measured against what is exact."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import controller
from benchmarks.controller_mujoco import Peer
from benchmarks.controller_ours import Ours
from benchmarks.controller_robots import ROBOTS, bare, chain, panda, servos, solo

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("pinocchio")  # brings the robots


@pytest.mark.parametrize("name", ROBOTS)
def test_both_engines_have_the_same_machine(name):
    assert controller.Pair(ROBOTS[name]()).difference() < controller.EQUAL


def test_another_machine_is_noticed():
    pair = controller.Pair(chain(3))
    pair.peer.model.body_mass[2] *= 1.0 + 1e-6
    assert pair.difference() > 10 * controller.EQUAL


def test_the_panda_is_that_of_mujocos_own_reader():
    """MuJoCo reads the URDF by itself: the mass matrix is that of the forest that it has from us."""
    pair = controller.Pair(panda())
    text = bare("panda.urdf")
    own = mujoco.MjModel.from_xml_string(
        text.replace("</robot>", '<mujoco><compiler balanceinertia="false" fusestatic="false"/></mujoco></robot>')
    )
    assert [own.joint(k).name for k in range(own.njnt)] == pair.peer.joints
    model, data = pair.peer.model, pair.peer.data
    there, q, v = mujoco.MjData(own), np.linspace(-0.4, 0.7, own.nq), np.linspace(1.0, -1.0, own.nv)
    found = []
    for m, d in ((model, data), (own, there)):
        d.qpos[:], d.qvel[:] = q, v
        mujoco.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        found.append((M, d.qfrc_bias.copy()))
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-10)
    np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-9)


def test_solo_stands_on_its_feet():
    """The lowest feet touch the ground at first, and it sinks in by less than 5 mm."""
    ours = Ours(solo())
    heights = [ours.view.position(foot)[2] for foot in ours.robot.ground.feet]
    assert min(heights) == pytest.approx(ours.robot.ground.radius, abs=1e-12)
    before = ours.view.q[2]
    ours.loop(ours.law(), 50)
    assert abs(ours.view.q[2] - before) < 5e-3
    assert ours.stepper.result["mechanics.contacts"][-1] == 4


@pytest.mark.parametrize("name", [name for name in ROBOTS if name != "solo"])
def test_rows_have_all_figures(name):
    """Both exact solutions are the same, and ours is a hundred times as close to it as MuJoCo's own."""
    pair = controller.Pair(ROBOTS[name]())
    for loop in ("python", "compiled"):
        row = pair.row(loop, duration=0.02, repetitions=1, watched_s=0.1)
        assert json.loads(json.dumps(row)) == row
        assert (row["robot"], row["loop"]) == (name, loop)
        assert row["apart"] < 1e-9
        assert row["steps_per_call"] >= 1.0
        if row["mujoco_error"] is not None:
            assert row["error"] < row["mujoco_error"] / 100
            assert row["ratio"] == pytest.approx(row["ours_per_s"] / row["mujoco_per_s"])
        assert name in controller.table({"rows": [row], "chains": [], "exponent": 1.0})


@pytest.mark.skipif(controller.compiler() is None, reason="no C compiler")
def test_the_law_in_c_is_that_in_python():
    robot = chain(3)
    robot = replace(robot, joints={name: replace(joint, stiffness=20.0, damping=2.0) for name, joint in robot.joints.items()})
    ours = Ours(robot)
    peer = Peer(robot, ours.forest, ours.start())
    peer.choose(10)
    expected = peer.found(servos(robot, peer.joints), 200)
    with peer.compiled():
        found = peer.compiled_found(200)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert np.ptp(found, axis=0).min() > 1e-3  # it moves


def test_a_run_goes_back_to_the_start():
    pair = controller.Pair(chain(3))
    one, two = (pair.ours.found(20, pair.ours.law()) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    figures = controller.resets(pair)
    assert min(figures.values()) > 0.0


def test_exponent_of_a_power():
    rows = [{"joints": n, "ours_us": 3.0 * n**1.2} for n in controller.CHAINS]
    assert controller.exponent(rows, "ours_us") == pytest.approx(1.2)


def test_another_build_is_measured_beside_this_one(tmp_path):
    figures = controller.clocked(1, Path(controller.__file__).parents[1], stop_time=0.01)
    assert figures["clocked_ratio"] == pytest.approx(figures["clocked_s"] / figures["clocked_before_s"])
    (tmp_path / "modiapy").mkdir()
    (tmp_path / "modiapy" / "__init__.py").write_text("raise ImportError('another build')")
    with pytest.raises(RuntimeError, match="another build"):
        controller.clocked(1, tmp_path, stop_time=0.01)
