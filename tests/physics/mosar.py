"""The walking robot of the MOSAR scenario for the tests of this folder: its parts by name, and variations of its model."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from modia3d import ModelActions
from modia3d.actions.structural.flip_chain import FlipChain
from modia3d.actions.values import AddPath, PtpJointSpace
from modia3d.files import read_scenario
from modia3d.files.scenario import Scenario
from modiapy import Map, Model, Var

SCENARIO = Path(__file__).parents[2] / "scenarios" / "mosar" / "mosar.yaml"
N = 7
JOINTS = tuple(f"joint{k}" for k in range(1, N + 1))
DRIVES = tuple(f"drive{k}" for k in range(1, N + 1))
LINKS = tuple(f"link{k}" for k in range(N + 1))
MODULES = ("boxX1Y1Z1", "boxX1Y1Z2", "boxX1Y2Z1", "boxX1Y2Z2", "boxX5Y1Z1", "boxX5Y2Z1")


@functools.cache
def scenario() -> Scenario:
    """The scenario as it is in its file."""
    return read_scenario(SCENARIO)


def actions() -> list[Any]:
    """The scenario's own action program."""
    return list(scenario().model["actions"]["program"])


def reference_path(position: Sequence[float] | None = None) -> AddPath:
    """The scenario's reference path; it begins at ``position`` [rad] if that is given."""
    path = next(action for action in actions() if isinstance(action, AddPath))
    return path if position is None else replace(path, position=tuple(position))


def with_actions(model: Model, program: Sequence[Any], position: Sequence[float] | None = None) -> Model:
    """The same model with another action program, after the declaration of the scenario's reference path."""
    return model | Model(actions=ModelActions([reference_path(position), *program]))


def configuration_of_the_step() -> tuple[float, ...]:
    """Joint angles at which the green end stands on its platform interface, before the robot's first flip."""
    program = actions()
    before = program[: next(i for i, action in enumerate(program) if isinstance(action, FlipChain))]
    return [action for action in before if isinstance(action, PtpJointSpace)][-1].positions[-1]


def starting_at(phi: Sequence[float], w: Sequence[float] = (0.0,) * N) -> Map:
    """Modification: joints and drives begin with these angles [rad] and speeds [rad/s], gears unstretched."""
    joints = {f"joint{k}": Map(phi=Var(init=p), w=Var(init=s)) for k, (p, s) in enumerate(zip(phi, w, strict=True), 1)}
    drives = {f"drive{k}": Map(phi0=p, w0=s) for k, (p, s) in enumerate(zip(phi, w, strict=True), 1)}
    return Map(**joints, **drives)


def parameter(name: str, entry: str) -> float:
    """A number in the definition of an entry of the scenario's model, e.g. ``("drive1", "c")``."""
    return float(scenario().model[name][entry])


def frames(signals: Sequence[str]) -> list[str]:
    """All frames among the names of signals."""
    return [name.removesuffix(".r_abs") for name in signals if name.endswith(".r_abs")]


def relative(values: np.ndarray, scale: np.ndarray | float) -> float:
    """Largest magnitude of vectors (nt, 3) in units of a scale, a number or (nt,)."""
    return float(np.max(np.linalg.norm(values, axis=-1) / scale))
