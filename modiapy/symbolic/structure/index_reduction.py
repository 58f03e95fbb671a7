"""Index reduction: Pantelides' algorithm finds the equations that must be differentiated.

Source: C. C. Pantelides, The consistent initialization of differential-algebraic systems, SIAM J. Sci. Stat. Comput. 9
(1988). Difference: an equation of a component function has one row per output, which can be matched with this output or
with what stands in an input in which the function is affine (the accelerations in ``f = M a + h``); differentiating one
differentiates all of them, by the function that the component gives for it.
"""

from __future__ import annotations

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError
from ..terms.matching import Matching
from .equation_system import MAX_ORDER, EquationSystem, _path


def reduce_index(system: EquationSystem) -> Matching:
    """Differentiate equations until all highest derivatives can be matched; returns the matching of rows and variables.

    The system must be structurally regular where a variable and its derivatives count as one.

    Raises:
        ModelError: see `EquationSystem.differentiate`; the index is larger than `MAX_ORDER`.
    """
    matching = Matching([-1] * len(system.variables), [-1] * len(system.row_node))
    original = range(len(system.nodes))
    calls_first = sorted(original, key=lambda node: not isinstance(system.nodes[node], CallEquation))
    for node in calls_first:
        for k in range(len(system.rows[node])):
            _assign(system, matching, node, k)
    return matching


def _assign(system: EquationSystem, matching: Matching, node: int, k: int) -> None:
    """Match the k-th row of ``node``, or of the newest of its derivatives."""
    while system.derivative[node] >= 0:
        node = system.derivative[node]
    for _ in range(MAX_ORDER):
        row = system.rows[node][k]
        if matching.column_of[row] >= 0:
            return
        stuck = matching.augment(row, system.columns)
        if stuck is None:
            return
        _differentiate_all(system, matching, stuck[0])
        node = system.derivative[node]
    raise ModelError(f"the index of the equations is larger than {MAX_ORDER}", path=_path(system.nodes[node]))


def _differentiate_all(system: EquationSystem, matching: Matching, rows: list[int]) -> None:
    """Differentiate the equations of ``rows`` and whatever determines the other variables in them."""
    because = _because(system, rows)
    nodes = dict.fromkeys(system.row_node[row] for row in rows)
    queue = list(nodes)
    for node in queue:
        equation = system.nodes[node]
        if isinstance(equation, CallEquation) and equation.rate is not None:
            continue
        for variable in system.incidence[node]:
            row = matching.row_of[variable]
            if system.is_discrete(variable):
                continue
            if system.up[variable] < 0 and row >= 0 and system.row_node[row] not in nodes:
                nodes[system.row_node[row]] = None
                queue.append(system.row_node[row])
    for node in queue:
        new = system.differentiate(node, because)
        matching.row_of += [-1] * (len(system.variables) - len(matching.row_of))
        matching.column_of += [-1] * (len(system.row_node) - len(matching.column_of))
        for old_row, new_row in zip(system.rows[node], system.rows[new], strict=True):
            column = matching.column_of[old_row]
            if column >= 0:
                higher = system.up[column]
                matching.row_of[higher], matching.column_of[new_row] = new_row, higher


def _because(system: EquationSystem, rows: list[int]) -> str:
    texts = list(dict.fromkeys(f"'{system.nodes[system.row_node[row]]}'" for row in rows))
    return "the constraint between the equations " + ", ".join(texts[:6]) + (", ..." if len(texts) > 6 else "")
