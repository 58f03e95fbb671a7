"""What the tests of imports share: robots that nobody here wrote, and our numeric API on an imported model."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import Any

import numpy as np

from modia3d.dynamics import Dynamics
from modia3d.dynamics.kinematics import body_poses
from modia3d.topology.build import build_graph
from modia3d.topology.forest import Forest, spanning_forest
from modia3d.topology.structure import Structure
from modiapy import Model
from modiapy.symbolic.flattening.evaluate import evaluate

PACKAGE = "example-robot-data"


def robot_folder() -> Path:
    """The folder of the package example-robot-data."""
    files = importlib.metadata.distribution(PACKAGE).files or []
    arm = next(file for file in files if file.name == "ur5_robot.urdf")
    return Path(str(arm.locate())).resolve().parents[3]


class Machine:
    """The forest of a model and its dynamics at a configuration."""

    def __init__(self, model: Model) -> None:
        graph = build_graph(evaluate(model).objects)
        self.forest: Forest = spanning_forest(graph, Structure())
        self.dynamics = Dynamics(self.forest.ints, self.forest.floats, self.forest.gravity)

    def mass_matrix(self) -> np.ndarray:
        """M (nv, nv) at ``dynamics.q``."""
        assert self.dynamics.mass_matrix() == 0
        return self.dynamics.M

    def frames(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """``R_WF`` (3, 3) and ``p_WF_W`` (3,) of all frames at ``dynamics.q``."""
        n = self.forest.n
        R, p = np.empty((n, 9)), np.empty((n, 3))
        body_poses(self.forest.ints, self.forest.floats, self.dynamics.q, R, p)
        poses: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for i, node in enumerate(self.forest.graph.frames):
            body, R_BF, p_BF = self.forest.frame_pose(i)
            R_WB, p_WB = (R[body].reshape(3, 3), p[body]) if body >= 0 else (np.eye(3), np.zeros(3))
            poses[node.name] = R_WB @ R_BF, p_WB + R_WB @ p_BF
        return poses


def plain(value: Any) -> Any:
    """A model as plain data to compare: kinds of things and values; the place of a mesh is resolved."""
    if isinstance(value, dict):
        kind = value.get("_constructor", type(value).__name__)
        return {"kind": "Model" if kind == "ImportedModel" else kind} | {
            key: plain(item) for key, item in value.items() if key not in ("_constructor", "folders")
        }
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
