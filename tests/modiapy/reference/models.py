"""The examples of the Modelica Standard Library 4.0 that the tests rebuild: same components, names and parameters."""

from __future__ import annotations

from math import pi, sqrt

from modiapy import Map, Model
from modiapy.library import blocks, electric, heat_transfer, rotational, translational

AT_REST = Map(phi=Map(init=0.0), w=Map(init=0.0))

FIRST = Model(
    description="Rotational.Examples.First",
    fixed=rotational.Fixed,
    torque=rotational.Torque,
    inertia1=rotational.Inertia | Map(J=0.1),
    ideal_gear=rotational.IdealGear | Map(ratio=10.0),
    inertia2=rotational.Inertia | Map(J=2.0) | AT_REST,
    spring=rotational.Spring | Map(c=1e4, phi_rel=Map(init=0.0)),
    inertia3=rotational.Inertia | Map(J=2.0, w=Map(init=0.0)),
    damper=rotational.Damper | Map(d=10.0),
    sine=blocks.Sine | Map(amplitude=10.0, f=5.0),
    connect=[
        ("sine.y", "torque.tau"),
        ("torque.flange", "inertia1.flange_a"),
        ("inertia1.flange_b", "ideal_gear.flange_a"),
        ("ideal_gear.flange_b", "inertia2.flange_a"),
        ("inertia2.flange_b", "spring.flange_a", "damper.flange_a"),
        ("spring.flange_b", "inertia3.flange_a"),
        ("damper.flange_b", "fixed.flange"),
    ],
)

_MASS = translational.Mass | Map(L=1.0, m=1.0, s=Map(init=-0.5), v=Map(init=0.0))

OSCILLATOR = Model(
    description="Translational.Examples.Oscillator",
    sine1=blocks.Sine | Map(f=15.9155),
    force1=translational.Force,
    mass1=_MASS,
    spring1=translational.Spring | Map(s_rel0=1.0, c=1e4),
    fixed1=translational.Fixed | Map(s0=1.0),
    sine2=blocks.Sine | Map(f=15.9155),
    force2=translational.Force,
    mass2=_MASS,
    spring2=translational.Spring | Map(s_rel0=1.0, c=1e4),
    damper1=translational.Damper | Map(d=10.0),
    fixed2=translational.Fixed | Map(s0=1.0),
    connect=[
        ("sine1.y", "force1.f"),
        ("force1.flange", "mass1.flange_a"),
        ("mass1.flange_b", "spring1.flange_a"),
        ("spring1.flange_b", "fixed1.flange"),
        ("sine2.y", "force2.f"),
        ("force2.flange", "mass2.flange_a"),
        ("mass2.flange_b", "spring2.flange_a", "damper1.flange_a"),
        ("spring2.flange_b", "damper1.flange_b", "fixed2.flange"),
    ],
)

_SPRING_DAMPER = translational.SpringDamper | Map(c=10.0, d=1.5, s_rel0=1.0)
_GAP = translational.ElastoGap | Map(c=10.0, d=1.5, s_rel0=1.5)

ELASTO_GAP = Model(
    description="Translational.Examples.ElastoGap",
    fixed=translational.Fixed,
    rod1=translational.Rod | Map(L=2.0),
    rod2=translational.Rod | Map(L=2.0),
    spring_damper1=_SPRING_DAMPER,
    spring_damper2=_SPRING_DAMPER,
    mass1=translational.Mass | Map(s=Map(init=2.0), v=Map(init=0.0)),
    elasto_gap1=_GAP,
    elasto_gap2=_GAP,
    mass2=translational.Mass | Map(s=Map(init=2.0), v=Map(init=0.0)),
    connect=[
        ("rod1.flange_b", "fixed.flange", "rod2.flange_a"),
        ("rod1.flange_a", "spring_damper1.flange_a", "elasto_gap1.flange_a"),
        ("rod2.flange_b", "spring_damper2.flange_b", "elasto_gap2.flange_b"),
        ("spring_damper1.flange_b", "mass1.flange_a"),
        ("mass1.flange_b", "spring_damper2.flange_a"),
        ("elasto_gap1.flange_b", "mass2.flange_a"),
        ("mass2.flange_b", "elasto_gap2.flange_a"),
    ],
)

L1, L2 = 1.304, 0.8586
_CHARGED = Map(v=Map(init=0.0))
_CARRYING = Map(i=Map(init=0.0))

CAUER_LOW_PASS_ANALOG = Model(
    description="Electrical.Analog.Examples.CauerLowPassAnalog",
    G=electric.Ground,
    C1=electric.Capacitor | Map(C=1.072) | _CHARGED,
    C2=electric.Capacitor | Map(C=1 / (1.704992**2 * L1), v=Map(start=None)),
    C3=electric.Capacitor | Map(C=1.682) | _CHARGED,
    C4=electric.Capacitor | Map(C=1 / (1.179945**2 * L2), v=Map(start=None)),
    C5=electric.Capacitor | Map(C=0.7262) | _CHARGED,
    L1=electric.Inductor | Map(L=L1) | _CARRYING,
    L2=electric.Inductor | Map(L=L2) | _CARRYING,
    R1=electric.Resistor | Map(R=1.0),
    R2=electric.Resistor | Map(R=1.0),
    V=electric.StepVoltage | Map(V=1.0, start_time=1.0),
    connect=[
        ("V.p", "R1.p"),
        ("R1.n", "C1.p", "L1.p", "C2.p"),
        ("L1.n", "C2.n", "C3.p", "C4.p", "L2.p"),
        ("L2.n", "C4.n", "C5.p", "R2.p"),
        ("V.n", "C1.n", "C3.n", "C5.n", "R2.n", "G.p"),
    ],
)

V_AC = 400.0
_DIODE = electric.IdealDiode | Map(Ron=1e-3, Goff=1e-3, Vknee=2.0)
_HALF = electric.Capacitor | Map(C=2 * 15e-3, v=Map(init=V_AC * sqrt(2) / 2))

RECTIFIER = Model(
    description="Electrical.Analog.Examples.Rectifier",
    connect=[
        ("SineVoltage1.n", "SineVoltage2.n", "SineVoltage3.n"),
        *((f"SineVoltage{k}.p", f"Inductor{k}.p") for k in (1, 2, 3)),
        *((f"Inductor{k}.n", f"IdealDiode{k}.p", f"IdealDiode{k + 3}.n") for k in (1, 2, 3)),
        ("IdealDiode1.n", "IdealDiode2.n", "IdealDiode3.n", "Capacitor1.p", "SignalCurrent1.p"),
        ("IdealDiode4.p", "IdealDiode5.p", "IdealDiode6.p", "Capacitor2.n", "SignalCurrent1.n"),
        ("Capacitor1.n", "Capacitor2.p", "Ground1.p"),
        ("Constant1.y", "SignalCurrent1.i"),
    ],
    Ground1=electric.Ground,
    Capacitor1=_HALF,
    Capacitor2=_HALF,
    SignalCurrent1=electric.SignalCurrent,
    Constant1=blocks.Constant | Map(k=500.0),
    **{
        f"SineVoltage{k}": electric.SineVoltage | Map(V=V_AC * sqrt(2 / 3), f=50.0, phase=-2 / 3 * (k - 1) * pi)
        for k in (1, 2, 3)
    },
    Inductor1=electric.Inductor | Map(L=60e-6, i=Map(start=None)),
    Inductor2=electric.Inductor | Map(L=60e-6, i=Map(init=0.0)),
    Inductor3=electric.Inductor | Map(L=60e-6, i=Map(init=0.0)),
    **{f"IdealDiode{k}": _DIODE for k in range(1, 7)},
)

TWO_MASSES = Model(
    description="Thermal.HeatTransfer.Examples.TwoMasses",
    mass1=heat_transfer.HeatCapacitor | Map(C=15.0, T=Map(init=373.15)),
    mass2=heat_transfer.HeatCapacitor | Map(C=15.0, T=Map(init=273.15)),
    conduction=heat_transfer.ThermalConductor | Map(G=10.0),
    sensor1=heat_transfer.TemperatureSensor,
    sensor2=heat_transfer.TemperatureSensor,
    connect=[
        ("mass1.port", "conduction.port_a", "sensor1.port"),
        ("mass2.port", "conduction.port_b", "sensor2.port"),
    ],
)

_STATE = Map(state_select="prefer")

PID_CONTROLLER = Model(
    description="Blocks.Examples.PID_Controller, beginning in its steady state",
    kinematicPTP=blocks.KinematicPTP | Map(start_time=0.5, deltaq=pi / 2, qd_max=1.0, qdd_max=1.0),
    integrator=blocks.Integrator,
    PI=blocks.LimPI | Map(k=100.0, Ti=0.1, y_max=12.0, Ni=0.1, I=Map(y=Map(init=None))),
    torque=rotational.Torque,
    inertia1=rotational.Inertia | Map(J=1.0, phi=Map(init=0.0), a=Map(init=0.0)),
    spring=rotational.SpringDamper | Map(c=1e4, d=100.0, phi_rel=_STATE, w_rel=_STATE | Map(init=0.0)),
    inertia2=rotational.Inertia | Map(J=2.0),
    load_torque=rotational.ConstantTorque | Map(tau_constant=10.0),
    speed_sensor=rotational.SpeedSensor,
    initial_equations=["inertia2.a - inertia1.a = 0", "der(PI.I.y) = 0"],
    connect=[
        ("kinematicPTP.y", "integrator.u"),
        ("integrator.y", "PI.u_s"),
        ("speed_sensor.w", "PI.u_m"),
        ("PI.y", "torque.tau"),
        ("torque.flange", "inertia1.flange_a"),
        ("inertia1.flange_b", "spring.flange_a", "speed_sensor.flange"),
        ("spring.flange_b", "inertia2.flange_a"),
        ("inertia2.flange_b", "load_torque.flange"),
    ],
)

_CLUTCH = rotational.Clutch | Map(peak=1.1, fn_max=20.0)

COUPLED_CLUTCHES = Model(
    description="Rotational.Examples.CoupledClutches",
    sin1=blocks.Sine | Map(amplitude=10.0, f=5.0),
    torque=rotational.Torque,
    J1=rotational.Inertia | Map(J=1.0, phi=Map(init=0.0), w=Map(init=10.0)),
    clutch1=_CLUTCH,
    sin2=blocks.Sine | Map(amplitude=1.0, f=0.2, phase=pi / 2),
    J2=rotational.Inertia | AT_REST,
    clutch2=_CLUTCH,
    step1=blocks.Step | Map(start_time=0.4),
    J3=rotational.Inertia | AT_REST,
    clutch3=_CLUTCH,
    step2=blocks.Step | Map(start_time=0.9),
    J4=rotational.Inertia | AT_REST,
    connect=[
        ("sin1.y", "torque.tau"),
        ("torque.flange", "J1.flange_a"),
        ("J1.flange_b", "clutch1.flange_a"),
        ("clutch1.flange_b", "J2.flange_a"),
        ("J2.flange_b", "clutch2.flange_a"),
        ("clutch2.flange_b", "J3.flange_a"),
        ("J3.flange_b", "clutch3.flange_a"),
        ("clutch3.flange_b", "J4.flange_a"),
        ("sin2.y", "clutch1.f_normalized"),
        ("step1.y", "clutch2.f_normalized"),
        ("step2.y", "clutch3.f_normalized"),
    ],
)

FRICTION = Model(
    description="Rotational.Examples.Friction",
    sine=blocks.Sine | Map(amplitude=200.0, f=50 / pi),
    step2=blocks.Step | Map(height=-1.0, offset=1.0, start_time=0.5),
    product=blocks.Product,
    torque=rotational.Torque,
    inertia3=rotational.Inertia | Map(J=1.0, phi=Map(init=0.0), w=Map(init=100.0)),
    clutch=rotational.Clutch | Map(fn_max=160.0),
    const=blocks.Constant | Map(k=1.0),
    inertia2=rotational.Inertia | Map(J=0.05, phi=Map(init=0.0), w=Map(init=90.0)),
    spring=rotational.SpringDamper | Map(c=160.0, d=1.0),
    brake=rotational.Brake | Map(fn_max=1600.0),
    step=blocks.Step | Map(start_time=0.5),
    inertia1=rotational.Inertia | Map(J=1.0, phi=Map(init=0.0), w=Map(init=90.0)),
    connect=[
        ("sine.y", "product.u1"),
        ("step2.y", "product.u2"),
        ("product.y", "torque.tau"),
        ("torque.flange", "inertia3.flange_a"),
        ("inertia3.flange_b", "clutch.flange_a"),
        ("const.y", "clutch.f_normalized"),
        ("clutch.flange_b", "inertia2.flange_a"),
        ("inertia2.flange_b", "spring.flange_a"),
        ("spring.flange_b", "brake.flange_a"),
        ("step.y", "brake.f_normalized"),
        ("brake.flange_b", "inertia1.flange_a"),
    ],
)
