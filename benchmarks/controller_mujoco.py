"""MuJoCo's side of `benchmarks.controller`: the same machine from the numbers of our forest, and its loops."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from modia3d.dynamics.basics.layout import INERTIA, KIND, MASS, MOMENT, P_PJ, PARENT, PRISMATIC, R_PJ, REVOLUTE
from modia3d.topology.forest import Forest

from .common import seconds
from .controller_robots import FREQUENCY, SAMPLE, Array, Law, Robot

INTEGRATORS = ("Euler", "implicitfast")
"""Those that are at their best in one step of a millisecond."""
SUBSTEPS = 64
"""Steps of RK4 in a sample, of what counts as exact."""


def text(values: Any) -> str:
    """Return numbers as an attribute of XML."""
    return " ".join(repr(float(x)) for x in np.ravel(values))


def mjcf(robot: Robot, forest: Forest) -> str:
    """Return a robot as MJCF: the bodies of a forest of revolute, prismatic and free joints, its frames as sites."""
    children: dict[int, list[int]] = {}
    for body, parent in enumerate(forest.ints[:, PARENT].tolist()):
        children.setdefault(parent, []).append(body)
    places: dict[int, list[str]] = {}
    feet = robot.ground.feet if robot.ground else ()
    for k, node in enumerate(forest.graph.frames):
        body, R, p = forest.frame_pose(k) if node.name in {*robot.frames, *feet} else (-2, None, None)
        if R is not None and p is not None:
            places.setdefault(body, []).append(f'<site name="{node.name}" pos="{text(p)}" xyaxes="{text(R.T[:2])}"/>')
            if robot.ground and node.name in feet:
                ball = f'type="sphere" size="{robot.ground.radius}" mass="0" contype="0" conaffinity="0"'
                places[body].append(f'<geom name="{node.name}" {ball} pos="{text(p)}"/>')

    def element(body: int) -> str:
        row, name = forest.floats[body], forest.body_names[body]
        c, mass = row[MOMENT : MOMENT + 3] / row[MASS], row[MASS]
        xx, yy, zz, xy, xz, yz = row[INERTIA : INERTIA + 6]
        about_c = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - mass * (c @ c * np.eye(3) - np.outer(c, c))
        inertia = about_c[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        kind = int(forest.ints[body, KIND])
        joint = {REVOLUTE: 'axis="0 0 1"', PRISMATIC: 'axis="0 0 1" type="slide"'}.get(kind, 'type="free"')
        R = row[R_PJ : R_PJ + 9].reshape(3, 3)
        return (
            f'<body pos="{text(row[P_PJ : P_PJ + 3])}" xyaxes="{text(R.T[:2])}"><joint name="{name}" {joint}/>'
            f'<inertial pos="{text(c)}" mass="{float(mass)!r}" fullinertia="{text(inertia)}"/>'
            f"{''.join(places.get(body, []))}{''.join(map(element, children.get(body, [])))}</body>"
        )

    ground = contact = ""
    if robot.ground:
        ground = '<geom name="ground" type="plane" size="0 0 1" contype="0" conaffinity="0"/>'
        how = f'condim="3" friction="{text([robot.ground.friction] * 2 + [0.0] * 3)}"'
        pairs = [f'<pair geom1="ground" geom2="{foot}" {how}/>' for foot in feet]
        contact = f"<contact>{''.join(pairs)}</contact>"
    flags = "" if robot.ground else '<flag constraint="disable"/>'
    return (
        f'<mujoco><compiler angle="radian" balanceinertia="false"/><option timestep="{SAMPLE}" '
        f'gravity="0 0 {-robot.gravity}">{flags}</option><worldbody>{ground}{"".join(places.get(-1, []))}'
        f"{''.join(map(element, children.get(-1, [])))}</worldbody>{contact}"
        '<keyframe><key name="start"/></keyframe></mujoco>'
    )


class Peer:
    """A robot in MuJoCo.

    Args:
        robot: which.
        forest: of its structure when the controller begins.
        start: coordinates and speeds at the start of all joints and free roots, by name.

    Attributes:
        joints: driven joints in MuJoCo's order.
    """

    def __init__(self, robot: Robot, forest: Forest, start: dict[str, Array]) -> None:
        import mujoco

        self.robot = robot
        self.model = model = mujoco.MjModel.from_xml_string(mjcf(robot, forest))
        self.data = data = mujoco.MjData(model)
        names = [model.joint(k).name for k in range(model.njnt)]
        self.joints = [name for name in names if name in robot.joints]
        for k, name in enumerate(names):
            at = model.jnt_qposadr[k]
            model.key_qpos[0, at : at + start[name].size] = start[name]
        self.first = model.nv - len(self.joints)
        self.M, self.sites = np.zeros((model.nv, model.nv)), [model.site(name).id for name in robot.frames]
        self.jacobians = [np.zeros((6, model.nv)) for _ in self.sites]
        self.frames = [
            (J, data.site_xpos[site], data.site_xmat[site].reshape(3, 3))
            for J, site in zip(self.jacobians, self.sites, strict=True)
        ]
        self.rows = [(J[:3], J[3:], site) for J, site in zip(self.jacobians, self.sites, strict=True)]
        self.integrator = ""

    def law(self) -> Law:
        """Return the law of the Python loop in MuJoCo's order."""
        return self.robot.law(self.joints)

    def look(self) -> None:
        """Compute what a law reads, at the state as it is; positions and velocities are up to date."""
        import mujoco

        mujoco.mj_fullM(self.model, self.data, self.M)
        for linear, angular, site in self.rows:
            mujoco.mj_jacSite(self.model, self.data, linear, angular, site)

    def loop(self, law: Law, samples: int) -> None:
        """Control in Python, as quickly as it can be written: one step is two halves, between which torques are set."""
        from mujoco import mj_fullM, mj_jacSite, mj_resetDataKeyframe, mj_step1, mj_step2

        model, data, M, frames, rows = self.model, self.data, self.M, self.frames, self.rows
        q, v, h, torque = data.qpos, data.qvel, data.qfrc_bias, data.qfrc_applied[self.first :]
        mj_resetDataKeyframe(model, data, 0)
        for k in range(samples):
            mj_step1(model, data)
            mj_fullM(model, data, M)
            for linear, angular, site in rows:
                mj_jacSite(model, data, linear, angular, site)
            torque[:] = law(k * SAMPLE, q, v, M, h, frames)
            mj_step2(model, data)

    def found(self, law: Law, samples: int, exact: bool = False) -> Array:
        """Return the positions of the joints after each sample (n, n_joints), with the loop's own steps or ``exact``."""
        import mujoco

        model, data = self.model, self.data
        torque, angles = data.qfrc_applied[self.first :], np.empty((samples, len(self.joints)))
        where = model.nq - len(self.joints)
        with self._stepped("RK4" if exact else self.integrator, SAMPLE / SUBSTEPS if exact else SAMPLE):
            mujoco.mj_resetDataKeyframe(model, data, 0)
            for k in range(samples):
                mujoco.mj_forward(model, data)
                self.look()
                torque[:] = law(k * SAMPLE, data.qpos, data.qvel, self.M, data.qfrc_bias, self.frames)
                mujoco.mj_step(model, data, nstep=SUBSTEPS if exact else 1)
                angles[k] = data.qpos[where:]
        return angles

    @contextmanager
    def _stepped(self, integrator: str, step: float) -> Iterator[None]:
        """The model with another integrator and step [s]."""
        import mujoco

        option = self.model.opt
        kept = option.integrator, option.timestep
        option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        option.timestep = step
        try:
            yield
        finally:
            option.integrator, option.timestep = kept

    def choose(self, samples: int) -> None:
        """Take the quickest of `INTEGRATORS` in the Python loop."""
        import mujoco

        def time(name: str) -> float:
            self.model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{name.upper()}")
            return min(seconds(lambda: self.loop(self.law(), samples)) for _ in range(3))

        self.integrator = min(INTEGRATORS, key=time)
        self.model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{self.integrator.upper()}")

    @contextmanager
    def compiled(self) -> Iterator[Any]:
        """What steps the robot ``samples`` times, with `servos` in C as MuJoCo's control callback: no Python in this loop."""
        import mujoco

        model, data = self.model, self.data
        with tempfile.TemporaryDirectory() as folder:
            library = compile_servos(self.robot, self.joints, Path(folder))
            mujoco.set_mjcb_control(library.law)  # the address of a C function is called without Python
            try:

                def run(samples: int) -> None:
                    mujoco.mj_resetDataKeyframe(model, data, 0)
                    mujoco.mj_step(model, data, nstep=samples)

                yield run
            finally:
                mujoco.set_mjcb_control(None)

    def compiled_found(self, samples: int) -> Array:
        """Return the positions of the joints after each step (n, n_joints), within the ``with`` block of `compiled`."""
        import mujoco

        where, angles = self.model.nq - len(self.joints), np.empty((samples, len(self.joints)))
        mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        for row in angles:
            mujoco.mj_step(self.model, self.data)
            row[:] = self.data.qpos[where:]
        return angles


def compiler() -> str | None:
    """Return the path of a C compiler."""
    return shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")


def compile_servos(robot: Robot, order: Sequence[str], folder: Path) -> Any:
    """Return `servos` as a library whose ``law`` is a control callback of MuJoCo."""
    import mujoco

    numbers = {
        c: robot.each(order, field) for c, field in zip("pakd", ("start", "amplitude", "stiffness", "damping"), strict=True)
    }
    arrays = "".join(
        f"static const double {c}[] = {{{', '.join(map(repr, values.tolist()))}}};\n" for c, values in numbers.items()
    )
    q_at, v_at = (7, 6) if robot.base else (0, 0)
    source = f"""#include <math.h>
#include <mujoco/mujoco.h>
{arrays}
void law(const mjModel* m, mjData* data) {{
  const double phase = sin({FREQUENCY!r} * data->time);
  for (int i = 0; i < {len(order)}; i++)
    data->qfrc_applied[{v_at} + i] =
        k[i] * (p[i] + a[i] * phase - data->qpos[{q_at} + i]) - d[i] * data->qvel[{v_at} + i];
}}
"""
    code, library = folder / "law.c", folder / "law.so"
    code.write_text(source)
    include = Path(mujoco.__file__).parent / "include"
    found = compiler()
    assert found is not None
    subprocess.run([found, "-O3", "-shared", "-fPIC", f"-I{include}", str(code), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))
