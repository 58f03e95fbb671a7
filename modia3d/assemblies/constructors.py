"""Constructors for assemblies of a `Model3D`."""

from __future__ import annotations

from .gear import GearConstraint
from .leg import JointUPS
from .rods import SphericalSpherical, UniversalSpherical
from .two_rods import JointRRP, JointRRR, JointSSP, JointSSR, JointUSP, JointUSR
from .wheels import RollingWheel, RollingWheelSet

__all__ = [
    "GearConstraint",
    "JointRRP",
    "JointRRR",
    "JointSSP",
    "JointSSR",
    "JointUPS",
    "JointUSP",
    "JointUSR",
    "RollingWheel",
    "RollingWheelSet",
    "SphericalSpherical",
    "UniversalSpherical",
]
