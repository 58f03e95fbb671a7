"""Blocks of Modelica.Blocks.Math: the output is a function of the inputs at the same time."""

from __future__ import annotations

from ...model.model import Model, Var
from .interfaces import SI2SO, SISO

Gain = SISO | Model(description="y = k*u", k=1.0, equations=["y = k*u"])

P = Gain | Model(description="Proportional controller: y = k*u")

Feedback = SI2SO | Model(description="Difference of reference u1 and measurement u2", equations=["y = u1 - u2"])

Add = SI2SO | Model(description="y = k1*u1 + k2*u2", k1=1.0, k2=1.0, equations=["y = k1*u1 + k2*u2"])

Add3 = SI2SO | Model(
    description="y = k1*u1 + k2*u2 + k3*u3",
    k1=1.0,
    k2=1.0,
    k3=1.0,
    u3=Var(input=True),
    equations=["y = k1*u1 + k2*u2 + k3*u3"],
)

Product = SI2SO | Model(description="y = u1*u2", equations=["y = u1*u2"])

Division = SI2SO | Model(description="y = u1/u2", equations=["y = u1/u2"])

Min = SI2SO | Model(description="The smaller of both inputs", equations=["y = min(u1, u2)"])

Max = SI2SO | Model(description="The larger of both inputs", equations=["y = max(u1, u2)"])

Atan2 = SI2SO | Model(description="Angle of the point (u2, u1): y = atan2(u1, u2)", equations=["y = atan2(u1, u2)"])

Abs = SISO | Model(description="Absolute value of u", equations=["y = u if u >= 0 else -u"])

Sign = SISO | Model(
    description="1, 0 or -1 as u is positive, zero or negative", equations=["y = 1 if u > 0 else (-1 if u < 0 else 0)"]
)

Power = SISO | Model(description="y = base**u", base=10.0, equations=["y = base**u"])


def _function(name: str, description: str) -> Model:
    return SISO | Model(description=description, equations=[f"y = {name}(u)"])


Sqrt = _function("sqrt", "Square root of u >= 0")
Sin = _function("sin", "Sine of u [rad]")
Cos = _function("cos", "Cosine of u [rad]")
Tan = _function("tan", "Tangent of u [rad]")
Asin = _function("asin", "Inverse sine of u, -1 <= u <= 1")
Acos = _function("acos", "Inverse cosine of u, -1 <= u <= 1")
Atan = _function("atan", "Inverse tangent of u")
Sinh = _function("sinh", "Hyperbolic sine of u")
Cosh = _function("cosh", "Hyperbolic cosine of u")
Tanh = _function("tanh", "Hyperbolic tangent of u")
Exp = _function("exp", "Exponential of u")
Log = _function("log", "Natural logarithm of u > 0")
Log10 = _function("log10", "Logarithm to the base 10 of u > 0")
