"""Blocks of Modelica.Blocks.Math: the output is a function of the inputs at the same time."""

from __future__ import annotations

from ...model.control import If
from ...model.model import Map, Model, Var
from ...model.when import When
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

Power = SISO | Model(description="y = base**u", base="e", equations=["y = base**u"])


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

LinearDependency = SI2SO | Model(
    description="y = y0*(1 + k1*u1 + k2*u2)", y0=0.0, k1=0.0, k2=0.0, equations=["y = y0*(1 + k1*u1 + k2*u2)"]
)

InverseBlockConstraints = Model(
    description="Exchanges inputs and outputs of the block whose output is connected with u2 and whose input with y2: u1"
    " becomes the output it has to have, y1 the input that belongs to it",
    u1=Var(input=True),
    u2=Var(input=True),
    y1=Var(output=True),
    y2=Var(output=True),
    equations=["u1 = u2", "y1 = y2"],
)

RectangularToPolar = Model(
    description="Length y_abs and angle y_arg [rad] of the vector (u_re, u_im)",
    u_re=Var(input=True),
    u_im=Var(input=True),
    y_abs=Var(output=True),
    y_arg=Var(output=True, unit="rad"),
    equations=["y_abs = sqrt(u_re**2 + u_im**2)", "y_arg = atan2(u_im, u_re)"],
)

PolarToRectangular = Model(
    description="Vector (y_re, y_im) of the length u_abs and the angle u_arg [rad]",
    u_abs=Var(input=True),
    u_arg=Var(input=True, unit="rad"),
    y_re=Var(output=True),
    y_im=Var(output=True),
    equations=["y_re = u_abs*cos(u_arg)", "y_im = u_abs*sin(u_arg)"],
)

Mean = SISO | Model(
    description="Mean of u over the last whole period 1/f, counted from the beginning on; y_start before",
    f=50.0,
    x0=0.0,
    y_start=0.0,
    y=Var(init="y_start", output=True),
    x=Var(init="x0", description="integral of u over the present period"),
    t0=Var(init=0.0, description="beginning [s]"),
    n=Var(type="Integer", init=0, description="number of whole periods"),
    equations=[
        "der(x) = u",
        When("initial()", ["t0 = time"]),
        When("time >= t0 + (pre(n) + 1)/f", ["n = pre(n) + 1", "y = f*x", "reinit(x, 0)"]),
    ],
)

RectifiedMean = SISO | Model(
    description="Mean of |u| over the last whole period 1/f",
    f=50.0,
    mean=Mean | Map(f="f"),
    equations=["mean.u = u if u >= 0 else -u", "y = mean.y"],
)

RootMeanSquare = SISO | Model(
    description="Root mean square of u over the last whole period 1/f",
    f=50.0,
    mean=Mean | Map(f="f"),
    equations=["mean.u = u**2", "y = sqrt(noEvent(max(mean.y, 0)))"],
)

Pythagoras = SI2SO | Model(
    description="Hypotenuse of the legs u1 and u2, or, with u1_is_hypotenuse, the leg beside u2, 0 where valid is false",
    u1_is_hypotenuse=False,
    square=Var(description="square of y"),
    valid=Var(type="Boolean", output=True, description="whether there is such a triangle"),
    equations=[
        "square = u1**2 - u2**2 if u1_is_hypotenuse else u1**2 + u2**2",
        "valid = square >= 0",
        "y = sqrt(noEvent(max(square, 0)))",
    ],
)

WrapAngle = SISO | Model(
    description="The angle u [rad] between -pi and pi, or, with positive_range, between 0 and 2*pi",
    positive_range=False,
    equations=[
        If(
            "positive_range",
            ["y = u - 2*pi*floor(u/(2*pi))"],
            otherwise=["y = u - 2*pi*ceil((u - pi)/(2*pi))"],
        )
    ],
)

Harmonic = Model(
    description="Root mean square y_rms and angle y_arg [rad] of the k-th harmonic of u, whose fundamental frequency is f [Hz];"
    " the angle is that of a cosine with its sign reversed, or with use_conjugate_complex itself",
    f=50.0,
    k=1.0,
    use_conjugate_complex=False,
    u=Var(input=True),
    y_rms=Var(output=True),
    y_arg=Var(output=True, unit="rad"),
    re=Mean | Map(f="f"),
    im=Mean | Map(f="f"),
    equations=[
        "re.u = sqrt(2)*u*cos(2*pi*f*k*time)",
        "im.u = sqrt(2)*u*sin(2*pi*f*k*time)",
        "y_rms = sqrt(re.y**2 + im.y**2)",
        "y_arg = (-1 if use_conjugate_complex else 1)*atan2(im.y, re.y)",
    ],
)

TotalHarmonicDistortion = SISO | Model(
    description="Total harmonic distortion of u: root mean square of all but the fundamental frequency f [Hz] over that of the"
    " fundamental, or of all where use_first_harmonic is False; 0 until valid is 1",
    f=1.0,
    use_first_harmonic=True,
    valid=Var(output=True, description="1 where there is a signal, else 0"),
    harmonic=Harmonic | Map(f="f"),
    rms=RootMeanSquare | Map(f="f"),
    equations=[
        "harmonic.u = u",
        "rms.u = u",
        "valid = noEvent(1 if harmonic.y_rms > 1e-10 and rms.y > 1e-10 else 0)",
        "y = noEvent(sqrt(max(rms.y**2 - harmonic.y_rms**2, 0))/(harmonic.y_rms if use_first_harmonic else rms.y)"
        " if harmonic.y_rms > 1e-10 and rms.y > 1e-10 else 0)",
    ],
)
