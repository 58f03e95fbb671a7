"""Closed mechanisms do not know about our choices: which joint is cut, order, plane, unit; they keep energy and stay closed."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import loop_mechanisms as mechanisms
from benchmarks.loop_model import Ours, model
from benchmarks.loop_reference import grid, reference
from modia3d import MassProperties, Model3D, Object3D, Revolute, Scene, Solid, Sphere, UniformGravity
from modia3d.scene.basics.rotations import cardan_matrix
from modiapy import instantiate

pytestmark = pytest.mark.white_box

SHORT = {
    "four-bars": mechanisms.four_bars(2, 1.5),
    "Bricard": mechanisms.bricard(1.5),
    "engine V6": mechanisms.engine_v6(0.3),
    "arm": mechanisms.arm(0.5),
}
POINTS = 5


def moved(m, R, scale=1.0):
    """The same mechanism turned, in another unit of length."""

    def v(vector):
        return scale * R @ vector

    def turned(I):
        return R @ I @ R.T

    bodies = [replace(b, centre=v(b.centre), origin=v(b.origin), inertia=scale**2 * turned(b.inertia)) for b in m.bodies]
    joints = [replace(joint, point=v(joint.point), axis=R @ joint.axis) for joint in m.joints]
    probes = [(name, v(point)) for name, point in m.probes]
    return replace(m, bodies=bodies, joints=joints, probes=probes, gravity=v(m.gravity), size=scale * m.size)


def trajectory(made, m, tolerance=1e-10):
    """Positions of the probes, shape (points, probes, 3)."""
    result = instantiate(made).simulate(m.stop_time, tolerance=tolerance, interval=m.stop_time / POINTS)
    last = [int(np.flatnonzero(np.abs(result.time - t) < 1e-9)[-1]) for t in grid(m, POINTS)]
    return np.stack([result[f"probe{k}.r_abs"][last] for k in range(len(m.probes))], axis=1), result


@pytest.fixture(scope="module", params=list(SHORT))
def case(request):
    """A mechanism and its motion."""
    m = SHORT[request.param]
    found, result = trajectory(model(m), m)
    return m, found, result


def test_it_moves_as_the_reference(case):
    m, found, result = case
    assert np.ptp(found, axis=0).max() > 0.1 * m.size
    assert found == pytest.approx(reference(m, grid(m, POINTS)), abs=1e-7 * m.size)
    assert [record.info["dof"] for record in result.segments] == [1]


def test_any_joint_may_be_cut(case):
    """The first, one in the middle and the last one of those that the engine did not choose alone."""
    m, found, _ = case
    able = [joint.name for joint in m.joints if joint.kind == "revolute"]
    for name in {able[0], able[len(able) // 2], able[-1]}:
        made = model(m)
        made[name]["cut"] = True
        assert trajectory(made, m)[0] == pytest.approx(found, abs=1e-7 * m.size), name


def test_the_order_of_declaration_does_not_matter(case):
    m, found, _ = case
    other = replace(m, joints=m.joints[::-1])
    entries = model(m)
    joints = [joint.name for joint in m.joints]
    made = Model3D(
        **{name: entry for name, entry in entries.items() if name not in joints and not name.startswith("_")},
        **{joint.name: entries[joint.name] for joint in other.joints},
    )
    assert trajectory(made, m)[0] == pytest.approx(found, abs=1e-7 * m.size)


@pytest.mark.parametrize(("angles", "scale"), [((0.4, -1.1, 2.0), 1.0), ((0.0, 0.0, 0.0), 1e3), ((2.0, 0.7, -0.3), 1e-3)])
def test_neither_plane_nor_unit_matter(case, angles, scale):
    m, found, _ = case
    R = cardan_matrix(*angles)
    other = moved(m, R, scale)
    assert trajectory(model(other), other, 1e-10)[0] == pytest.approx(scale * found @ R.T, abs=1e-7 * other.size)


def pendulum(m):
    """A body that moves as the rockers of one four-bar: inertia 5/3 kg.m2 about the foot, first moment 2 kg.m."""
    properties = MassProperties(3.0, (2.0 / 3.0, 0.0, 0.0), 1e-3, 1.0 / 3.0, 1.0 / 3.0)
    return Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(g=9.81, n="-y"))),
        body=Object3D(feature=Solid(shape=Sphere(0.1), mass_properties=properties)),
        foot=Revolute("world", "body", "z", phi=np.pi / 2.0, w=m.speed),
    )


def drift(result):
    """Change of energy over time, at most."""
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    return np.abs(energy - energy[0]).max()


def test_four_bars_stay_closed_and_keep_their_energy():
    """100 s at 1e-8, through a hundred positions in line; the energy drifts at most as 10 times that of a pendulum."""
    m = mechanisms.four_bars(1, 100.0)
    ours = Ours(m, 200)
    ours.run(1e-8)
    assert ours.residual < 1e-9
    closed = instantiate(model(m)).simulate(100.0, tolerance=1e-8, interval=0.5)
    open_ = instantiate(pendulum(m)).simulate(100.0, tolerance=1e-8, interval=0.5)
    assert drift(closed) < 10.0 * drift(open_)
