"""Blocks of Modelica.Blocks.Logical: truth values, comparisons, switches."""

from __future__ import annotations

from ...model.model import Model, Var
from ...model.when import When
from .interfaces import SI2SO, SISO

_U = Var(type="Boolean", input=True)
_Y = Var(type="Boolean", output=True)

BooleanSource = Model(description="Base of sources of a truth value", y=_Y)

BooleanSISO = Model(description="Base of blocks with one truth value in and out", u=_U, y=_Y)

BooleanSI2SO = Model(description="Base of blocks with two truth values in and one out", u1=_U, u2=_U, y=_Y)


def _logic(description: str, expression: str) -> Model:
    base = BooleanSI2SO if "u2" in expression else BooleanSISO
    return base | Model(description=description, equations=[f"y = {expression}"])


And = _logic("Whether both inputs are true", "u1 and u2")
Or = _logic("Whether an input is true", "u1 or u2")
Xor = _logic("Whether exactly one input is true", "(u1 and not u2) or (u2 and not u1)")
Nand = _logic("Whether an input is false", "not (u1 and u2)")
Nor = _logic("Whether both inputs are false", "not (u1 or u2)")
Not = _logic("Whether the input is false", "not u")

Pre = Model(
    description="The input before the event, at the beginning pre_u_start: breaks loops of truth values",
    pre_u_start=False,
    u=Var(type="Boolean", input=True, init="pre_u_start"),
    y=_Y,
    equations=["y = pre(u)"],
)

Edge = Model(
    description="True at the instant when the input becomes true; the input was pre_u_start before the beginning",
    pre_u_start=False,
    u=Var(type="Boolean", input=True, init="pre_u_start"),
    y=_Y,
    equations=["y = edge(u)"],
)

_Comparison = SI2SO | Model(y=_Y)
_Threshold = SISO | Model(threshold=0.0, y=_Y)

Greater = _Comparison | Model(description="Whether u1 > u2", equations=["y = u1 > u2"])
GreaterEqual = _Comparison | Model(description="Whether u1 >= u2", equations=["y = u1 >= u2"])
Less = _Comparison | Model(description="Whether u1 < u2", equations=["y = u1 < u2"])
LessEqual = _Comparison | Model(description="Whether u1 <= u2", equations=["y = u1 <= u2"])
GreaterThreshold = _Threshold | Model(description="Whether u > threshold", equations=["y = u > threshold"])
GreaterEqualThreshold = _Threshold | Model(description="Whether u >= threshold", equations=["y = u >= threshold"])
LessThreshold = _Threshold | Model(description="Whether u < threshold", equations=["y = u < threshold"])
LessEqualThreshold = _Threshold | Model(description="Whether u <= threshold", equations=["y = u <= threshold"])

Switch = Model(
    description="u1 while u2 is true, else u3",
    u1=Var(input=True),
    u2=_U,
    u3=Var(input=True),
    y=Var(output=True),
    equations=["y = u1 if u2 else u3"],
)

LogicalSwitch = Model(
    description="u1 while u2 is true, else u3 (truth values)", u1=_U, u2=_U, u3=_U, y=_Y, equations=["y = u1 if u2 else u3"]
)

Hysteresis = SISO | Model(
    description="Becomes true when u rises above u_high, and false when it falls below u_low; pre_y_start before the beginning",
    u_low=0.0,
    u_high=1.0,
    pre_y_start=False,
    y=Var(type="Boolean", init="pre_y_start", output=True),
    equations=["y = (not pre(y) and u > u_high) or (pre(y) and u >= u_low)"],
)

OnOffController = Model(
    description="True from where u falls below reference - bandwidth/2 until it rises above reference + bandwidth/2",
    bandwidth=0.1,
    pre_y_start=False,
    reference=Var(input=True),
    u=Var(input=True),
    y=Var(type="Boolean", init="pre_y_start", output=True),
    equations=["y = (pre(y) and u < reference + bandwidth/2) or (not pre(y) and u < reference - bandwidth/2)"],
)

RSFlipFlop = Model(
    description="Memory Q, set by S and reset by R (which wins); not_Q is its opposite; q_start before the beginning",
    q_start=False,
    S=_U,
    R=_U,
    Q=Var(type="Boolean", init="q_start", output=True),
    not_Q=Var("not Q", type="Boolean", output=True),
    equations=["Q = not R and (S or pre(Q))"],
)

Timer = Model(
    description="Time [s] since u became true, zero while it is false",
    u=_U,
    y=Var(output=True),
    entry_time=Var(init=0.0, description="when u became true"),
    equations=["y = time - entry_time if u else 0", When(["u", "initial()"], ["entry_time = time"])],
)

BooleanToReal = Model(
    description="real_true while u is true, else real_false",
    real_true=1.0,
    real_false=0.0,
    u=_U,
    y=Var(output=True),
    equations=["y = real_true if u else real_false"],
)

RealToBoolean = SISO | Model(description="Whether u >= threshold", threshold=0.5, y=_Y, equations=["y = u >= threshold"])

BooleanConstant = BooleanSource | Model(description="Constant truth value k", k=True, equations=["y = k"])

BooleanStep = BooleanSource | Model(
    description="start_value until start_time [s], its opposite afterwards",
    start_time=0.0,
    start_value=False,
    equations=["y = not start_value if after(start_time) else start_value"],
)
