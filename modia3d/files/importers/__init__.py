"""Robots from files of other programs: URDF and MJCF become a `Model3D` or a part of one."""
