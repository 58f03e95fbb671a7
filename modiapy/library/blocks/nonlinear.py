"""Blocks of Modelica.Blocks.Nonlinear."""

from __future__ import annotations

from ...model.model import Model, Var
from .interfaces import SISO

Limiter = SISO | Model(
    description="u, limited to u_min (by default -u_max) and u_max",
    u_max=1.0,
    u_min="-u_max",
    equations=["y = u_max if u > u_max else (u_min if u < u_min else u)"],
)

VariableLimiter = SISO | Model(
    description="u, limited to limit1 (upper) and limit2 (lower)",
    limit1=Var(input=True, description="upper limit"),
    limit2=Var(input=True, description="lower limit"),
    equations=["y = limit1 if u > limit1 else (limit2 if u < limit2 else u)"],
)

SlewRateLimiter = SISO | Model(
    description="u, followed not faster than rising [1/s] and falling [1/s] (by default -rising), with the time constant Td [s]"
    " where it is not limited; begins at y_start",
    rising=1.0,
    falling="-rising",
    Td=0.001,
    y_start=0.0,
    y=Var(init="y_start", output=True),
    equations=["der(y) = rising if u - y > rising*Td else (falling if u - y < falling*Td else (u - y)/Td)"],
)

DeadZone = SISO | Model(
    description="Zero between u_min (by default -u_max) and u_max; outside the distance to that zone",
    u_max=1.0,
    u_min="-u_max",
    equations=["y = u - u_max if u > u_max else (u - u_min if u < u_min else 0)"],
)
