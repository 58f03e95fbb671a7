"""Blocks of Modelica.Blocks.Continuous: blocks with states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...model.errors import ModelError
from ...model.model import Map, Model, Var
from ...model.when import When
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
    at_max=Var(type="Boolean", init=False, description="whether it stops at out_max"),
    at_min=Var(type="Boolean", init=False, description="whether it stops at out_min"),
    equations=[
        "at_max = k*u > 0 and (pre(at_max) or y >= out_max)",
        "at_min = k*u < 0 and (pre(at_min) or y <= out_min)",
        "der(y) = 0 if at_max or at_min else k*u",
        When("at_max", ["reinit(y, out_max)"]),
        When("at_min", ["reinit(y, out_min)"]),
    ],
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
        description="LimPID without derivative part (controller_type PI of Modelica)." + _TEXT + _TEXT_I,
        equations=["limiter.u = k*(wp*u_s - u_m + I.y) + k_ff*u_ff"],
    )
)

LimPD = (
    _Limited
    | _Differentiating
    | Model(
        description="LimPID without integral part (controller_type PD of Modelica)." + _TEXT + _TEXT_D,
        equations=["limiter.u = k*(wp*u_s - u_m + D.y) + k_ff*u_ff"],
    )
)

LimP = _Limited | Model(
    description="LimPID without integral and derivative part (controller_type P of Modelica)." + _TEXT,
    equations=["limiter.u = k*(wp*u_s - u_m) + k_ff*u_ff"],
)

StateSpace = Model(
    description="Linear system x' = A@x + B@u, y = C@x + D@u of any order with arrays u and y, beginning at x_start",
    A=[[0.0]],
    B=[[1.0]],
    C=[[1.0]],
    D=[[0.0]],
    x_start="zeros(size(A, 0))",
    u=Var(input=True, start=0.0, shape="size(B, 1)"),
    x=Var(init="x_start"),
    y=Var(output=True),
    equations=["der(x) = A@x + B@u", "y = C@x + D@u"],
)


def TransferFunction(b: Sequence[float], a: Sequence[float]) -> Model:
    """A block with the transfer function ``(b[0]*s**m + ... + b[m])/(a[0]*s**n + ... + a[n])``, at rest at the beginning.

    Its parameters A, B, C, D are those of the controller canonical form.

    Args:
        b, a: coefficients of numerator and denominator, those of the highest power of s first.

    Raises:
        ModelError: the denominator is zero, has no power of s, or a smaller one than the numerator.
    """
    numerator, denominator = np.trim_zeros(np.asarray(b, dtype=float), "f"), np.trim_zeros(np.asarray(a, dtype=float), "f")
    n = denominator.size - 1
    if n < 1 or numerator.size > n + 1:
        raise ModelError(
            "this is no transfer function with states",
            found=f"b = {np.asarray(b).tolist()}, a = {np.asarray(a).tolist()}",
            expected="a denominator with a power of s, and none higher in the numerator",
        )
    numerator = np.concatenate([np.zeros(n + 1 - numerator.size), numerator]) / denominator[0]
    denominator = denominator / denominator[0]
    D = float(numerator[0])
    A = np.vstack([-denominator[1:], np.eye(n - 1, n)])
    return SISO | Model(
        description=f"Transfer function, numerator {numerator.tolist()}, denominator {denominator.tolist()}",
        A=A,
        B=np.eye(n)[0],
        C=numerator[1:] - D * denominator[1:],
        D=D,
        x=Var(init=np.zeros(n)),
        equations=["der(x) = A@x + B*u", "y = C@x + D*u"],
    )
