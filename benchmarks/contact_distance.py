"""Distances of convex shapes beside coal's (GJK and EPA in C++).

    python -m benchmarks.contact_distance [--json]

For each pair of shapes ``poses`` random ones with a gap, and a motion from each in small steps:

- ``us``, ``coal_us``: one distance of a motion, as a simulation asks for it: inside compiled code. Ours begins anew each time,
  since what is found must not depend on what was found before; coal begins where the last one ended (cached guess).
- ``fresh_us``, ``coal_fresh_us``: of unrelated poses, where coal has no guess.
- ``called_us``, ``coal_called_us``: fresh, called from Python, each.

Coal has no loop in C++ to be called: from its figures inside the call of a pair of spheres is subtracted, which computes
next to nothing. Its tolerances are its own, 1e-6; ours are those of rounding. CPU time, both in turn, medians of the turns.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import coal
import numpy as np
from numba import njit
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from modia3d.collision.kernels.distance import signed_distance
from modia3d.collision.shapes import shape_rows
from modia3d.collision.tables import DISTANCE, FOUND_COLUMNS, NORMAL, P_BS, R_BS
from modia3d.scene.shapes import BoxShape, CapsuleShape, ConeShape, CylinderShape, EllipsoidShape, MeshShape, SphereShape

from .common import at_least, report

PAIRS = (
    ("sphere", "sphere"), ("sphere", "box"), ("capsule", "capsule"), ("capsule", "box"), ("box", "box"), ("ellipsoid", "box"),
    ("ellipsoid", "ellipsoid"), ("cylinder", "cylinder"), ("cylinder", "box"), ("cone", "box"), ("hull", "hull"),
    ("hull", "box"),
)  # fmt: skip
GAPS = (0.5, 1e-3, -1e-3)
"""Of the shapes, which are about 1 m long: apart, near contact, in contact [m]."""
STEP = 1e-3
"""Of a motion [m, rad]."""
HULL_POINTS = 80


def shapes(folder: Path) -> dict[str, tuple[Any, Any]]:
    """Return the ours and coal's of each name."""
    points = np.random.default_rng(1).normal(size=(HULL_POINTS, 3))
    points /= 2.0 * np.linalg.norm(points, axis=1, keepdims=True)
    faces = "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in ConvexHull(points).simplices)
    (folder / "hull.obj").write_text("".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in points.tolist()) + faces)
    given = coal.StdVec_Vec3s()
    for point in points:
        given.append(point)
    return {
        "sphere": (SphereShape(0.8), coal.Sphere(0.4)),
        "capsule": (CapsuleShape(0.8, 1.0), coal.Capsule(0.4, 1.0)),
        "box": (BoxShape(1.0, 0.8, 0.6), coal.Box(1.0, 0.8, 0.6)),
        "ellipsoid": (EllipsoidShape(1.0, 0.8, 0.6), coal.Ellipsoid(0.5, 0.4, 0.3)),
        "cylinder": (CylinderShape(0.8, 1.0), coal.Cylinder(0.4, 1.0)),
        "cone": (ConeShape(0.8, 1.0), coal.Cone(0.4, 1.0)),
        "hull": (MeshShape(str(folder / "hull.obj")), coal.Convex.convexHull(given, True, "")),
    }


@njit
def _all(table: Any, R: Any, p: Any, found: Any) -> int:
    """Return the distances at poses of shape (n, 2, ...), one after the other."""
    status = 0
    for k in range(R.shape[0]):
        status += signed_distance(table, R[k], p[k], 0, 1, 0, found)
    return status


class Pair:
    """A pair of shapes at many poses, for both."""

    def __init__(self, one: tuple[Any, Any], two: tuple[Any, Any], gap: float, poses: int, steps: int) -> None:
        self.ours, self.theirs = (one[0], two[0]), (one[1], two[1])
        self.rows = [shape_rows(shape) for shape in self.ours]
        self.table = np.concatenate([each.table for each in self.rows])
        self.found = np.zeros((1, FOUND_COLUMNS))
        rng = np.random.default_rng(3)
        starts = [self._start(gap, rng) for _ in range(poses)]
        self.fresh = self._placed(starts)
        self.motions = [self._placed(self._motion(start, steps, rng)) for start in starts]

    def _start(self, gap: float, rng: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the poses of both shapes at that distance, along a random line."""
        R, S = Rotation.random(2, random_state=rng).as_matrix()
        away = rng.normal(size=3)
        away /= np.linalg.norm(away)
        at = 3.0
        for _ in range(40):
            start = [(R, np.zeros(3)), (S, at * away)]
            self.distance(self._placed([start])[0])
            wrong = self.found[0, DISTANCE] - gap
            if abs(wrong) < 1e-9:
                break
            at -= wrong / max(self.found[0, NORMAL : NORMAL + 3] @ away, 0.1)
        return start

    @staticmethod
    def _motion(start: Any, steps: int, rng: Any) -> list[Any]:
        (R, p), (S, q) = start
        v, w = rng.normal(size=(2, 3))
        turn = Rotation.from_rotvec(np.arange(steps)[:, None] * STEP * w / np.linalg.norm(w)).as_matrix()
        across = np.cross(v, q) / np.linalg.norm(np.cross(v, q))
        return [[(R, p), (turn[k] @ S, q + k * STEP * across)] for k in range(steps)]

    def _placed(self, starts: list[Any]) -> list[tuple[np.ndarray, np.ndarray, list[Any]]]:
        return [self._tables(start) for start in starts]

    def _tables(self, start: Any) -> tuple[np.ndarray, np.ndarray, list[Any]]:
        R = np.array([(T @ row[R_BS : R_BS + 9].reshape(3, 3)).ravel() for (T, _), row in zip(start, self.table, strict=True)])
        p = np.array([q + T @ row[P_BS : P_BS + 3] for (T, q), row in zip(start, self.table, strict=True)])
        middles = [(0.0, 0.0, 0.5 * shape.length) if isinstance(shape, ConeShape) else np.zeros(3) for shape in self.ours]
        return R, p, [coal.Transform3s(T, q + T @ middle) for (T, q), middle in zip(start, middles, strict=True)]

    def distance(self, pose: Any) -> None:
        """One, called from Python."""
        signed_distance(self.table, pose[0], pose[1], 0, 1, 0, self.found)


def _seconds(function: Callable[[], Any], count: int) -> float:
    start = time.process_time()
    function()
    return (time.process_time() - start) / count


def _inside(pair: Pair, sequences: list[Any], repeats: int) -> float:
    arrays = [(np.array([one[0] for one in each]), np.array([one[1] for one in each])) for each in sequences]

    def run() -> None:
        for _ in range(repeats):
            for R, p in arrays:
                _all(pair.table, R, p, pair.found)

    return _seconds(run, repeats * sum(map(len, sequences)))


def _by_coal(pair: Pair, sequences: list[Any], keep: bool) -> float:
    def run() -> None:
        for sequence in sequences:
            request, result = coal.DistanceRequest(), coal.DistanceResult()
            request.enable_signed_distance = True
            if keep:
                request.gjk_initial_guess = coal.GJKInitialGuess.CachedGuess
            for _, _, (one, two) in sequence:
                result.clear()
                coal.distance(pair.theirs[0], one, pair.theirs[1], two, request, result)
                if keep:
                    request.updateGuess(result)

    return _seconds(run, sum(map(len, sequences)))


def _called(pair: Pair, sequences: list[Any]) -> float:
    def run() -> None:
        for sequence in sequences:
            for pose in sequence:
                pair.distance(pose)

    return _seconds(run, sum(map(len, sequences)))


def measure(poses: int = 100, steps: int = 40, rounds: int = 5) -> list[dict[str, Any]]:
    """Return one row for each pair and gap: times [us], medians of some rounds."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        known = shapes(Path(folder))
        calls = Pair(known["sphere"], known["sphere"], 0.5, poses, steps)
        for (one, two), gap in itertools.product(PAIRS, GAPS):
            pair = Pair(known[one], known[two], gap, poses, steps)
            turns = []
            for _ in range(rounds):
                call = {keep: _by_coal(calls, calls.motions if keep else [calls.fresh] * 5, keep) for keep in (True, False)}
                turn = {
                    "us": _inside(pair, pair.motions, 1),
                    "coal_us": _by_coal(pair, pair.motions, True) - call[True],
                    "fresh_us": _inside(pair, [pair.fresh], steps),
                    "called_us": _called(pair, [pair.fresh] * 5),
                    "coal_called_us": _by_coal(pair, [pair.fresh] * 5, False),
                }
                turn["coal_fresh_us"] = turn["coal_called_us"] - call[False]
                turns.append({name: 1e6 * value for name, value in turn.items()})
            row: dict[str, Any] = {"case": f"{one}-{two}", "gap": gap}
            row |= {name: round(statistics.median(turn[name] for turn in turns), 3) for name in turns[0]}
            rows.append(row)
    return rows


def figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the means over the mix: `distance_us` and `coal_distance_us` of motions; fresh; called."""
    names = {"distance": "us", "fresh": "fresh_us", "called": "called_us"}
    found: dict[str, Any] = {}
    for name, column in names.items():
        found[f"{name}_us"] = round(statistics.fmean(row[column] for row in rows), 3)
        found[f"coal_{name}_us"] = round(statistics.fmean(row[f"coal_{column}"] for row in rows), 3)
    return found


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="figures and rows as one JSON object")
    parser.add_argument("--poses", type=at_least(1), default=100)
    args = parser.parse_args()
    rows = measure(args.poses)
    if not args.json:
        columns = ("us", "coal_us", "fresh_us", "coal_fresh_us", "called_us", "coal_called_us")
        print(f"{'case':<22}{'gap':>8}" + "".join(f"{name:>16}" for name in columns))
        for row in rows:
            print(f"{row['case']:<22}{row['gap']:>8g}" + "".join(f"{row[name]:>16.3f}" for name in columns))
    report(figures(rows) | ({"rows": rows} if args.json else {}), args.json)


if __name__ == "__main__":
    main()
