#!/usr/bin/env bash
# MuJoCo 4.0.0: `stiffness` and `damping` of an MJCF joint or tendon may have three coefficients. A reader of the compiled model
# that looks at `jnt_stiffness`, `dof_damping` and `tendon_*` alone sees the first coefficient only; the others stand in `*poly`.
# The damper's force is -(b0 + b1 |v| + b2 v^2) v, an odd function; the spring's is -(k0 + k1 x + k2 x^2) x without the absolute
# value, so that with k1 a spring pulls less on one side than on the other.
# Seen: jnt_stiffness 1, jnt_stiffnesspoly 2 40; dof_damping 0.1, dof_dampingpoly 3 0.5; springs at +-0.3 rad: -1.56, +1.20.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet mujoco==4.0.0 numpy
"$work/venv/bin/python" - <<'PY'
import mujoco
import numpy as np

xml = """<mujoco><worldbody><body><joint name="j" axis="0 1 0" damping="0.1 3 0.5" stiffness="1 2 40"/>
<geom type="capsule" fromto="0 0 0 1 0 0" size=".05"/></body></worldbody></mujoco>"""
model = mujoco.MjModel.from_xml_string(xml)
data = mujoco.MjData(model)
print("jnt_stiffness", model.jnt_stiffness, "jnt_stiffnesspoly", model.jnt_stiffnesspoly)
print("dof_damping", model.dof_damping, "dof_dampingpoly", model.dof_dampingpoly)
assert model.jnt_stiffness.tolist() == [1.0] and model.dof_damping.tolist() == [0.1]
assert model.jnt_stiffnesspoly.ravel().tolist() == [2.0, 40.0] and model.dof_dampingpoly.ravel().tolist() == [3.0, 0.5]
for x, v in ((0.3, 0.0), (-0.3, 0.0), (0.0, 0.7), (0.0, -0.7)):
    data.qpos[0], data.qvel[0] = x, v
    mujoco.mj_forward(model, data)
    spring, damper = data.qfrc_spring[0], data.qfrc_damper[0]
    print(f"x {x:+.1f}, v {v:+.1f}: spring {spring:+.4f}, damper {damper:+.4f}")
    assert np.isclose(spring, -(1.0 + 2.0 * x + 40.0 * x * x) * x)
    assert np.isclose(damper, -(0.1 + 3.0 * abs(v) + 0.5 * v * v) * v)
PY
