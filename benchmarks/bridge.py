"""The bridging arm beside MuJoCo's soft weld: `python -m benchmarks.bridge [--json]`.

The scenario `mosar_bridge` locks both feet of the arm ten times. In MuJoCo the second foot is held by a weld, the joints by
servos with the gains of the scenario's drives, and both follow the references of the first motion in the null space.

    sim_s              ours, the whole scenario with ten loops [s]
    residual           largest residual of ours, in all loops
    drift              how far a locked foot of ours leaves its place while both are locked [m]
    close_ms, open_ms  median of a change of structure that closes, and opens a loop
    compilations       after the start
    mujoco_drift       how far the welded foot leaves its place with MuJoCo's default softness [m]
    mujoco_angle       how far it turns [rad]
    stiff_drift        the same with the stiffest weld that MuJoCo allows at this step, a time constant of two steps [m]
    stiff_angle        how far it turns then [rad]
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicHermiteSpline

from modia3d.files import read_scenario

from .common import report, seconds
from .mosar_servo import N_JOINTS, STEP, arm_xml

Array = NDArray[np.float64]
SCENARIO = Path(__file__).parents[1] / "scenarios" / "mosar_bridge" / "mosar_bridge.yaml"
DEFAULT, STIFF = 0.02, 2.0 * STEP
"""Time constants of welds [s]: MuJoCo's default, and the smallest that it does not replace."""
FEET = ("blueEnd", "greenEnd")
FIRST_BRIDGE = 3
"""Number of the first segment in which both feet are locked; every second one is another."""


def references(result: Any) -> Array:
    """Return the references of positions and speeds in the first bridge at steps of MuJoCo, shape (n_steps, 14)."""
    segment = result.segment(FIRST_BRIDGE)
    time, rows = np.unique(segment.time, return_index=True)
    positions, velocities = (
        np.stack([segment[f"actions.joint{k}.{what}"][rows] for k in range(1, N_JOINTS + 1)], axis=1)
        for what in ("position", "velocity")
    )
    curve = CubicHermiteSpline(time, positions, velocities)
    steps = np.arange(time[0], time[-1], STEP)
    return np.hstack([curve(steps), curve(steps, 1)])


def weld_drift(model: dict[str, Any], control: Array, softness: float) -> tuple[float, float]:
    """Return how far MuJoCo's welded foot leaves its place [m], and how far it turns [rad].

    Args:
        model: the `Model3D` of the scenario.
        control: `references`.
        softness: time constant of the weld [s].
    """
    import mujoco

    spec = mujoco.MjSpec.from_string(arm_xml(model))
    spec.bodies[-1].name = "foot"
    weld = spec.add_equality(type=mujoco.mjtEq.mjEQ_WELD, objtype=mujoco.mjtObj.mjOBJ_BODY, name1="world", name2="foot")
    weld.solref = [softness, 1.0]
    compiled = spec.compile()
    data = mujoco.MjData(compiled)
    data.qpos[:] = control[0, :N_JOINTS]
    mujoco.mj_kinematics(compiled, data)
    foot = compiled.body("foot").id
    place, R = data.xpos[foot].copy(), data.xmat[foot].reshape(3, 3).copy()
    compiled.eq_data[0, :10] = [0.0, 0.0, 0.0, *place, *data.xquat[foot]]  # point in the foot, its pose
    drift = angle = 0.0
    for row in control:
        data.ctrl[:] = row
        mujoco.mj_step(compiled, data)
        turned = R.T @ data.xmat[foot].reshape(3, 3)
        drift = max(drift, float(np.linalg.norm(data.xpos[foot] - place)))
        angle = max(angle, float(np.linalg.norm(turned - turned.T)) / np.sqrt(8.0))
    return drift, angle


def figures() -> dict[str, Any]:
    """Return all figures, by name."""
    scenario = read_scenario(SCENARIO)
    sim, settings = scenario.instantiate(), scenario.settings
    results: list[Any] = []

    def run() -> None:
        results.append(sim.simulate(settings.stop_time, tolerance=settings.tolerance, interval=settings.interval))

    found: dict[str, Any] = {"sim_s": min(seconds(run) for _ in range(2))}
    result = results[0]
    bridges = range(FIRST_BRIDGE, len(result.segments), 2)
    feet = [result.segment(k)[f"{foot}.r_abs"] for k in bridges for foot in FEET]
    changes = [record.change_ms for record in result.segments]
    found |= {
        "residual": float(np.nanmax(result["mechanics.constraint_residual"])),
        "drift": max(float(np.linalg.norm(r - r[0], axis=1).max()) for r in feet),
        "close_ms": statistics.median(changes[k - 1] for k in bridges),
        "open_ms": statistics.median(changes[k] for k in bridges),
        "compilations": result.statistics["compilations_after_start"],
    }
    control = references(result)
    for name, softness in (("mujoco", DEFAULT), ("stiff", STIFF)):
        found[f"{name}_drift"], found[f"{name}_angle"] = weld_drift(scenario.model, control, softness)
    return found


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bridge", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    report(figures(), parser.parse_args().json)


if __name__ == "__main__":
    main()
