"""Robots that nobody here wrote against Pinocchio's reading of the same files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
import pytest

from modia3d.files import import_urdf
from modia3d.files.importers.report import ImportedModel
from modiapy import Map, instantiate

from .robots import PACKAGE, Machine, robot_folder

pytestmark = pytest.mark.white_box

ROBOTS = {
    "arm": ("ur_description/urdf/ur5_robot.urdf", False),
    "arm with gripper": ("panda_description/urdf/panda.urdf", False),
    "quadruped": ("solo_description/robots/solo12.urdf", True),
    "quadruped of impossible parts": ("anymal_b_simple_description/robots/anymal.urdf", True),
    "humanoid": ("talos_data/robots/talos_reduced.urdf", True),
}


def robot(name: str, **options: Any) -> ImportedModel:
    file, floating = ROBOTS[name]
    folder = robot_folder()
    return import_urdf(folder / "robots" / file, roots={PACKAGE: folder}, floating=floating, **options)


def rotation(q: np.ndarray) -> np.ndarray:
    return np.array(pinocchio.Quaternion(*q[[6, 3, 4, 5]]).toRotationMatrix())


def configure(machine: Machine, model: ImportedModel, theirs: Any, q: np.ndarray) -> np.ndarray:
    """Set our coordinates, and return T with Pinocchio's speeds ``T v``."""
    T = np.zeros((theirs.nv, theirs.nv))
    for joint in range(1, theirs.njoints):
        i, k = theirs.idx_qs[joint], theirs.idx_vs[joint]
        if theirs.names[joint] == "root_joint":
            _, j, own = machine.forest.indices[machine.forest.free_roots[0]]
            machine.dynamics.q[j : j + 7] = q[[0, 1, 2, 6, 3, 4, 5]]
            T[:3, own : own + 3], T[3:6, own + 3 : own + 6] = rotation(q).T, np.eye(3)
            continue
        _, j, own = machine.forest.indices[model.joints[theirs.names[joint]]]
        machine.dynamics.q[j] = q[i] if theirs.nqs[joint] == 1 else np.arctan2(q[i + 1], q[i])
        T[k, own] = 1.0
    return T


@pytest.mark.parametrize("name", ROBOTS)
def test_mass_matrix_and_poses_are_pinocchios(name: str) -> None:
    file, floating = ROBOTS[name]
    model = robot(name, visuals=False)
    machine = Machine(model)
    path = str(robot_folder() / "robots" / file)
    theirs = pinocchio.buildModelFromUrdf(path, *([pinocchio.JointModelFreeFlyer()] if floating else []))
    data: Any = theirs.createData()
    assert machine.forest.nv == theirs.nv
    pinocchio.seed(3)
    for _ in range(5):
        q = pinocchio.randomConfiguration(theirs, -np.full(theirs.nq, 2.0), np.full(theirs.nq, 2.0))
        T = configure(machine, model, theirs, q)
        upper = np.triu(pinocchio.crba(theirs, data, q))
        expected = T.T @ (upper + np.triu(upper, 1).T) @ T
        M = machine.mass_matrix()
        assert np.abs(M - expected).max() < 1e-10 * np.abs(expected).max()
        pinocchio.framesForwardKinematics(theirs, data, q)
        poses = machine.frames()
        compared = 0
        for k, frame in enumerate(theirs.frames):
            if frame.type == pinocchio.FrameType.BODY and frame.name in model.links:
                R, p = poses[model.links[frame.name]]
                assert np.abs(R - data.oMf[k].rotation).max() < 1e-10
                assert np.abs(p - data.oMf[k].translation).max() < 1e-10
                compared += 1
        assert compared >= len(model.links) - 1


@pytest.mark.parametrize("name", ["arm", "quadruped", "humanoid"])
def test_energy_is_conserved(name: str) -> None:
    """Without limits and damping."""
    result = instantiate(robot(name, visuals=False, limits=False)).simulate(0.2, tolerance=1e-9)
    potential = result["mechanics.potential_energy"]
    energy = potential + result["mechanics.kinetic_energy"]
    assert np.ptp(potential) > 1.0
    assert np.ptp(energy) < 1e-6 * np.ptp(potential)


def test_fingers_move_together_with_flanges_where_they_are_needed() -> None:
    model = robot("arm with gripper", visuals=False, limits=False, flanges="needed", positions={"panda_finger_joint1": 0.01})
    result = instantiate(model).simulate(0.1, tolerance=1e-8)
    s = result["panda_finger_joint1.s"]
    assert s[0] == 0.01
    assert np.ptp(s) > 1e-5
    assert np.allclose(result["panda_finger_joint2.s"], s, atol=1e-9)
    loss = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    assert np.all(np.diff(loss) <= 1e-7 * np.ptp(result["mechanics.potential_energy"]))
    assert loss[-1] < loss[0]


def test_the_report_says_what_is_not_there() -> None:
    lines = "\n".join(robot("arm with gripper", visuals=False).report)
    assert "panda_joint4' starts at" in lines
    assert "left out: damping of joints without a flange" in lines
    assert "mimic" in lines
    assert "limits of effort and velocity" in lines


def test_meshes_are_found_in_packages_and_may_be_copied(tmp_path: Path) -> None:
    there = robot("quadruped")
    shape = there["FL_UPPER_LEG_visual"]["feature"]["shape"]
    assert Path(shape["file"]).is_file()
    copied = robot("quadruped", copy_meshes=tmp_path / "meshes")
    copy = Path(copied["FL_UPPER_LEG_visual"]["feature"]["shape"]["file"])
    assert copy.parent == tmp_path / "meshes"
    assert copy.read_bytes() == Path(shape["file"]).read_bytes()


def test_the_linear_model_of_an_arm_has_pinocchios_derivatives() -> None:
    """States and rates in motion; derivatives of the accelerations by angles and speeds (Carpentier, Mansard 2018)."""
    rng = np.random.default_rng(11)
    q, v = rng.uniform(-1.0, 1.0, 6), rng.uniform(-2.0, 2.0, 6)
    model = robot("arm", visuals=False)
    moving = {name: Map(phi=phi, w=w) for name, phi, w in zip(model.joints, q, v, strict=True)}
    linear = instantiate(model | Map(**moving)).linearize()
    theirs = pinocchio.buildModelFromUrdf(str(robot_folder() / "robots" / ROBOTS["arm"][0]))
    order = [linear.states.index(f"{name}.{state}") for state in ("phi", "w") for name in list(theirs.names)[1:]]
    data: Any = theirs.createData()
    pinocchio.computeABADerivatives(theirs, data, q, v, np.zeros(6))
    expected = np.block([[np.zeros((6, 6)), np.eye(6)], [data.ddq_dq, data.ddq_dv]])
    assert linear.A[np.ix_(order, order)] == pytest.approx(expected, rel=1e-7, abs=1e-7 * np.abs(expected).max())
