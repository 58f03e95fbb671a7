"""Operational amplifiers."""

from __future__ import annotations

from ...model.model import Model, Par, Var
from .interfaces import Pin, TwoPort

IdealOpAmp = TwoPort | Model(
    description="Ideal operational amplifier: neither voltage nor current at its input p1, n1",
    equations=["v1 = 0", "i1 = 0"],
)

IdealOpAmp3Pin = Model(
    description="Ideal operational amplifier whose output is the pin out: no voltage between its inputs, no current in them",
    in_p=Pin,
    in_n=Pin,
    out=Pin,
    equations=["in_p.v = in_n.v", "in_p.i = 0", "in_n.i = 0"],
)

IdealOpAmpLimited = Model(
    description="Ideal operational amplifier whose output lies between the potentials of the pins V_min and V_max",
    in_p=Pin,
    in_n=Pin,
    out=Pin,
    V_max=Pin,
    V_min=Pin,
    s=Var(start=0.0, description="parameter of the curve: between -1 and 1 where the output is not limited"),
    equations=[
        "in_p.i = 0",
        "in_n.i = 0",
        "V_max.i = 0",
        "V_min.i = 0",
        "in_p.v - in_n.v = s + 1 if s < -1 else (s - 1 if s > 1 else 0)",
        "out.v = V_min.v if s < -1 else (V_max.v if s > 1 else (V_max.v - V_min.v)*s/2 + (V_max.v + V_min.v)/2)",
    ],
)

IdealizedOpAmpLimited = Model(
    description="Operational amplifier with the gain V0 and no currents in its inputs, its output limited to V_ns and V_ps [V]."
    " Where feedback allows several solutions, the output begins at V_ns with begin_limited = -1, at V_ps with 1",
    begin_limited=0,
    V0=15000.0,
    V_ps=15.0,
    V_ns=-15.0,
    in_p=Pin,
    in_n=Pin,
    out=Pin,
    v_in=Var(start=0.0, unit="V", description="voltage from in_p to in_n"),
    v_out=Var(unit="V", description="potential of the output"),
    equations=[
        "v_in = in_p.v - in_n.v",
        "v_out = out.v",
        "in_p.i = 0",
        "in_n.i = 0",
        "v_out = V_ps if (V0*v_in > V_ps and not (initial() and begin_limited < 0)) or (initial() and begin_limited > 0)"
        " else (V_ns if V0*v_in < V_ns or (initial() and begin_limited < 0) else V0*v_in)",
    ],
)

_Limited = Model(
    V0=15000.0,
    V_ps=15.0,
    V_ns=-15.0,
    in_p=Pin,
    in_n=Pin,
    out=Pin,
    v_in=Var("in_p.v - in_n.v", start=0.0, unit="V", description="voltage from in_p to in_n"),
    v_int=Var(unit="V", description="amplified voltage before it is limited"),
    v_out=Var("out.v", unit="V", description="potential of the output"),
    i_s=Var(
        "-(in_p.v*in_p.i + in_n.v*in_n.i + out.v*out.i)/(V_ps - V_ns)", unit="A", description="current from supply to supply"
    ),
    equations=[
        "in_p.i = 0",
        "in_n.i = 0",
        "v_out = V_ps if v_int > V_ps else (V_ns if v_int < V_ns else v_int)",
    ],
)

_LIMITED_TEXT = (
    "Operational amplifier with the gain V0 and no currents in its inputs, its output limited to V_ns and V_ps [V], with"
    " WithSupply to the potentials of two pins"
)

OpAmpLimited = _Limited | Model(description=_LIMITED_TEXT, equations=["v_int = V0*v_in"])

OpAmpLimitedFirstOrder = _Limited | Model(
    description=_LIMITED_TEXT + "; the amplified voltage follows with the time constant Tau [s], and begins in the linear range"
    " or at a limit, as init_op_amp says",
    Tau=1e-5,
    init_op_amp=Par("Linear", choices=("Linear", "UpperLimit", "LowerLimit")),
    equations=["Tau*der(v_int) = V0*v_in - v_int"],
    initial_equations=[
        "v_int = V_ps if init_op_amp == 'UpperLimit' else (V_ns if init_op_amp == 'LowerLimit'"
        " else min(V_ps, max(V_ns, V0*v_in)))"
    ],
)

WithSupply = Model(
    description="To be merged with an operational amplifier (OpAmpLimited | WithSupply): the pins s_p and s_n supply it",
    s_p=Pin,
    s_n=Pin,
    V_ps=Var("s_p.v", unit="V", description="potential of s_p"),
    V_ns=Var("s_n.v", unit="V", description="potential of s_n"),
    equations=["s_p.i = i_s", "s_n.i = -i_s"],
)

OpAmp = Model(
    description="Operational amplifier with the gain slope at the input voltage zero, whose output approaches the potentials"
    " of the pins V_min and V_max smoothly",
    slope=10000.0,
    in_p=Pin,
    in_n=Pin,
    out=Pin,
    V_max=Pin,
    V_min=Pin,
    v_in=Var("in_p.v - in_n.v", unit="V", description="voltage from in_p to in_n"),
    equations=[
        "in_p.i = 0",
        "in_n.i = 0",
        "V_max.i = 0",
        "V_min.i = 0",
        "out.v = (V_max.v + V_min.v)/2 + slope*v_in/(1 + slope*noEvent(abs(2*v_in/(V_max.v - V_min.v))))",
    ],
)

OpAmpDetailed = Model(
    description="Operational amplifier by its data sheet (Conelly and Choi, Macromodelling with SPICE, 1992). Input stage: Rdm,"
    " Rcm [Ohm], Cin [F], offset Vos [V], currents Ib, Ios [A]; gain Avd0, CMRR [dB]; poles fp1 to fp4 and zero fz [Hz]; slew"
    " rates sr_p, sr_m [V/s], followed with the time Ts [s]; output: Rout [Ohm], largest currents Imaxso, Imaxsi [A]; vcp, vcm"
    " [V]: how far the output stays from the supplies",
    Rdm=2e6,
    Rcm=2e9,
    Cin=1.4e-12,
    Vos=1e-3,
    Ib=80e-9,
    Ios=20e-9,
    vcp=0.0,
    vcm=0.0,
    Avd0=106.0,
    CMRR=90.0,
    fp1=5.0,
    fp2=2e6,
    fp3=20e6,
    fp4=100e6,
    fz=5e6,
    sr_p=0.5e6,
    sr_m=0.5e6,
    Rout=75.0,
    Imaxso=25e-3,
    Imaxsi=25e-3,
    Ts=1.2e-6,
    gain="10**(Avd0/20)",
    common_gain="10**((Avd0 - CMRR)/20)/2",
    p=Pin,
    m=Pin,
    outp=Pin,
    p_supply=Pin,
    m_supply=Pin,
    v_in=Var(start=0.0, unit="V", description="input voltage without the offset"),
    v_3=Var("p.v - Vos", unit="V"),
    i_in=Var(unit="A", description="current through Rdm and Cin"),
    q_fr1=Var(start=0.0),
    q_fr2=Var(start=0.0),
    q_fr3=Var(start=0.0),
    q_sum=Var(unit="V", description="amplified voltage"),
    q_lim=Var(unit="V", description="amplified voltage, limited by the supplies"),
    q_fp1=Var(start=0.0, unit="V"),
    rate=Var(unit="V/s", description="rate that is wanted"),
    v_source=Var(unit="V", description="voltage behind Rout"),
    equations=[
        "p.v - m.v = Vos + v_in",
        "i_in = v_in/Rdm + Cin*der(v_in)",
        "p.i = Ib + Ios/2 + v_3/Rcm + i_in",
        "m.i = Ib - Ios/2 + m.v/Rcm - i_in",
        "der(q_fr1) = 2*pi*fp2*(v_in - q_fr1)",
        "q_fr2 + der(q_fr2)/(2*pi*fp3) = q_fr1 + der(q_fr1)/(2*pi*fz)",
        "der(q_fr3) = 2*pi*fp4*(q_fr2 - q_fr3)",
        "q_sum = gain*q_fr3 + common_gain*(v_3 + m.v)",
        "q_lim = p_supply.v - vcp if q_sum > p_supply.v - vcp and q_fp1 >= p_supply.v - vcp"
        " else (m_supply.v + vcm if q_sum < m_supply.v + vcm and q_fp1 <= m_supply.v + vcm else q_sum)",
        "der(q_fp1) = 2*pi*fp1*(q_lim - q_fp1)",
        "rate = (q_fp1 - v_source)/Ts",
        "der(v_source) = noEvent(min(max(rate, -sr_m), sr_p))",
        "outp.i = Imaxsi if outp.v > v_source + Rout*Imaxsi else (-Imaxso if outp.v < v_source - Rout*Imaxso"
        " else (outp.v - v_source)/Rout)",
        "p_supply.i = 0",
        "m_supply.i = 0",
    ],
    initial_equations=["v_source = q_fp1"],
)
