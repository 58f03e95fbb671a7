#!/usr/bin/env bash
# MuJoCo 4.0.0: `set_mjcb_control` takes a ctypes function object and then calls the C function itself, without Python (a function
# whose argument types are (mjModel*, mjData*) in C); the address of the same function, as an integer or as c_void_p, is a TypeError.
# The callback runs within mj_step once for each evaluation of the dynamics: once with Euler, four times with RK4.
# Seen: "integer TypeError", "c_void_p TypeError", "ctypes function accepted", 1 call by Euler, 4 calls by RK4.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet mujoco==4.0.0
"$work/venv/bin/python" - <<'PY'
import ctypes

import mujoco

TEXT = """<mujoco><worldbody><body><joint name="j" type="slide"/><geom size="0.1" mass="1"/></body></worldbody>
<actuator><motor joint="j"/></actuator></mujoco>"""
model = mujoco.MjModel.from_xml_string(TEXT)
data = mujoco.MjData(model)
calls = []
function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(lambda model, data: calls.append(1))
pointer = ctypes.cast(function, ctypes.c_void_p)
for name, given in (("integer", pointer.value), ("c_void_p", pointer)):
    try:
        mujoco.set_mjcb_control(given)
    except TypeError:
        print(name, "TypeError")
    else:
        raise SystemExit(f"{name} is accepted")
mujoco.set_mjcb_control(function)
found = []
for method in (mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtIntegrator.mjINT_RK4):
    model.opt.integrator = method
    calls.clear()
    mujoco.mj_step(model, data)
    found.append(len(calls))
mujoco.set_mjcb_control(None)
print("ctypes function accepted, calls by Euler and RK4:", found)
assert found == [1, 4], found
PY
