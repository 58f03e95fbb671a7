#!/usr/bin/env bash
# MuJoCo 4.0.0: the `armature` of a fixed tendon over joints of two branches of the tree adds to the diagonal of the mass matrix
# only. A rotor that turns at c1 q1' + c2 q2' has the kinetic energy of a c c^T, which MuJoCo adds in full where one joint carries
# the other; between branches its sparse matrix has no place for the product. Other engines given the same rotor move otherwise.
# Seen: with armature 0.5 and coefficients 1 and 2 the matrix grows by [[0.5, 1], [1, 2]] in a chain, by [[0.5, 0], [0, 2]] in branches.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet mujoco==4.0.0 numpy
"$work/venv/bin/python" - <<'PY'
import mujoco
import numpy as np

LINK = '<body pos="{}"><joint name="{}" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 1 0 0" size=".05"/>{}</body>'
TENDON = '<tendon><fixed armature="{}"><joint joint="a" coef="1"/><joint joint="b" coef="2"/></fixed></tendon>'


def mass_matrix(bodies, armature):
    text = f"<mujoco><worldbody>{bodies}</worldbody>{TENDON.format(armature)}</mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    columns = []
    for unit in np.eye(model.nv):
        column = np.zeros(model.nv)
        mujoco.mj_mulM(model, data, column, unit)
        columns.append(column)
    return np.array(columns)


def growth(bodies):
    return mass_matrix(bodies, 0.5) - mass_matrix(bodies, 0.0)


chain = growth(LINK.format("0 0 0", "a", LINK.format("1 0 0", "b", "")))
branches = growth(LINK.format("0 0 0", "a", "") + LINK.format("0 5 0", "b", ""))
print("chain:", chain.tolist(), "branches:", branches.tolist())
assert np.allclose(chain, [[0.5, 1.0], [1.0, 2.0]])
assert np.allclose(branches, [[0.5, 0.0], [0.0, 2.0]])
PY
