"""Random linear circuits: as models, and as an independent sparse tableau that is integrated by Radau IIA."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from modiapy import Map, Model
from modiapy.library.electric import Capacitor, ConstantCurrent, ConstantVoltage, Ground, Inductor, Resistor

PARAMETER = {"R": "R", "C": "C", "L": "L", "V": "V", "I": "I"}
COMPONENT = {"R": Resistor, "C": Capacitor, "L": Inductor, "V": ConstantVoltage, "I": ConstantCurrent}


@dataclass
class Circuit:
    """Branches ``(kind, from node, to node, value)``; node 0 is grounded."""

    n_nodes: int
    branches: list[tuple[str, int, int, float]] = field(default_factory=list)

    def name(self, k: int) -> str:
        return f"{self.branches[k][0]}{k}"

    def model(self, *, ground: bool = True) -> Model:
        model = Model(connect=[])
        pins: list[list[str]] = [[] for _ in range(self.n_nodes)]
        for k, (kind, a, b, value) in enumerate(self.branches):
            model[self.name(k)] = COMPONENT[kind] | Map({PARAMETER[kind]: value})
            pins[a].append(f"{self.name(k)}.p")
            pins[b].append(f"{self.name(k)}.n")
        if ground:
            model["ground"] = Ground
            pins[0].append("ground.p")
        model["connect"] = [tuple(p) for p in pins if len(p) > 1]
        return model

    def parts(self, chosen: Iterable[int]) -> int:
        """Into how many parts the nodes fall if only the chosen branches connect them."""
        ends = np.array([self.branches[k][1:3] for k in chosen], dtype=int).reshape(-1, 2)
        graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(self.n_nodes, self.n_nodes))
        return int(connected_components(graph, directed=False)[0])

    def of_kind(self, kinds: str) -> list[int]:
        """Numbers of the branches of these kinds."""
        return [k for k, branch in enumerate(self.branches) if branch[0] in kinds]

    def has_loop(self, chosen: Sequence[int]) -> bool:
        """Whether some of the chosen branches form a loop."""
        return len(chosen) > self.n_nodes - self.parts(chosen)

    def is_cut(self, chosen: Collection[int]) -> bool:
        """Whether the circuit falls apart without the chosen branches."""
        return self.parts(k for k in range(len(self.branches)) if k not in chosen) > 1

    def is_well_posed(self) -> bool:
        """No loop of voltage sources, no cut set of current sources."""
        return not self.has_loop(self.of_kind("V")) and not self.is_cut(self.of_kind("I"))

    def tableau(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """``E*der(x) + A*x = b`` for x = (potentials of nodes, voltages, currents of branches)."""
        n, m = self.n_nodes, len(self.branches)
        size = n + 2 * m
        mass, matrix, rhs = np.zeros((size, size)), np.zeros((size, size)), np.zeros(size)
        matrix[0, 0] = 1.0
        for k, (kind, a, b, value) in enumerate(self.branches):
            v, i = n + k, n + m + k
            for node, sign in ((a, 1.0), (b, -1.0)):
                if node:
                    matrix[node, i] += sign
            difference, law = n + k, n + m + k
            matrix[difference, v], matrix[difference, a], matrix[difference, b] = -1.0, 1.0, -1.0
            if kind == "R":
                matrix[law, v], matrix[law, i] = 1.0, -value
            elif kind == "C":
                mass[law, v], matrix[law, i] = value, -1.0
            elif kind == "L":
                mass[law, i], matrix[law, v] = value, -1.0
            else:
                matrix[law, v if kind == "V" else i], rhs[law] = 1.0, value
        return mass, matrix, rhs


def random_circuit(random: np.random.Generator) -> Circuit:
    """A spanning tree and some more branches, all kinds mixed; values between 0.5 and 2."""
    n = int(random.integers(2, 7))
    circuit = Circuit(n)

    def add(kinds: str, a: int, b: int) -> None:
        a, b = (a, b) if random.random() < 0.5 else (b, a)
        circuit.branches.append((str(random.choice(list(kinds))), a, b, float(np.exp(random.uniform(-0.7, 0.7)))))

    for node in range(1, n):
        add("RCLV", node, int(random.integers(node)))
    for _ in range(int(random.integers(1, n + 3))):
        a, b = random.choice(n, 2, replace=False)
        add("RRCCLLVI", int(a), int(b))
        if not circuit.is_well_posed():
            circuit.branches.pop()
    return circuit


def radau(mass: np.ndarray, matrix: np.ndarray, rhs: np.ndarray, x: np.ndarray, step: float, steps: int) -> np.ndarray:
    """Points (steps + 1, n) of the solution of ``mass*der(x) + matrix*x = rhs`` by Radau IIA of order 5."""
    r = np.sqrt(6.0)
    weights = np.array(
        [
            [(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225],
            [(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225],
            [(16 - r) / 36, (16 + r) / 36, 1 / 9],
        ]
    )
    n = len(x)
    # unknowns are the stages X_i; mass*(X - x) = step * weights * (rhs - matrix*X), weights inverted
    inverse = np.linalg.inv(weights) / step
    system = np.kron(inverse, mass) + np.kron(np.eye(3), matrix)
    factors = np.linalg.inv(system)
    points = [x]
    for _ in range(steps):
        right = np.kron(inverse.sum(axis=1), mass @ points[-1]) + np.tile(rhs, 3)
        points.append((factors @ right)[2 * n :])
    return np.array(points)
