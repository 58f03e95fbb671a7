"""Capacitors and inductors."""

from __future__ import annotations

from ...model.model import Map, Model, Var
from .interfaces import OnePort

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
    description="Capacitor whose capacitance C [F] is an input, at least C_min [F]; Q [C] is its charge",
    C=Var(input=True, unit="F"),
    C_min=2.220446049250313e-16,
    Q=Var(start=0.0, unit="C"),
    equations=["Q = noEvent(max(C, C_min))*v", "i = der(Q)"],
)

VariableInductor = OnePort | Model(
    description="Inductor whose inductance L [H] is an input, at least L_min [H]; psi [Wb] is its flux linkage",
    L=Var(input=True, unit="H"),
    L_min=2.220446049250313e-16,
    psi=Var(start=0.0, unit="Wb"),
    equations=["psi = noEvent(max(L, L_min))*i", "v = der(psi)"],
)
