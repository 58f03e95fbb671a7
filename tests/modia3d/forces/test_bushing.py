"""Bushing: its three laws of rotation, against final states of Modia3D, energy and closed forms."""

import math

import numpy as np
import pytest

from modia3d import Bushing, FreeMotion, Model3D, Revolute, UniformGravity
from modiapy import ModelError, Table1D, instantiate

from ..scenes import assert_constant, body, energy, free, run, world

pytestmark = pytest.mark.white_box

FINAL = {
    True: (
        *(-0.013214812736859366, 0.0005523898753356359, -0.04904666002334838),
        *(0.0757946142513073, 0.003341416782112683, -4.954082753506823e-5),
        *(-0.056708142772310295, 0.0009597147602342456, 4.340509280339362e-5),
        *(0.3809257838547459, 0.001097814904879805, -0.00018842580793933223),
    ),
    False: (
        *(-0.01321449035293881, 0.0005522522622707078, -0.04904666423238891),
        *(0.07579225811468479, 0.0033409499586830368, -4.943166272627969e-5),
        *(-0.008049782190986742, 0.00034916853581158153, 1.460039207707777e-6),
        *(0.04510769348383226, 0.0018233644599616554, 9.80056841368889e-6),
    ),
}
"""Final states of Modia3D's BoxBushing (tolerance 1e-6) with and without large angles: position, velocity, angles, w."""


@pytest.mark.parametrize("large_angles", [True, False])
def test_box_ends_as_in_modia3d(large_angles):
    result = run(
        5.0,
        tolerance=1e-8,
        world=world(UniformGravity(n="-z")),
        box=body(),
        joint=FreeMotion("world", "box", (0.2, 0.1, 0.05), (0.8, 0.4, 0.2) if large_angles else (0.12, 0.06, 0.03)),
        force=Bushing(
            "world",
            "box",
            (lambda p: 50.0 * p, 100.0, 200.0),
            (1.0, Table1D([[-1.0, -2.0], [1.0, 2.0]]), 4.0),
            (5.0, 10.0, lambda a: 20.0 * a),
            (0.1, lambda w: 0.2 * w, 0.4),
            large_angles=large_angles,
        ),
    )
    R = result["box.R_abs"][-1]
    angles = math.atan2(-R[1, 2], R[2, 2]), math.asin(R[0, 2]), math.atan2(-R[0, 1], R[0, 0])
    end = [*result["box.r_abs"][-1], *result["box.v_abs"][-1], *angles, *(R.T @ result["box.w_abs"][-1])]
    assert end == pytest.approx(FINAL[large_angles], abs=2e-5)


@pytest.mark.parametrize("work_conjugate", [True, False])
def test_only_the_work_conjugate_law_keeps_the_energy_at_large_angles(work_conjugate):
    result = run(
        2.0,
        tolerance=1e-11,
        world=world(),
        box=free(rotation=(0.9, 0.5, 0.6), angular_velocity=(0.5, 0.4, -1.0)),
        bushing=Bushing("world", "box", rotational_stiffness=(5, 10, 20), large_angles=True, work_conjugate=work_conjugate),
    )
    if work_conjugate:
        assert_constant(energy(result), 1e-8)
    else:
        assert np.ptp(energy(result)) > 0.01


@pytest.mark.parametrize("mode", [{}, {"large_angles": True}, {"large_angles": True, "work_conjugate": True}])
def test_all_laws_are_the_same_about_one_axis_of_small_angles(mode):
    stiffness, damping, inertia, start = 3.0, 0.2, 0.1, 1e-4
    result = run(
        1.0,
        tolerance=1e-12,
        world=world(),
        box=body(inertia=inertia),
        joint=Revolute("world", "box", "y", phi=start),
        force=Bushing("world", "box", rotational_stiffness=(0, stiffness, 0), rotational_damping=(0, damping, 0), **mode),
    )
    decay, omega = damping / (2 * inertia), math.sqrt(stiffness / inertia - (damping / (2 * inertia)) ** 2)
    t = result.time
    expected = start * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    assert result["joint.phi"] == pytest.approx(expected, abs=1e-5 * start)


def test_nonlinear_springs_in_all_directions_keep_the_energy():
    stop = Table1D([[-0.2, -40.0], [-0.1, -1.0], [0.0, 0.0], [0.1, 1.0], [0.2, 40.0]], interpolation="monotone")
    result = run(
        1.0,
        world=world(UniformGravity(n="-z")),
        box=free(translation=(0.15, 0.1, 0.05), rotation=(0.5, 0.4, 0.2), angular_velocity=(0.5, 0.4, -1.0)),
        bushing=Bushing(
            "world",
            "box",
            (stop, lambda s: 100.0 * s + 2000.0 * s**3, 200.0),
            rotational_stiffness=(lambda a: 5.0 * math.sinh(a), 10.0, stop),
            nominal_force=(1.0, 2.0, 3.0),
            large_angles=True,
            work_conjugate=True,
        ),
    )
    assert_constant(energy(result), 1e-7)


def test_mistakes_are_refused_by_name():
    def refused(match, **fields):
        with pytest.raises(ModelError, match=match):
            instantiate(Model3D(world=world(), box=free(), force=Bushing("world", "box", **fields)))

    refused(r"work_conjugate of Bushing.*large_angles=False.*Set large_angles=True", work_conjugate=True)
    refused(r"stiffness of Bushing.*three numbers", stiffness=(1.0, 2.0))
    refused(r"damping\[1\] of Bushing.*at least 0", damping=(1.0, -2.0, 0.0))
    refused(r"stiffness\[0\] of Bushing.*'<lambda>' does not fit.*2 arguments", stiffness=(lambda a, b: a, 0.0, 0.0))
    refused(r"the function '<lambda>' cannot be compiled", stiffness=(lambda s: s.real_part, 0.0, 0.0))
