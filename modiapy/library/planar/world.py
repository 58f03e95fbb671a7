"""World of planar mechanics."""

from __future__ import annotations

from ...model.model import Model

PlanarWorld = Model(
    description="World of planar mechanics: its gravity, constant_gravity [m/s2], acts on all bodies of the model"
    " of which it is the entry planar_world, and of the models inside",
    constant_gravity=[0.0, -9.81],
)
