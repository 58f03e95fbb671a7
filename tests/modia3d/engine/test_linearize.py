"""Linear models of multibody systems against Lagrange's equations in closed form."""

import math

import numpy as np
import pytest

from modia3d import MassProperties, Model3D, Object3D, RevoluteWithFlange, Scene, Solid, Sphere, UniformGravity
from modiapy import Model, Var, instantiate

M, G, L1, L2 = 1.5, 9.81, 0.7, 0.4
DRIVE = Model(
    flange=Model(phi=Var(potential=True), tau=Var(flow=True)),
    torque=Var(input=True),
    equations=["flange.tau = -torque"],
)
POINT = Solid(Sphere(0.05), mass_properties=MassProperties(mass=M, Ixx=1e-12, Iyy=1e-12, Izz=1e-12))


def double_pendulum(phi1, phi2):
    """Two point masses on massless rods that turn about z; both angles are relative, and 0 where the rods hang."""
    return Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(g=G, n=(0, -1, 0)))),
        root1=Object3D(),
        mass1=Object3D(parent="root1", translation=(0.0, -L1, 0.0), feature=POINT),
        root2=Object3D(),
        mass2=Object3D(parent="root2", translation=(0.0, -L2, 0.0), feature=POINT),
        rev1=RevoluteWithFlange(obj1="world", obj2="root1", axis="z", phi=Var(init=phi1), w=Var(init=0.0)),
        rev2=RevoluteWithFlange(obj1="mass1", obj2="root2", axis="z", phi=Var(init=phi2), w=Var(init=0.0)),
        drive1=DRIVE,
        drive2=DRIVE,
        tau1=Var(input=True, start=0.0),
        tau2=Var(input=True, start=0.0),
        equations=["drive1.torque = tau1", "drive2.torque = tau2"],
        connect=[("drive1.flange", "rev1.flange"), ("drive2.flange", "rev2.flange")],
    )


def mass_matrix(phi2):
    coupling = M * L1 * L2 * math.cos(phi2)
    b = M * L2**2
    return np.array([[2 * M * L1**2 + b + 2 * coupling, b + coupling], [b + coupling, b]])


def test_a_double_pendulum_that_hangs():
    linear = instantiate(double_pendulum(0.0, 0.0)).linearize(outputs=["mass2.r_abs"])
    order = [linear.states.index(name) for name in ("rev1.phi", "rev2.phi", "rev1.w", "rev2.w")]
    inverse = np.linalg.inv(mass_matrix(0.0))
    stiffness = M * G * np.array([[2 * L1 + L2, L2], [L2, L2]])
    a = linear.A[np.ix_(order, order)]
    assert a[:2] == pytest.approx(np.hstack([np.zeros((2, 2)), np.eye(2)]), abs=1e-8)
    assert a[2:, :2] == pytest.approx(-inverse @ stiffness, rel=1e-7)
    assert a[2:, 2:] == pytest.approx(np.zeros((2, 2)), abs=1e-7)
    columns = [linear.inputs.index(name) for name in ("tau1", "tau2")]
    assert linear.B[np.ix_(order[2:], columns)] == pytest.approx(inverse, rel=1e-7)
    assert linear.outputs == ("mass2.r_abs[0]", "mass2.r_abs[1]", "mass2.r_abs[2]")
    assert linear.C[0, order[:2]] == pytest.approx([L1 + L2, L2], rel=1e-8)


def test_the_steady_state_of_a_double_pendulum_hangs():
    steady = instantiate(double_pendulum(0.3, -0.2)).steady_state()
    assert [steady["rev1.phi"], steady["rev2.phi"]] == pytest.approx([0.0, 0.0], abs=1e-9)
