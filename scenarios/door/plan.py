"""Plan the targets of the robot that opens the door, store them in `door.yaml` (run: `python scenarios/door/plan.py`).

Three joints about vertical axes place the hand in the plane. While it holds the handle it has to go round the hinge: the path
is a spline through solutions of the inverse kinematics. Only the parts of `door.yaml` between the marks "planned: ..." are
rewritten.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from planning import control_points, rewrite  # noqa: E402

SCENARIO = HERE / "door.yaml"
ROBOT = (-0.2, -0.9)  # m, the first axis; the hinge is at the origin
UPPER, FORE, HAND = 0.55, 0.55, 0.15  # m
HANDLE = (0.52, -0.06)  # m, in the door
NEAR = 0.1  # m, way of the hand to the handle
OPEN = math.radians(80.0)
ROWS = 24  # of the way round the hinge
BLEND = 0.2  # rad: the corners between them meet
V_MAX, A_MAX, J_MAX = 0.8, 1.0, 20.0  # rad/s, rad/s2, rad/s3
SETTLE = 1.0  # s, before the hand holds the handle or lets it go


def angles(opening: float, away: float = 0.0) -> np.ndarray:
    """Joint angles (3,) with the hand at the handle of a door that is open by `opening` [rad], or `away` [m] from it.

    The elbow is on the side of the hinge.
    """
    heading = math.pi / 2 - opening
    c, s = math.cos(opening), math.sin(opening)
    back = HAND + away
    x = c * HANDLE[0] + s * HANDLE[1] - back * math.cos(heading) - ROBOT[0]
    y = c * HANDLE[1] - s * HANDLE[0] - back * math.sin(heading) - ROBOT[1]
    elbow = -math.acos((x**2 + y**2 - UPPER**2 - FORE**2) / (2 * UPPER * FORE))
    shoulder = math.atan2(y, x) - math.atan2(FORE * math.sin(elbow), UPPER + FORE * math.cos(elbow))
    return np.array([shoulder, elbow, heading - shoulder - elbow])


def row(q: np.ndarray) -> str:
    """Joint angles as they stand in the file."""
    return "[" + ", ".join(f"{x + 0.0:.9f}" for x in np.round(q, 9)) + "]"


def planned_joints() -> list[str]:
    """Lines of joints and drives."""
    start = np.round(angles(0.0, NEAR), 9)
    frames = ("column", "upper.body"), ("upper.end", "fore.body"), ("fore.end", "palm.body")
    lines = [
        f"joint{k}: {{RevoluteWithFlange: {{obj1: {one}, obj2: {two}, axis: z, phi: {{Var: {{init: {phi:.9f}}}}}}}}}"
        for k, ((one, two), phi) in enumerate(zip(frames, start, strict=True), 1)
    ]
    return lines + [f"drive{k}: {{Drive: {{phi0: {phi:.9f}}}}}" for k, phi in enumerate(start, 1)]


def planned_actions() -> list[str]:
    """Lines of the program."""
    round_hinge = control_points(np.array([angles(opening) for opening in np.linspace(0.0, OPEN, ROWS + 1)]))
    wait = f"- ActionWait: {SETTLE}"
    return [
        "- addReferencePath:",
        "    names: [joint1, joint2, joint3]",
        f"    position: {row(angles(0.0, NEAR))}",
        f"    v_max: {[V_MAX] * 3}",
        f"    a_max: {[A_MAX] * 3}",
        f"    j_max: {[J_MAX] * 3}",
        f"- ptpJointSpace: {row(angles(0.0))} # at the handle",
        wait,
        "- ActionAttach: [hand, handle]",
        "- ptpJointSpace:",
        f"    blend: {BLEND}",
        "    positions:",
        *(f"      - {row(q)}" for q in round_hinge[1:]),
        wait,
        "- ActionRelease: [hand, handle]",
        f"- ptpJointSpace: {row(angles(OPEN, NEAR))} # away from it",
        wait,
        "- end: the door is open",
    ]


def store(file: Path = SCENARIO) -> None:
    """Rewrite the planned parts of the scenario."""
    rewrite(file, {"joints": planned_joints(), "actions": planned_actions()})


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None).parse_args()
    store()
