"""Random graphs, static ones and ones with ideal switches, against their matrices: every effort and flow, and all power."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from modiapy import ModiaError, NumericalError, Result, instantiate

from .random_graphs import Graph, StateSpace, graphs, state_space

FACTORS = (1.0, 1.5)
TOLERANCE = 1e-6
examples = settings(deadline=None, suppress_health_check=list(HealthCheck), database=None, derandomize=True)


def simulated(graph: Graph, turns: dict[int, str] | None = None) -> Result:
    return instantiate(graph.model(turns, FACTORS)).simulate(1.0, tolerance=1e-9, interval=0.5)


def stored(result: Result, graph: Graph, i: int, place: int) -> np.ndarray:
    """Return charges and momenta of element i of all storages at a stored point."""
    signals = {"C": "e", "I": "f"}
    names = [(f"X{k}.{signals[graph.elements[k][0]]}", graph.elements[k][1]) for k in graph.storages]
    return np.array([result[name][place, i] * value for name, value in names])


def check_end(result: Result, graph: Graph, i: int, space: StateSpace, x: np.ndarray) -> None:
    """Compare efforts and flows of all elements at the end with the matrices."""
    z = space.C @ x + space.d
    places = [graph.bond_of(f"X{k}") for k in range(len(graph.elements))]
    for signal, expected in (("e", z[places]), ("f", z[len(graph.bonds) :][places])):
        found = [result[f"X{k}.{signal}"][-1, i] for k in range(len(graph.elements))]
        assert found == pytest.approx(expected, abs=TOLERANCE * max(1.0, float(np.abs(z).max())))


def check_power(result: Result, graph: Graph) -> None:
    """No junction, transformer or gyrator takes power."""
    for k in range(len(graph.junctions)):
        ports = [end for ends in graph.connections for end in ends if end.startswith(f"J{k}.")]
        power = [result[f"{port}.e"] * result[f"{port}.f"] for port in ports]
        assert np.sum(power, axis=0) == pytest.approx(np.zeros_like(power[0]), abs=1e-9 * max(1.0, np.abs(power).max()))
    for k, (kind, *_) in enumerate(graph.couplings):
        if kind != "bond":
            power = [result[f"T{k}.e{end}"] * result[f"T{k}.f{end}"] for end in (1, 2)]
            assert power[0] == pytest.approx(power[1], abs=1e-9 * max(1.0, np.abs(power).max()))


@settings(examples, max_examples=30)
@given(graphs("RGCIEF"))
def test_graphs_behave_as_their_matrices_say(graph: Graph) -> None:
    """Storages may depend on each other; graphs without a solution, or with many, are refused or warned of."""
    parts = [graph.scaled(factor) for factor in FACTORS]
    spaces = [state_space(part, {}) for part in parts]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result = simulated(graph)
        except ModiaError:
            assert None in spaces
            return
    assert None not in spaces or warned
    for i, (part, space) in enumerate(zip(parts, spaces, strict=True)):
        if space is not None:
            x = stored(result, part, i, 0)
            assert space.W @ x + space.w == pytest.approx(np.zeros(len(space.w)), abs=TOLERANCE)
            check_end(result, part, i, space, space.after(x, 1.0))
            check_power(result, graph)


@st.composite
def switched(draw: Any, kinds: str) -> tuple[Graph, dict[int, str], list[tuple[float, dict[int, bool]]]]:
    """Draw a graph, the conditions of its switches, and the duration and positions of all phases in between."""
    graph = draw(graphs(kinds, damped=True))
    assume(1 <= len(graph.switches) <= 3)
    times = {k: 0.2 + 0.2 * i for i, k in enumerate(graph.switches)}
    first = {k: draw(st.booleans()) for k in graph.switches}
    turns = {k: f"time {'<' if first[k] else '>='} {time}" for k, time in times.items()}
    edges = [0.0, *times.values(), 1.0]
    phases = [(end - begin, {k: first[k] == (begin < times[k]) for k in times}) for begin, end in pairwise(edges)]
    return graph, turns, phases


def same_constraints(spaces: list[StateSpace]) -> bool:
    """Return whether no position of the switches takes storages their independence, or gives it to them."""
    first = spaces[0]
    rows = [np.column_stack([space.W, space.w]) for space in spaces]
    return all(np.linalg.matrix_rank(np.vstack([rows[0], row]), tol=1e-9) == len(first.w) == len(row) for row in rows)


@settings(examples, max_examples=25)
@given(switched("RCISEF"))
def test_no_structure_keeps_a_switch_from_turning(drawn: Any) -> None:
    graph, turns, phases = drawn
    parts = [graph.scaled(factor) for factor in FACTORS]
    spaces = [[state_space(part, position) for _, position in phases] for part in parts]
    assume(all(None not in each and same_constraints(each) for each in spaces))
    result = simulated(graph, turns)
    for i, (part, each) in enumerate(zip(parts, spaces, strict=True)):
        x = stored(result, part, i, 0)
        for (duration, _), space in zip(phases, each, strict=True):
            x = space.after(x, duration)
        check_end(result, part, i, each[-1], x)
    check_power(result, graph)


@settings(examples, max_examples=30)
@given(switched("RCIS"))
def test_a_switch_that_fixes_a_state_is_named(drawn: Any) -> None:
    """Shorted capacitors, opened inductors: storages lose their independence in some positions."""
    graph, turns, phases = drawn
    spaces = [state_space(graph, position) for _, position in phases]
    assume(None not in spaces and not same_constraints(spaces))
    with pytest.raises(NumericalError) as raised:
        simulated(graph, turns)
    assert any(f"'X{k}.open' =" in str(raised.value) or f"X{k}.open =" in str(raised.value) for k in graph.switches)
    assert "A switch may not short a capacitor, open an inductor" in str(raised.value)
