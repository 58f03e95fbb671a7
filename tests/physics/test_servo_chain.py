"""The servo with a rigid gear, many times: a chain of joints with one linear system of equations of as many unknowns."""

import numpy as np
import pytest

from modia3d.dynamics import Dynamics
from modiapy import Map, Model, instantiate, redeclare
from modiapy.library.drives import ElasticDrive
from modiapy.symbolic.codegen.systems import Solver
from modiapy.symbolic.sorted.parts import LinearBlock

from .chain import J_MOTOR, K_P, K_PI, RATIO, T_PI, chain, equations_of_motion, model_of

pytestmark = pytest.mark.white_box

SIZES = (7, 14, 28, 56)


@pytest.fixture(scope="module")
def simulations():
    return {n: instantiate(model_of(chain(n)), f"chain of {n}") for n in SIZES}


def exponent(sizes):
    """Of the power law through sizes (bytes) that belong to `SIZES`."""
    return np.polyfit(np.log(SIZES), np.log(sizes), 1)[0]


def test_there_is_one_system_of_as_many_equations_as_joints(simulations):
    for n, simulation in simulations.items():
        blocks = [block for block in simulation.sorted.blocks if isinstance(block, LinearBlock)]
        assert [len(block.unknowns) for block in blocks] == [n]
        assert Solver.DIVISION not in {system.solver for system in simulation.compiled.systems}
        assert len(simulation.states) == 3 * n


def test_bytes_of_the_linear_equation_iteration_grow_linearly(simulations):
    sizes = [simulation.compiled.linear_iteration_bytes for simulation in simulations.values()]
    per_joint = (np.diff(sizes) / np.diff(SIZES))[1:]  # from `DAE_SIZE` joints on there is one part more, the residual form
    assert 0.8 <= exponent(sizes) <= 1.1
    assert per_joint.max() <= 1.25 * per_joint.min()


def test_bytes_of_all_machine_code_grow_linearly(simulations):
    assert exponent([simulation.compiled.code_bytes for simulation in simulations.values()]) <= 1.1


def assert_accelerations(c, result, rows):
    names = range(c.n)
    for row in rows:
        q, v, a, tau = (
            np.array([result[signal.format(k)][row] for k in names])
            for signal in ("joint{}.phi", "joint{}.w", "der(joint{}.w)", "drive{}.torque.tau")
        )
        M, h = equations_of_motion(c, q, v)
        expected = np.linalg.solve(M + J_MOTOR * RATIO**2 * np.eye(c.n), RATIO * tau - h)
        scale = np.abs(expected).max()
        assert scale > 0.0
        assert np.abs(a - expected).max() <= 1e-10 * scale


@pytest.mark.parametrize("seed", range(3))
def test_seven_joints_accelerate_as_the_mass_matrix_says(seed):
    c = chain(7, seed)
    result = instantiate(model_of(c)).simulate(1.0, tolerance=1e-8, interval=0.02)
    assert np.ptp(result["joint3.phi"]) > 0.05
    assert np.abs(result["joint3.w"]).max() > 0.1
    assert_accelerations(c, result, range(0, result.time.size, 4))


@pytest.mark.parametrize("n", SIZES[1:])
def test_long_chains_accelerate_as_the_mass_matrix_says(simulations, n):
    result = simulations[n].simulate(0.3, tolerance=1e-6, interval=0.1)
    assert_accelerations(chain(n), result, [0, result.time.size // 2, -1])


def test_our_mass_matrix_is_that_of_plain_numpy(simulations):
    """The kernels by themselves at the end of a simulation: a second way to the same numbers."""
    c = chain(7)
    result = simulations[7].simulate(1.0, tolerance=1e-8)
    forest = simulations[7].last.components[""].forest
    d = Dynamics(forest.ints, forest.floats, forest.gravity)
    d.q[:] = [result[f"joint{k}.phi"][-1] for k in range(7)]
    d.v[:] = [result[f"joint{k}.w"][-1] for k in range(7)]
    d.mass_matrix()
    d.bias()
    M, h = equations_of_motion(c, d.q, d.v)
    np.testing.assert_allclose(d.M, M, rtol=0.0, atol=1e-12 * np.abs(M).max())
    np.testing.assert_allclose(d.h, h, rtol=0.0, atol=1e-12 * np.abs(h).max())


def test_motion_of_a_rigid_gear_is_the_limit_of_stiff_ones():
    """Rigid gears by elimination and elastic ones by springs are two models of one robot: they differ as 1/c."""
    c = chain(3)
    rigid = instantiate(model_of(c)).simulate(1.0, tolerance=1e-9)
    differences = []
    for stiffness in (1e5, 1e6):
        elastic = ElasticDrive | Map(
            ratio=RATIO, J_motor=J_MOTOR, k_p=K_P, k_pi=K_PI, T_pi=T_PI, c=stiffness, d=1e-2 * stiffness
        )
        model = model_of(c) | Model({f"drive{k}": redeclare(elastic) for k in range(3)})
        result = instantiate(model).simulate(1.0, tolerance=1e-9)
        differences.append(max(abs(result[f"joint{k}.phi"][-1] - rigid[f"joint{k}.phi"][-1]) for k in range(3)))
    assert differences[0] < 1e-3
    assert differences[1] == pytest.approx(0.1 * differences[0], rel=0.1)
