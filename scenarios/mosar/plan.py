"""Plan the joint targets of the walking robot and store them in `mosar.yaml` (run: `python scenarios/mosar/plan.py`).

Inverse kinematics gives all joint positions for the poses of the lock frames and for the via points, a lazy search the
quickest sequence whose joint-space paths keep clear. The result is always the same. Only the parts of `mosar.yaml` between the
marks "planned: ..." are rewritten.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from clearance import on_leg
from kinematics import AXES, Array, end_pose, forward, inverse, mated, pose_error
from scene import BOXES, face, first_half, platform, second_half, turned_place
from search import TOUCH, Stage, shortest

from modiapy.library.paths import ptp_duration

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from planning import rewrite  # noqa: E402

SCENARIO = HERE / "mosar.yaml"
V_MAX = np.array([0.7] * 7)  # rad/s
A_MAX = np.array([1.0] * 7)  # rad/s2
SETTLE = 1.2  # s, at least, between the end of a path and the next mating
FINE = 0.002  # rad, step of the final check of clearances
REACH = 1e-8  # m and rad, at a mating; stored angles are rounded to 1e-9 rad
ATTACHED = 1e-10  # s, when the modules are attached
WINDOWS = (7.0 - ATTACHED, 17.0, 6.0, 14.0, 23.0, 19.0)  # s, from one mating to the next
MATINGS = ("grasp", "place", "step", "grasp", "place")  # the stage that ends each window but the last


@dataclass(frozen=True)
class Plan:
    """Stages and the joint positions (7,) at each; the first stage is the start."""

    stages: list[Stage]
    q: Array

    def windows(self) -> list[list[int]]:
        """Indices of the stages in each window between two matings."""
        windows: list[list[int]] = [[]]
        for i in range(1, len(self.stages)):
            windows[-1].append(i)
            if self.stages[i].name in MATINGS:
                windows.append([])
        return windows


def _ends(q: Array, base: str, T_W_base: Array) -> tuple[Array, Array]:
    """Poses of the blue and the green lock frame in the world."""
    T = forward(q, base, T_W_base)
    return end_pose(T, "blue"), end_pose(T, "green")


def make_plan(swivels: int = 24) -> Plan:
    """Search both halves of the sequence; joint positions are rounded to 1e-9 rad."""
    _, first = min((shortest(first_half(k), V_MAX, A_MAX, swivels=swivels) for k in range(4)), key=lambda found: found[0])
    first = np.round(first, 9)
    blue, green = _ends(first[-1], "blue", mated(platform(2, 2)))
    quarter = nearest_quarter(platform(3, 2), green)
    halves = [second_half(k, blue, mated(platform(3, 2), quarter)) for k in range(4)]
    _, second = min((shortest(h, V_MAX, A_MAX, start=first[-1], swivels=swivels) for h in halves), key=lambda found: found[0])
    return Plan(plan_stages(first, second), np.concatenate([first, np.round(second[1:], 9)]))


def nearest_quarter(T_WA: Array, T_WB: Array) -> int:
    """The quarter turn (0..3) by which lock frame B mates best with lock frame A."""
    return min(range(4), key=lambda k: pose_error(mated(T_WA, k), T_WB)[1])


def plan_stages(first: Array, second: Array) -> list[Stage]:
    """The stages of the sequence for the symmetry with which the planned positions grasp the modules."""
    base = mated(platform(2, 2))
    blue, green = _ends(first[-1], "blue", base)
    stand = mated(platform(3, 2), nearest_quarter(platform(3, 2), green))
    k1 = nearest_quarter(BOXES["boxX1Y1Z2"] @ face("Xpos"), _ends(first[2], "blue", base)[1])
    k2 = nearest_quarter(BOXES["boxX1Y2Z2"] @ face("Xpos"), _ends(second[3], "green", stand)[0])
    return first_half(k1) + second_half(k2, blue, stand)[1:]


def stored_plan(file: Path = SCENARIO) -> Plan:
    """The plan that is stored in the scenario."""
    text = file.read_text(encoding="utf-8")
    number = r"-?\d+\.\d+"
    row = re.compile(rf"\[({number}(?:, {number}){{6}})\] *# (\S.*)")
    rows, names = [], []
    for match in row.finditer(text):
        rows.append(np.array([float(x) for x in match[1].split(", ")]))
        names.append(match[2].split(":")[0])
    q = np.array(rows)
    split = names.index("step")
    return Plan(plan_stages(q[: split + 1], q[split:]), q)


def check_reach(plan: Plan) -> float:
    """Largest distance (m, rad) between what is to mate, at every mating; the modules are carried as they were grasped."""
    base = mated(platform(2, 2))
    errors: list[float] = []
    T_W_base, end = base, "blue"
    tasks = iter((("boxX1Y1Z2", (5, 1)), ("boxX1Y2Z2", (5, 2))))
    name, spot = next(tasks)
    carried = np.eye(4)
    for stage, q in zip(plan.stages, plan.q, strict=True):
        free = _ends(q, end, T_W_base)[1 if end == "blue" else 0]
        if stage.name == "grasp":
            target = BOXES[name] @ face("Xpos")
            errors.append(max(pose_error(mated(target, nearest_quarter(target, free)), free)))
            carried = inverse(free) @ BOXES[name]
        elif stage.name == "place":
            top = BOXES[f"boxX{spot[0]}Y{spot[1]}Z1"] @ face("Zpos")
            mating = free @ carried @ face("Zpos")
            errors.append(max(pose_error(mated(top, nearest_quarter(top, mating)), mating)))
            errors.append(max(pose_error(free @ carried, turned_place(*spot, 2))))
            name, spot = next(tasks, (name, spot))
        elif stage.name == "step":
            target = platform(3, 2)
            errors.append(max(pose_error(mated(target, nearest_quarter(target, free)), free)))
            end, T_W_base = "green", free
    return max(errors)


def check(plan: Plan, step: float = FINE, report: bool = True) -> tuple[float, float, list[float]]:
    """Check reach and clearances; returns the smallest clearances `apart` and `contact` [m] and the times to settle [s].

    Raises ValueError if a mating is missed or something is in the way.
    """
    reach = check_reach(plan)
    if reach > REACH:
        raise ValueError(f"a mating is missed by {reach:.2e} m or rad")
    lines, settle = [f"{'leg to':<18}{'s':>7}{'apart mm':>10}{'contact mm':>12}"], []
    apart_min = contact_min = np.inf
    for window, indices in zip(WINDOWS, plan.windows(), strict=True):
        total = 0.0
        for i in indices:
            apart, contact = on_leg(plan.q[i - 1], plan.q[i], plan.stages[i].situation, step)
            seconds = ptp_duration(plan.q[i - 1], plan.q[i], V_MAX, A_MAX)
            apart_min, contact_min, total = min(apart, apart_min), min(contact, contact_min), total + seconds
            if apart < 0 or contact < -TOUCH:
                raise ValueError(f"something is in the way to {plan.stages[i].name!r}: {min(apart, contact):.2e} m")
            touch = f"{1e3 * contact:12.6f}" if np.isfinite(contact) else f"{'-':>12}"
            lines.append(f"{plan.stages[i].name:<18}{seconds:7.3f}{1e3 * apart:10.1f}{touch}")
        settle.append(window - total)
        lines.append(f"{'  settling':<18}{settle[-1]:7.3f}")
    if report:
        print("\n".join([*lines, f"reach error {reach:.1e} m or rad"]))
    return apart_min, contact_min, settle


def _row(q: Array) -> str:
    return "[" + ", ".join(f"{x + 0.0:.9f}" for x in np.round(q, 9)) + "]"


def planned_actions(plan: Plan) -> list[str]:
    """Lines of the program."""
    names = ", ".join(f"joint{k}" for k in range(1, 8))
    limits = [", ".join(f"{x:g}" for x in values) for values in (V_MAX, A_MAX)]
    windows = plan.windows()
    lines = [
        "- addReferencePath:",
        f"    names: [{names}]",
        "    position:",
        f"      {_row(plan.q[0])} # start",
        f"    v_max: [{limits[0]}]",
        f"    a_max: [{limits[1]}]",
        "- ActionAttach: [blueEnd, platform.X2Y2]",
        f"- EventAfterPeriod: {ATTACHED:.1e}",
    ]
    for name in BOXES:
        below = f"platform.{name[3:7]}" if name.endswith("Z1") else f"{name[:-1]}1.Zpos"
        lines.append(f"- ActionAttach: [{name}.Zneg, {below}]")
    actions = (
        "ActionReleaseAndAttach: [boxX1Y1Z2.Xpos, greenEnd]",
        "ActionReleaseAndAttach: [boxX1Y1Z2.Zpos, boxX5Y1Z1.Zpos]",
        "ActionFlipChain: [greenEnd, platform.X3Y2, blueEnd]",
        "ActionReleaseAndAttach: [boxX1Y2Z2.Xpos, blueEnd]",
        "ActionReleaseAndAttach: [boxX1Y2Z2.Zpos, boxX5Y2Z1.Zpos]",
        None,
    )
    for window, indices, action in zip(WINDOWS, windows, actions, strict=True):
        lines.append("- ptpJointSpace:")
        lines += [f"    - {_row(plan.q[i])} # {plan.stages[i].name}" for i in indices]
        lines.append(f"- EventAfterPeriod: {window:.12g}")
        if action:
            lines.append(f"- {action}")
    return lines


def planned_joints(plan: Plan) -> list[str]:
    """Lines of joints and drives, with their initial angles."""
    angles = [f"{phi:.9f}" for phi in plan.q[0]]
    lines = []
    for k, (axis, phi) in enumerate(zip(AXES, angles, strict=True), start=1):
        arguments = f"obj1: link{k - 1}.end, obj2: link{k}.body, axis: {axis}, phi: {{Var: {{init: {phi}}}}}"
        lines.append(f"joint{k}: {{RevoluteWithFlange: {{{arguments}}}}}")
    lines += [f"drive{k}: {{Drive: {{phi0: {phi}}}}}" for k, phi in enumerate(angles, start=1)]
    return lines


def store(plan: Plan, file: Path = SCENARIO) -> None:
    """Rewrite the planned parts of the scenario."""
    rewrite(file, {"joints": planned_joints(plan), "actions": planned_actions(plan)})


def main() -> None:
    """Plan (or check what is stored), print the table, store the targets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="check the stored targets, plan nothing")
    options = parser.parse_args()
    plan = stored_plan() if options.check else make_plan()
    _, _, settle = check(plan)
    if min(settle) < SETTLE:
        sys.exit(f"only {min(settle):.2f} s are left to settle, {SETTLE} s are wanted")
    if not options.check:
        store(plan)


if __name__ == "__main__":
    main()
