"""Robots controlled at 1 kHz beside MuJoCo: `python -m benchmarks.controller [--json]`.

Both engines have the same machine, checked before anything is measured, and the same law, written once. Figures:
  rows                        one for each robot and loop: robot, loop, and
    ours_per_s, mujoco_per_s  controlled steps per second; ratio: ours over MuJoCo's
    error, mujoco_error       largest error of a joint's position in the first second, against the engine's own converged
                              solution of the same sampled law: ours at tolerance 1e-11, MuJoCo's by 64 steps of RK4 [rad or m]
    apart                     largest difference of both converged solutions [rad or m]
    steps_per_call            steps of our integrator in a controlled step
    contact                   whether it touches the ground: each engine has its own law of contact
    mujoco_integrator         the quickest one at a step of 1 ms
  reset_us, mujoco_reset_us   back to the start, of the first robot [us]
  chains                      time of a controlled step of chains: joints, ours_us, mujoco_us
  exponent, mujoco_exponent   growth of this time with the number of joints
  clocked_s                   100 s of a clocked controller in equations at 1 kHz; with `--before FOLDER`, the source of another
                              build, also clocked_before_s and clocked_ratio

Loops: `python`, a law in Python that reads mass matrix, bias, Jacobians and poses: the impedance of a hand; of legs a squat
with the weight on the feet. `compiled`, servos of the joints, as equations here and in C there, no Python in either loop.

The engines take turns; each figure is the least of the repetitions.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from modia3d.dynamics import Dynamics

from .common import HERE, add_before, at_least, by_build, report, seconds
from .controller_mujoco import Peer, compiler
from .controller_ours import Ours, frames
from .controller_robots import ROBOTS, SAMPLE, Robot, chain, servos

CHAINS = (3, 6, 12, 24)
WATCHED = 1.0
"""Time in which errors are found [s]."""
EQUAL = 1e-10
"""Relative difference of mass matrices and forces up to which machines are equal."""
CLOCKED = 100.0
RESETS = 1000


class Pair:
    """A robot in both engines."""

    def __init__(self, robot: Robot, tolerance: float | None = None) -> None:
        self.robot, self.tolerance = robot, tolerance
        self.ours = Ours(robot, tolerance=tolerance)
        self.peer = Peer(robot, self.ours.forest, self.ours.start())
        if (apart := self.difference()) > EQUAL:
            raise RuntimeError(f"the machines of {robot.name} differ by {apart:.2g}")
        self.peer.choose(200)

    def difference(self) -> float:
        """Return the largest relative difference: mass matrix and bias at random coordinates, the law at the start."""
        import mujoco

        ours, peer, forest = self.ours, self.peer, self.ours.forest
        model, data, random = peer.model, peer.data, np.random.default_rng(1)
        dynamics = Dynamics(forest.ints, forest.floats, forest.gravity)
        places: list[int] = []
        for k in range(model.njnt):
            _, q, v = forest.indices[model.joint(k).name]
            n_q, n_v = (7, 6) if model.jnt_type[k] == mujoco.mjtJoint.mjJNT_FREE else (1, 1)
            values = random.normal(size=n_q)
            values[3:] /= np.linalg.norm(values[3:]) if n_q == 7 else 1.0
            speeds = random.normal(size=n_v)
            at_q, at_v = model.jnt_qposadr[k], model.jnt_dofadr[k]
            dynamics.q[q : q + n_q] = data.qpos[at_q : at_q + n_q] = values
            dynamics.v[v : v + n_v] = data.qvel[at_v : at_v + n_v] = speeds
            places += range(v, v + n_v)
        mujoco.mj_forward(model, data)
        peer.look()
        M = dynamics.mass_matrix(dynamics.q)[np.ix_(places, places)]
        h = dynamics.bias(dynamics.q, dynamics.v)[places]
        found = [relative(M, peer.M), relative(h, data.qfrc_bias)]

        ours.stepper.reset()
        mujoco.mj_resetDataKeyframe(model, data, 0)
        mujoco.mj_forward(model, data)
        peer.look()
        view = ours.view
        here = ours.law()(0.0, view.q, view.v, view.mass_matrix(), view.bias(), frames(view, self.robot))
        there = peer.law()(0.0, data.qpos, data.qvel, peer.M, data.qfrc_bias, peer.frames)
        found.append(relative(here, there[[peer.joints.index(name) for name in ours.joints]]))
        return max(found)

    def row(self, loop: str, duration: float, repetitions: int, watched_s: float = WATCHED) -> dict[str, Any]:
        """Return a row. Without a C compiler MuJoCo's figures of the loop "compiled" are None.

        Args:
            loop: "python" or "compiled".
            duration: simulated time of each run that is timed [s].
            repetitions: of the run.
            watched_s: time in which errors are found [s].
        """
        samples, watched, peer, robot = round(duration / SAMPLE), round(watched_s / SAMPLE), self.peer, self.robot
        if loop == "python":
            who = self.ours
            found, exact = who.found(watched, who.law()), who.found(watched, who.law(), exact=True)
            converged, there = peer.found(peer.law(), watched, exact=True), peer.found(peer.law(), watched)
            times = least(lambda: who.loop(who.law(), samples), lambda: peer.loop(peer.law(), samples), repetitions)
        else:
            who = Ours(robot, clocked=True, tolerance=self.tolerance)
            found, exact = who.found(watched), who.found(watched, exact=True)
            converged, there = peer.found(servos(robot, peer.joints), watched, exact=True), None
            if compiler():
                with peer.compiled() as run:
                    there = peer.compiled_found(watched)
                    times = least(lambda: who.compiled(samples), lambda: run(samples), repetitions)
            else:
                times = [min(seconds(lambda: who.compiled(samples)) for _ in range(repetitions))]
        here, other = samples / times[0], samples / times[1] if len(times) > 1 else None
        order = [peer.joints.index(name) for name in who.joints]
        return {
            "robot": robot.name,
            "loop": loop,
            "ours_per_s": here,
            "mujoco_per_s": other,
            "ratio": None if other is None else here / other,
            "error": largest(found - exact),
            "mujoco_error": None if there is None else largest(there - converged),
            "apart": largest(exact - converged[:, order]),
            "steps_per_call": who.made / watched,
            "contact": robot.ground is not None,
            "mujoco_integrator": peer.integrator,
        }


def relative(one: Any, other: Any) -> float:
    """Return the largest difference of two arrays, relative to the largest element, or to 1."""
    return largest(one - other) / max(1.0, largest(other))


def largest(array: Any) -> float:
    """Return the largest absolute value."""
    return float(np.abs(array).max())


def least(one: Callable[[], Any], other: Callable[[], Any], repetitions: int) -> list[float]:
    """Return the least wall-clock times of two functions that take turns [s]."""
    times = [(seconds(one), seconds(other)) for _ in range(repetitions)]
    return [min(column) for column in zip(*times, strict=True)]


def chains(numbers: Sequence[int], duration: float, repetitions: int, tolerance: float | None = None) -> list[dict[str, Any]]:
    """Return the times of a controlled step of chains [us]: ``joints``, ``ours_us``, ``mujoco_us``."""
    samples, rows = round(duration / SAMPLE), []
    for n in numbers:
        pair = Pair(chain(n), tolerance)
        ours, peer = pair.ours, pair.peer
        here, there = least(
            functools.partial(ours.loop, ours.law(), samples), functools.partial(peer.loop, peer.law(), samples), repetitions
        )
        rows.append({"joints": n, "ours_us": 1e6 * here / samples, "mujoco_us": 1e6 * there / samples})
    return rows


def exponent(rows: Sequence[dict[str, Any]], field: str) -> float:
    """Return the exponent p of the growth of a time with the number of joints, ``time ~ joints^p``."""
    points = np.log([[row["joints"], row[field]] for row in rows])
    return float(np.polyfit(points[:, 0], points[:, 1], 1)[0])


def reset_us(step: Callable[[], Any], reset: Callable[[], Any]) -> float:
    """Return the median time of a reset after a step [us]."""
    times = []
    for _ in range(RESETS):
        step()
        times.append(seconds(reset))
    return 1e6 * statistics.median(times)


def resets(pair: Pair) -> dict[str, float]:
    """Return the times of a reset of both."""
    import mujoco

    stepper, model, data = pair.ours.stepper, pair.peer.model, pair.peer.data
    return {
        "reset_us": reset_us(lambda: stepper.step(SAMPLE), stepper.reset),
        "mujoco_reset_us": reset_us(lambda: mujoco.mj_step(model, data), lambda: mujoco.mj_resetDataKeyframe(model, data, 0)),
    }


def clocked(repetitions: int, before: Path | None, stop_time: float = CLOCKED) -> dict[str, float]:
    """Return the time of a clocked controller in equations, and of the same with another build [s].

    Args:
        repetitions: of both, which take turns, each in a process of its own.
        before: folder of the other build's source.
        stop_time: [s].

    Raises:
        RuntimeError: a process failed; its message has what it wrote.
    """
    folders = [HERE] if before is None else [HERE, before]
    times = [
        [float(by_build("controller_clocked.py", repr(stop_time), folder)) for folder in folders] for _ in range(repetitions)
    ]
    found = [min(column) for column in zip(*times, strict=True)]
    figures = {"clocked_s": found[0]}
    if before is not None:
        figures |= {"clocked_before_s": found[1], "clocked_ratio": found[0] / found[1]}
    return figures


def measure(robots: Sequence[str], duration: float, repetitions: int, tolerance: float | None = None) -> dict[str, Any]:
    """Return all figures but those of the clocked controller."""
    rows: list[dict[str, Any]] = []
    figures: dict[str, float] = {}
    for name in robots:
        pair = Pair(ROBOTS[name](), tolerance)
        rows += [pair.row(loop, duration, repetitions) for loop in ("python", "compiled")]
        if not figures:
            figures = resets(pair)
    found = chains(CHAINS, duration, repetitions, tolerance)
    growth = {"exponent": exponent(found, "ours_us"), "mujoco_exponent": exponent(found, "mujoco_us")}
    return {"rows": rows, **figures, **growth, "chains": found}


def table(figures: dict[str, Any]) -> str:
    """Return all figures as text."""
    lines = []
    if rows := figures.get("rows"):
        lines.append(
            f"{'robot':<14} {'loop':<9} {'ours/s':>9} {'MuJoCo/s':>9} {'ratio':>6} {'error':>9} {'MuJoCo':>9} {'steps':>6}"
        )
    for row in rows or ():
        numbers = [(row["ours_per_s"], "9.0f"), (row["mujoco_per_s"], "9.0f"), (row["ratio"], "6.2f")]
        numbers += [(row["error"], "9.1e"), (row["mujoco_error"], "9.1e"), (row["steps_per_call"], "6.2f")]
        cells = [f"{'-':>{form.split('.')[0]}}" if value is None else f"{value:{form}}" for value, form in numbers]
        lines.append(" ".join([f"{row['robot']:<14} {row['loop']:<9}", *cells]) + ("  contact" if row["contact"] else ""))
    for row in figures.get("chains", ()):
        lines.append(f"{row['joints']:>3} joints: {row['ours_us']:.0f} us a step, MuJoCo {row['mujoco_us']:.0f} us")
    lines += [f"{name:<16} {value:.4g}" for name, value in figures.items() if isinstance(value, float)]
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.controller", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repetitions", type=at_least(1), default=5, help="runs of each loop")
    parser.add_argument("--seconds", type=at_least(1), default=5, help="simulated time of each run [s]")
    parser.add_argument("--robots", nargs="+", choices=tuple(ROBOTS), default=tuple(ROBOTS), help="which")
    parser.add_argument("--tolerance", type=float, help="ours, relative; without it the default")
    parser.add_argument("--clocked-only", action="store_true", help="the clocked controller in equations alone")
    add_before(parser, "the clocked controller")
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    if not options.clocked_only:
        try:
            import mujoco  # noqa: F401
        except ImportError:
            sys.exit("This benchmark needs MuJoCo: pip install 'modia3d[benchmark]'")
        figures |= measure(options.robots, options.seconds, options.repetitions, options.tolerance)
    figures |= clocked(options.repetitions, options.before)
    if options.json:
        report(figures, True)
    else:
        print(table(figures))


if __name__ == "__main__":
    main()
