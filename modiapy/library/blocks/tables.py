"""Blocks of Modelica.Blocks.Tables."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.interpolation import Extrapolation, Interpolation
from ...model.model import Model, Var
from ...model.tables import Table1D, Table2D
from .interfaces import SI2SO, SISO

CombiTable1D = SISO | Model(
    description="Linear interpolation of table (abscissas in the first column, values in the second), extrapolated linearly."
    " For other interpolations merge Map(values=Map(interpolation=..., extrapolation=...))",
    table=[[0.0, 0.0], [1.0, 1.0]],
    values=Table1D("table"),
    equations=["y = values(u)"],
)

CombiTable2D = SI2SO | Model(
    description="Bilinear interpolation of table (abscissas of u1 in the first column, of u2 in the first row), extrapolated"
    " linearly. For other interpolations merge Map(values=Map(interpolation=..., extrapolation=...))",
    table=[[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 2.0]],
    values=Table2D("table"),
    equations=["y = values(u1, u2)"],
)


def CombiTable1Ds(
    table: Sequence[Sequence[float]], *, interpolation: Interpolation = "linear", extrapolation: Extrapolation = "linear"
) -> Model:
    """Outputs y1, y2, ... that are interpolated over one input u, the first column of table.

    Args:
        table: abscissas in ascending order, then a column for each output.
        interpolation, extrapolation: see `Table1D`.
    """
    outputs = [f"y{k + 1}" for k in range(len(table[0]) - 1 if len(table) else 0)]
    left = outputs[0] if len(outputs) == 1 else f"({', '.join(outputs)})"
    return Model({y: Var(output=True) for y in outputs}) | Model(
        description=f"{len(outputs)} tables of one input",
        table=[list(row) for row in table],
        u=Var(input=True),
        values=Table1D("table", interpolation=interpolation, extrapolation=extrapolation),
        equations=[f"{left} = values(u)"],
    )
