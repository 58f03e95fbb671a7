"""Mechanics written in the language beside the multibody engine: a chain that falls, as bond graphs and as plain equations.

``python -m benchmarks.bond_graphs [--sizes 5 10 20] [--library DIR ...] [--json]``

A chain of n links hangs at a wall, horizontal at first, and falls in its plane. The states are the angles of its joints and
their rates in all cases, the relative tolerance is 1e-6, and 101 points are stored.
  rows        one for each case and library:
    case            "chain n", the number of links
    library         ``mechanics_3d`` (bond graphs in space) or ``planar`` (plain equations)
    engine_s        the same chain as objects of modia3d: wall-clock time of ``simulate`` [s]
    bonds_s         of the library
    source_s        of Modelica.Mechanics.MultiBody (PlanarMechanics for ``planar``) from source; null without --library
    states          how many there are
    difference      largest difference of a joint angle of any way from the engine at the end [rad]
    engine_error, bonds_error   largest error of a joint angle at the end, against the engine at 1e-11 [rad]
    ratio           bonds_s/engine_s
    translate_s     wall-clock time of ``instantiate`` of the library's model, without its cache of objects [s]
    equations       of the flat model
    memory_mb       largest memory that Python allocated in that translation [MB]
  exponents   by library, with which translate_s and bonds_s grow with n, between the smallest and the largest size
Times are the best of several runs, all ways in turn.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from modia3d import MassProperties, Model3D, Object3D, Revolute, Scene, Solid, UniformGravity
from modiapy import Map, Model, Var, instantiate
from modiapy.library import mechanics_3d, planar

from .common import at_least, seconds

SIZES = (5, 10, 20)
STOP_TIME, INTERVAL, TOLERANCE = 1.0, 0.01, 1e-6
LINK, MASS = 0.1, 0.1  # m, kg
INERTIA = MASS * LINK**2 / 12


def of_engine(n: int) -> Any:
    """Return the chain as objects of modia3d."""
    parts: dict[str, Any] = {"world": Object3D(feature=Scene(gravity=UniformGravity(g=9.81, n="-y")))}
    properties = MassProperties(mass=MASS, Ixx=INERTIA, Iyy=INERTIA, Izz=INERTIA)
    for k in range(n):
        parts[f"link{k}"] = Object3D()
        parts[f"mass{k}"] = Object3D(parent=f"link{k}", translation=[LINK / 2, 0, 0], feature=Solid(mass_properties=properties))
        parts[f"end{k}"] = Object3D(parent=f"link{k}", translation=[LINK, 0, 0])
        ends = {"obj1": f"end{k - 1}" if k else "world", "obj2": f"link{k}"}
        parts[f"joint{k}"] = Revolute(**ends, axis="z", phi=Var(init=0.0), w=Var(init=0.0))
    return Model3D(**parts)


def of_bonds(n: int) -> Model:
    """Return the chain as wrapped bond graphs in space."""
    half = mechanics_3d.FixedTranslation | Map(r=[LINK / 2, 0, 0])
    body = mechanics_3d.SimpleBody | Map(m=MASS, I_11=INERTIA, I_22=INERTIA, I_33=INERTIA)
    joint = mechanics_3d.Revolute | Map(n=[0, 0, 1])
    parts: dict[str, Any] = {"world3D": mechanics_3d.World3D | Map(n=[0, -1, 0]), "wall": mechanics_3d.Fixed}
    return _linked(n, parts, "wall.frame_b", joint, half, body)


def of_equations(n: int) -> Model:
    """Return the chain in the plane, as plain equations."""
    half = planar.FixedTranslation | Map(r=[LINK / 2, 0])
    body = planar.Body | Map(m=MASS, I=INERTIA)
    joint = planar.Revolute | Map(phi=Map(state_select="always"), w=Map(state_select="always"))
    parts: dict[str, Any] = {"planar_world": planar.PlanarWorld | Map(constant_gravity=[0, -9.81]), "wall": planar.Fixed}
    return _linked(n, parts, "wall.frame", joint, half, body)


def _linked(n: int, parts: dict[str, Any], last: str, joint: Model, half: Model, body: Model) -> Model:
    connect: list[tuple[str, ...]] = []
    for k in range(n):
        parts |= {f"joint{k}": joint, f"half{k}": half, f"rest{k}": half, f"body{k}": body}
        connect += [
            (last, f"joint{k}.frame_a"),
            (f"joint{k}.frame_b", f"half{k}.frame_a"),
            (f"half{k}.frame_b", f"body{k}.frame_a", f"rest{k}.frame_a"),
        ]
        last = f"rest{k}.frame_b"
    return Model(**parts, connect=connect)


_MULTIBODY = (
    "inner Modelica.Mechanics.MultiBody.World world(n={{0,-1,0}}, g=9.81, enableAnimation=false);",
    "world.frame_b",
    "Modelica.Mechanics.MultiBody.Joints.Revolute joint{k}(n={{0,0,1}}, stateSelect=StateSelect.always);",
    "Modelica.Mechanics.MultiBody.Parts.Body body{k}(r_CM={{0,0,0}}, m={m}, I_11={i}, I_22={i}, I_33={i});",
    "Modelica.Mechanics.MultiBody.Parts.FixedTranslation {name}{k}(r={{{half},0,0}});",
)
_PLANAR = (
    "inner PlanarMechanics.PlanarWorld planarWorld(constantGravity={{0,-9.81}}, enableAnimation=false);"
    " PlanarMechanics.Parts.Fixed wall;",
    "wall.frame",
    "PlanarMechanics.Joints.Revolute joint{k}(stateSelect=StateSelect.always);",
    "PlanarMechanics.Parts.Body body{k}(m={m}, I={i}, enableGravity=true);",
    "PlanarMechanics.Parts.FixedTranslation {name}{k}(r={{{half},0}});",
)


def of_source(n: int, lines: tuple[str, ...], libraries: list[str]) -> Any:
    """Return the chain in Modelica, read from source."""
    from modiapy.modelica import load_file

    world, last, *parts = lines
    text = ["model Chain", world.format()]
    connect = []
    for k in range(n):
        given = {"k": k, "m": MASS, "i": INERTIA, "half": LINK / 2}
        text += [parts[0].format(**given), parts[1].format(**given)]
        rods = ("half", "rest") if k < n - 1 else ("half",)  # a rod needs both of its frames connected there
        text += [parts[2].format(name=name, **given) for name in rods]
        pairs = [(last, f"joint{k}.frame_a"), (f"joint{k}.frame_b", f"half{k}.frame_a")]
        pairs += [(f"half{k}.frame_b", f"{part}{k}.frame_a") for part in ("body", "rest")[: len(rods)]]
        connect += [f"connect({a}, {b});" for a, b in pairs]
        last = f"rest{k}.frame_b"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "Chain.mo")
        file.write_text("\n".join([*text, "equation", *connect, "end Chain;"]), encoding="utf-8")
        return load_file(file, "Chain", libraries=libraries)


LIBRARIES: dict[str, tuple[Callable[[int], Model], tuple[str, ...]]] = {
    "mechanics_3d": (of_bonds, _MULTIBODY),
    "planar": (of_equations, _PLANAR),
}


def angles(result: Any, n: int) -> np.ndarray:
    """Return the angles of the joints at the end [rad]."""
    return np.array([result[f"joint{k}.phi"][-1] for k in range(n)])


def row(n: int, library: str, repetitions: int, libraries: list[str]) -> dict[str, Any]:
    """Return the figures of one chain."""
    build, lines = LIBRARIES[library]
    tracemalloc.start()
    translate = seconds(lambda: instantiate(build(n)))
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    translate = min(translate, seconds(lambda: instantiate(build(n))))
    ways = {"engine": instantiate(of_engine(n)), "bonds": instantiate(build(n))}
    if libraries:
        ways["source"] = instantiate(of_source(n, lines, libraries))
    times: dict[str, list[float]] = {name: [] for name in ways}
    results: dict[str, Any] = {}
    for _ in range(repetitions + 1):
        for name, sim in ways.items():

            def run(name: str = name, sim: Any = sim) -> None:
                results[name] = sim.simulate(STOP_TIME, interval=INTERVAL, tolerance=TOLERANCE)

            times[name].append(seconds(run))
    best = {name: min(values[1:]) for name, values in times.items()}
    exact = angles(ways["engine"].simulate(STOP_TIME, interval=INTERVAL, tolerance=1e-11), n)
    ends = {name: angles(result, n) for name, result in results.items()}
    return {
        "case": f"chain {n}",
        "library": library,
        "engine_s": best["engine"],
        "bonds_s": best["bonds"],
        "source_s": best.get("source"),
        "states": len(ways["bonds"].states),
        "difference": max(float(np.abs(end - ends["engine"]).max()) for end in ends.values()),
        "engine_error": float(np.abs(ends["engine"] - exact).max()),
        "bonds_error": float(np.abs(ends["bonds"] - exact).max()),
        "ratio": best["bonds"] / best["engine"],
        "translate_s": translate,
        "equations": ways["bonds"].report()["equations"],
        "memory_mb": memory / 1e6,
    }


def exponents(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return by library the exponents with which times grow with the number of links."""
    found = {}
    for library in LIBRARIES:
        own = [r for r in rows if r["library"] == library]
        sizes = [int(r["case"].split()[1]) for r in own]
        if len(own) > 1:
            step = math.log(sizes[-1] / sizes[0])
            found[library] = {key: math.log(own[-1][key] / own[0][key]) / step for key in ("translate_s", "bonds_s")}
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bond_graphs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--sizes", type=at_least(1), nargs="+", default=list(SIZES), help="numbers of links")
    parser.add_argument("--repetitions", type=at_least(1), default=5, help="runs of each way; the best counts")
    parser.add_argument("--library", action="append", default=[], help="folder of Modelica libraries, for source_s")
    arguments = parser.parse_args()
    rows = [row(n, name, arguments.repetitions, arguments.library) for name in LIBRARIES for n in arguments.sizes]
    figures = {"rows": rows, "exponents": exponents(rows)}
    if arguments.json:
        print(json.dumps(figures))
        return
    for name in rows[0]:
        print(f"{name:>13}", *(f"{r[name]:>12.4g}" if isinstance(r[name], float) else f"{r[name]!s:>12}" for r in rows))
    print(figures["exponents"])


if __name__ == "__main__":
    main()
