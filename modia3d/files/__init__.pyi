"""Written by ``python -m tools.exports``, which says why; not to be edited."""

from modia3d.files.importers.mjcf import import_mjcf as import_mjcf
from modia3d.files.importers.urdf import import_urdf as import_urdf
from modia3d.files.reader import read_scenario as read_scenario
from modia3d.files.writer import write_scenario as write_scenario
