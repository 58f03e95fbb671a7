"""Initial equations of a robot: it begins in the equilibrium of springs and weight."""

import numpy as np
import pytest
from scipy.optimize import fsolve

from modia3d import Box, MassProperties, Model3D, Object3D, RevoluteWithFlange, Scene, Solid
from modiapy import Map, Model, Var, instantiate

SPRING = Model(
    flange=Model(phi=Var(potential=True), tau=Var(flow=True)), c=1.0, phi0=0.0, equations=["flange.tau = c*(flange.phi - phi0)"]
)
FREE = {"phi": Var(init=None, start=0.5), "w": Var(init=None)}


def arm():
    """Two bars of length 1 m and mass 2 kg that hang on each other, with springs in the joints."""
    properties = MassProperties(mass=2.0, Ixx=0.1, Iyy=0.1, Izz=0.2)
    return Model3D(
        world=Object3D(feature=Scene()),
        bar1=Object3D(feature=Solid(shape=Box(0.1, 1.0, 0.1), mass_properties=properties)),
        top1=Object3D(parent="bar1", translation=(0.0, 0.5, 0.0)),
        end1=Object3D(parent="bar1", translation=(0.0, -0.5, 0.0)),
        bar2=Object3D(feature=Solid(shape=Box(0.1, 1.0, 0.1), mass_properties=properties)),
        top2=Object3D(parent="bar2", translation=(0.0, 0.5, 0.0)),
        rev1=RevoluteWithFlange(obj1="world", obj2="top1", axis="z", **FREE),
        rev2=RevoluteWithFlange(obj1="end1", obj2="top2", axis="z", **FREE),
        spring1=SPRING | Map(c=30.0, phi0=1.0),
        spring2=SPRING | Map(c=12.0, phi0=0.7),
        connect=[("spring1.flange", "rev1.flange"), ("spring2.flange", "rev2.flange")],
        initial_equations=["rev1.w = 0", "rev2.w = 0", "der(rev1.w) = 0", "der(rev2.w) = 0"],
    )


def equilibrium(c1=30.0, phi1=1.0, c2=12.0, phi2=0.7, m=2.0, g=9.81):
    def torques(q):
        a, b = q[0], q[0] + q[1]
        second = 0.5 * m * g * np.sin(b)
        return [c1 * (phi1 - q[0]) - second - 1.5 * m * g * np.sin(a), c2 * (phi2 - q[1]) - second]

    return fsolve(torques, [0.5, 0.5], xtol=1e-13)


def test_the_arm_begins_at_rest_in_its_equilibrium():
    sim = instantiate(arm())
    result = sim.simulate(2.0, tolerance=1e-9)
    expected = equilibrium()
    assert [result["rev1.phi"][0], result["rev2.phi"][0]] == pytest.approx(expected, abs=1e-10)
    np.testing.assert_allclose(result["rev1.phi"], expected[0], atol=1e-6)
    np.testing.assert_allclose(result["rev2.w"], 0.0, atol=1e-5)


def test_the_equilibrium_follows_merged_parameters():
    result = instantiate(arm()).simulate(0.1, merge=Map(spring1=Map(c=50.0), spring2=Map(phi0=-0.2)))
    expected = equilibrium(c1=50.0, phi2=-0.2)
    assert [result["rev1.phi"][0], result["rev2.phi"][0]] == pytest.approx(expected, abs=1e-9)
    assert result.statistics["compilations_after_start"] == 0
