"""Wheels of vehicles on the plane of motion, the resistance of the air, a differential gear; after
PlanarMechanics.VehicleComponents.
"""

from __future__ import annotations

from ...model.model import Map, Model, Par, Var
from .. import rotational
from ..flanges import RotationalFlange
from .interfaces import Frame, rotated
from .tyres import triple_s

_Directed = Model(
    r=Par([1.0, 0.0], unit="m"),
    l="norm(r)",
    e=["r[0]/l", "r[1]/l"],
    frame_a=Frame,
    e0=Var(
        rotated("e[0]", "e[1]", "frame_a.phi"),
        shape=2,
        elements=True,
        description="driving direction in the planar world",
    ),
    v_long=Var(
        "der(frame_a.x)*e0[0] + der(frame_a.y)*e0[1]", start=0.0, unit="m/s", description="speed along the driving direction"
    ),
    equations=["frame_a.t = 0"],
)

_Wheel = _Directed | Model(
    radius=1.0,
    flange_a=RotationalFlange,
    phi_roll=Var("flange_a.phi", start=0.0, unit="rad", description="angle of rolling"),
    w_roll=Var("der(phi_roll)", start=0.0, unit="rad/s", description="angular velocity of rolling"),
    v_lat=Var("der(frame_a.y)*e0[0] - der(frame_a.x)*e0[1]", start=0.0, unit="m/s", description="speed to the left"),
    f_long=Var("frame_a.fx*e0[0] + frame_a.fy*e0[1]", unit="N", description="force of the wheel on the ground, forward"),
    f_lat=Var("frame_a.fy*e0[0] - frame_a.fx*e0[1]", unit="N", description="force of the wheel on the ground, to the left"),
    equations=["flange_a.tau = -radius*f_long"],
)

_WORDS = " radius [m]; r: driving direction along the axes of frame_a; flange_a drives the wheel."

IdealWheelJoint = _Wheel | Model(
    description="Wheel that rolls without slip and cannot move sideways." + _WORDS,
    a=Var("der(v_long)", unit="m/s2", description="acceleration along the driving direction"),
    equations=["v_long = radius*w_roll", "v_lat = 0"],
)

_Slipping = _Wheel | Model(
    N=1000.0,
    mu_A=1.0,
    mu_S=0.7,
    v_slip_long=Var("v_long - radius*w_roll", unit="m/s", description="speed of slip along the driving direction"),
    v_slip=Var("sqrt(v_slip_long**2 + v_lat**2) + 1e-4", unit="m/s", description="speed of slip, at least 1e-4"),
    v_adhesion=0.1,
    v_slide=0.3,
    f_n=Var("N", unit="N", description="normal force"),
    f=Var(f"f_n*{triple_s('v_slip', 'v_adhesion', 'v_slide')}", unit="N", description="friction"),
    loss_power=Var("f*v_slip", unit="W", description="heat"),
    equations=["f_long = f*v_slip_long/v_slip", "f_lat = f*v_lat/v_slip"],
)

DryFrictionWheelJoint = _Slipping | Model(
    description="Wheel with dry friction under the normal force N [N]: its coefficient is largest, mu_A, at the speed of slip"
    " v_adhesion, and falls to mu_S until v_slide [m/s]." + _WORDS,
)

SlipBasedWheelJoint = _Slipping | Model(
    description="Wheel with a friction that depends on slip: its coefficient is largest, mu_A, where the speed of slip is"
    " s_adhesion times that of rolling, and falls to mu_S until s_slide times it, but not below v_adhesion_min and v_slide_min"
    " [m/s]. The normal force is N [N] and the input dynamic_load [N]." + _WORDS,
    v_adhesion_min=0.05,
    v_slide_min=0.15,
    s_adhesion=0.04,
    s_slide=0.12,
    dynamic_load=Var(input=True, unit="N", description="what the wheel bears more than N"),
    v_adhesion=Var("noEvent(max(s_adhesion*abs(radius*w_roll), v_adhesion_min))", unit="m/s"),
    v_slide=Var("noEvent(max(s_slide*abs(radius*w_roll), v_slide_min))", unit="m/s"),
    f_n=Var("max(0, N + dynamic_load)"),
)

AirResistanceLongitudinal = _Directed | Model(
    description="Drag of a vehicle that drives forward, faster than 1 mm/s, in still air: coefficient c_W, cross section area"
    " [m2], density rho [kg/m3]; r: driving direction along the axes of frame_a",
    c_W=0.5,
    area=2.0,
    rho=1.18,
    f_drag=Var("c_W*area*rho/2*v_long**2", unit="N", description="drag"),
    f_long=Var("noEvent(f_drag if v_long >= 1e-3 else 0)", unit="N", description="drag while the vehicle drives forward"),
    equations=["frame_a.fx = f_long*e0[0]", "frame_a.fy = f_long*e0[1]"],
)

DifferentialGear = Model(
    description="Differential gear without inertia: the shaft flange_b turns with the mean speed of flange_left and"
    " flange_right, which share its torque equally",
    ideal_planetary=rotational.IdealPlanetary | Map(ratio=-2.0),
    flange_b=RotationalFlange,
    flange_left=RotationalFlange,
    flange_right=RotationalFlange,
    connect=[
        ("flange_b", "ideal_planetary.ring"),
        ("flange_left", "ideal_planetary.sun"),
        ("flange_right", "ideal_planetary.carrier"),
    ],
)
