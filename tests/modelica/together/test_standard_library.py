"""Components of the Modelica Standard Library on a joint of a multibody system, where the library is at hand (MODELICAPATH)."""

import numpy as np
import pytest

from modia3d import Box, MassProperties, Model3D, NoGravity, Object3D, RevoluteWithFlange, Scene, Solid
from modiapy import Map, Model, Var, instantiate
from modiapy.library import rotational

from .conftest import Loaded

pytestmark = pytest.mark.white_box

SOURCE = """
model Drive
  import Modelica.Mechanics.Rotational;
  parameter Modelica.Units.SI.Inertia J = 0.01;
  parameter Real ratio = 10;
  Modelica.Blocks.Interfaces.RealInput tau;
  Modelica.Blocks.Interfaces.RealOutput w = rotor.w;
  Rotational.Interfaces.Flange_b flange;
  Rotational.Sources.Torque torque;
  Rotational.Components.Inertia rotor(J = J, phi(fixed = true, start = 0), w(fixed = true, start = 0));
  Rotational.Components.IdealGear gear(ratio = ratio);
  Rotational.Components.SpringDamper spring(c = 500, d = 2);
  Modelica.Blocks.Nonlinear.Limiter limiter(uMax = 2);
equation
  connect(tau, limiter.u);
  connect(limiter.y, torque.tau);
  connect(torque.flange, rotor.flange_a);
  connect(rotor.flange_b, gear.flange_a);
  connect(gear.flange_b, spring.flange_a);
  connect(spring.flange_b, flange);
end Drive;
"""

WRITTEN = Model(
    tau=Var(input=True),
    J=0.02,
    torque=rotational.Torque,
    rotor=rotational.Inertia | Map(J="J", phi=Var(init=0.0), w=Var(init=0.0)),
    gear=rotational.IdealGear | Map(ratio=10.0),
    spring=rotational.SpringDamper | Map(c=500.0, d=2.0),
    equations=["torque.tau = max(-2, min(2, tau))"],
    connect=[
        ("torque.flange", "rotor.flange_a"),
        ("rotor.flange_b", "gear.flange_a"),
        ("gear.flange_b", "spring.flange_a"),
    ],
)


def test_a_drive_of_its_components_moves_a_joint(loaded: Loaded) -> None:
    pytest.importorskip("rumoca")
    from modiapy.modelica.frontend.libraries import find_libraries

    if "Modelica" not in find_libraries():
        pytest.skip("MODELICAPATH does not lead to the Modelica Standard Library")
    properties = MassProperties(mass=3.0, Ixx=0.1, Iyy=0.2, Izz=0.3)
    results = []
    for drive, flange in (
        (loaded(SOURCE, "Drive", libraries=None) | Map(J=0.02), "drive.flange"),
        (WRITTEN, "drive.spring.flange_b"),
    ):
        model = Model3D(
            world=Object3D(feature=Scene(gravity=NoGravity())),
            link=Object3D(feature=Solid(shape=Box(1.0, 0.1, 0.1), mass_properties=properties)),
            joint=RevoluteWithFlange(obj1="world", obj2="link", axis="z", phi=Var(init=0.0), w=Var(init=0.0)),
            drive=drive,
            equations=["drive.tau = 5*sin(3*time)"],
            connect=[(flange, "joint.flange")],
        )
        results.append(instantiate(model).simulate(2.0, tolerance=1e-10))
    ours, theirs = results[1], results[0]
    assert theirs["drive.w"] == pytest.approx(theirs["drive.rotor.w"])
    assert theirs["joint.phi"] == pytest.approx(np.interp(theirs.time, ours.time, ours["joint.phi"]), abs=1e-4)
    assert np.ptp(theirs["joint.phi"]) > 1.0
