"""Written by ``python -m tools.exports``, which says why; not to be edited."""

from modia3d.files.importers.formats import RobotFormat as RobotFormat
from modia3d.files.importers.formats import add_robot_format as add_robot_format
from modia3d.files.importers.import_robot import import_mjcf as import_mjcf
from modia3d.files.importers.import_robot import import_robot as import_robot
from modia3d.files.importers.import_robot import import_urdf as import_urdf
from modia3d.files.reader import read_scenario as read_scenario
from modia3d.files.writer import write_scenario as write_scenario
