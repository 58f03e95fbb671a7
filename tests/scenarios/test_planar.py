"""The planar crane on a carriage: its motion by Lagrange's equations, and where its container is in space."""

import numpy as np
import sympy

from tests.modiapy.library.planar.independent import Mechanism


def test_the_container_swings_as_a_pendulum_on_a_trolley_and_travels(simulated):
    result = simulated("planar")
    s, phi = sympy.symbols("s phi")
    load = (0.5, 0.5 * 0.3**2 / 6.0, s + sympy.sin(phi), -sympy.cos(phi), phi)
    crane = Mechanism([s, phi], [(1.0, 0.1, s, 0, 0), load])
    begins = [0.0, 2.6179938779915], [0.0, 0.0]
    x = crane.motion(*begins, result.time, lambda t, q, v: [-10.0 * v[0], 0.0])
    found = np.column_stack([result[name] for name in ("prismatic.s", "revolute.phi")])
    np.testing.assert_allclose(found, x[:, :2], atol=1e-5)
    in_plane = np.column_stack([x[:, 0] + np.sin(x[:, 1]), -np.cos(x[:, 1]), 0.2 * result.time - 0.2])
    turned = np.array([[1.0, 0.0, 1.0], [0.0, np.sqrt(2.0), 0.0], [-1.0, 0.0, 1.0]]) / np.sqrt(2.0)
    np.testing.assert_allclose(result["container.r_abs"], in_plane @ turned.T, atol=1e-5)
    np.testing.assert_allclose(result["planar_world.g"], np.broadcast_to([0.0, -9.81], (len(result.time), 2)), atol=1e-12)
