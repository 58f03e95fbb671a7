"""Blocks of Modelica.Blocks.Tables."""

from __future__ import annotations

from ...model.model import Model
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
