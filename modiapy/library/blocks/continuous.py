"""Blocks of Modelica.Blocks.Continuous: blocks with states."""

from __future__ import annotations

from ...model.model import Map, Model, Var
from .interfaces import SISO
from .nonlinear import Limiter

Integrator = SISO | Model(
    description="Integral of k*u, beginning at y_start",
    k=1.0,
    y_start=0.0,
    y=Var(init="y_start", output=True),
    equations=["der(y) = k*u"],
)

LimIntegrator = SISO | Model(
    description="Integral of k*u, beginning at y_start, that stops at out_min and out_max (by default -out_max)",
    k=1.0,
    out_max=1.0,
    out_min="-out_max",
    y_start=0.0,
    y=Var(init="y_start", output=True),
    equations=["der(y) = 0 if (y < out_min and k*u < 0) or (y > out_max and k*u > 0) else k*u"],
)

Der = SISO | Model(description="Derivative of u, which must be differentiable", equations=["y = der(u)"])

Derivative = SISO | Model(
    description="Approximate derivative k*s/(T*s + 1), its state x beginning at x_start; T in s",
    k=1.0,
    T=0.01,
    x_start=0.0,
    x=Var(init="x_start", description="u, delayed"),
    equations=["der(x) = (u - x)/T", "y = k/T*(u - x)"],
)

FirstOrder = SISO | Model(
    description="First order transfer function k/(T*s + 1), beginning at y_start; T in s",
    k=1.0,
    T=1.0,
    y_start=0.0,
    y=Var(init="y_start", output=True),
    equations=["T*der(y) + y = k*u"],
)

SecondOrder = SISO | Model(
    description="Second order transfer function k/((s/w)**2 + 2*D*s/w + 1), beginning at y_start with the derivative yd_start;"
    " w in rad/s, damping D",
    k=1.0,
    w=1.0,
    D=1.0,
    y_start=0.0,
    yd_start=0.0,
    y=Var(init="y_start", output=True),
    yd=Var(init="yd_start", description="derivative of y"),
    equations=["der(y) = yd", "der(yd) = w*(w*(k*u - y) - 2*D*yd)"],
)

PI = SISO | Model(
    description="Proportional-integral controller k*(1 + 1/(T*s)), its integrator x beginning at x_start; T in s",
    k=1.0,
    T=1.0,
    x_start=0.0,
    x=Var(init="x_start", description="integral of u/T"),
    equations=["der(x) = u/T", "y = k*(x + u)"],
)

PID = SISO | Model(
    description="PID controller k*(1 + 1/(Ti*s) + Td*s/(Td/Nd*s + 1)); Ti, Td in s",
    k=1.0,
    Ti=0.5,
    Td=0.1,
    Nd=10.0,
    xi_start=0.0,
    xd_start=0.0,
    I=Integrator | Map(k="1/Ti", y_start="xi_start"),
    D=Derivative | Map(k="Td", T="max(Td/Nd, 1e-14)", x_start="xd_start"),
    equations=["I.u = u", "D.u = u", "y = k*(u + I.y + D.y)"],
)

_Limited = Model(
    k=1.0,
    wp=1.0,
    k_ff=1.0,
    y_max=1.0,
    y_min="-y_max",
    u_s=Var(input=True, description="set point"),
    u_m=Var(input=True, description="measurement"),
    u_ff=Var(input=True, start=0.0, description="feed-forward, added to the command with the factor k_ff"),
    y=Var(output=True, description="command"),
    control_error=Var("u_s - u_m", description="set point minus measurement"),
    limiter=Limiter | Map(u_max="y_max", u_min="y_min"),
    equations=["y = limiter.y"],
)

_Integrating = Model(
    Ti=0.5,
    Ni=0.9,
    xi_start=0.0,
    I=Integrator | Map(k="1/Ti", y_start="xi_start"),
    equations=["I.u = u_s - u_m + (limiter.y - limiter.u)/(k*Ni)"],
)

_Differentiating = Model(
    Td=0.1,
    Nd=10.0,
    wd=0.0,
    xd_start=0.0,
    D=Derivative | Map(k="Td", T="max(Td/Nd, 1e-14)", x_start="xd_start"),
    equations=["D.u = wd*u_s - u_m"],
)

_TEXT = (
    " The command is limited to y_min (by default -y_max) and y_max and may have a feed-forward; wp"
    " weighs the set point in the proportional part."
)
_TEXT_I = " Ti [s]: time constant of the integrator, which a limited command drives back with the time constant Ti*Ni."
_TEXT_D = " Td [s]: time constant of the derivative, filtered with Td/Nd; wd weighs the set point in it."

LimPID = (
    _Limited
    | _Integrating
    | _Differentiating
    | Model(
        description="PID controller k*(wp*u_s - u_m + (u_s - u_m)/(Ti*s) + Td*s/(Td/Nd*s + 1)*(wd*u_s - u_m))."
        + _TEXT
        + _TEXT_I
        + _TEXT_D,
        equations=["limiter.u = k*(wp*u_s - u_m + I.y + D.y) + k_ff*u_ff"],
    )
)

LimPI = (
    _Limited
    | _Integrating
    | Model(
        description="LimPID without derivative part." + _TEXT + _TEXT_I,
        equations=["limiter.u = k*(wp*u_s - u_m + I.y) + k_ff*u_ff"],
    )
)

LimPD = (
    _Limited
    | _Differentiating
    | Model(
        description="LimPID without integral part." + _TEXT + _TEXT_D,
        equations=["limiter.u = k*(wp*u_s - u_m + D.y) + k_ff*u_ff"],
    )
)

LimP = _Limited | Model(
    description="LimPID without integral and derivative part." + _TEXT,
    equations=["limiter.u = k*(wp*u_s - u_m) + k_ff*u_ff"],
)
