"""Equality constraints of MJCF: loops that stay closed, and move as MuJoCo's do where these are as stiff as they can be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from modia3d.files import import_mjcf
from modia3d.files.importers.report import ImportedModel
from modiapy import instantiate

pytestmark = pytest.mark.white_box

WINDOW = """<option gravity="0 0 -9.81"/><worldbody>
 <body name="left" pos="0 0 0.2"><joint name="foot_l" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.1 0 0.6"/>
  <body name="top" pos="0.1 0 0.6"><joint name="knee" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 1 0 0.1"/>
  <site name="end" pos="1 0 0.1"/></body></body>
 <body name="right" pos="1 0 0.1"><joint name="foot_r" axis="0 1 0"/><geom type="capsule" size="0.03" fromto="0 0 0 0.1 0 0.8"/>
  <site name="tip" pos="0.1 0 0.8" euler="30 0 20"/></body></worldbody>"""
ROPE_OF_LINKS = """<worldbody>
 <body name="a" pos="0 0 2"><joint name="ja" type="ball"/><geom type="box" size="0.2 0.05 0.04" pos="0.2 0 0"/>
  <body name="b" pos="0.4 0 0" euler="0 30 40"><joint name="jb" type="ball"/>
   <geom type="box" size="0.2 0.04 0.06" pos="0.2 0 0"/>
 </body></body>
 <body name="c" pos="0.9 0.2 1.8" euler="0 20 40"><freejoint name="jc"/><geom type="box" size="0.1 0.2 0.15"/></body>
</worldbody>"""
LOOPS = {
    "connect of bodies": (WINDOW, '<connect name="e" body1="top" body2="right" anchor="1 0 0.1"/>'),
    "connect of sites": (WINDOW, '<connect name="e" site1="end" site2="tip"/>'),
    "connect to the world": (ROPE_OF_LINKS, '<connect name="e" body1="b" anchor="0.4 0 0"/>'),
    "weld of bodies": (ROPE_OF_LINKS, '<weld name="e" body1="b" body2="c" anchor="0.1 0.2 0.3"/>'),
}


def load(folder: Path, content: str, constraint: str, **options: Any) -> tuple[ImportedModel, Any]:
    file = folder / "robot.xml"
    file.write_text(f'<mujoco model="robot">{content}<equality>{constraint}</equality></mujoco>')
    theirs = mujoco.MjModel.from_xml_path(str(file))
    theirs.opt.timestep, theirs.opt.integrator = 1e-4, int(mujoco.mjtIntegrator.mjINT_RK4)
    theirs.opt.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    theirs.opt.tolerance, theirs.eq_solref[:], theirs.eq_solimp[:] = 1e-14, (2e-4, 1.0), (0.9999, 0.9999, 1e-3, 0.5, 2.0)
    return import_mjcf(file, **options), theirs


@pytest.mark.parametrize("case", LOOPS)
def test_a_loop_moves_as_in_mujoco(tmp_path: Path, case: str) -> None:
    model, theirs = load(tmp_path, *LOOPS[case])
    result = instantiate(model).simulate(0.5, tolerance=1e-9)
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    start = data.xpos.copy()
    mujoco.mj_step(theirs, data, 5000)
    mujoco.mj_forward(theirs, data)
    assert np.abs(data.xpos - start).max() > 0.1
    for body, frame in model.links.items():
        i = mujoco.mj_name2id(theirs, int(mujoco.mjtObj.mjOBJ_BODY), body)
        assert np.abs(result[f"{frame}.r_abs"][-1] - data.xpos[i]).max() < 1e-5
        assert np.abs(result[f"{frame}.R_abs"][-1] - data.xmat[i].reshape(3, 3)).max() < 1e-5
    assert result.segments[0].info["dof"] < theirs.nv


def test_a_weld_with_a_pose_is_closed_at_the_start(tmp_path: Path) -> None:
    model, _ = load(tmp_path, ROPE_OF_LINKS, '<weld name="e" body1="b" body2="c" relpose="0.5 0 0.1 2 0 1 0"/>')
    result = instantiate(model).simulate(0.2)
    (R_b, p_b), (R_c, p_c) = ([result[f"{body}.{name}"] for name in ("R_abs", "r_abs")] for body in ("b", "c"))
    for t in range(len(result.time)):
        assert R_b[t].T @ (p_c[t] - p_b[t]) == pytest.approx((0.5, 0.0, 0.1), abs=1e-9)
        assert R_b[t].T @ R_c[t] == pytest.approx(np.array([[0.6, 0, 0.8], [0, 1, 0], [-0.8, 0, 0.6]]), abs=1e-9)


def test_joints_are_coupled_in_a_ratio(tmp_path: Path) -> None:
    """phi_b = 0.1 + 2 phi_a, from the rest positions on: two wheels, of which the second one has a weight."""
    content = """<option gravity="0 0 -9.81"/><worldbody><body name="a"><joint name="ja" axis="0 1 0"/>
     <inertial pos="0 0 0" mass="1" diaginertia="0.5 0.5 0.5"/></body><body name="b" pos="1 0 0">
     <joint name="jb" axis="0 1 0" ref="0.3"/><inertial pos="0.2 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body></worldbody>"""
    constraint = '<joint name="e" joint1="jb" joint2="ja" polycoef="0.1 2 0 0 0"/>'
    model, theirs = load(tmp_path, f'<compiler angle="radian"/>{content}', constraint, flanges="needed")
    result = instantiate(model).simulate(1.0, tolerance=1e-9)
    data = mujoco.MjData(theirs)
    data.qpos[:] = 0.0, 0.4
    mujoco.mj_step(theirs, data, 10000)
    assert result["jb.phi"] == pytest.approx(0.1 + 2.0 * result["ja.phi"], abs=1e-12)
    assert np.ptp(result["ja.phi"]) > 0.3
    assert result["ja.phi"][-1] == pytest.approx(data.qpos[0], abs=1e-5)
    assert result["jb.phi"][-1] == pytest.approx(data.qpos[1] - 0.3, abs=1e-5)
    loose, _ = load(tmp_path, f'<compiler angle="radian"/>{content}', constraint)
    assert "mimic, so the joint moves independently" in "\n".join(loose.report)


def test_a_joint_follows_one_other(tmp_path: Path) -> None:
    from modiapy import ModelError

    twice = '<joint joint1="knee" joint2="foot_l"/><joint name="second" joint1="knee" joint2="foot_r"/>'
    with pytest.raises(ModelError, match=r"equality\[second\].*a joint follows two others; found joint 'knee'"):
        load(tmp_path, WINDOW, twice)


def test_constraints_that_are_not_active_are_left_out(tmp_path: Path) -> None:
    model, _ = load(tmp_path, WINDOW, '<connect name="e" site1="end" site2="tip" active="false"/>')
    assert "e" not in model
    assert "equality constraints that are not active (e)" in "\n".join(model.report)
