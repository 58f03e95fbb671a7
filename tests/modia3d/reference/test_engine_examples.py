"""Engines of `Modelica.Mechanics.MultiBody.Examples.Loops` with gas and load, of joints and of assemblies.

Newton's law of the one angle, by geometry alone, agrees with the published results (Dymola, tolerance 1e-6;
repository modelica/MAP-LIB_ReferenceResults, the files of these names) to 2e-5 of their range, ours with both.
"""

import numpy as np
import pytest

from modia3d import Model3D
from modiapy import instantiate

from .engines import engine1b, engine1b_analytic, engine_v6, engine_v6_analytic, single, six, six_analytic

pytestmark = pytest.mark.white_box

# fmt: off
ONE = {
    0.05: (1.150798791, 44.84560107), 0.1: (4.001048394, 59.7858929), 0.15: (6.710019824, 55.09499457),
    0.2: (10.31226988, 77.66463916), 0.25: (14.05304877, 84.86714957), 0.3: (18.55718841, 87.29352623),
    0.35: (23.49947133, 101.4250896), 0.4: (28.85006067, 116.8291922), 0.45: (34.6871331, 127.6204312),
    0.5: (41.03015495, 137.0892),
}
"""Published angle and speed of the inertia."""
SIX = {
    "EngineV6": {
        0.0: (0.0, 10.0, 563.1862355, 563.1862355),
        0.0505: (1.543848914, 51.96531017, 826.3829416, 750.0883261),
        0.101: (5.18006336, 92.07754569, 808.6130218, 811.1437615),
        0.1515: (10.84855552, 132.1686833, 824.0802529, 819.6487454),
        0.202: (18.51303726, 171.400226, 842.0329568, 827.9571115),
    },
    "EngineV6_analytic": {
        0.0: (0.0, 10.0, 238.0561489, 238.0561489),
        0.0505: (0.8335469591, 23.22541075, 263.7366129, 256.454423),
        0.101: (2.331812371, 36.13567462, 257.963123, 260.0774875),
        0.1515: (4.488282159, 49.13867773, 259.6935477, 261.1109055),
        0.202: (7.297021545, 62.02526986, 261.9694664, 262.1298086),
    },
}
"""Published angle and speed of the load, and both states of the filter."""
# fmt: on


def at_points(result, times, *signals):
    """Values at these times, of which each is an output point."""
    rows = [int(np.argmin(np.abs(result.time - t))) for t in times]
    assert result.time[rows] == pytest.approx(np.array([*times]), abs=1e-12)
    return np.column_stack([result[name][rows] for name in signals])


def agree(found, expected, part):
    """Each column within a part of its range."""
    assert (np.abs(found - expected).max(axis=0) < part * np.ptp(expected, axis=0)).all()


@pytest.mark.parametrize("make", [engine1b, engine1b_analytic])
def test_one_cylinder_with_gas(make):
    """Both models begin at the dead centre, where a relation has to be decided at a speed that is zero but for rounding."""
    result = instantiate(Model3D(**make())).simulate(0.5, tolerance=1e-9, interval=0.05)
    found = at_points(result, ONE, "inertia.phi", "inertia.w")
    agree(found, np.array([*ONE.values()]), 3e-5)
    agree(found, np.column_stack(single().motion([*ONE])), 1e-6)
    assert result.segments[0].info["dof"] == 1


@pytest.mark.parametrize(("make", "name", "alone"), [
    (engine_v6, "EngineV6", six), (engine_v6_analytic, "EngineV6_analytic", six_analytic)
])  # fmt: skip
def test_six_cylinders_with_gas_and_load(make, name, alone):
    """Seven driven joints of six planar loops move with one degree of freedom; they begin as fast as the load."""
    points = SIX[name]
    result = instantiate(Model3D(**make())).simulate(0.202, tolerance=1e-8, interval=0.0505)
    found = at_points(result, points, "load.phi", "load.w", "filter.x1", "filter.x2")
    agree(found, np.array([*points.values()]), np.array((3e-5, 3e-5, 2e-4, 2e-4)))
    agree(found[:, :2], np.column_stack(alone().motion([*points])), 1e-5)
    assert result.segments[0].info["dof"] == 1
    assert result["mechanics.constraint_residual"].max() < 1e-12


def test_six_cylinders_begin_alike_whichever_joints_are_cut():
    """The pistons are below their guesses, on the right side of the shaft, and all move as the load says."""
    cut, other = (instantiate(Model3D(**engine_v6(cut))).simulate(0.0) for cut in (True, False))
    for k in range(1, 7):
        moves = abs(cut[f"cylinder{k}.cylinder.v"][0]) > 1e-9  # at a dead centre rounding chooses the curve of the gas
        for name in ("cylinder.s", "cylinder.v", *(("gasForce.f",) if moves else ())):
            assert other[f"cylinder{k}.{name}"][0] == pytest.approx(cut[f"cylinder{k}.{name}"][0], rel=1e-9, abs=1e-9)
        assert -1e-9 < cut[f"cylinder{k}.cylinder.s"][0] < 0.22 + 1e-9
