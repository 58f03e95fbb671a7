"""Written by ``python -m tools.exports``, which says why; not to be edited."""

from modia3d.topology.forest_of_model import forest_of as forest_of
