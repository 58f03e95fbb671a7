"""Rolling resistance, and a vehicle of one degree of freedom."""

from __future__ import annotations

from ...model.model import Map, Model, Var
from ..flanges import RotationalFlange
from ..regularization import REGULARIZED, WORDS, sign_of
from .components import Mass
from .interfaces import Flange
from .sources import Force

_ROAD = " cr: coefficient of rolling resistance; inclination: tangent of the slope; both may be made inputs."

RollingResistance = (
    Force
    | Map(f=Var(input=False))
    | REGULARIZED
    | Model(
        description="Resistance cr*f_weight*cos(slope) of a rolling wheel with the load f_weight [N], continuous below the"
        " velocity v0 [m/s]." + _ROAD + WORDS,
        f_weight=0.0,
        cr=0.01,
        inclination=0.0,
        v0=0.1,
        s=Var("flange.s", unit="m", description="position of the flange"),
        v=Var("der(s)", unit="m/s", description="velocity of the flange"),
        equations=[f"f = -cr*f_weight*cos(atan(inclination))*{sign_of('v', 'v0')}"],
    )
)

Vehicle = Model(
    description="Vehicle with mass m [kg], driven by wheels of the radius R [m] at flange_r; J [kg.m2]: inertia of the drive"
    " train. Drag of the air: cross section A [m2], coefficient Cd, density rho [kg/m3], wind v_wind [m/s]. Rolling resistance,"
    " linear below v_reg [m/s]." + _ROAD,
    m=1000.0,
    g=9.80665,
    J=0.0,
    R=0.25,
    A=1.0,
    Cd=0.5,
    rho=1.2,
    v_wind=0.0,
    cr=0.015,
    v_reg=1e-3,
    inclination=0.0,
    flange_r=RotationalFlange,
    flange_t=Flange,
    s=Var("flange_t.s", unit="m", description="position"),
    v=Var("mass.v", unit="m/s", description="velocity"),
    a=Var("mass.a", unit="m/s2", description="acceleration"),
    f_drag=Var(unit="N", description="force of the air on the vehicle"),
    f_grav=Var("-m*g*sin(atan(inclination))", unit="N", description="force of gravity along the road"),
    f_drive=Var(unit="N", description="force of the wheels on the vehicle"),
    mass=Mass | Map(m="m"),
    f_roll=RollingResistance | Map(f_weight="m*g", v0="v_reg", reg="linear", cr=Var(input=True), inclination=Var(input=True)),
    f_other=Force,
    equations=[
        "f_roll.cr = cr",
        "f_roll.inclination = inclination",
        "R*flange_r.phi = flange_t.s",
        "J*der(der(flange_r.phi)) = flange_r.tau - R*f_drive",
        "f_drag = -Cd*A*rho/2*(v - v_wind)*noEvent(abs(v - v_wind))",
        "f_other.f = f_drive + f_drag + f_grav",
    ],
    connect=[("mass.flange_a", "f_other.flange", "f_roll.flange"), ("mass.flange_b", "flange_t")],
)
