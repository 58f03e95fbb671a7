"""Ideal diodes, switches and operational amplifiers.

A diode or switch has no characteristic i = f(v) where it is ideal: both v and i are functions of a parameter s of the curve.
Source of the idea: C. Clauss et al., Ideal switches and diodes in Modelica's electrical library.
"""

from __future__ import annotations

from ...model.model import Map, Model, Var
from .basic import Capacitor, Resistor
from .interfaces import OnePort, Pin, TwoPort

IdealDiode = OnePort | Model(
    description="Ideal diode with forward resistance Ron [Ohm], backward conductance Goff [S] and threshold Vknee [V]; s >= 0"
    " where it conducts, and off is 1 where it blocks",
    Ron=1e-5,
    Goff=1e-5,
    Vknee=0.0,
    s=Var(start=0.0, description="parameter of the curve: current [A] where it conducts, voltage [V] where it blocks"),
    off=Var("1 if s < 0 else 0"),
    equations=["v = s*(1 if s < 0 else Ron) + Vknee", "i = s*(Goff if s < 0 else 1) + Goff*Vknee"],
)

_Switching = OnePort | Model(
    Ron=1e-5,
    Goff=1e-5,
    s=Var(start=0.0, description="parameter of the curve: current [A] where it conducts, voltage [V] where it does not"),
)

_Thyristor = _Switching | Model(
    Vknee=0.0,
    fire=Var(type="Boolean", input=True),
    off=Var(type="Boolean", init=True, description="whether it blocks"),
    equations=["v = s*(1 if off else Ron) + Vknee", "i = s*(Goff if off else 1) + Goff*Vknee"],
)

IdealThyristor = _Thyristor | Model(
    description="Ideal thyristor: a diode that begins to conduct only while fire is true; Ron [Ohm], Goff [S], Vknee [V]",
    equations=["off = s < 0 or (pre(off) and not fire)"],
)

IdealGTOThyristor = _Thyristor | Model(
    description="Ideal thyristor that can be turned off: a diode while fire is true, open otherwise; Ron [Ohm], Goff [S],"
    " Vknee [V]",
    equations=["off = s < 0 or not fire"],
)

IdealTriac = Model(
    description="Ideal triac: two ideal thyristors in opposite directions that fire1 ignites (Ron [Ohm], Goff [S], Vknee [V]),"
    " in parallel to Rdis [Ohm] and Cdis [F] in series",
    Ron=1e-5,
    Goff=1e-5,
    Vknee=0.8,
    Rdis=100.0,
    Cdis=0.005,
    p=Pin,
    n=Pin,
    v=Var("p.v - n.v", unit="V", description="voltage from p to n"),
    i=Var("p.i", unit="A", description="current from p to n"),
    fire1=Var(type="Boolean", input=True),
    forward=IdealThyristor | Map(Ron="Ron", Goff="Goff", Vknee="Vknee"),
    backward=IdealThyristor | Map(Ron="Ron", Goff="Goff", Vknee="Vknee"),
    resistor=Resistor | Map(R="Rdis"),
    capacitor=Capacitor | Map(C="Cdis"),
    connect=[
        ("p", "forward.p", "backward.n", "capacitor.p"),
        ("n", "forward.n", "backward.p", "resistor.n"),
        ("capacitor.n", "resistor.p"),
        ("fire1", "forward.fire", "backward.fire"),
    ],
)

_Switch = _Switching | Model(control=Var(type="Boolean", input=True))

IdealOpeningSwitch = _Switch | Model(
    description="Ideal switch, open while control is true; resistance Ron [Ohm] if closed, conductance Goff [S] if open",
    equations=["v = s*(1 if control else Ron)", "i = s*(Goff if control else 1)"],
)

IdealClosingSwitch = _Switch | Model(
    description="Ideal switch, closed while control is true; resistance Ron [Ohm] if closed, conductance Goff [S] if open",
    equations=["v = s*(Ron if control else 1)", "i = s*(1 if control else Goff)"],
)

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
    V_ns="-V_ps",
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

Idle = OnePort | Model(description="Idle branch: no current", equations=["i = 0"])

Short = OnePort | Model(description="Short cut: no voltage", equations=["v = 0"])

OpAmp = Model(
    description="Operational amplifier with the gain slope at the input voltage zero, whose output approaches the potentials"
    " of the"
    " pins V_min and V_max smoothly",
    slope=1.0,
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
    description="Operational amplifier by its data sheet (Conelly and Choi, Macromodelling with SPICE, 1992). Input stage:"
    " Rdm, Rcm"
    " [Ohm], Cin [F], offset Vos [V], currents Ib, Ios [A]; gain Avd0, CMRR [dB]; poles fp1 to fp4 and zero fz [Hz]; slew rates"
    " sr_p, sr_m [V/s], followed with the time Ts [s]; output: Rout [Ohm], largest currents Imaxso, Imaxsi [A]; vcp, vcm"
    " [V]: how"
    " far the output stays from the supplies",
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
