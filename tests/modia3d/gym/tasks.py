"""Tasks for the tests: a cart that a force moves, and the arm of scenarios/gym that attaches a module."""

from pathlib import Path
from typing import Any

import numpy as np

from modia3d.gym import Environment
from modiapy import Model, Var

DOCKING = Path(__file__).parents[3] / "scenarios" / "gym" / "docking_task.yaml"
STEP = 0.1

CART = Model(
    x=Var(init=0.0), v=Var(init=0.0), u=Var(input=True, start=0.0), m=2.0, d=0.0, equations=["der(x) = v", "m*der(v) = u - d*v"]
)
FORCE = {"u": {"low": -3.0, "high": 3.0}}


def cart(model: Any = CART, **fields: Any) -> Environment:
    """Make an environment of the cart, with other fields if wanted."""
    given = {"step": STEP, "stop_time": 2.0, "observations": ["x", "v"], "actions": FORCE, "reward": "-x**2"}
    return Environment(model, **(given | fields))


def pushed(forces: Any, times: Any, step: float = STEP, m: float = 2.0) -> np.ndarray:
    """Return position and speed of the cart at some times, shape (n, 2), in closed form: each force is held for a step."""
    found = []
    for time in times:
        x = v = t = 0.0
        for force in forces:
            h = min(step, time - t)
            if h <= 0.0:
                break
            x, v, t = x + v * h + 0.5 * force / m * h * h, v + force / m * h, t + h
        found.append((x, v))
    return np.array(found)


def taught(observation: np.ndarray) -> dict[str, Any]:
    """Return an action that brings the arm of docking.yaml to its target and grips there; written by hand."""
    return {"speeds": np.clip([5.0, 9.0] * observation[:2], -1.0, 1.0), "grip": int(observation[3] == 0.0)}
