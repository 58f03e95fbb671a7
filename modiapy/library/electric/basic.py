"""Resistors, capacitors, inductors, transformers, controlled sources, electromotive force."""

from __future__ import annotations

from ...model.model import Map, Model, Var
from ..heat_transfer import HeatPort
from ..rotational.interfaces import Flange
from ..translational.interfaces import Flange as TranslationalFlange
from .interfaces import OnePort, Pin, TwoPort

Ground = Model(description="Ground: the potential of the pin p is zero", p=Pin, equations=["p.v = 0"])

Resistor = OnePort | Model(description="Resistor R [Ohm]", R=1.0, equations=["v = R*i"])

HeatingResistor = OnePort | Model(
    description="Resistor R [Ohm] at T_ref [K] with the temperature coefficient alpha [1/K]; its losses flow out of heat_port",
    R=1.0,
    T_ref=300.15,
    alpha=0.0,
    heat_port=HeatPort,
    R_actual=Var(unit="Ohm", description="resistance at the temperature of heat_port"),
    loss_power=Var(unit="W", description="losses"),
    equations=[
        "R_actual = R*(1 + alpha*(heat_port.T - T_ref))",
        "v = R_actual*i",
        "loss_power = v*i",
        "heat_port.Q_flow = -loss_power",
    ],
)

Conductor = OnePort | Model(description="Conductor G [S]", G=1.0, equations=["i = G*v"])

VariableResistor = OnePort | Model(
    description="Resistor whose resistance R [Ohm] is an input", R=Var(input=True, unit="Ohm"), equations=["v = R*i"]
)

VariableConductor = OnePort | Model(
    description="Conductor whose conductance G [S] is an input", G=Var(input=True, unit="S"), equations=["i = G*v"]
)

Capacitor = OnePort | Map(v=Map(start=0.0)) | Model(description="Capacitor C [F]", C=1.0, equations=["C*der(v) = i"])

Inductor = OnePort | Map(i=Map(start=0.0)) | Model(description="Inductor L [H]", L=1.0, equations=["L*der(i) = v"])

SaturatingInductor = (
    OnePort
    | Map(i=Map(start=0.0))
    | Model(
        description="Inductor whose flux linkage psi [Wb] saturates: inductance L_zer [H] near the current zero, psi/i = L_nom"
        " at I_nom [A], L_inf at large currents",
        I_nom=1.0,
        L_nom=1.0,
        L_zer="2*L_nom",
        L_inf="L_nom/2",
        x_nom=Var(
            start="pi/2*(L_zer - L_inf)/(L_nom - L_inf)", description="I_nom over the current that scales the saturation"
        ),
        i_sat=Var("I_nom/x_nom", unit="A", description="current that scales the saturation"),
        psi=Var(unit="Wb", description="flux linkage"),
        equations=[
            "(L_zer - L_inf)*atan(x_nom) = (L_nom - L_inf)*x_nom",
            "psi = L_inf*i + (L_zer - L_inf)*i_sat*atan(i/i_sat)",
            "v = der(psi)",
        ],
    )
)

VariableCapacitor = OnePort | Model(
    description="Capacitor whose capacitance C [F] is an input; Q [C] is its charge",
    C=Var(input=True, unit="F"),
    Q=Var(start=0.0, unit="C"),
    equations=["Q = C*v", "i = der(Q)"],
)

VariableInductor = OnePort | Model(
    description="Inductor whose inductance L [H] is an input; psi [Wb] is its flux linkage",
    L=Var(input=True, unit="H"),
    psi=Var(start=0.0, unit="Wb"),
    equations=["psi = L*i", "v = der(psi)"],
)

Transformer = (
    TwoPort
    | Map(i1=Map(start=0.0), i2=Map(start=0.0))
    | Model(
        description="Transformer with the inductances L1, L2 [H] and the coupling inductance M [H]",
        L1=1.0,
        L2=1.0,
        M=1.0,
        equations=["v1 = L1*der(i1) + M*der(i2)", "v2 = M*der(i1) + L2*der(i2)"],
    )
)

IdealTransformer = TwoPort | Model(
    description="Ideal transformer without magnetization: v1 = n*v2", n=1.0, equations=["v1 = n*v2", "i2 = -n*i1"]
)

IdealTransformerWithMagnetization = TwoPort | Model(
    description="Ideal transformer v1 = n*v2 with the magnetizing inductance Lm1 [H] of the side 1",
    n=1.0,
    Lm1=1.0,
    im1=Var(start=0.0, unit="A", description="magnetizing current of the side 1"),
    psim1=Var("Lm1*im1", unit="Wb", description="magnetic flux of the side 1"),
    equations=["v1 = n*v2", "im1 = i1 + i2/n", "v1 = der(psim1)"],
)

Gyrator = TwoPort | Model(
    description="Gyrator with the conductances G1, G2 [S]", G1=1.0, G2=1.0, equations=["i1 = G2*v2", "i2 = -G1*v1"]
)

VCV = TwoPort | Model(description="Voltage source v2 = gain*v1", gain=1.0, equations=["v2 = gain*v1", "i1 = 0"])

VCC = TwoPort | Model(
    description="Current source i2 = trans_conductance*v1 [S]",
    trans_conductance=1.0,
    equations=["i2 = trans_conductance*v1", "i1 = 0"],
)

CCV = TwoPort | Model(
    description="Voltage source v2 = trans_resistance*i1 [Ohm]",
    trans_resistance=1.0,
    equations=["v2 = trans_resistance*i1", "v1 = 0"],
)

CCC = TwoPort | Model(description="Current source i2 = gain*i1", gain=1.0, equations=["i2 = gain*i1", "v1 = 0"])

RotationalEMF = OnePort | Model(
    description="Electromotive force of a machine with the transformation coefficient k [N.m/A = V.s/rad], its housing fixed",
    k=1.0,
    flange=Flange,
    phi=Var("flange.phi", unit="rad", description="angle of the shaft"),
    w=Var("der(phi)", unit="rad/s", description="angular velocity of the shaft"),
    tau=Var("-k*i", unit="N.m", description="torque on the machine's flange"),
    equations=["v = k*w", "flange.tau = tau"],
)

TranslationalEMF = OnePort | Model(
    description="Electromotive force of a linear drive with the transformation coefficient k [N/A = V.s/m], its housing fixed",
    k=1.0,
    flange=TranslationalFlange,
    s=Var("flange.s", unit="m", description="position"),
    vel=Var("der(s)", unit="m/s", description="velocity"),
    f=Var("-k*i", unit="N", description="force on the drive's flange"),
    equations=["v = k*vel", "flange.f = f"],
)

Potentiometer = Model(
    description="Resistor R [Ohm] from pin_p to pin_n with a contact at r = 1 (pin_p) to 0 (pin_n); r may be made an input",
    R=1.0,
    r=0.5,
    pin_p=Pin,
    contact=Pin,
    pin_n=Pin,
    loss_power=Var("(pin_p.v - contact.v)*pin_p.i + (pin_n.v - contact.v)*pin_n.i", unit="W", description="losses"),
    equations=[
        "pin_p.v - contact.v = (1 - r)*R*pin_p.i",
        "pin_n.v - contact.v = r*R*pin_n.i",
        "0 = pin_p.i + contact.i + pin_n.i",
    ],
)

WithHeatPort = Model(
    description="To be merged with a component with the pins p and n (Resistor | WithHeatPort): its losses v*i flow out of"
    " heat_port",
    heat_port=HeatPort,
    equations=["heat_port.Q_flow = -v*i"],
)
