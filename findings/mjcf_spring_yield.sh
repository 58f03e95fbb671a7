#!/usr/bin/env bash
# MuJoCo 4.0.0: `springyield` of a joint does not make its spring perfectly plastic: beyond the yield force the force goes on to grow,
# by the part of the deflection that the plastic part does not take, and it is not the same in both directions of time.
# A reader of MJCF who clips the force at the yield value, or imports an elastic spring, gets another motion.
# Seen: forces of a spring of 10 N.m/rad with a yield torque of 2 N.m at the deflections that the script prints.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet mujoco==4.0.0 numpy
"$work/venv/bin/python" - <<'PY'
import mujoco
import numpy as np

TEXT = """<mujoco><option gravity="0 0 0"/><worldbody><body>
<joint name="h" axis="0 1 0" stiffness="10" springyield="2"/><geom type="capsule" fromto="0 0 0 .5 0 0" size=".05"/>
</body></worldbody></mujoco>"""
model = mujoco.MjModel.from_xml_string(TEXT)
data = mujoco.MjData(model)
for q in (0.1, 0.19, 0.2, 0.21, 0.3, 0.5, 1.0, -0.3, 0.0):
    mujoco.mj_resetData(model, data)
    data.qpos[0] = q
    mujoco.mj_forward(model, data)
    fresh=data.qfrc_spring[0]
    print(q, fresh)
mujoco.mj_resetData(model, data)
for q in (0.1,0.2,0.3,0.5,0.3,0.0,-0.3):
    data.qpos[0]=q; data.qvel[0]=0
    mujoco.mj_forward(model,data); print("seq",q,data.qfrc_spring[0])
print([x for x in dir(data) if "spring" in x or "plast" in x or "yield" in x], [x for x in dir(model) if "yield" in x])
PY
