"""Random bond graphs: models of the library, and the same graphs as linear equations of all efforts and flows, made by numpy.

A graph is a list of junctions, each coupled with an earlier one by a bond, a transformer or a gyrator, perhaps another coupling
that closes a loop, and elements at them.
Its matrices contain nothing of the library: a row for each equation of a textbook, columns for effort and flow of each bond.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm, null_space

from modiapy import Map, Model, Var
from modiapy.library import bond_graphs

_LIBRARY = {"E": ("Se", "e0"), "F": ("Sf", "f0"), "S": ("Sw", "open")} | {kind: (kind, kind) for kind in "RGCI"}
_ACTIVE = "EF"


@dataclass(frozen=True)
class Graph:
    """Kinds of junctions, "0" or "1"; couplings: kind, ratio, from, to; elements: kind, value, junction."""

    junctions: tuple[str, ...]
    couplings: tuple[tuple[str, float, int, int], ...]
    elements: tuple[tuple[str, float, int], ...]

    @cached_property
    def bonds(self) -> list[tuple[str, str]]:
        """Bonds as the names of the element or junction that they leave and enter; those of couplings first."""
        found = []
        for k, (kind, _, a, b) in enumerate(self.couplings):
            found += [(f"J{a}", f"J{b}")] if kind == "bond" else [(f"J{a}", f"T{k}"), (f"T{k}", f"J{b}")]
        for k, (kind, _, at) in enumerate(self.elements):
            found.append((f"X{k}", f"J{at}") if kind in _ACTIVE else (f"J{at}", f"X{k}"))
        return found

    @cached_property
    def connections(self) -> list[tuple[str, str]]:
        """Connections of ports, in the order of the bonds."""
        used = {(f"J{k}", port): count(0) for k in range(len(self.junctions)) for port in "ba"}
        named = []
        for ends in self.bonds:
            a, b = (
                f"{end}.{port}" + (f"[{next(used[end, port])}]" if (end, port) in used else "")
                for end, port in zip(ends, "ba", strict=True)
            )
            named.append((a, b))
        return named

    @property
    def switches(self) -> list[int]:
        """Numbers of the elements that are switches."""
        return [k for k, element in enumerate(self.elements) if element[0] == "S"]

    @property
    def storages(self) -> list[int]:
        """Numbers of the elements that store energy."""
        return [k for k, element in enumerate(self.elements) if element[0] in "CI"]

    def bond_of(self, name: str) -> int:
        """Return the number of the bond of an element."""
        return next(k for k, ends in enumerate(self.bonds) if name in ends)

    def scaled(self, factor: float) -> Graph:
        """Return the graph with all parameters multiplied."""
        couplings = tuple((kind, ratio * factor, a, b) for kind, ratio, a, b in self.couplings)
        return Graph(self.junctions, couplings, tuple((kind, value * factor, at) for kind, value, at in self.elements))

    def model(self, turns: dict[int, str] | None = None, factors: tuple[float, ...] = (1.0,)) -> Model:
        """Return the graph as a model.

        Args:
            turns: the conditions by which its switches are open.
            factors: of the parameters for each element of its bonds.
        """
        parts: dict[str, Any] = {}
        for k, kind in enumerate(self.junctions):
            ports = [end for ends in self.connections for end in ends if end.startswith(f"J{k}.")]
            entering = sum(".a[" in port for port in ports)
            parts[f"J{k}"] = getattr(bond_graphs, f"J{kind}") | Map(n_in=entering, n_out=len(ports) - entering)
        for k, (kind, ratio, *_) in enumerate(self.couplings):
            if kind != "bond":
                parts[f"T{k}"] = getattr(bond_graphs, kind) | Map(
                    {"m" if kind == "TF" else "r": [ratio * factor for factor in factors]}
                )
        for k, (kind, value, _) in enumerate(self.elements):
            element, parameter = _LIBRARY[kind]
            given: Any = [value * factor for factor in factors] if kind != "S" else Var((turns or {})[k])
            parts[f"X{k}"] = getattr(bond_graphs, element) | Map({parameter: given})
            if kind in "CI":
                parts[f"X{k}"] |= Map(**{"e" if kind == "C" else "f": Map(start=0.3 + 0.1 * k)})
        return Model(bond_size=len(factors), **parts, connect=self.connections)

    def equations(self, open_switches: dict[int, bool]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return ``M z = N x + u`` and ``der(x) = S z``: z efforts and flows of all bonds, x charges and momenta."""
        nb = len(self.bonds)
        rows: list[np.ndarray] = []
        states = self.storages
        inputs: list[tuple[np.ndarray, float]] = []
        effort, flow = np.eye(2 * nb)[:nb], np.eye(2 * nb)[nb:]

        def add(row: np.ndarray, state: int | None = None, factor: float = 0.0, u: float = 0.0) -> None:
            x = np.zeros(len(states))
            if state is not None:
                x[states.index(state)] = factor
            rows.append(row)
            inputs.append((x, u))

        for k, kind in enumerate(self.junctions):
            at = [(b, 1.0 if ends[1] == f"J{k}" else -1.0) for b, ends in enumerate(self.bonds) if f"J{k}" in ends]
            common, added = (effort, flow) if kind == "0" else (flow, effort)
            for (b, _), (other, _) in pairwise(at):
                add(common[b] - common[other])
            add(sum(sign * added[b] for b, sign in at))
        for k, (kind, ratio, *_) in enumerate(self.couplings):
            if kind != "bond":
                one, two = (next(b for b, ends in enumerate(self.bonds) if ends[i] == f"T{k}") for i in (1, 0))
                if kind == "TF":
                    add(effort[one] - ratio * effort[two])
                    add(flow[two] - ratio * flow[one])
                else:
                    add(effort[one] - ratio * flow[two])
                    add(effort[two] - ratio * flow[one])
        for k, (kind, value, _) in enumerate(self.elements):
            e, f = effort[self.bond_of(f"X{k}")], flow[self.bond_of(f"X{k}")]
            match kind:
                case "R":
                    add(e - value * f)
                case "G":
                    add(f - value * e)
                case "C":
                    add(e, k, 1 / value)
                case "I":
                    add(f, k, 1 / value)
                case "E":
                    add(e, u=value)
                case "F":
                    add(f, u=value)
                case "S":
                    add(f if open_switches[k] else e)
        rates = np.array([(flow if self.elements[k][0] == "C" else effort)[self.bond_of(f"X{k}")] for k in states])
        return (
            np.array(rows),
            np.array([x for x, _ in inputs]).reshape(len(rows), len(states)),
            np.array([u for _, u in inputs]),
            rates.reshape(len(states), 2 * nb),
        )


@dataclass(frozen=True)
class StateSpace:
    """``der(x) = A x + b`` and ``z = C x + d``, with the constraints ``W x + w = 0`` of storages that depend on each other."""

    A: np.ndarray
    b: np.ndarray
    C: np.ndarray
    d: np.ndarray
    W: np.ndarray
    w: np.ndarray

    def after(self, x: np.ndarray, time: float) -> np.ndarray:
        """Return x after some time, exactly."""
        n = x.size
        whole = np.zeros((n + 1, n + 1))
        whole[:n, :n], whole[:n, n] = self.A, self.b
        return (expm(whole * time) @ [*x, 1.0])[:n]


def state_space(graph: Graph, open_switches: dict[int, bool]) -> StateSpace | None:
    """Return the solution of the equations of a graph; None if they have none, or many.

    Where M is singular, its left null vectors make constraints for x. Their derivatives determine what M does not.
    """
    m, n, u, s = graph.equations(open_switches)
    left = null_space(m.T, rcond=1e-9).T
    w, offset = left @ n, left @ u
    if len(left) and (not w.size or np.linalg.matrix_rank(w, tol=1e-9) < len(left)):
        return None
    whole = np.vstack([m, w @ s])
    if np.linalg.matrix_rank(whole, tol=1e-9) < m.shape[1] or np.linalg.cond(whole) > 1e6:
        return None
    inverse = np.linalg.pinv(whole)
    c, d = inverse @ np.vstack([n, np.zeros_like(w)]), inverse @ np.concatenate([u, np.zeros(len(left))])
    return StateSpace(s @ c, s @ d, c, d, w, offset)


@st.composite
def graphs(draw: Any, kinds: str, damped: bool = False) -> Graph:
    """Draw a graph whose elements are of these kinds: R, G, C, I, E (source of effort), F (of flow), S (switch).

    A damped one has a resistance at each 1-junction, a conductance at each 0-junction: without storages it has one solution.
    """
    value = st.sampled_from([0.5, 0.8, 1.0, 1.3, 2.0])
    n = draw(st.integers(1, 4))
    couplings = []
    for k in range(1, n):
        other = draw(st.integers(0, k - 1))
        ends = (k, other) if draw(st.booleans()) else (other, k)
        couplings.append((draw(st.sampled_from(["bond", "TF", "GY"])), draw(value), *ends))
    if n > 1 and draw(st.booleans()):  # a loop
        a, b = draw(st.permutations(range(n)))[:2]
        couplings.append((draw(st.sampled_from(["bond", "TF", "GY"])), draw(value), a, b))
    elements = [(draw(st.sampled_from(kinds)), draw(value), k) for k in range(n) for _ in range(draw(st.integers(1, 3)))]
    junctions = tuple(draw(st.sampled_from("01")) for _ in range(n))
    if damped:
        elements += [("R" if kind == "1" else "G", draw(value), k) for k, kind in enumerate(junctions)]
    return Graph(junctions, tuple(couplings), tuple(elements))
