"""Inverse dynamics, forward dynamics and mass matrix of trees of revolute joints beside Pinocchio and MuJoCo.

`python -m benchmarks.kernels` prints a table, with `--json` one object with `rows`. All are called from Python, in one
process, in turns; times are medians of many rounds [us]. `user_call_us`: the call that a user writes, arrays in, a new array
out, as Pinocchio's are called; `ours_us`: the call that works on arrays which are there, without arguments. `shape`: a serial
chain, or a tree where bodies branch in two.
`difference`: inverse dynamics and mass matrix against Pinocchio, relative to the largest element; forward dynamics: the
generalized forces that our accelerations need, against the given ones. `exponent`: of a power of n fitted to our times of
this algorithm and shape. `allocations`: counted in 100 calls of ours, by numba's runtime and as blocks of Python left over.

MuJoCo's `mj_inverse`, `mj_forward` and `mj_fwdPosition` run with contacts and constraints disabled. They compute positions,
velocities and the factorised mass matrix as well, so their times are for orientation; that it is the same tree is checked by
its forces.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from modia3d.dynamics import Dynamics
from modia3d.dynamics.basics.layout import (
    FLOAT_COLUMNS,
    INERTIA,
    INT_COLUMNS,
    MASS,
    MOMENT,
    P_PJ,
    PARENT,
    PASSIVE,
    R_PJ,
    REVOLUTE,
)

JOINTS = (7, 20, 50, 200)
SHAPES = ("serial", "branched")
GRAVITY = (0.0, 0.0, -9.81)


def parents(n: int, shape: str) -> list[int]:
    """Return the parent of each body, depth first (as Pinocchio wants it); branched: each body carries two until there are
    ``n``.
    """
    if shape == "serial":
        return list(range(-1, n - 1))
    order: list[int] = []  # places in a binary heap, depth first

    def visit(k: int) -> None:
        if k < n:
            order.append(k)
            visit(2 * k + 1)
            visit(2 * k + 2)

    visit(0)
    return [order.index((k - 1) // 2) if k else -1 for k in order]


def tree(n: int, shape: str = "serial", seed: int = 0) -> Dynamics:
    """Return ``n`` revolute joints whose axes point anywhere, links like those of a robot, in some state."""
    rng = np.random.default_rng(seed)
    ints, floats = np.zeros((n, INT_COLUMNS), np.int64), np.zeros((n, FLOAT_COLUMNS))
    for i, parent in enumerate(parents(n, shape)):
        ints[i, :5] = parent, REVOLUTE, i, i, PASSIVE
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


def pinocchio_tree(dynamics: Dynamics) -> Any:
    """Return the same tree as a `pinocchio.Model`."""
    import pinocchio

    model = pinocchio.Model()
    joints: list[int] = []
    for i, (R, p, mass, centre, inertia) in enumerate(links(dynamics)):
        parent = dynamics.ints[i, PARENT]
        before = joints[parent] if parent >= 0 else 0
        joints.append(model.addJoint(before, pinocchio.JointModelRZ(), pinocchio.SE3(R, p), f"joint{i}"))
        model.appendBodyToJoint(joints[i], pinocchio.Inertia(mass, centre, inertia), pinocchio.SE3.Identity())
    model.gravity.linear = np.array(GRAVITY)
    return model


def mujoco_tree(dynamics: Dynamics) -> Any:
    """Return the same tree as a `mujoco.MjModel`, from MJCF (bodies there are numbered depth first too)."""
    import mujoco

    def text(values: Any) -> str:
        return " ".join(f"{value:.17g}" for value in np.ravel(values))

    bodies = links(dynamics)

    def element(i: int) -> str:
        R, p, mass, centre, inertia = bodies[i]
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(R).ravel())
        full = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        children = "".join(element(int(j)) for j in np.flatnonzero(dynamics.ints[:, PARENT] == i))
        return (
            f'<body pos="{text(p)}" quat="{text(quaternion)}"><joint type="hinge" axis="0 0 1"/>'
            f'<inertial pos="{text(centre)}" mass="{mass:.17g}" fullinertia="{text(full)}"/>{children}</body>'
        )

    option = f'<option gravity="{text(GRAVITY)}"><flag contact="disable" constraint="disable"/></option>'
    return mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{element(0)}</worldbody></mujoco>")


def medians(functions: dict[str, Callable[[], Any]], rounds: int = 400, seconds: float = 2e-4) -> dict[str, float]:
    """Return the microseconds per call of each function: medians over rounds in which they take turns.

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


def allocations(function: Callable[[], Any], calls: int = 100) -> int:
    """Return the allocations of numba's runtime in some calls, and the blocks of memory that Python holds afterwards."""
    from numba.core.runtime import _nrt_python, rtsys  # type: ignore[attr-defined]

    _nrt_python.memsys_enable_stats()
    function()
    before, blocks = rtsys.get_allocation_stats().alloc, sys.getallocatedblocks()
    for _ in range(calls):
        function()
    blocks = sys.getallocatedblocks() - blocks
    made = rtsys.get_allocation_stats().alloc - before
    _nrt_python.memsys_disable_stats()
    return made + max(0, blocks - 2)  # the loop itself holds its range and a number


def measure(n: int, shape: str) -> list[dict[str, Any]]:
    """Return the three rows of a tree of ``n`` joints."""
    import mujoco
    import pinocchio

    ours = tree(n, shape)
    model = pinocchio_tree(ours)
    data = model.createData()
    mujoco_model = mujoco_tree(ours)
    mujoco_data = mujoco.MjData(mujoco_model)
    q, v, a = ours.q.copy(), ours.v.copy(), ours.a.copy()
    mujoco_data.qpos[:], mujoco_data.qvel[:], mujoco_data.qacc[:] = q, v, a
    rounds = 400 if n <= 50 else 100

    def row(algorithm: str, own: Callable[[], Any], times: dict[str, float], difference: float) -> dict[str, Any]:
        return {
            "n": n, "shape": shape, "algorithm": algorithm, **times, "difference": difference, "allocations": allocations(own),
        }  # fmt: skip

    expected = pinocchio.rnea(model, data, q, v, a).copy()
    ours.inverse_dynamics()
    tau, scale = ours.tau.copy(), np.abs(expected).max()
    mujoco.mj_inverse(mujoco_model, mujoco_data)
    if np.abs(mujoco_data.qfrc_inverse - expected).max() > 1e-8 * scale:
        raise RuntimeError("MuJoCo's tree is not the same as Pinocchio's")
    functions: dict[str, Callable[[], Any]] = {
        "user_call_us": lambda: ours.inverse_dynamics(q, v, a),
        "ours_us": ours.inverse_dynamics,
        "pinocchio_us": lambda: pinocchio.rnea(model, data, q, v, a),
        "mujoco_us": lambda: mujoco.mj_inverse(mujoco_model, mujoco_data),
    }
    difference = float(np.abs(tau - expected).max() / scale)
    rows = [row("inverse_dynamics", ours.inverse_dynamics, medians(functions, rounds), difference)]

    mujoco_data.qfrc_applied[:] = tau
    functions = {
        "user_call_us": lambda: ours.forward_dynamics(q, v, tau),
        "ours_us": ours.forward_dynamics,
        "pinocchio_us": lambda: pinocchio.aba(model, data, q, v, tau),
        "mujoco_us": lambda: mujoco.mj_forward(mujoco_model, mujoco_data),
    }
    times = medians(functions, rounds)
    ours.inverse_dynamics()
    difference = float(np.abs(ours.tau - tau).max() / scale)
    rows.append(row("forward_dynamics", ours.forward_dynamics, times, difference))

    ours.mass_matrix()
    M = np.triu(pinocchio.crba(model, data, q))
    difference = float(np.abs(np.triu(ours.M) - M).max() / np.abs(M).max())
    functions = {
        "user_call_us": lambda: ours.mass_matrix(q),
        "ours_us": ours.mass_matrix,
        "pinocchio_us": lambda: pinocchio.crba(model, data, q),
        "mujoco_us": lambda: mujoco.mj_fwdPosition(mujoco_model, mujoco_data),
    }
    rows.append(row("mass_matrix", ours.mass_matrix, medians(functions, rounds), difference))
    return rows


def add_exponents(rows: list[dict[str, Any]]) -> None:
    """Fit a power of n to our times of each algorithm and shape."""
    for one in rows:
        same = [r for r in rows if (r["algorithm"], r["shape"]) == (one["algorithm"], one["shape"])]
        n, times = np.array([(r["n"], r["ours_us"]) for r in same], dtype=float).T
        one["exponent"] = float(np.polyfit(np.log(n), np.log(times), 1)[0])


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernels", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    rows = [row for shape in SHAPES for n in JOINTS for row in measure(n, shape)]
    add_exponents(rows)
    if options.json:
        print(json.dumps({"rows": rows}))
        return
    print(
        f"{'n':>4} {'shape':<9}{'algorithm':<17} {'user':>8} {'ours':>8} {'Pinocchio':>10} {'MuJoCo':>8} [us]  ratios  exponent"
    )
    for r in rows:
        user, ratio = (r[name] / r["pinocchio_us"] for name in ("user_call_us", "ours_us"))
        print(
            f"{r['n']:>4} {r['shape']:<9}{r['algorithm']:<17} {r['user_call_us']:8.2f} {r['ours_us']:8.2f} "
            f"{r['pinocchio_us']:10.2f} {r['mujoco_us']:8.2f}    {user:5.2f} {ratio:5.2f}  {r['exponent']:5.2f}  "
            f"difference {r['difference']:.1e}, {r['allocations']} allocations"
        )


if __name__ == "__main__":
    main()
