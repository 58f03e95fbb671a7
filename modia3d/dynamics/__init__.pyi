"""Written by ``python -m tools.exports``, which says why; not to be edited."""

from modia3d.dynamics.packed import Dynamics as Dynamics
