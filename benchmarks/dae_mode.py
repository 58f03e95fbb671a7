"""Linear systems in the derivatives of states: solved in every evaluation, or left to the integrator (DAE mode).

A hanging chain of n links in the plane falls from the horizontal; every joint has a damper at its flange, so that torques and
accelerations meet in one linear system with n unknowns. Compared are

- ``iteration_s``: listings 7 and 8 of Neumayr & Otter (2024): n + 1 evaluations of the multibody residual, then LU; positions
  and velocities are computed once, as Modia3D does it;
- ``ode_s``: ``mode="ode"``, the engine hands the iteration its mass matrix;
- ``dae_s``: ``mode="dae"``;
- ``auto_s``: ``mode="auto"``, what a user gets who says nothing.

``difference``: largest difference of a joint angle between any two of plain iteration, ODE and DAE mode, at a relative
tolerance of 1e-6 [rad]. ``.._steps`` and ``.._evaluations`` are the work of the integrator: evaluations of the right-hand side,
or of the residuals in DAE mode.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from modia3d import MassProperties, Model3D, Object3D, RevoluteWithFlange, Scene, Solid, UniformGravity
from modia3d.engine.exchange import functions
from modiapy import Model, Var, instantiate
from modiapy.library.rotational import Flange

from .common import at_least, seconds

SIZES = (5, 10, 20, 30, 40, 50, 100, 200)
STOP_TIME = 1.0  # s
LINK, MASS, DAMPING = 0.1, 0.1, 0.05  # m, kg, N.m.s/rad
PLAIN_LIMIT = 100
"""Links from which on the plain iteration runs once only."""

Damper = Model(d=DAMPING, flange=Flange, phi=Var(), equations=["phi = flange.phi", "flange.tau = d*der(phi)"])


def chain(n: int) -> Any:
    """Return the chain with n links, all horizontal."""
    parts: dict[str, Any] = {"world": Object3D(feature=Scene(gravity=UniformGravity(g=9.81, n="-y")))}
    inertia = MASS * LINK**2 / 12
    properties = MassProperties(mass=MASS, Ixx=inertia, Iyy=inertia, Izz=inertia)
    for k in range(n):
        parts[f"link{k}"] = Object3D()
        parts[f"mass{k}"] = Object3D(parent=f"link{k}", translation=[LINK / 2, 0, 0], feature=Solid(mass_properties=properties))
        parts[f"end{k}"] = Object3D(parent=f"link{k}", translation=[LINK, 0, 0])
        parts[f"joint{k}"] = RevoluteWithFlange(
            obj1=f"end{k - 1}" if k else "world", obj2=f"link{k}", axis="z", phi=Var(init=0.0), w=Var(init=0.0)
        )
        parts[f"damper{k}"] = Damper
    return Model3D(**parts, connect=[(f"damper{k}.flange", f"joint{k}.flange") for k in range(n)])


@contextmanager
def plain_iteration() -> Iterator[None]:
    """Inside, models are translated with the functions of `dae_mode_kernels`."""
    from . import dae_mode_kernels as kernels

    originals = functions.set_states, functions.generalized_forces

    def plain(make: Any, kernel: Any) -> Any:
        return lambda n: replace(make(n), symbol=f"plain_{make.__name__}", address=lambda: int(kernel.address))

    functions.set_states = plain(functions.set_states, kernels.set_states)
    functions.generalized_forces = plain(functions.generalized_forces, kernels.generalized_forces)
    try:
        yield
    finally:
        functions.set_states, functions.generalized_forces = originals


def row(n: int, repetitions: int) -> dict[str, float]:
    """Return the figures of one size: the best of some runs, all ways in turn."""
    sim = instantiate(chain(n))
    with plain_iteration():
        plain = instantiate(chain(n))
    ways = {"iteration": (plain, "ode"), "ode": (sim, "ode"), "dae": (sim, "dae"), "auto": (sim, "auto")}
    times: dict[str, list[float]] = {name: [] for name in ways}
    results: dict[str, Any] = {}
    for repetition in range(repetitions + 1):
        for name, (model, mode) in ways.items():
            if name == "iteration" and n >= PLAIN_LIMIT and repetition > 1:
                continue

            def run(name: str = name, model: Any = model, mode: str = mode) -> None:
                results[name] = model.simulate(STOP_TIME, mode=mode)

            times[name].append(seconds(run))
    figures: dict[str, float] = {"n": n} | {f"{name}_s": min(values[1:]) for name, values in times.items()}
    for kind, work in (("steps", "steps"), ("evaluations", "rhs_evaluations")):
        figures |= {f"{name}_{kind}": results[name].statistics[work] for name in ("iteration", "ode", "dae")}
    return figures | {"difference": difference([results[name] for name in ("iteration", "ode", "dae")], n)}


def difference(results: list[Any], n: int) -> float:
    """Return the largest difference of a joint angle at any time between any two results [rad]."""
    angles = np.array([[result[f"joint{k}.phi"] for k in range(n)] for result in results])
    return float(np.ptp(angles, axis=0).max())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.dae_mode", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--sizes", type=at_least(1), nargs="+", default=list(SIZES), help="numbers of links")
    parser.add_argument("--repetitions", type=at_least(1), default=7, help="runs of each mode; the best counts")
    arguments = parser.parse_args()
    rows = [row(n, arguments.repetitions) for n in arguments.sizes]
    if arguments.json:
        print(json.dumps({"rows": rows}))
        return
    print(" ".join(f"{name:>21}" for name in rows[0]))
    for figures in rows:
        print(" ".join(f"{value:>21.4g}" for value in figures.values()))


if __name__ == "__main__":
    main()
