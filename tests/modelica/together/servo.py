"""A servo drive in Modelica source, and the same one written in Python."""

from modiapy import Map, Model, Var, When
from modiapy.library import rotational
from modiapy.library.flanges import RotationalFlange

SOURCE = """within ;
package Servo "A servo drive, with connectors of its own"
  connector Flange
    Real phi(unit = "rad");
    flow Real tau(unit = "N.m");
  end Flange;
  connector RealInput = input Real;

  model Inertia
    parameter Real J(unit = "kg.m2") = 1;
    Flange flange_a;
    Flange flange_b;
    Real w(unit = "rad/s", start = 0, fixed = true);
    Real phi(unit = "rad", start = 0, fixed = true);
  equation
    phi = flange_a.phi;
    phi = flange_b.phi;
    w = der(phi);
    J*der(w) = flange_a.tau + flange_b.tau;
  end Inertia;

  model Gear
    parameter Real ratio = 1;
    Flange flange_a;
    Flange flange_b;
  equation
    flange_a.phi = ratio*flange_b.phi;
    0 = ratio*flange_a.tau + flange_b.tau;
  end Gear;

  model SpringDamper
    parameter Real c(unit = "N.m/rad");
    parameter Real d(unit = "N.m.s/rad");
    Flange flange_a;
    Flange flange_b;
    Real phi_rel = flange_b.phi - flange_a.phi;
  equation
    flange_b.tau = c*phi_rel + d*der(phi_rel);
    flange_a.tau = -flange_b.tau;
  end SpringDamper;

  model Torque
    input Real tau(unit = "N.m");
    Flange flange;
  equation
    flange.tau = -tau;
  end Torque;

  model Controller "PI, sampled, with limits"
    parameter Real k = 1;
    parameter Real T(unit = "s") = 1;
    parameter Real limit(unit = "N.m") = 1;
    parameter Real period(unit = "s") = 0.01;
    Real sum(start = 0, fixed = true);
    discrete Real command(start = 0, fixed = true);
    input Real error;
  equation
    when sample(0, period) then
      sum = pre(sum) + error*period/T;
      command = max(-limit, min(limit, k*(error + sum)));
    end when;
  end Controller;

  model Drive
    parameter Real J(unit = "kg.m2") = 0.002 "of the rotor";
    parameter Real ratio = 20 "of the gear";
    parameter Real tau_max(unit = "N.m") = 40 "at the side of the load";
    parameter Real c(unit = "N.m/rad") = 4000 "stiffness of the gear";
    RealInput w_ref "wanted speed of the load";
    output Real current = controller.command/0.1;
    Flange flange "of the load";
    Inertia rotor(J = J);
    Torque motor(tau = controller.command);
    Gear gear(ratio = ratio);
    SpringDamper spring(c = c, d = c/200);
    Controller controller(k = 0.5, T = 0.1, limit = tau_max/ratio, error = ratio*w_ref - rotor.w);
  equation
    connect(motor.flange, rotor.flange_a);
    connect(rotor.flange_b, gear.flange_a);
    connect(gear.flange_b, spring.flange_a);
    connect(spring.flange_b, flange);
  end Drive;
end Servo;
"""

_Controller = Model(
    k=0.5,
    T=0.1,
    limit=1.0,
    sum=Var(init=0.0),
    command=Var(init=0.0),
    error=Var(input=True),
    equations=[
        When("sample(0, 0.01)", ["sum = pre(sum) + error*0.01/T", "command = max(-limit, min(limit, k*(error + sum)))"])
    ],
)

Written = Model(
    J=0.002,
    ratio=20.0,
    tau_max=40.0,
    c=4000.0,
    w_ref=Var(input=True),
    flange=RotationalFlange,
    rotor=rotational.Inertia | Map(J="J", phi=Var(init=0.0), w=Var(init=0.0)),
    motor=rotational.Torque,
    gear=rotational.IdealGear | Map(ratio="ratio"),
    spring=rotational.SpringDamper | Map(c="c", d="c/200"),
    controller=_Controller | Map(limit="tau_max/ratio"),
    equations=["controller.error = ratio*w_ref - rotor.w", "motor.tau = controller.command"],
    connect=[
        ("motor.flange", "rotor.flange_a"),
        ("rotor.flange_b", "gear.flange_a"),
        ("gear.flange_b", "spring.flange_a"),
        ("spring.flange_b", "flange"),
    ],
)
"""The same drive in Python."""
