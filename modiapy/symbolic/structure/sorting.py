"""Sorting: block lower triangular form by Tarjan's algorithm, and the check that there is one.

Source: R. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972); I. S. Duff, J. K. Reid, An
implementation of Tarjan's algorithm for the block triangularization of a matrix, ACM TOMS 4 (1978).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError
from ...model.expression import Equation
from ..terms.matching import match
from ..terms.names import base_of
from .diagnosis import structural_error
from .equation_system import EquationSystem


@dataclass(frozen=True)
class Component:
    """A strong component: equations that must be solved together for their unknowns (numbers of nodes and variables)."""

    nodes: tuple[int, ...]
    unknowns: tuple[int, ...]


def check_structure(system: EquationSystem, redundant: Sequence[Equation]) -> None:
    """Check that there are as many independent equations as unknowns, a variable and its derivatives counting as one.

    Raises:
        ModelError: names the equations that are too many and the variables that have none.
    """
    bases = [v for v in range(len(system.variables)) if system.down[v] < 0]
    column = {v: k for k, v in enumerate(bases)}
    own = [column[system.index[base_of(name)]] for name in system.variables]
    rows = [list(dict.fromkeys(own[v] for v in columns)) for columns in system.row_columns]
    matching = match(rows, len(bases))
    if len(rows) == len(bases) and -1 not in matching.row_of:
        return
    raise structural_error(system, rows, matching, [system.variables[v] for v in bases], redundant)


def sort_equations(system: EquationSystem, unknowns: Sequence[int], without: Set[int] = frozenset()) -> list[Component]:
    """Return the strong components in the order of evaluation.

    Raises:
        ModelError: the equations cannot be matched with the unknowns.
    """
    column = {v: k for k, v in enumerate(unknowns)}
    used = [r for r, node in enumerate(system.row_node) if node not in without]
    rows = [[column[v] for v in system.row_columns[r] if v in column] for r in used]
    matching = match(rows, len(unknowns))
    if len(rows) != len(unknowns) or -1 in matching.row_of:
        raise structural_error(system, rows, matching, [system.variables[v] for v in unknowns], ())
    producer = {v: system.row_node[used[matching.row_of[k]]] for v, k in column.items()}
    edges = _dependencies(system, producer)
    solved_by: list[list[int]] = [[] for _ in system.nodes]
    for v, node in producer.items():
        solved_by[node].append(v)
    return [
        Component(tuple(sorted(nodes)), tuple(sorted(v for n in nodes for v in solved_by[n])))
        for nodes in strong_components(edges)
        if nodes[0] not in without
    ]


def _dependencies(system: EquationSystem, producer: dict[int, int]) -> list[list[int]]:
    edges: list[dict[int, None]] = [
        dict.fromkeys(producer[v] for v in incidence if v in producer and producer[v] != n)
        for n, incidence in enumerate(system.incidence)
    ]
    for n, node in enumerate(system.nodes):
        if isinstance(node, CallEquation):
            # a call computes its outputs, so where another equation is matched with one, the two belong together
            for output in node.outputs:
                other = producer.get(system.index[output.name])
                if other is None:
                    raise ModelError(
                        f"component function '{node.function.name}' computes '{output.name}', which cannot be a state",
                        path=node.component,
                        found=f"equations for 'der({output.name})'",
                        expected=f"equations for '{output.name}' itself",
                        remedy="Prescribe its value instead of its derivative.",
                    )
                if other != n:
                    edges[other][n] = None
    return [list(e) for e in edges]


def strong_components(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the strong components of a directed graph; each comes after those that its nodes have edges to."""
    n = len(edges)
    number, low = [-1] * n, [0] * n
    on_stack = [False] * n
    stack: list[int] = []
    components: list[list[int]] = []
    count = 0
    for root in range(n):
        if number[root] >= 0:
            continue
        work = [(root, iter(edges[root]))]
        number[root] = low[root] = count
        count += 1
        stack.append(root)
        on_stack[root] = True
        while work:
            node, rest = work[-1]
            for other in rest:
                if number[other] < 0:
                    number[other] = low[other] = count
                    count += 1
                    stack.append(other)
                    on_stack[other] = True
                    work.append((other, iter(edges[other])))
                    break
                if on_stack[other]:
                    low[node] = min(low[node], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    cut = len(stack) - 1
                    while stack[cut] != node:
                        cut -= 1
                    components.append(stack[cut:])
                    del stack[cut:]
                    for member in components[-1]:
                        on_stack[member] = False
    return components
