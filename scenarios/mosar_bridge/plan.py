"""Plan the walk of the robot, store it in `mosar_bridge.yaml` (run: `python scenarios/mosar_bridge/plan.py`).

Both feet are upright always, so the arm is given by where they are and by its swivel: the angle of the elbow about the line
from shoulder to wrist, zero where it is highest. While both feet are locked the swivel is all that moves: such a motion is a
spline through solutions of the inverse kinematics for the closed chain, so that the drives do not work against each other.
Between two bridges the arm swings about the foot that stands. Only the parts of `mosar_bridge.yaml` between the marks
"planned: ..." are rewritten.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path += [str(HERE.parent), str(HERE.parent / "mosar")]
from kinematics import ARM, AXES, TIP, Array, branch, mated, pose, relative_target, rotation  # noqa: E402
from planning import control_points, rewrite  # noqa: E402

SCENARIO = HERE / "mosar_bridge.yaml"
GRID = 0.4  # m, from one interface to the next
NEAR = 0.1  # m, height of a foot that is lifted
SWIVEL = 0.5  # rad, to both sides
ROWS = 20  # of a motion in the null space
BLEND = 0.2  # rad: the corners between them meet
RING = ((1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (5, 3), (4, 3), (3, 3), (2, 3), (1, 3), (1, 2))  # interfaces XiYj
BEGIN = np.array([-1.0, 0.7, 1.1, 2.4, -1.1, 0.7, -2.0])  # rad, near the positions at the start
FEET = ("blue", "green")
V_MAX, A_MAX = 1.0, 1.5  # rad/s, rad/s2
SETTLE = 1.2  # s, before a foot is locked or opened


@dataclass(frozen=True)
class Bridge:
    """Joint positions of one bridge: where the foot mates (7,), in the null space (ROWS, 7), with the other foot lifted (7,).

    Then after the swing to the next interface (7,), None after the last bridge.
    """

    mate: Array
    across: Array
    lifted: Array
    swung: Array | None


def foot(index: int) -> str:
    """The foot that stands at interface `index` of the ring."""
    return FEET[index % 2]


def raised(T_W_foot: Array, height: float) -> Array:
    """The pose of a foot `height` above the platform."""
    T = T_W_foot.copy()
    T[2, 3] = height
    return T


def positions(feet: dict[str, Array], swivel: float, near: Array) -> Array:
    """Joint positions (7,) for poses of the feet's lock frames and a swivel, as near as possible to `near`."""
    T = relative_target("blue", feet["blue"], feet["green"])
    line = T[:3, 3] - TIP * T[:3, 2] - [0.0, 0.0, TIP]
    d = float(np.linalg.norm(line))
    side = np.cross([0.0, 0.0, 1.0], line)
    side /= np.linalg.norm(side)
    top = np.cross(line / d, side)
    upper = line / 2 + np.sqrt(ARM**2 - d**2 / 4) * (np.cos(swivel) * top + np.sin(swivel) * side)
    elbow = float(np.arccos(d**2 / (2 * ARM**2) - 1))
    directions = upper[None] / ARM, (line - upper)[None] / ARM
    found = np.array([branch(T[:3, :3], *directions, elbow, signs)[0] for signs in product((1.0, -1.0), repeat=3)])
    found += 2 * np.pi * np.round((near - found) / (2 * np.pi))
    return np.asarray(found[np.argmin(np.abs(found - near).max(axis=1))])


def swing(index: int, q: Array) -> tuple[float, Array]:
    """The angle of the swing about interface `index` from the one before to the one after, and the joint positions there.

    Only the roll joint above the foot turns, the way round on which it stays nearer to zero.
    """
    ahead, behind = (np.subtract(RING[index + step], RING[index]) for step in (1, -1))
    angle = float(np.arctan2(ahead[1], ahead[0]) - np.arctan2(behind[1], behind[0]))
    joint = 0 if foot(index) == "blue" else 6
    ways = [angle + turn for turn in (-2 * np.pi, 0.0, 2 * np.pi) if abs(angle + turn) < 1.01 * np.pi]
    best = min(ways, key=lambda way: abs(q[joint] + way))
    out = q.copy()
    out[joint] += best
    return best, out


def plan() -> tuple[Array, list[Bridge]]:
    """Joint positions (7,) at the start, and all bridges."""
    corners = [mated(pose(p=(GRID * i, GRID * j, 0.0))) for i, j in RING]
    feet = {"blue": corners[0], "green": raised(corners[1], NEAR)}
    swivel = -SWIVEL
    start = q = positions(feet, swivel, BEGIN)
    bridges = []
    for k in range(1, len(RING)):
        feet[foot(k)] = raised(feet[foot(k)], 0.0)
        mate = q = positions(feet, swivel, q)
        through = [mate]
        for s in np.linspace(swivel, -swivel, ROWS + 1)[1:]:
            through.append(positions(feet, float(s), through[-1]))
        across, q = control_points(np.array(through))[1:], through[-1]
        swivel, free = -swivel, foot(k - 1)
        feet[free] = raised(feet[free], NEAR)
        lifted = q = positions(feet, swivel, q)
        after = None
        if k + 1 < len(RING):
            angle, after = swing(k, q)
            R = rotation("z", angle)
            feet[free] = pose(R @ feet[free][:3, :3], (*corners[k + 1][:2, 3], NEAR))
            q = after
        bridges.append(Bridge(mate, across, lifted, after))
    return start, bridges


def row(q: Array) -> str:
    """Joint positions as they stand in the file."""
    return "[" + ", ".join(f"{x + 0.0:.9f}" for x in np.round(q, 9)) + "]"


def interface(index: int) -> str:
    """The name of interface `index` of the ring."""
    i, j = RING[index]
    return f"platform.X{i}Y{j}"


def planned_joints(start: Array) -> list[str]:
    """Lines of joints and drives."""
    angles = [f"{x + 0.0:.9f}" for x in np.round(start, 9)]
    lines = []
    for k, (axis, phi) in enumerate(zip(AXES, angles, strict=True), start=1):
        arguments = f"obj1: link{k - 1}.end, obj2: link{k}.body, axis: {axis}, phi: {{Var: {{init: {phi}}}}}"
        lines.append(f"joint{k}: {{RevoluteWithFlange: {{{arguments}}}}}")
    return lines + [f"drive{k}: {{Drive: {{phi0: {phi}}}}}" for k, phi in enumerate(angles, start=1)]


def planned_actions(start: Array, bridges: list[Bridge]) -> list[str]:
    """Lines of the program."""
    lines = [
        "- addReferencePath:",
        f"    names: [{', '.join(f'joint{k}' for k in range(1, 8))}]",
        f"    position: {row(start)}",
        f"    v_max: {[V_MAX] * 7}",
        f"    a_max: {[A_MAX] * 7}",
        f"- ActionAttach: [{foot(0)}End, {interface(0)}]",
    ]
    wait = f"- ActionWait: {SETTLE}"
    for k, bridge in enumerate(bridges, start=1):
        lines += [f"- ptpJointSpace: {row(bridge.mate)} # {interface(k)}", wait]
        lines += [f"- ActionAttach: [{foot(k)}End, {interface(k)}] # bridge {k}", "- ptpJointSpace:", f"    blend: {BLEND}"]
        lines += ["    positions:", *(f"      - {row(q)}" for q in bridge.across), wait]
        lines += [f"- ActionRelease: [{foot(k - 1)}End, {interface(k - 1)}]", f"- ptpJointSpace: {row(bridge.lifted)}"]
        if bridge.swung is not None:
            lines.append(f"- ptpJointSpace: {row(bridge.swung)}")
    return [*lines, wait, "- end: walked once round the ring"]


def store(file: Path = SCENARIO) -> None:
    """Rewrite the planned parts of the scenario."""
    start, bridges = plan()
    rewrite(file, {"joints": planned_joints(start), "actions": planned_actions(start, bridges)})


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None).parse_args()
    store()
