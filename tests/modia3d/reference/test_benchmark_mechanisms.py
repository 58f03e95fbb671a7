"""Mechanisms of the multibody benchmark library that are not in `benchmarks.loops`: the bicycle, the flyball governor."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from modia3d import (
    Box,
    MassProperties,
    Model3D,
    Object3D,
    PrismaticWithFlange,
    Revolute,
    RodConstraint,
    RollingConstraint,
    Solid,
    SpringDamperPtP,
    UniformGravity,
)
from modiapy import Var, instantiate

from ..scenes import assert_constant, body, energy, run, world

pytestmark = pytest.mark.white_box

G = 9.81


# -- bicycle ------------------------------------------------------------------------------------------------------------------

PUBLISHED = {
    0.0: (-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393),
    1.0: (-7.11008014637442, -3.13423125066578, 3.52696170990070 - 0.80774027519930j, 3.52696170990070 + 0.80774027519930j),
    2.0: (-8.67387984831735, -3.07158645641514, 2.68234517512745 - 1.68066296590675j, 2.68234517512745 + 1.68066296590675j),
    3.0: (-10.3510146724592, -2.63366137253665, 1.70675605663973 - 2.31582447384324j, 1.70675605663973 + 2.31582447384324j),
    4.0: (-12.1586142657644, -1.42944427361326, 0.41325331521125 - 3.07910818603205j, 0.41325331521125 + 3.07910818603205j),
    5.0: (-14.0783896927982, -0.77534188219584 - 4.46486771378823j, -0.77534188219584 + 4.46486771378823j, -0.32286642900409),
}
"""Castering, capsize and weave modes of the benchmark bicycle at a speed [m/s]: J. P. Meijaard, J. M. Papadopoulos, A. Ruina,
A. L. Schwab, Linearized dynamics equations for the balance and steer of a bicycle: a benchmark and review, Proc. R. Soc. A 463
(2007), table 2; all other eigenvalues are zero."""
WEAVE, CAPSIZE = 4.29238253634111, 6.02426201538837
"""Speeds between which it is stable [m/s]; from the same paper."""


def bicycle(v, lean=0.0):
    """Table 1 of the paper, with y to the left and z upwards: frame with a rider, fork, two wheels with sharp edges.

    Args:
        v: speed [m/s]. lean: angular velocity with which it falls over at the start [rad/s].
    """
    base, trail, tilt, rear, front = 1.02, 0.08, math.pi / 10.0, 0.3, 0.35
    rider = MassProperties(85.0, (0.3, 0.0, 0.9), 9.2, 11.0, 2.8, Ixz=-2.4)
    return {
        "world": world(UniformGravity(G, "-z")),
        "frame": Object3D(
            parent="world",
            fixed_to_parent=False,
            velocity=(v, 0.0, 0.0),
            angular_velocity=(lean, 0.0, 0.0),
            orientation="zyx",
            feature=Solid(Box(0.1, 0.1, 0.1), mass_properties=rider),
        ),
        "rear_axle": Object3D(parent="frame", translation=(0.0, 0.0, rear)),
        "head": Object3D(parent="frame", translation=(base + trail, 0.0, 0.0)),
        "fork": body(4.0, (0.05892, 0.06, 0.00708, 0.0, 0.00756, 0.0), (0.9 - base - trail, 0.0, 0.7)),
        "front_axle": Object3D(parent="fork", translation=(-trail, 0.0, front)),
        "rear": body(2.0, (0.0603, 0.12, 0.0603)),
        "front": body(3.0, (0.1405, 0.28, 0.1405)),
        "steer": Revolute("head", "fork", (-math.sin(tilt), 0.0, math.cos(tilt))),
        "rear_turn": Revolute("rear_axle", "rear", "y", w=v / rear),
        "front_turn": Revolute("front_axle", "front", "y", w=v / front),
        "rear_rolls": RollingConstraint("world", "rear", rear),
        "front_rolls": RollingConstraint("world", "front", front),
    }


def modes(v):
    """Eigenvalues of the motion straight on, without those that are zero."""
    found = np.linalg.eigvals(instantiate(Model3D(**bicycle(v))).linearize().A)
    assert np.sort(np.abs(found))[:-4].max() < 1e-3  # of 18: where it is, where it goes, how fast, and what is no freedom
    return found[np.argsort(np.abs(found))[-4:]]


@pytest.mark.parametrize("v", PUBLISHED)
def test_modes_of_a_bicycle_are_the_published_ones(v):
    """The equations of three freedoms and six rows, four of which are not holonomic, linearised by differences."""
    found, expected = modes(v), np.array(PUBLISHED[v])
    for mode in expected:
        assert np.abs(found - mode).min() < 1e-6 * abs(mode)


def test_a_bicycle_is_stable_between_two_speeds():
    def growth(v, oscillating):
        return max(mode.real for mode in modes(v) if (abs(mode.imag) > 1.0) == oscillating)

    assert brentq(growth, 4.2, 4.4, (True,), xtol=1e-7) == pytest.approx(WEAVE, abs=1e-5)
    speeds = np.array((5.8, 5.9, 5.95, 6.1, 6.15, 6.2))  # where it is nearly zero it cannot be told from those that are
    capsize = np.polynomial.Polynomial.fit(speeds, [growth(v, False) for v in speeds], 5)
    assert brentq(capsize, 5.9, 6.1) == pytest.approx(CAPSIZE, abs=1e-5)


def test_a_bicycle_that_is_pushed_rights_itself():
    """The benchmark of the library: 4.6 m/s, falling over with 0.5 rad/s; what it leans is gone, and its speed is higher."""
    result = run(5.0, 1e-8, 250, **bicycle(4.6, 0.5))
    assert result.segments[0].info["dof"] == 3
    lean = np.arcsin(result["frame.R_abs"].reshape(-1, 3, 3)[:, 2, 1])
    assert np.abs(lean).max() > 0.1
    assert np.abs(lean[-25:]).max() < 0.03
    assert_constant(energy(result), 2e-7)
    assert np.linalg.norm(result["frame.v_abs"][-1]) > 4.6
    for wheel, radius in (("rear", 0.3), ("front", 0.35)):
        axis = result[f"{wheel}.R_abs"].reshape(-1, 3, 3)[:, :, 1]
        down = axis[:, 2:] * axis - (0.0, 0.0, 1.0)
        arm = radius * down / np.linalg.norm(down, axis=1)[:, None]
        slip = result[f"{wheel}.v_abs"] + np.cross(result[f"{wheel}.w_abs"], arm)
        assert np.abs(slip).max() < 1e-9
        assert (result[f"{wheel}.r_abs"] + arm)[:, 2] == pytest.approx(0.0, abs=1e-9)


# -- flyball governor ---------------------------------------------------------------------------------------------------------

DENSITY, BALL, SPEED, AWAY = 3000.0, 5.0, 2.0 * math.pi, 0.05
STIFFNESS, DAMPING = 8e5, 4e4


def brick(x, y, z):
    """Mass and moments of inertia of a box."""
    m = DENSITY * x * y * z
    return m, np.array((y * y + z * z, x * x + z * z, x * x + y * y)) * m / 12.0


def governor(**couplers):
    """Problem A05: a shaft, two rods of 1 m with balls at their ends, 30 deg below the horizontal, and a slider."""
    (bar, I_bar), (block, I_block) = brick(0.01, 0.01, 1.0), brick(0.1, 0.1, 0.1)
    J = I_bar[0] + bar * 0.25 + BALL
    centre = (bar * 0.5 + BALL) / (bar + BALL)
    across = J - (bar + BALL) * centre**2
    rod = body(bar + BALL, (I_bar[2], across, across), (centre, 0.0, 0.0))
    parts = {
        "world": world(UniformGravity(G, "-z")),
        "shaft": body(bar, I_bar, (0.0, 0.0, 0.5)),
        "slider": body(block, I_block),
        "turn": Revolute("world", "shaft", "z", w=SPEED),
        "slide": PrismaticWithFlange("shaft", "slider", "z", s=Var(init=0.5), v=Var(init=0.0)),
    }
    for name, side, angle in (("a", 1.0, 0.0), ("b", -1.0, math.pi)):
        parts |= {
            f"top_{name}": Object3D(parent="shaft", translation=(side * AWAY, 0.0, 1.0), rotation=(0.0, 0.0, angle)),
            f"rod_{name}": rod,
            f"hinge_{name}": Revolute(f"top_{name}", f"rod_{name}", "y", phi=math.radians(30.0)),
            f"middle_{name}": Object3D(parent=f"rod_{name}", translation=(0.5, 0.0, 0.0)),
            f"side_{name}": Object3D(parent="slider", translation=(side * AWAY, 0.0, 0.0)),
        }
    return parts | couplers


class Lagrange:
    """The governor by Lagrange's equations in the angle of both rods and the place of the slider; the shaft keeps its angular
    momentum."""

    def __init__(self):
        (self.bar, bar), (self.block, block) = brick(0.01, 0.01, 1.0), brick(0.1, 0.1, 0.1)
        self.around, self.across = bar[2], bar[0]
        self.rest = bar[2] + block[2]
        self.lift = 2.0 * (bar[0] + self.bar * 0.25 + BALL)
        self.momentum = SPEED * self.spin(math.radians(30.0))

    def spin(self, q):
        """Moment of inertia about the shaft; q may be complex."""
        c, s = np.cos(q), np.sin(q)
        rod = self.bar * (AWAY + 0.5 * c) ** 2 + self.around * s**2 + self.across * c**2 + BALL * (AWAY + c) ** 2
        return self.rest + 2.0 * rod

    def on_rods(self, q):
        """Generalized force of weight and rotation on the angle."""
        J = self.spin(q + 1e-30j)
        return 0.5 * J.imag / 1e-30 * (self.momentum / J.real) ** 2 + G * (self.bar + 2.0 * BALL) * math.cos(q)

    def stiff(self, times):
        """Slider and speed of the shaft, with springs."""

        def rates(_, x):
            q, s, w, v = x
            c, d = math.cos(q), math.sin(q)
            across, up = 0.5 * c, 1.0 - 0.5 * d - s
            length = math.hypot(across, up)
            by_q, by_s = (-across * 0.5 * d - up * 0.5 * c) / length, -up / length
            force = STIFFNESS * (length - 0.5) + DAMPING * (by_q * w + by_s * v)
            return w, v, (self.on_rods(q) - 2.0 * force * by_q) / self.lift, -G - 2.0 * force * by_s / self.block

        x = (math.radians(30.0), 0.5, 0.0, 0.0)
        q, s, _, _ = solve_ivp(rates, (0.0, times[-1]), x, "Radau", times, rtol=1e-9, atol=1e-11).y
        return s, self.momentum / self.spin(q)

    def rigid(self, times):
        """The same with rods: the slider is at 1 - sin q."""

        def rates(_, x):
            q, w = x
            c, d = math.cos(q), math.sin(q)
            inertia = self.lift + self.block * c**2
            return w, (self.on_rods(q) + self.block * (c * d * w**2 + G * c)) / inertia

        q, _ = solve_ivp(rates, (0.0, times[-1]), (math.radians(30.0), 0.0), "DOP853", times, rtol=1e-11, atol=1e-12).y
        return 1.0 - np.sin(q), self.momentum / self.spin(q)


def test_flyball_governor_with_stiff_springs():
    couplers = {
        f"spring_{k}": SpringDamperPtP(f"side_{k}", f"middle_{k}", stiffness=STIFFNESS, damping=DAMPING, nominal_length=0.5)
        for k in "ab"
    }
    result = run(10.0, 1e-9, 100, **governor(**couplers))
    s, w = Lagrange().stiff(result.time)
    assert result["slide.s"] == pytest.approx(s, abs=1e-6)
    assert result["turn.w"] == pytest.approx(w, abs=1e-5)
    assert np.ptp(s) > 0.1


def test_flyball_governor_with_rods():
    """The springs replaced by what they stand for: two loops, and two freedoms."""
    couplers = {f"coupler_{k}": RodConstraint(f"side_{k}", f"middle_{k}", 0.5) for k in "ab"}
    result = run(10.0, 1e-9, 100, **governor(**couplers))
    assert result.segments[0].info["dof"] == 2
    s, w = Lagrange().rigid(result.time)
    assert result["slide.s"] == pytest.approx(s, abs=1e-6)
    assert result["turn.w"] == pytest.approx(w, abs=1e-5)
    assert result["mechanics.angular_momentum"][:, 2] == pytest.approx(Lagrange().momentum, rel=2e-7)
    assert_constant(energy(result), 1e-7)
