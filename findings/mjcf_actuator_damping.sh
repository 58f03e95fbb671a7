#!/usr/bin/env bash
# MuJoCo 4.0.0: `damping` and `armature` of an MJCF actuator act although it gets no control. `dof_damping` and `dof_armature` of
# the compiled model stay 0, so an importer that reads these loses them; they are multiplied by the square of the gear.
# Seen: with gear 10, damping 2, armature 0.05 the passive force at v = 0.1 is -20 (-gear^2 damping v), M grows by gear^2 armature = 5.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet mujoco==4.0.0 numpy
"$work/venv/bin/python" - <<'PY'
import mujoco
import numpy as np

body = """<worldbody><body><joint name="j" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 1 0 0" size=".05"/></body></worldbody>"""
actuator = '<actuator><general joint="j" gear="10" armature="0.05" damping="2"/></actuator>'


def mass_and_force(text):
    model = mujoco.MjModel.from_xml_string(f"<mujoco><option gravity='0 0 0'/>{text}</mujoco>")
    data = mujoco.MjData(model)
    data.qvel[0] = 0.1
    mujoco.mj_forward(model, data)
    full = np.zeros((1, 1))
    mujoco.mj_fullM(model, data, full)
    return model, full[0, 0], data.qacc[0] * full[0, 0]


_, bare, none = mass_and_force(body)
model, mass, force = mass_and_force(body + actuator)
print("dof_damping", model.dof_damping, "dof_armature", model.dof_armature, "mass", bare, "->", mass, "force", none, "->", force)
assert model.dof_damping.tolist() == [0.0] and model.dof_armature.tolist() == [0.0]
assert abs(none) < 1e-12 and np.isclose(mass - bare, 5.0) and np.isclose(force, -20.0)
PY
