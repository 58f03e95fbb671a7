"""Input/output blocks. Conventions of Modelica.Blocks: inputs ``u, u1, u2``, output ``y``."""

from __future__ import annotations

from ..model.model import Model, Var

Source = Model(description="Base of sources: one output", y=Var(output=True))

SISO = Model(description="Base of blocks with one input and one output", u=Var(input=True), y=Var(output=True))

Constant = Source | Model(description="Constant k", k=1.0, equations=["y = k"])

Step = Source | Model(
    description="Step of the given height at start_time [s]",
    height=1.0,
    offset=0.0,
    start_time=0.0,
    equations=["y = offset + (height if after(start_time) else 0)"],
)

Ramp = Source | Model(
    description="Ramp that rises by height within duration [s] from start_time [s] on",
    height=1.0,
    duration=1.0,
    offset=0.0,
    start_time=0.0,
    equations=[
        "y = offset + (height if after(start_time + duration)"
        " else ((time - start_time)*height/duration if after(start_time) else 0))"
    ],
)

Sine = Source | Model(
    description="Sine wave from start_time [s] on; frequency in Hz, phase in rad",
    amplitude=1.0,
    frequency=1.0,
    phase=0.0,
    offset=0.0,
    start_time=0.0,
    equations=["y = offset + (amplitude*sin(2*pi*frequency*(time - start_time) + phase) if after(start_time) else 0)"],
)

Gain = SISO | Model(description="y = k*u", k=1.0, equations=["y = k*u"])

P = Gain | Model(description="Proportional controller: y = k*u")

Feedback = Model(
    description="Difference of reference u1 and measurement u2",
    u1=Var(input=True),
    u2=Var(input=True),
    y=Var(output=True),
    equations=["y = u1 - u2"],
)

Add = Model(
    description="y = k1*u1 + k2*u2",
    k1=1.0,
    k2=1.0,
    u1=Var(input=True),
    u2=Var(input=True),
    y=Var(output=True),
    equations=["y = k1*u1 + k2*u2"],
)

Integrator = SISO | Model(
    description="Integral of k*u, beginning at y_start",
    k=1.0,
    y_start=0.0,
    y=Var(init="y_start", output=True),
    equations=["der(y) = k*u"],
)

FirstOrder = SISO | Model(
    description="First order transfer function k/(T*s + 1), beginning at y_start; T in s",
    k=1.0,
    T=1.0,
    y_start=0.0,
    y=Var(init="y_start", output=True),
    equations=["T*der(y) + y = k*u"],
)

PI = SISO | Model(
    description="Proportional-integral controller k*(1 + 1/(T*s)), its integrator x beginning at x_start; T in s",
    k=1.0,
    T=1.0,
    x_start=0.0,
    x=Var(init="x_start", description="integral of u/T"),
    equations=["der(x) = u/T", "y = k*(x + u)"],
)
