"""Report of a translation as a table, and the sorted incidence of equations and unknowns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from ...model.errors import ModelError
from ...model.expression import Expr, names
from ..sorted.parts import Assignment, Block, Call, LinearBlock, NonlinearBlock, defined_by
from ..sorted.sorted_model import SortedModel
from ..structure.diagnosis import describe

SHOWN = 6
"""So many unknowns of a system of equations, and systems, are listed."""


class Report(dict[str, int]):
    """Sizes by name; as a text it is a table of the passes and of the systems of equations.

    Args:
        model: sorted.
        solvers: how its systems of equations are solved, by the number of their block.
    """

    def __init__(self, model: SortedModel, solvers: Mapping[int, str]) -> None:
        super().__init__(model.report)
        self._name = model.flat.name
        blocks = enumerate(model.blocks)
        systems = [(b, solvers[k]) for k, b in blocks if isinstance(b, LinearBlock | NonlinearBlock)]
        self._systems = sorted(systems, key=lambda system: len(system[0].unknowns), reverse=True)
        self._notes, self._passes = list(model.notes), list(model.passes)

    def __str__(self) -> str:
        lines = [f"{'model ' + self._name:<24}{'equations':>10}{'variables':>10}"]
        rows = [("flat model", self["equations"], self["variables"], ""), *map(astuple, self._passes)]
        for name, *sizes, remark in rows:
            lines.append(f"{name:<24}" + "".join(f"{'' if n is None else n:>10}" for n in sizes) + f"  {remark}".rstrip())
        lines += [self._system(*system) for system in self._systems[:SHOWN]]
        if len(self._systems) > SHOWN:
            lines.append(f"  and {len(self._systems) - SHOWN} smaller systems")
        return "\n".join([*lines, *self._notes])

    def _system(self, block: LinearBlock | NonlinearBlock, solver: str) -> str:
        kind = "nonlinear" if isinstance(block, NonlinearBlock) else "linear, constant" if block.constant else "linear"
        size, torn = len(defined_by(block)), len(block.unknowns)
        named = ", ".join(block.unknowns[:SHOWN]) + (", ..." if torn > SHOWN else "")
        return f"  {kind}, {solver}: {size} unknowns, {torn} torn: {named}"


@dataclass(frozen=True)
class SortedIncidence:
    """Incidence of unknowns in equations, both in the order of evaluation.

    Attributes:
        matrix: scipy.sparse CSR array, 1 where the unknown of the column occurs in the equation of the row.
        equations, unknowns: names of rows and columns; the unknown k is computed by row k, or by the system it belongs to.
        blocks: first row and number of rows of each block.
    """

    matrix: Any
    equations: Sequence[str]
    unknowns: Sequence[str]
    blocks: Sequence[tuple[int, int]]

    def plot(self) -> Any:
        """Plot the matrix with matplotlib, systems of equations framed.

        Returns:
            The matplotlib figure.

        Raises:
            ModelError: matplotlib is not installed.
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ModelError("a plot needs matplotlib", remedy="Install it with 'pip install matplotlib'.") from None
        figure, axis = plt.subplots(layout="constrained")
        n = len(self.unknowns)
        axis.spy(self.matrix, markersize=max(1.0, min(8.0, 300.0 / max(n, 1))))
        for first, count in self.blocks:
            if count > 1:
                axis.add_patch(plt.Rectangle((first - 0.5, first - 0.5), count, count, fill=False, color="tab:red"))
        if n <= 40:
            axis.set_xticks(range(n), self.unknowns, rotation=90)
            axis.set_yticks(range(n), self.equations)
        axis.set_xlabel("unknowns")
        axis.set_ylabel("equations")
        return figure


def incidence(model: SortedModel) -> SortedIncidence:
    """Return the incidence of a sorted model."""
    from scipy.sparse import csr_array

    equations: list[str] = []
    used: list[set[str]] = []
    unknowns: list[str] = []
    blocks = []
    for block in model.blocks:
        blocks.append((len(unknowns), len(defined_by(block))))
        for text, occurring in _rows(block):
            equations.append(text)
            used.append(occurring)
        unknowns += defined_by(block)
    column = {name: k for k, name in enumerate(unknowns)}
    entries = [(r, column[name]) for r, names in enumerate(used) for name in names if name in column]
    rows, columns = zip(*entries, strict=True) if entries else ((), ())
    matrix = csr_array(([1] * len(rows), (rows, columns)), shape=(len(equations), len(unknowns)), dtype=int)
    return SortedIncidence(matrix, equations, unknowns, blocks)


def _rows(block: Block) -> list[tuple[str, set[str]]]:
    """Return the text and names of each scalar equation of a block, as many as it has unknowns."""
    if isinstance(block, Assignment):
        text = describe(block.equation) if block.equation is not None else f"{block.variable} = {block.expr}"
        return [(text, {block.variable, *names(block.expr)})]
    if isinstance(block, Call):
        used = _names(block.call.inputs)
        return [(describe(block.call), used | {output.name}) for output in block.call.outputs]
    inner = [row for step in block.body for row in _rows(step)]
    residuals = zip(block.equations, block.residuals, strict=True)
    return [*[(describe(e), names(r)) for e, r in residuals], *inner]


def _names(exprs: Sequence[Expr]) -> set[str]:
    return set().union(*(names(e) for e in exprs))
