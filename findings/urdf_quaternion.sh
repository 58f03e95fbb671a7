#!/usr/bin/env bash
# Pinocchio 4.1.0 (its urdfdom 6.0): `quat_xyzw` of an <origin> is read only if <robot version="1.1"> or a later version says so.
# Without a version, or with 1.0, the same attribute vanishes without a message and the frame is not turned.
# Seen: turned by 90 degrees about x with version 1.1 and 1.2, not turned without a version and with 1.0.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet pin==4.1.0 cmeel-urdfdom==6.0.0
"$work/venv/bin/python" - <<'PY'
import numpy as np
import pinocchio

TEXT = """<robot name="r"{version}><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/>
<origin xyz="0 0 1" quat_xyzw="0.7071067811865476 0 0 0.7071067811865476"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="5" velocity="2"/></joint></robot>"""
turned = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
for version, wanted in (("", np.eye(3)), (' version="1.0"', np.eye(3)), (' version="1.1"', turned), (' version="1.2"', turned)):
    found = pinocchio.buildModelFromXML(TEXT.format(version=version)).jointPlacements[1].rotation
    print(version or " no version", "turned" if np.allclose(found, turned) else "not turned")
    assert np.allclose(found, wanted)
PY
