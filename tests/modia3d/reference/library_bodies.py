"""Bodies as the Modelica library has them: of steel, from the origin of their frame to a point."""

import math

import numpy as np

from modia3d import Object3D, UniformGravity

from ..scenes import body, world

G, STEEL = 9.80665, 7700.0
EARTH = {"world": world(UniformGravity(G, "-y"))}


def mass_of(r, diameter=None, width=None, height=None):
    """Mass, moments of inertia about and across its axis (about x for boxes) of a steel cylinder or box along a vector."""
    L = math.hypot(*r)
    if diameter is not None:
        mass = STEEL * math.pi / 4.0 * diameter**2 * L
        return mass, mass * diameter**2 / 8.0, mass * (diameter**2 / 16.0 + L**2 / 12.0)
    mass = STEEL * L * width * height
    return mass, None, mass * (L**2 + height**2) / 12.0


def cylinder(r, diameter=0.05):
    """A cylinder from the origin of its frame to a point."""
    mass, around, across = mass_of(r, diameter)
    e = np.array(r) / math.hypot(*r)
    I = across * np.eye(3) + (around - across) * np.outer(e, e)
    return body(mass, (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]), tuple(0.5 * np.array(r)))


def box(r, width, height):
    """A box along y from the origin of its frame, with its width along x."""
    mass, _, I_x = mass_of(r, width=width, height=height)
    L = math.hypot(*r)
    moments = (I_x, mass * (width**2 + height**2) / 12.0, mass * (L**2 + width**2) / 12.0)
    return body(mass, moments, tuple(0.5 * np.array(r)))


def at(parent, *r):
    return Object3D(parent=parent, translation=r)


def part(made, parent, *r):
    """A body fixed to a frame, there or at a place."""
    return Object3D(feature=made["feature"], parent=parent, translation=r or (0.0, 0.0, 0.0))


def turned(parent, angle, *r):
    """A frame turned about x."""
    return Object3D(parent=parent, translation=r or (0.0, 0.0, 0.0), rotation=(angle, 0.0, 0.0))
