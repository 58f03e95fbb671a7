"""Further examples of the Modelica Standard Library 4.0 without reference results: same components and parameters."""

from __future__ import annotations

from math import log, pi

from modiapy import Map, Model, redeclare
from modiapy.library import blocks, electric, heat_transfer, rotational, translational
from modiapy.library.electric import OnePort

from .models import AT_REST, FIRST

AT_ORIGIN = Map(s=Map(init=0.0), v=Map(init=0.0))

FIRST_GROUNDED = FIRST | Model(
    description="Rotational.Examples.FirstGrounded: First with the torque's and the gear's housing connected",
    torque=redeclare(rotational.TorqueWithSupport),
    ideal_gear=redeclare(rotational.IdealGearWithSupport | Map(ratio=10.0)),
    connect=[("fixed.flange", "ideal_gear.support", "torque.support")],
)

ELASTIC_BEARING = Model(
    description="Rotational.Examples.ElasticBearing",
    shaft=rotational.Inertia | AT_REST,
    load=rotational.Inertia | Map(J=50.0, w=Map(init=0.0)),
    spring=rotational.Spring | Map(c=1e3, phi_rel=Map(init=0.0)),
    fixed=rotational.Fixed,
    spring_damper=rotational.SpringDamper | Map(c=1e5, d=5.0, phi_rel=Map(init=0.0), w_rel=Map(init=0.0)),
    torque=rotational.TorqueWithSupport,
    ramp=blocks.Ramp | Map(duration=5.0, height=100.0),
    ideal_gear=rotational.IdealGearWithSupport | Map(ratio=3.0),
    housing=rotational.Inertia | Map(J=5.0),
    multi_sensor=rotational.MultiSensor,
    connect=[
        ("ramp.y", "torque.tau"),
        ("torque.flange", "shaft.flange_a"),
        ("shaft.flange_b", "ideal_gear.flange_a"),
        ("ideal_gear.flange_b", "spring.flange_a"),
        ("spring.flange_b", "load.flange_a"),
        ("ideal_gear.support", "housing.flange_b"),
        ("housing.flange_a", "multi_sensor.flange_b"),
        ("multi_sensor.flange_a", "spring_damper.flange_b"),
        ("fixed.flange", "spring_damper.flange_a", "torque.support"),
    ],
)

_TURNED = rotational.Inertia | Map(J=5.0, phi=Map(init=pi / 2), w=Map(init=0.0))
_BACKLASH = Map(c=20e3, d=50.0, b=pi / 4)

BACKLASH = Model(
    description="Rotational.Examples.Backlash",
    fixed=rotational.Fixed,
    spring_damper=rotational.SpringDamper | Map(c=20e3, d=50.0),
    inertia1=_TURNED,
    elasto_backlash=rotational.ElastoBacklash | _BACKLASH,
    inertia2=_TURNED,
    elasto_backlash2=rotational.ElastoBacklash2 | _BACKLASH,
    inertia3=_TURNED,
    connect=[
        ("fixed.flange", "spring_damper.flange_a", "elasto_backlash.flange_a", "elasto_backlash2.flange_a"),
        ("spring_damper.flange_b", "inertia1.flange_a"),
        ("elasto_backlash.flange_b", "inertia2.flange_a"),
        ("elasto_backlash2.flange_b", "inertia3.flange_a"),
    ],
)

LOSSY_GEAR_DEMO1 = Model(
    description="Rotational.Examples.LossyGearDemo1",
    fixed=rotational.Fixed,
    drive_sine=blocks.Sine | Map(amplitude=10.0, f=1.0),
    torque1=rotational.TorqueWithSupport,
    inertia1=rotational.Inertia | Map(J=1.0),
    gear=rotational.LossyGearWithSupport | Map(ratio=2.0, loss_table=[[0.0, 0.5, 0.5, 0.0, 0.0]]),
    inertia2=rotational.Inertia | Map(J=1.5) | AT_REST,
    torque2=rotational.TorqueWithSupport,
    load=blocks.Ramp | Map(height=5.0, duration=2.0, offset=-10.0),
    connect=[
        ("drive_sine.y", "torque1.tau"),
        ("torque1.flange", "inertia1.flange_a"),
        ("inertia1.flange_b", "gear.flange_a"),
        ("gear.flange_b", "inertia2.flange_a"),
        ("inertia2.flange_b", "torque2.flange"),
        ("load.y", "torque2.tau"),
        ("fixed.flange", "gear.support", "torque1.support", "torque2.support"),
    ],
)

LOSSY_GEAR_DEMO3 = Model(
    description="Rotational.Examples.LossyGearDemo3",
    step=blocks.Step | Map(height=0.0),
    torque1=rotational.Torque,
    inertia1=rotational.Inertia | Map(J=0.001, w=Map(start=10.0)),
    gear=rotational.LossyGear | Map(ratio=1.0, loss_table=[[0.0, 0.25, 0.25, 0.625, 2.5]]),
    inertia2=rotational.Inertia | Map(J=0.001, phi=Map(init=0.0), w=Map(init=10.0)),
    torque2=rotational.Torque,
    step1=blocks.Step | Map(start_time=0.5),
    connect=[
        ("step.y", "torque1.tau"),
        ("torque1.flange", "inertia1.flange_a"),
        ("inertia1.flange_b", "gear.flange_a"),
        ("gear.flange_b", "inertia2.flange_a"),
        ("inertia2.flange_b", "torque2.flange"),
        ("step1.y", "torque2.tau"),
    ],
)

ONE_WAY_CLUTCH = Model(
    description="Rotational.Examples.OneWayClutch",
    signal_torque=blocks.Sine | Map(amplitude=10.0, f=3.0),
    torque=rotational.Torque,
    inertia_in=rotational.Inertia | Map(phi=Map(init=0.0), w=Map(init=-0.5)),
    one_way_clutch=rotational.OneWayClutch | Map(peak=25.0, fn_max=3.0),
    inertia_out=rotational.Inertia | AT_REST,
    signal_engagement=blocks.Pulse | Map(amplitude=1.0, width=50.0, period=1.3, start_time=0.3),
    connect=[
        ("signal_torque.y", "torque.tau"),
        ("torque.flange", "inertia_in.flange_a"),
        ("inertia_in.flange_b", "one_way_clutch.flange_a"),
        ("one_way_clutch.flange_b", "inertia_out.flange_a"),
        ("signal_engagement.y", "one_way_clutch.f_normalized"),
    ],
)

ROLLING_WHEEL = Model(
    description="Rotational.Examples.RollingWheel",
    torque_step=rotational.TorqueStep | Map(step_torque=10.0, start_time=0.1),
    inertia=rotational.Inertia | AT_REST,
    ideal_rolling_wheel=rotational.IdealRollingWheel,
    mass=translational.Mass,
    resistance=translational.QuadraticSpeedDependentForce | Map(f_nominal=-10.0, v_nominal=5.0, force_direction=False),
    connect=[
        ("torque_step.flange", "inertia.flange_a"),
        ("inertia.flange_b", "ideal_rolling_wheel.flange_r"),
        ("ideal_rolling_wheel.flange_t", "mass.flange_a"),
        ("mass.flange_b", "resistance.flange"),
    ],
)

ACCELERATE = Model(
    description="Translational.Examples.Accelerate",
    constant_acc=blocks.Constant | Map(k=1.0),
    accelerate=translational.Accelerate,
    mass=translational.Mass | Map(L=1.0, m=1.0),
    connect=[("constant_acc.y", "accelerate.a_ref"), ("accelerate.flange", "mass.flange_a")],
)

BRAKE = Model(
    description="Translational.Examples.Brake, without the second brake, whose support is fixed",
    mass1=translational.Mass | Map(s=Map(init=0.0), v=Map(init=1.0)),
    brake=translational.Brake | Map(fn_max=1.0),
    step=blocks.Step | Map(start_time=0.1, height=2.0),
    connect=[("mass1.flange_b", "brake.flange_a"), ("step.y", "brake.f_normalized")],
)

INITIAL_CONDITIONS = Model(
    description="Translational.Examples.InitialConditions",
    fixed2=translational.Fixed | Map(s0=1.0),
    s2=translational.Spring | Map(s_rel0=2.0, c=1e3),
    m3=translational.Mass | Map(L=3.0, s=Map(init=4.5), v=Map(init=0.0)),
    sd2=translational.SpringDamper | Map(s_rel0=4.0, c=111.0, d=1.0),
    m4=translational.Mass | Map(L=5.0, s=Map(init=12.5), v=Map(init=0.0)),
    fixed1=translational.Fixed | Map(s0=-1.0),
    s1=translational.Spring | Map(s_rel0=1.0, c=1e3, s_rel=Map(init=0.5)),
    m1=translational.Mass | Map(L=1.0, v=Map(init=0.0)),
    sd1=translational.SpringDamper | Map(s_rel0=1.0, c=111.0, d=1.0, s_rel=Map(init=1.0), v_rel=Map(init=0.0)),
    m2=translational.Mass | Map(L=2.0),
    connect=[
        ("fixed2.flange", "s2.flange_a"),
        ("s2.flange_b", "m3.flange_a"),
        ("m3.flange_b", "sd2.flange_a"),
        ("sd2.flange_b", "m4.flange_a"),
        ("fixed1.flange", "s1.flange_a"),
        ("s1.flange_b", "m1.flange_a"),
        ("m1.flange_b", "sd1.flange_a"),
        ("sd1.flange_b", "m2.flange_a"),
    ],
)

_INNER = translational.ElastoGap | Map(c=1e6, d=250.0, s_rel0=0.001)
_OUTER = translational.ElastoGap | Map(c=1e6, d=250.0, s_rel0=0.0015)

PRE_LOAD = Model(
    description="Translational.Examples.PreLoad",
    inner_contact_a=_INNER,
    inner_contact_b=_INNER,
    spool=translational.Mass | Map(L=0.19, m=0.150, s=Map(init=0.01475), v=Map(init=0.0)),
    fixed_le=translational.Fixed | Map(s0=-0.0955),
    spring_plate_a=translational.Mass | Map(m=10e-3, L=0.002, s=Map(init=-0.093), v=Map(init=0.0)),
    spring_plate_b=translational.Mass | Map(m=10e-3, L=0.002, s=Map(init=-0.06925), v=Map(init=0.0)),
    spring=translational.Spring | Map(c=20e3, s_rel0=0.025),
    outer_contact_a=_OUTER,
    outer_contact_b=_OUTER,
    rod1=translational.Rod | Map(L=0.007),
    rod2=translational.Rod | Map(L=0.007),
    rod3=translational.Rod | Map(L=0.00575),
    rod4=translational.Rod | Map(L=0.00575),
    housing=translational.Rod | Map(L=0.0305),
    friction=translational.Damper | Map(d=2500.0),
    force=translational.Force,
    sine_force=blocks.Sine | Map(amplitude=150.0, f=0.01),
    connect=[
        ("outer_contact_a.flange_b", "spring_plate_a.flange_a"),
        ("spring_plate_a.flange_b", "spring.flange_a", "rod1.flange_a"),
        ("spring.flange_b", "spring_plate_b.flange_a", "rod2.flange_b"),
        ("spring_plate_b.flange_b", "outer_contact_b.flange_a"),
        ("outer_contact_b.flange_b", "housing.flange_b"),
        ("inner_contact_a.flange_a", "rod3.flange_a", "friction.flange_b"),
        ("inner_contact_a.flange_b", "rod1.flange_b"),
        ("rod2.flange_a", "inner_contact_b.flange_a"),
        ("rod4.flange_b", "inner_contact_b.flange_b"),
        ("rod3.flange_b", "rod4.flange_a", "spool.flange_a", "force.flange"),
        ("sine_force.y", "force.f"),
        ("fixed_le.flange", "outer_contact_a.flange_a", "housing.flange_a", "friction.flange_a"),
    ],
)

GEAR_GROUNDED = Model(
    description="Translational.Examples.GearGrounded",
    ramp=blocks.Ramp | Map(height=10.0, duration=0.6, offset=0.1 * 160.0 / 1.6, start_time=0.3),
    force=translational.Force,
    mass1=translational.Mass | Map(m=0.1),
    ideal_gear=translational.IdealGearWithSupport | Map(ratio=1.6),
    mass2=translational.Mass | Map(m=7.0) | AT_ORIGIN,
    spring_damper=translational.SpringDamper | Map(c=160.0, d=10.0, s_rel0=0.1),
    support=translational.SpringDamper | Map(c=800.0, d=50.0, s_rel=Map(init=0.0), v_rel=Map(init=0.0)),
    fixed=translational.Fixed,
    connect=[
        ("ramp.y", "force.f"),
        ("force.flange", "mass1.flange_a"),
        ("mass1.flange_b", "ideal_gear.flange_a"),
        ("ideal_gear.flange_b", "mass2.flange_a"),
        ("mass2.flange_b", "spring_damper.flange_a"),
        ("fixed.flange", "spring_damper.flange_b", "support.flange_a"),
        ("support.flange_b", "ideal_gear.support"),
    ],
)

_CHUA_DIODE = OnePort | Model(
    description="Examples.Utilities.NonlinearResistor",
    Ga=-0.757576,
    Gb=-0.409091,
    Ve=1.0,
    equations=["i = Gb*(v + Ve) - Ga*Ve if v < -Ve else (Gb*(v - Ve) + Ga*Ve if v > Ve else Ga*v)"],
)

CHUA_CIRCUIT = Model(
    description="Electrical.Analog.Examples.ChuaCircuit",
    L=electric.Inductor | Map(L=18.0, i=Map(init=0.0)),
    Ro=electric.Resistor | Map(R=12.5e-3),
    G=electric.Conductor | Map(G=0.565),
    C1=electric.Capacitor | Map(C=10.0, v=Map(init=4.0)),
    C2=electric.Capacitor | Map(C=100.0, v=Map(init=0.0)),
    Nr=_CHUA_DIODE,
    Gnd=electric.Ground,
    connect=[
        ("L.p", "G.p", "C2.p"),
        ("G.n", "Nr.p", "C1.p"),
        ("L.n", "Ro.p"),
        ("Nr.n", "C1.n", "C2.n", "Ro.n", "Gnd.p"),
    ],
)

HEATING_RESISTOR = Model(
    description="Electrical.Analog.Examples.HeatingResistor",
    G=electric.Ground,
    source=electric.SineVoltage | Map(V=220.0, f=1.0),
    heating_resistor=electric.HeatingResistor | Map(R=100.0, alpha=1e-3, T_ref=293.15),
    thermal_conductor=heat_transfer.ThermalConductor | Map(G=50.0),
    fixed_temperature=heat_transfer.FixedTemperature | Map(T=293.15),
    connect=[
        ("source.p", "heating_resistor.p"),
        ("source.n", "heating_resistor.n", "G.p"),
        ("heating_resistor.heat_port", "thermal_conductor.port_a"),
        ("thermal_conductor.port_b", "fixed_temperature.port"),
    ],
)

_N, _OMEGA = 2.0, 2 * pi * 10.0
_LEAK1, _LEAK2, _LM1 = 0.05 / _OMEGA, 0.05 / _OMEGA / _N**2, 10.0 / _OMEGA
_SOURCE = electric.SineVoltage | Map(V=0.1, phase=pi / 2, f=10.0, offset=0.1)

COMPARE_TRANSFORMERS = Model(
    description="Electrical.Analog.Examples.CompareTransformers, the ideal transformer with magnetization",
    sine_voltage1=_SOURCE,
    sine_voltage2=_SOURCE,
    ground=electric.Ground,
    resistor11=electric.Resistor | Map(R=0.01),
    resistor12=electric.Resistor | Map(R=0.01 / _N**2),
    load1=electric.Resistor | Map(R=1 / _N**2),
    resistor21=electric.Resistor | Map(R=0.01),
    resistor22=electric.Resistor | Map(R=0.01 / _N**2),
    load2=electric.Resistor | Map(R=1 / _N**2),
    inductor21=electric.Inductor | Map(L=_LEAK1, i=Map(init=0.0)),
    inductor22=electric.Inductor | Map(L=_LEAK2, i=Map(init=0.0)),
    basic_transformer=electric.Transformer
    | Map(L1=_LEAK1 + _LM1, L2=_LEAK2 + _LM1 / _N**2, M=_LM1 / _N, i1=Map(init=0.0), i2=Map(init=0.0)),
    ideal_transformer=electric.IdealTransformerWithMagnetization | Map(n=_N, Lm1=_LM1, im1=Map(start=None)),
    connect=[
        ("sine_voltage1.p", "resistor11.p"),
        ("resistor11.n", "basic_transformer.p1"),
        ("basic_transformer.p2", "resistor12.p"),
        ("resistor12.n", "load1.p"),
        ("sine_voltage2.p", "resistor21.p"),
        ("resistor21.n", "inductor21.p"),
        ("inductor21.n", "ideal_transformer.p1"),
        ("ideal_transformer.p2", "inductor22.p"),
        ("inductor22.n", "resistor22.p"),
        ("resistor22.n", "load2.p"),
        ("ground.p", "sine_voltage1.n", "basic_transformer.n1", "basic_transformer.n2", "load1.n"),
        ("ground.p", "sine_voltage2.n", "ideal_transformer.n1", "ideal_transformer.n2", "load2.n"),
    ],
)

CHARACTERISTIC_IDEAL_DIODES = Model(
    description="Electrical.Analog.Examples.CharacteristicIdealDiodes",
    ideal=electric.IdealDiode | Map(Ron=0.0, Goff=0.0),
    with_Ron_Goff=electric.IdealDiode | Map(Ron=0.1, Goff=0.1),
    with_Vknee=electric.IdealDiode | Map(Ron=0.2, Goff=0.2, Vknee=5.0),
    source1=electric.SineVoltage | Map(V=10.0, offset=-9.0),
    source2=electric.SineVoltage | Map(V=10.0),
    source3=electric.SineVoltage | Map(V=10.0),
    ground=electric.Ground,
    R1=electric.Resistor | Map(R=1e-3),
    R2=electric.Resistor | Map(R=1e-3),
    R3=electric.Resistor | Map(R=1e-3),
    connect=[
        ("source2.p", "ideal.p"),
        ("source1.p", "with_Ron_Goff.p"),
        ("source3.p", "with_Vknee.p"),
        ("ideal.n", "R1.p"),
        ("with_Ron_Goff.n", "R2.p"),
        ("with_Vknee.n", "R3.p"),
        ("R1.n", "R2.n", "R3.n", "source1.n", "source2.n", "source3.n", "ground.p"),
    ],
)

SHOW_SATURATING_INDUCTOR = Model(
    description="Electrical.Analog.Examples.ShowSaturatingInductor",
    source=electric.SineVoltage | Map(V=1.25, phase=pi / 2, f=1 / (2 * pi)),
    ground=electric.Ground,
    saturating=electric.SaturatingInductor | Map(L_zer=2.0, L_nom=1.0, I_nom=1.0, L_inf=0.5, i=Map(init=0.0)),
    inductance=electric.Inductor | Map(L=1.0, i=Map(init=0.0)),
    connect=[("source.p", "saturating.p", "inductance.p"), ("source.n", "saturating.n", "inductance.n", "ground.p")],
)

_R = 1000.0
_SUPPLIED = electric.IdealizedOpAmpLimited | Map(V_ps=15.0)

SIGNAL_GENERATOR = Model(
    description="Electrical.Analog.Examples.OpAmps.SignalGenerator, the capacitor not in its unstable equilibrium",
    op_amp1=_SUPPLIED,
    op_amp2=_SUPPLIED,
    r1=electric.Resistor | Map(R=_R),
    r2=electric.Resistor | Map(R=_R * 15.0 / 10.0),
    r=electric.Resistor | Map(R=_R),
    c=electric.Capacitor | Map(C=15.0 / 10.0 / (4 * 10.0 * _R), v=Map(init=0.1)),
    ground=electric.Ground,
    connect=[
        ("op_amp1.out", "r2.n", "r.p"),
        ("op_amp1.in_p", "r2.p", "r1.p"),
        ("r.n", "c.n", "op_amp2.in_n"),
        ("c.p", "op_amp2.out", "r1.n"),
        ("ground.p", "op_amp1.in_n", "op_amp2.in_p"),
    ],
)

CONTROLLED_TEMPERATURE = Model(
    description="Thermal.HeatTransfer.Examples.ControlledTemperature, temperatures in K",
    ground=electric.Ground,
    constant_voltage=electric.ConstantVoltage | Map(V=10.0),
    heat_capacitor=heat_transfer.HeatCapacitor | Map(C=1.0, T=Map(init=293.15)),
    resistor=electric.HeatingResistor | Map(R=10.0, T_ref=293.15, alpha=1 / 255),
    fixed_temperature=heat_transfer.FixedTemperature | Map(T=293.15),
    temperature_sensor=heat_transfer.TemperatureSensor,
    thermal_conductor=heat_transfer.ThermalConductor | Map(G=0.1),
    ideal_switch=electric.IdealOpeningSwitch,
    ramp=blocks.Ramp | Map(height=25.0, duration=6.0, offset=273.15 + 25.0, start_time=2.0),
    on_off_controller=blocks.OnOffController | Map(bandwidth=2.0),
    logical_not=blocks.Not,
    connect=[
        ("constant_voltage.n", "resistor.n", "ground.p"),
        ("constant_voltage.p", "ideal_switch.p"),
        ("ideal_switch.n", "resistor.p"),
        ("resistor.heat_port", "thermal_conductor.port_a", "temperature_sensor.port", "heat_capacitor.port"),
        ("thermal_conductor.port_b", "fixed_temperature.port"),
        ("ramp.y", "on_off_controller.reference"),
        ("temperature_sensor.T", "on_off_controller.u"),
        ("on_off_controller.y", "logical_not.u"),
        ("logical_not.y", "ideal_switch.control"),
    ],
)

MOTOR = Model(
    description="Thermal.HeatTransfer.Examples.Motor, its periodic table as pulses",
    winding_loss=blocks.Pulse | Map(amplitude=900.0, offset=100.0, width=40.0, period=600.0, start_time=360.0),
    core_loss=blocks.Constant | Map(k=500.0),
    winding_losses=heat_transfer.PrescribedHeatFlow | Map(T_ref=368.15, alpha=3.03e-3),
    winding=heat_transfer.HeatCapacitor | Map(C=2500.0, T=Map(init=293.15)),
    winding2core=heat_transfer.ThermalConductor | Map(G=10.0),
    core_losses=heat_transfer.PrescribedHeatFlow,
    core=heat_transfer.HeatCapacitor | Map(C=25000.0, T=Map(init=293.15)),
    convection_constant=blocks.Constant | Map(k=25.0),
    convection=heat_transfer.Convection,
    environment=heat_transfer.FixedTemperature | Map(T=293.15),
    connect=[
        ("winding_loss.y", "winding_losses.Q_flow"),
        ("core_loss.y", "core_losses.Q_flow"),
        ("winding_losses.port", "winding.port", "winding2core.port_a"),
        ("winding2core.port_b", "core_losses.port", "core.port", "convection.solid"),
        ("convection_constant.y", "convection.Gc"),
        ("convection.fluid", "environment.port"),
    ],
)

MULTIVIBRATOR = Model(
    description="Electrical.Analog.Examples.OpAmps.Multivibrator",
    op_amp=_SUPPLIED,
    r1=electric.Resistor | Map(R=_R),
    r2=electric.Resistor | Map(R=_R),
    r=electric.Resistor | Map(R=_R),
    c=electric.Capacitor | Map(C=1 / 10.0 / (2 * _R * log(3.0)), v=Map(init=1.0)),
    ground=electric.Ground,
    connect=[
        ("op_amp.out", "r.p", "r2.p"),
        ("op_amp.in_n", "r.n", "c.p"),
        ("op_amp.in_p", "r2.n", "r1.p"),
        ("ground.p", "r1.n", "c.n"),
    ],
)
