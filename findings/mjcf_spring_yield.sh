#!/usr/bin/env bash
# MuJoCo 4.0.0: `springyield` of a hinge is a deflection, in degrees like all angles of a file, not a force or torque. The spring yields
# at stiffness*springyield, and then holds this torque: 10 N.m/rad with springyield="2" hold 0.349 N.m, not 2 N.m. The plastic part of
# the deflection is a state, `mjData.plastic`, that mj_step moves: mj_forward alone sees an elastic spring at any deflection.
# Seen: torque -0.349066 at all deflections from 0.1 to 1 rad after steps; -10 by mj_forward at 1 rad; -2 with angle="radian" and "0.2".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet mujoco==4.0.0 numpy
"$work/venv/bin/python" - <<'PY'
import mujoco
import numpy as np

TEXT = """<mujoco><compiler angle="{}"/><option gravity="0 0 0" timestep="0.001"/><worldbody><body>
<joint name="h" axis="0 1 0" stiffness="10" springyield="{}"/><geom type="capsule" fromto="0 0 0 .5 0 0" size=".05"/>
</body></worldbody></mujoco>"""


def dragged(unit, springyield):
    """Return the torques of the spring while it is turned slowly to 1 rad."""
    model = mujoco.MjModel.from_xml_string(TEXT.format(unit, springyield))
    data = mujoco.MjData(model)
    torques = []
    for k in range(1001):
        data.qpos[0], data.qvel[0] = 0.001 * k, 0.0
        mujoco.mj_step(model, data)
        if k and k % 100 == 0:
            mujoco.mj_forward(model, data)
            torques.append(float(data.qfrc_spring[0]))
    return torques


degrees, radians = dragged("degree", 2), dragged("radian", 0.2)
model = mujoco.MjModel.from_xml_string(TEXT.format("degree", 2))
data = mujoco.MjData(model)
data.qpos[0] = 1.0
mujoco.mj_forward(model, data)
print("degrees:", degrees[0], degrees[-1], "radians:", radians[-1], "without steps:", float(data.qfrc_spring[0]))
assert np.allclose(degrees, -10 * np.radians(2), atol=1e-3), degrees
assert np.allclose(radians[2:], -2.0, atol=1e-3), radians
assert np.isclose(data.qfrc_spring[0], -10.0)
PY
