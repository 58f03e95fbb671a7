"""Plan the targets of the Delta robot, store them in `parallel_robot.yaml` (run: `python scenarios/parallel_robot/plan.py`).

Inverse kinematics of a Delta robot in closed form: in the plane of an upper arm the elbow lies on two circles. Only the parts
of `parallel_robot.yaml` between the marks "planned: ..." are rewritten.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from planning import rewrite  # noqa: E402

SCENARIO = HERE / "parallel_robot.yaml"
BASE, ARM, ROD, PLATE = 0.330, 0.420, 1.055, 0.125  # m: radius of the hips, upper arm, rods, radius of the sockets
AZIMUTHS = (0.0, 2 * math.pi / 3, 4 * math.pi / 3)  # rad, of the legs
HOME = (0.0, 0.0, -0.85)  # m, of the plate
PARTS = {"part1": ((-0.35, -0.15), (0.35, -0.1)), "part2": ((-0.35, 0.15), (0.35, 0.1))}  # m, from where to where
HELD, ABOVE = -0.99, -0.89  # m, heights of the plate at a part on the table and above it
V_MAX, A_MAX, J_MAX = 5.0, 40.0, 1000.0  # rad/s, rad/s2, rad/s3
BLEND = 0.15  # rad
SETTLE = 0.15  # s, before the gripper closes or opens


def hip_angles(p: tuple[float, float, float]) -> np.ndarray:
    """Angles (3,) of the upper arms below the horizontal for a position of the plate."""
    angles = []
    for azimuth in AZIMUTHS:
        c, s = math.cos(azimuth), math.sin(azimuth)
        out = p[0] * c + p[1] * s + PLATE - BASE  # from the hip to the socket, in the plane of the arm
        across, down = p[1] * c - p[0] * s, -p[2]
        shorter = ROD**2 - across**2  # squared, of the rod seen along the axis of the hip
        distance = math.hypot(out, down)
        cosine = (ARM**2 + distance**2 - shorter) / (2 * ARM * distance)
        if abs(cosine) > 1.0:
            raise ValueError(f"the plate cannot be at {p}")
        angles.append(math.atan2(down, out) - math.acos(cosine))  # the elbow is outside
    return np.array(angles)


def row(p: tuple[float, float, float]) -> str:
    """The hip angles for a position of the plate as they stand in the file."""
    return "[" + ", ".join(f"{x + 0.0:.9f}" for x in np.round(hip_angles(p), 9)) + "]"


def knee_at_home() -> float:
    """The angle of the rods below the upper arms."""
    theta = float(hip_angles(HOME)[0])
    return math.atan2(-HOME[2] - ARM * math.sin(theta), PLATE - BASE - ARM * math.cos(theta)) - theta


def planned_legs() -> list[str]:
    """Lines of legs."""
    theta, knee = float(hip_angles(HOME)[0]), knee_at_home()
    start = f"theta: {theta:.9f}, knee: {knee:.9f}"
    return [f"leg{k}: {{Leg: {{azimuth: {azimuth:.15f}, {start}}}}}" for k, azimuth in enumerate(AZIMUTHS, 1)]


def planned_actions() -> list[str]:
    """Lines of the program."""
    lines = [
        "- addReferencePath:",
        "    names: [hip1, hip2, hip3]",
        f"    position: {row(HOME)}",
        f"    v_max: {[V_MAX] * 3}",
        f"    a_max: {[A_MAX] * 3}",
        f"    j_max: {[J_MAX] * 3}",
        "- together:",
        *(f"    - ActionAttach: [{name}.foot, table.{name}_from]" for name in PARTS),
        "- ActionWait: 0.3",
    ]
    wait = f"- ActionWait: {SETTLE}"
    for name, (begin, end) in PARTS.items():
        lines += ["- ptpJointSpace:", f"    blend: {BLEND}", "    positions:"]
        lines += [f"      - {row((*begin, ABOVE))}", f"      - {row((*begin, HELD))} # {name}", wait]
        lines += [f"- ActionReleaseAndAttach: [{name}.top, gripper]", "- ptpJointSpace:", f"    blend: {BLEND}"]
        lines += ["    positions:", f"      - {row((*begin, ABOVE))}", f"      - {row((*end, ABOVE))}"]
        lines += [f"      - {row((*end, HELD))} # its place", wait]
        lines += [f"- ActionReleaseAndAttach: [{name}.foot, table.{name}_to]"]
        lines += [f"- ptpJointSpace: {row((*end, ABOVE))}"]
    return [*lines, f"- ptpJointSpace: {row(HOME)}", "- ActionWait: 0.3", "- end: all parts are in their places"]


def store(file: Path = SCENARIO) -> None:
    """Rewrite the planned parts of the scenario."""
    rewrite(file, {"legs": planned_legs(), "actions": planned_actions()})


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None).parse_args()
    store()
