"""Solids in contact beside MuJoCo: `python -m benchmarks.contact [--json] [--only CASE] [--before FOLDER]`.

The scenes are those of `contact_scenes`: 16 billiard balls (5 s), a stack of 10 cubes, 100 spheres in a bowl, a rattleback;
the same bodies, pairs of materials and gravity in both programs. MuJoCo has no Hertzian contact: its constraints are springs
whose period is a number of steps (10, the stiffest it carries, 30, 100 and 300), their damping follows from the restitution.
Of each of its integrators with steps from 5 ms down to 0.05 ms and each stiffness the quickest run counts whose energy error
and penetration are not above ours, or the one of the smallest energy error where none is; all are listed. Time and errors
are measured in two runs.
  rows              one for each scene:
    case              its name
    ours_s, mujoco_s  wall-clock time of a simulation, without what is made before it [s]
    energy_error, mujoco_energy_error   by how much the energy of all bodies ever rises above what it had been before, in
                      parts of the largest kinetic energy; that of contacts included, MuJoCo's as that of linear springs
    penetration, mujoco_penetration     how far solids ever penetrate each other, at output points each 10 ms [m]
    reached           whether MuJoCo reaches both of ours
    mujoco_setting    what was chosen
    settings          all that was tried: integrator, step, period, seconds, energy_error, penetration
    tolerance, solver, steps, events   ours
  distance_us, coal_distance_us   mean over kinds of pairs of one distance in a motion, see `benchmarks.contact_distance`
  exponent          of the time of ours for N balls that are dropped onto a plane together, as a power of N
  dropped           these: count -> seconds
  builds            with `--before`, the source of another build: for each case of `contact_build` what it says of this
                    build, of that one as before_..., and `ratio` of their seconds; both take turns, each in its own process
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from modiapy import instantiate

from . import contact_build
from . import contact_scenes as scenes
from .common import HERE, add_before, by_build, seconds
from .contact_build import INTERVAL, rise
from .contact_distance import figures as distances_of
from .contact_distance import measure
from .contact_scenes import ContactScene

CASES: dict[str, Callable[[], ContactScene]] = {
    "billiard": scenes.billiard,
    "stack": scenes.stack,
    "bowl": scenes.bowl,
    "rattleback": scenes.rattleback,
}
COUNTS = (10, 30, 100, 300)
INTEGRATORS = ("Euler", "implicit", "implicitfast", "RK4")
STEPS = (5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5)
PERIODS = (10.0, 30.0, 100.0, 300.0)
"""Steps in a period of MuJoCo's contacts: fewer than the first, and they gain energy; the last ones are soft."""
PATIENCE = 8.0
"""No integrator goes on with smaller steps where a run would take longer [s]."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """A run of MuJoCo."""

    integrator: str
    step: float
    period: float
    seconds: float
    energy_error: float
    penetration: float


def ours(scene: ContactScene, repetitions: int = 1) -> tuple[Row, float]:
    """Return the our figures, and the largest kinetic energy [J]."""
    model = instantiate(scene.model())
    how: dict[str, Any] = {"tolerance": scene.tolerance, "solver": scene.solver}
    model.simulate(min(0.02, scene.stop), **how)
    results: list[Any] = []
    times = [seconds(lambda: results.append(model.simulate(scene.stop, interval=INTERVAL, **how))) for _ in range(repetitions)]
    result = results[-1]
    kinetic, potential = result["mechanics.kinetic_energy"], result["mechanics.potential_energy"]
    scale = float(kinetic.max())
    deepest = max((-float(np.nanmin(result[name])) for name in result if name.endswith("].distance")), default=0.0)
    figures = {
        "ours_s": statistics.median(times), "energy_error": rise(kinetic + potential, scale), "penetration": max(deepest, 0.0),
        "tolerance": scene.tolerance, "solver": scene.solver,
        "steps": result.statistics["steps"], "events": result.statistics["events"],
    }  # fmt: skip
    return figures, scale


def trials(scene: ContactScene, scale: float) -> Iterator[Trial]:
    """Generate the MuJoCo with each integrator, stiffness and step."""
    for integrator, period in itertools.product(INTEGRATORS, PERIODS):
        cost = 0.0  # of a run [s], times its step
        for step in STEPS:
            if cost / step > PATIENCE:
                break
            yield (trial := mujoco_run(scene, scale, integrator, step, period))
            cost = trial.seconds * step


def mujoco_run(scene: ContactScene, scale: float, integrator: str, step: float, period: float) -> Trial:
    """Return a run of MuJoCo, looked at each `INTERVAL`; its steps are timed."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(scene.xml(2.0 * math.pi / (period * step)))
    model.opt.timestep = step
    model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    steps, every = round(scene.stop / step), max(1, round(INTERVAL / step))
    data = begun(mujoco, scene, model)
    energy, deepest, took = [], [0.0], 0.0
    for _ in range(steps // every):
        took += seconds(lambda: mujoco.mj_step(model, data, nstep=every))
        energy.append(float(data.energy.sum()) + stored(mujoco, model, data))
        deepest.append(-min(data.contact.dist, default=0.0))
    return Trial(integrator, step, period, took, rise(np.array(energy), scale), float(max(deepest)))


def begun(mujoco: Any, scene: ContactScene, model: Any) -> Any:
    """Return the MuJoCo's data at the start of a scene."""
    data = mujoco.MjData(model)
    for name in scene.moving:
        body, at = scene.bodies[name], model.jnt_dofadr[model.body(name).jntadr[0]]
        data.qvel[at : at + 3] = body.velocity
        rotation = np.zeros(9)
        mujoco.mju_quat2Mat(rotation, model.body(name).quat)
        data.qvel[at + 3 : at + 6] = rotation.reshape(3, 3).T @ body.turning
    return data


def stored(mujoco: Any, model: Any, data: Any) -> float:
    """Return the elastic energy of MuJoCo's contacts, if they were linear springs [J]."""
    force, total = np.zeros(6), 0.0
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, force)
        total += 0.5 * force[0] * max(-float(data.contact.dist[k]), 0.0)
    return total


def compared(name: str, repetitions: int) -> Row:
    """Return the row of a scene."""
    scene = CASES[name]()
    figures, scale = ours(scene, repetitions)
    tried = list(trials(scene, scale))
    good = [t for t in tried if t.energy_error <= figures["energy_error"] and t.penetration <= figures["penetration"]]
    best = min(good, key=lambda t: t.seconds) if good else min(tried, key=lambda t: t.energy_error)
    theirs = {
        "mujoco_s": best.seconds, "mujoco_energy_error": best.energy_error, "mujoco_penetration": best.penetration,
        "reached": bool(good), "mujoco_setting": f"{best.integrator}, {best.step:g} s, period {best.period:g} steps",
    }  # fmt: skip
    return {"case": name, **figures, **theirs, "settings": [asdict(t) for t in tried]}


def growth() -> dict[int, float]:
    """Return the seconds for balls that are dropped together, by their number."""
    return {count: ours(scenes.dropped(count), 3)[0]["ours_s"] for count in COUNTS}


def exponent(times: dict[int, float]) -> float:
    """Of the times as a power of the number."""
    return float(np.polyfit(np.log(list(times)), np.log(list(times.values())), 1)[0])


def builds(before: Path, cases: Sequence[str] = contact_build.CASES, repetitions: int = 3) -> list[Row]:
    """Return the figures of cases with this build and another one, the quickest of some runs of each.

    Raises:
        RuntimeError: a process failed.
    """
    rows = []
    for case in cases:
        runs = [
            [json.loads(by_build("contact_build.py", case, folder)) for folder in (HERE, before)] for _ in range(repetitions)
        ]
        now, then = (min(column, key=lambda run: float(run["seconds"])) for column in zip(*runs, strict=True))
        compared = {f"before_{name}": value for name, value in then.items()}
        rows.append({"case": case, **now, **compared, "ratio": now["seconds"] / then["seconds"]})
        print(rows[-1], file=sys.stderr)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contact", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--only", choices=tuple(CASES), help="one of the scenes, and nothing else")
    add_before(parser, "the scenes")
    arguments = parser.parse_args()
    names = [arguments.only] if arguments.only else list(CASES)
    rows = []
    for name in names:
        rows.append(compared(name, 1 if name == "bowl" else 3))
        print({key: value for key, value in rows[-1].items() if key != "settings"}, file=sys.stderr)
    figures: Row = {"rows": rows}
    if not arguments.only:
        distances = distances_of(measure())
        times = growth()
        figures |= {**distances, "exponent": exponent(times), "dropped": times}
    if arguments.before:
        figures["builds"] = builds(arguments.before, [arguments.only] if arguments.only else contact_build.CASES)
    print(json.dumps(figures) if arguments.json else json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
