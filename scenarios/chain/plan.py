"""Plan the targets of the robot that assembles the chain, store them in `chain.yaml` (run: `python scenarios/chain/plan.py`).

The hand goes along a line in steps of the gap between two modules, then swings to the dock with the chain. Each target is that
solution of the inverse kinematics of scenarios/mosar that is the nearest one to the target before. Only the parts of
`chain.yaml` between the marks "planned: ..." are rewritten.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "mosar"), str(HERE.parent)]
from kinematics import AXES, Array, mated, pose, relative_target, rotation, solve  # noqa: E402
from planning import rewrite  # noqa: E402

SCENARIO = HERE / "chain.yaml"
COUNT, SIZE, GAP = 10, 0.4, 0.08  # of the modules; m
REACH, HEIGHT = 0.4, 0.8  # of the hand at the first module; m
RETREAT = 0.2  # m, of the empty hand at the end
DOCKED = 0.6  # m, from the robot to the hand when the chain is in the dock
SWIVELS = np.array([0.0, np.pi])  # the arm stays in a vertical plane
PERIOD, SWING, REST = 1.5, 12.0, 4.0  # s


def hand(reach: float, heading: float = 0.0) -> Array:
    """Pose of the green lock frame: horizontal normal at `heading` [rad] from the x axis, `reach` [m] away from the z axis."""
    R = rotation("z", heading)
    outward = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    return pose(R @ outward, R @ [reach, 0.0, HEIGHT])


def module_positions() -> Array:
    """Centres of the floating modules, shape (COUNT, 3)."""
    x = REACH + SIZE / 2 + np.arange(COUNT) * (SIZE + GAP)
    return np.stack([x, np.zeros(COUNT), np.full(COUNT, HEIGHT)], axis=1)


def nearest_solution(T_W_green: Array, q: Array) -> Array:
    """Joint positions (7,) for a pose of the hand, as near as possible to `q`."""
    found = solve(relative_target("blue", mated(np.eye(4)), T_W_green), SWIVELS)
    turned = found + 2 * np.pi * np.round((q - found) / (2 * np.pi))
    return np.asarray(turned[np.argmin(np.abs(turned - q).max(axis=1))])


def targets() -> Array:
    """Joint positions at the hand's stations, shape (COUNT + 2, 7): one for each module, the dock, the retreat."""
    poses = [hand(REACH + k * GAP) for k in range(COUNT)] + [hand(DOCKED, np.pi / 2), hand(DOCKED - RETREAT, np.pi / 2)]
    rows = [np.array([0.0, -0.5, 0.0, 2.0, 0.0, 0.1, np.pi / 2])]
    for T in poses:
        rows.append(nearest_solution(T, rows[-1]))
    return np.round(rows[1:], 9) + 0.0  # no negative zeros


def planned_model(q: Array) -> list[str]:
    """Lines of joints, drives and modules."""
    lines = []
    for k in range(7):
        init = f"phi: {{Var: {{init: {q[0, k]:.9f}}}}}"
        lines.append(
            f"joint{k + 1}: {{RevoluteWithFlange: {{obj1: link{k}.end, obj2: link{k + 1}.body, axis: {AXES[k]}, {init}}}}}"
        )
    lines += [f"drive{k + 1}: {{Drive: {{phi0: {q[0, k]:.9f}}}}}" for k in range(7)]
    for k, (x, _, z) in enumerate(module_positions(), start=1):
        lines.append(f"module{k}: {{Module: {{body: {{translation: [{x:.2f}, 0, {z:.1f}]}}}}}}")
    return lines


def row(q: Array) -> str:
    """Joint positions as they stand in the file."""
    return f"[{', '.join(f'{value:.9f}' for value in q)}]"


def planned_actions(q: Array) -> list[str]:
    """Lines of the program."""
    names = ", ".join(f"joint{k}" for k in range(1, 8))
    lines = [
        f"- addReferencePath:\n      names: [{names}]\n      position: {row(q[0])}",
        f"    v_max: {[0.7] * 7}\n      a_max: {[1.0] * 7}",
        "- ActionAttach: [blueEnd, station]",
        "- ActionAttach: [module1.back, greenEnd]",
    ]
    for k in range(1, COUNT):
        lines += [f"- ptpJointSpace: {row(q[k])}", f"- EventAfterPeriod: {PERIOD}"]
        lines.append(f"- ActionAttach: [module{k + 1}.back, module{k}.front]")
    lines += [f"- ptpJointSpace: {row(q[COUNT])} # the chain as one body", f"- EventAfterPeriod: {SWING}"]
    lines += [f"- ActionReleaseAndAttach: [module{COUNT}.front, dock, greenEnd]"]
    lines += [f"- ptpJointSpace: {row(q[COUNT + 1])}", f"- EventAfterPeriod: {REST}"]
    return lines


def store(q: Array, file: Path = SCENARIO) -> None:
    """Rewrite the planned parts of the scenario."""
    rewrite(file, {"model": planned_model(q), "actions": planned_actions(q)})


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None).parse_args()
    store(targets())
