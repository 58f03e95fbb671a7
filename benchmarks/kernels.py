"""Inverse and forward dynamics of chains of revolute joints beside Pinocchio and MuJoCo.

`python -m benchmarks.kernels` prints a table, with `--json` one object with `rows`. All are called from Python, in one
process, in turns; times are medians of many rounds [us]. `difference`: inverse dynamics against Pinocchio, relative to the
largest generalized force; forward dynamics: the generalized forces that our accelerations need, against the given ones.

MuJoCo's `mj_inverse` and `mj_forward` run with contacts and constraints disabled. They compute positions, velocities and the
factorised mass matrix as well, so their times are for orientation; that it is the same chain is checked by its forces.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from modia3d.dynamics import Dynamics
from modia3d.dynamics.layout import (
    FLOAT_COLUMNS,
    HIDDEN,
    INERTIA,
    INT_COLUMNS,
    MASS,
    MOMENT,
    P_PJ,
    R_PJ,
    REVOLUTE,
)

JOINTS = (7, 20, 50)
GRAVITY = (0.0, 0.0, -9.81)


def chain(n: int, seed: int = 0) -> Dynamics:
    """A chain of ``n`` revolute joints whose axes point anywhere, links like those of a robot, in some state."""
    rng = np.random.default_rng(seed)
    ints, floats = np.zeros((n, INT_COLUMNS), np.int64), np.zeros((n, FLOAT_COLUMNS))
    for i in range(n):
        ints[i, :5] = i - 1, REVOLUTE, i, i, HIDDEN
        Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        mass, centre, box = rng.uniform(1.0, 3.0), rng.uniform(-0.1, 0.1, 3), rng.uniform(0.1, 0.4, 3)
        inertia = mass * (np.diag(box @ box - box**2) / 12.0 + centre @ centre * np.eye(3) - np.outer(centre, centre))
        floats[i, R_PJ : R_PJ + 9] = (Q * np.sign(np.linalg.det(Q))).ravel()
        floats[i, P_PJ : P_PJ + 3] = rng.uniform(-0.3, 0.3, 3)
        floats[i, MASS], floats[i, MOMENT : MOMENT + 3] = mass, mass * centre
        floats[i, INERTIA : INERTIA + 6] = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    dynamics = Dynamics(ints, floats, np.array(GRAVITY))
    dynamics.q[:], dynamics.v[:], dynamics.a[:] = rng.uniform(-1.0, 1.0, (3, n))
    return dynamics


def links(dynamics: Dynamics) -> list[tuple[np.ndarray, np.ndarray, float, np.ndarray, np.ndarray]]:
    """Per body: R_PJ, p_PJ_P, mass, centre of mass, inertia about the centre of mass."""
    result = []
    for row in dynamics.floats:
        mass, centre = row[MASS], row[MOMENT : MOMENT + 3] / row[MASS]
        xx, yy, zz, xy, xz, yz = row[INERTIA : INERTIA + 6]
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        inertia -= mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        result.append((row[R_PJ : R_PJ + 9].reshape(3, 3), row[P_PJ : P_PJ + 3], mass, centre, inertia))
    return result


def pinocchio_chain(dynamics: Dynamics) -> Any:
    """The same chain as a `pinocchio.Model`."""
    import pinocchio

    model, parent = pinocchio.Model(), 0
    for i, (R, p, mass, centre, inertia) in enumerate(links(dynamics)):
        parent = model.addJoint(parent, pinocchio.JointModelRZ(), pinocchio.SE3(R, p), f"joint{i}")
        model.appendBodyToJoint(parent, pinocchio.Inertia(mass, centre, inertia), pinocchio.SE3.Identity())
    model.gravity.linear = np.array(GRAVITY)
    return model


def mujoco_chain(dynamics: Dynamics) -> Any:
    """The same chain as a `mujoco.MjModel`, from MJCF."""
    import mujoco

    def text(values: Any) -> str:
        return " ".join(f"{value:.17g}" for value in np.ravel(values))

    body, end = "", ""
    for R, p, mass, centre, inertia in links(dynamics):
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(R).ravel())
        full = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        body += f'<body pos="{text(p)}" quat="{text(quaternion)}"><joint type="hinge" axis="0 0 1"/>'
        body += f'<inertial pos="{text(centre)}" mass="{mass:.17g}" fullinertia="{text(full)}"/>'
        end += "</body>"
    option = f'<option gravity="{text(GRAVITY)}"><flag contact="disable" constraint="disable"/></option>'
    return mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{body}{end}</worldbody></mujoco>")


def medians(functions: dict[str, Callable[[], Any]], rounds: int = 400, seconds: float = 2e-4) -> dict[str, float]:
    """Microseconds per call of each function: medians over rounds in which they take turns.

    A turn is short, so that few turns are interrupted on a busy machine.
    """
    times: dict[str, list[float]] = {name: [] for name in functions}
    repetitions = {}
    for name, function in functions.items():
        start = time.perf_counter()
        for _ in range(100):
            function()
        repetitions[name] = max(10, int(seconds / ((time.perf_counter() - start) / 100)))
    for _ in range(rounds):
        for name, function in functions.items():
            calls = range(repetitions[name])
            start = time.perf_counter()
            for _ in calls:
                function()
            times[name].append((time.perf_counter() - start) / len(calls) * 1e6)
    return {name: float(np.median(values)) for name, values in times.items()}


def measure(n: int) -> list[dict[str, Any]]:
    """The two rows of a chain of ``n`` joints."""
    import mujoco
    import pinocchio

    ours = chain(n)
    model = pinocchio_chain(ours)
    data = model.createData()
    mujoco_model = mujoco_chain(ours)
    mujoco_data = mujoco.MjData(mujoco_model)
    q, v, a = ours.q.copy(), ours.v.copy(), ours.a.copy()
    mujoco_data.qpos[:], mujoco_data.qvel[:], mujoco_data.qacc[:] = q, v, a

    expected = pinocchio.rnea(model, data, q, v, a).copy()
    ours.inverse_dynamics()
    tau, scale = ours.tau.copy(), np.abs(expected).max()
    mujoco.mj_inverse(mujoco_model, mujoco_data)
    if np.abs(mujoco_data.qfrc_inverse - expected).max() > 1e-8 * scale:
        raise RuntimeError("MuJoCo's chain is not the same as Pinocchio's")
    times = medians(
        {
            "ours_us": ours.inverse_dynamics,
            "pinocchio_us": lambda: pinocchio.rnea(model, data, q, v, a),
            "mujoco_us": lambda: mujoco.mj_inverse(mujoco_model, mujoco_data),
        }
    )
    difference = float(np.abs(tau - expected).max() / scale)
    inverse = {"n": n, "algorithm": "inverse_dynamics", **times, "difference": difference}

    ours.forward_dynamics()
    mujoco_data.qfrc_applied[:] = tau
    times = medians(
        {
            "ours_us": ours.forward_dynamics,
            "pinocchio_us": lambda: pinocchio.aba(model, data, q, v, tau),
            "mujoco_us": lambda: mujoco.mj_forward(mujoco_model, mujoco_data),
        }
    )
    ours.inverse_dynamics()
    difference = float(np.abs(ours.tau - tau).max() / scale)
    return [inverse, {"n": n, "algorithm": "forward_dynamics", **times, "difference": difference}]


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernels", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    rows = [row for n in JOINTS for row in measure(n)]
    if options.json:
        print(json.dumps({"rows": rows}))
        return
    print(f"{'joints':>6}  {'algorithm':<17} {'ours':>8} {'Pinocchio':>10} {'MuJoCo':>8}  [us]  {'ratio':>5}  difference")
    for r in rows:
        ratio = r["ours_us"] / r["pinocchio_us"]
        print(
            f"{r['n']:>6}  {r['algorithm']:<17} {r['ours_us']:8.2f} {r['pinocchio_us']:10.2f} {r['mujoco_us']:8.2f}        "
            f"{ratio:5.2f}  {r['difference']:.1e}"
        )


if __name__ == "__main__":
    main()
