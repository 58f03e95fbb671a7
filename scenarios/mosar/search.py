"""Quickest collision-free sequence of joint positions through stages of candidate poses: lazy search in a layered graph."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from clearance import Situation, clearances, on_leg
from kinematics import Array, relative_target, solve
from numpy.typing import NDArray

LIMITS = np.array([np.pi, 2.2, np.pi, 2.55, np.pi, 2.2, np.pi])  # rad, both directions
MARGIN = 0.02  # m, smallest clearance of what must stay apart
TOUCH = 1e-6  # m, numerical penetration allowed between what touches

Costs = NDArray[np.float32]  # of the edges between two layers


@dataclass(frozen=True)
class Stage:
    """One stop on the way.

    Attributes:
        name: what is done there.
        poses: candidate poses of the free end's lock frame in the world.
        situation: what stands where on the leg that leads there.
        weight: of the leg's duration in the search.
    """

    name: str
    poses: list[Array]
    situation: Situation
    weight: float = 1.0


def duration(delta: Array, v_max: Array, a_max: Array) -> Array:
    """Durations (...,) [s] of synchronised motions at limited speed and acceleration for joint differences `delta` (..., 7)."""
    delta = np.abs(delta)
    long = delta * a_max >= v_max**2
    return np.where(long, delta / v_max + v_max / a_max, 2 * np.sqrt(delta / a_max)).max(axis=-1)


def candidates(stage: Stage, swivels: int) -> Array:
    """Collision-free joint positions (n, 7) of a stage within the joint limits."""
    s = stage.situation
    swivel = np.arange(swivels) * 2 * np.pi / swivels
    q = np.concatenate([solve(relative_target(s.base, s.T_W_base, T), swivel) for T in stage.poses])
    q = q[(np.abs(q) <= LIMITS).all(axis=1)]
    if not len(q):
        return q
    found = clearances(q, s)
    return q[(found.apart >= MARGIN) & (found.contact >= -TOUCH)]


def _edges(a: Array, b: Array, weight: float, v_max: Array, a_max: Array) -> Costs:
    """Costs (len(a), len(b)): weighted duration, plus a little of the joints' travel to settle ties."""
    cost = np.empty((len(a), len(b)), dtype=np.float32)
    for i, q in enumerate(a):
        delta = b - q
        cost[i] = weight * (duration(delta, v_max, a_max) + 0.02 * np.abs(delta).sum(axis=1))
    return cost


def _best(costs: list[Costs]) -> tuple[float, list[int]]:
    """Cheapest path through the layers (dynamic programming backwards)."""
    to_go = np.zeros(costs[-1].shape[1], dtype=np.float32)
    choice = []
    for cost in reversed(costs):
        total = cost + to_go
        best = total.argmin(axis=1)
        choice.append(best)
        to_go = total[np.arange(len(best)), best]
    path = [int(to_go.argmin())]
    for best in reversed(choice):
        path.append(int(best[path[-1]]))
    return float(to_go.min()), path


def shortest(
    stages: list[Stage], v_max: Array, a_max: Array, start: Array | None = None, swivels: int = 36
) -> tuple[float, Array]:
    """Cost and joint positions (n_stages, 7) of the cheapest path without collisions.

    `start` (7,) fixes the joint positions of the first stage. Raises ValueError, which names the stage or leg without a way.
    """
    layers = [start[None, :] if i == 0 and start is not None else candidates(s, swivels) for i, s in enumerate(stages)]
    for stage, layer in zip(stages, layers, strict=True):
        if not len(layer):
            raise ValueError(f"no reachable, collision-free position at stage {stage.name!r}")
    costs = [_edges(layers[i], layers[i + 1], stages[i + 1].weight, v_max, a_max) for i in range(len(layers) - 1)]
    free: set[tuple[int, int, int]] = set()
    blocked = np.zeros(len(costs), dtype=int)
    while True:
        total, path = _best(costs)
        if not np.isfinite(total):
            leg = int(blocked.argmax())
            raise ValueError(
                f"no collision-free path; most legs were blocked from {stages[leg].name!r} to {stages[leg + 1].name!r}"
            )
        clean = True
        for i, (a, b) in enumerate(itertools.pairwise(path)):
            if (i, a, b) in free:
                continue
            apart, contact = on_leg(layers[i][a], layers[i + 1][b], stages[i + 1].situation, step=0.03)
            if apart < MARGIN or contact < -TOUCH:
                costs[i][a, b] = np.inf
                blocked[i] += 1
                clean = False
            else:
                free.add((i, a, b))
        if clean:
            return total, np.array([layer[k] for layer, k in zip(layers, path, strict=True)])
