"""URDF: the robots of ROS. The format: http://wiki.ros.org/urdf/XML and the sources of urdfdom."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from modiapy.model.errors import nearest
from modiapy.model.model import Par

from ...scene import constructors as make
from ...scene.basics.rotations import axis_rotation, matrix_of
from ...scene.shapes.mesh_dae import unit_of
from ...scene.shapes.mesh_lost import lost_looks
from .options import RobotOptions
from .paths import Files
from .report import Report
from .robot import SHAPES, Collision, Inertial, Link, Mimic, Pose, Robot, RobotJoint, Visual, tree_order, visual_material
from .xml_tree import Element, read_xml

Named = TypeVar("Named", Link, RobotJoint)
KINDS = {
    "fixed": "fixed", "revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "floating": "floating",
    "planar": "planar",
}  # fmt: skip
KNOWN = {
    "robot": ("link", "joint", "material", "transmission", "gazebo", "sensor", "ros2_control"),
    "link": ("inertial", "visual", "collision"),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration", "safety_controller"),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("origin", "geometry", "material"),
    "collision": ("origin", "geometry", "verbose", "contact_coefficients"),
}
"""Elements that each element may have; others are left out, misspelled ones refused."""

ATTRIBUTES = {
    "robot": ("name", "version"),
    "link": ("name", "type"),
    "joint": ("name", "type"),
    "visual": ("name",),
    "collision": ("name", "group"),
    "inertial": ("name",),
    "origin": ("xyz", "rpy", "quat_xyzw"),
    "parent": ("link",),
    "child": ("link",),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
    "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "geometry": ("name",),
    "box": ("size",),
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "mesh": ("filename", "scale"),
    "material": ("name",),
    "color": ("rgba", "rgb"),
    "texture": ("filename",),
}
"""Attributes that each element may have; the same holds for others. Elements that are left out are not looked at."""

READ = ("link", "joint", "material", "inertial", "visual", "origin", "parent", "child", "axis", "mimic", "mass", "inertia")


def read(file: Path, files: Files, options: RobotOptions, report: Report) -> Robot:
    """Return the robot in a URDF file, see `import_robot.import_urdf`."""
    return _Urdf(file, files, report, options).robot()


class _Urdf:
    def __init__(self, file: Path, files: Files, report: Report, options: RobotOptions) -> None:
        self.root, self.files, self.report = read_xml(file), files, report
        self.visuals, self.contacts = options.visuals, options.contacts
        self.left_out = ["calibration", "safety_controller", "verbose", "contact_coefficients"]
        self.left_out += [] if self.contacts else ["collision"]
        if self.root.tag != "robot":
            raise self.root.error("this is no URDF file", found=f"<{self.root.tag}>", expected="<robot>")
        self.materials: dict[str, Par] = {}
        self.version = (1, 0)

    def read_version(self) -> tuple[int, int]:
        """Return the version of URDF, 1.0 where the file does not say."""
        given = self.root.attributes.get("version", "1.0")
        match = re.fullmatch(r"\s*(\d+)\.?(\d*)\s*", given, re.ASCII)
        if match is None:
            raise self.root.error("the attribute 'version' is wrong", found=repr(given), expected="1.0, 1.1 or 1.2")
        version = int(match[1]), int(match[2] or "0")
        if version > (1, 2):
            self.report.note(f"version {version[0]}.{version[1]} of URDF is read as 1.2")
        return version

    def robot(self) -> Robot:
        """Return all links and joints, checked to be one tree."""
        self.check_children(self.root)
        self.check_attributes(self.root)
        self.version = self.read_version()
        self.materials = {element.text("name"): self.color(element) for element in self.root.all("material")}
        for element in self.root.all("material"):
            self.check_attributes(element)
        links = self.by_name("link", self.link)
        if not links:
            raise self.root.error("the robot has no links", expected="at least one <link>")
        joints = self.by_name("joint", lambda element: self.read_joint(element, links))
        self.check_mimics(joints)
        name = self.root.attributes.get("name", "robot")
        return Robot(name, self.root_link(links, joints), links, list(joints.values()))

    def by_name(self, tag: str, read: Callable[[Element], Named]) -> dict[str, Named]:
        """Return the links or joints by their names."""
        found: dict[str, Named] = {}
        for element in self.root.all(tag):
            one = read(element)
            if found.setdefault(one.name, one) is not one:
                raise element.error(f"two {tag}s have the same name", expected=f"a name of its own for each {tag}")
        return found

    def root_link(self, links: dict[str, Link], joints: dict[str, RobotJoint]) -> str:
        """Return the link that is no child. Raises ModelError if the joints do not make one tree."""
        parents: dict[str, RobotJoint] = {}
        for joint in joints.values():
            if joint.child in parents:
                other = parents[joint.child].name
                raise joint.location.error(
                    "the joint closes a kinematic loop", found=f"link '{joint.child}' is the child of joint '{other}', too",
                    expected="a tree: one parent for each link",
                )  # fmt: skip
            parents[joint.child] = joint
        roots = [name for name in links if name not in parents]
        if len(roots) > 1:
            raise links[roots[1]].location.error(
                "the robot has two root links",
                found=f"'{roots[0]}' and '{roots[1]}' are children of no joint",
                expected="one link that is no child: joints that connect all others to it",
            )
        order = tree_order(Robot("", roots[0], links, list(joints.values()))) if roots else []
        if len(order) == len(links):
            return roots[0]
        chain = [next(name for name in links if name not in order)]
        while chain[-1] not in chain[:-1]:
            chain.append(parents[chain[-1]].parent)
        loop = chain[chain.index(chain[-1]) :]
        raise parents[loop[0]].location.error("the joint closes a kinematic loop", found=" <- ".join(loop), expected="a tree")

    # -- links ---------------------------------------------------------------------------------------------------------

    def link(self, element: Element) -> Link:
        """Return a link with its mass and its shapes."""
        self.check_children(element)
        self.check_attributes(element)
        link = Link(element.text("name"), element)
        inertial = element.one("inertial")
        if inertial is not None:
            self.check_children(inertial)
            link.inertial = self.inertial(inertial)
        for visual in element.all("visual") if self.visuals else ():
            self.check_children(visual)
            shape = self.geometry(visual.need("geometry"))
            if shape is not None:
                given = visual.one("material")
                material = None if given is None else self.material(given)
                link.visuals.append(Visual(shape, self.origin(visual), material))
                self.report_looks(visual, own=material is not None)
        for collision in element.all("collision") if self.contacts else ():
            self.check_children(collision)
            shape = self.geometry(collision.need("geometry"), seen=False)
            if shape is not None:
                link.collisions.append(Collision(shape, self.origin(collision), collision.attributes.get("name", "")))
        return link

    def inertial(self, element: Element) -> Inertial | None:
        """Return the mass and inertia in the link frame; None where both are zero."""
        mass = element.need("mass").number("value")
        if mass < 0.0:
            raise element.need("mass").error("the mass is negative", found=f"{mass:g} kg", expected="a mass of at least 0")
        given = element.need("inertia")
        xx, xy, xz, yy, yz, zz = (given.number(name) for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if mass == 0.0 and not matrix.any():
            return None
        pose = self.origin(element)
        if not np.array_equal(pose.R, np.eye(3)):
            matrix = pose.R @ matrix @ pose.R.T
        return Inertial(mass, pose.p, matrix)

    def geometry(self, element: Element, *, seen: bool = True) -> Par | None:
        """Return the shape, which is seen or collides; None if it is left out."""
        if len(element.children) != 1:
            raise element.error(
                "the geometry has not exactly one shape", found=f"{len(element.children)} shapes", expected="one"
            )
        (shape,) = element.children
        if shape.tag == "box":
            return make.Box(*_sizes(shape, "size", 3))
        if shape.tag == "sphere":
            return make.Sphere(2.0 * _sizes(shape, "radius")[0])
        if shape.tag in ("cylinder", "capsule"):
            (radius,), (length,) = _sizes(shape, "radius"), _sizes(shape, "length")
            return SHAPES[shape.tag][0](2.0 * radius, length)
        if shape.tag != "mesh":
            expected = ("box", "cylinder", "sphere", "capsule", "mesh")
            raise shape.error("unknown shape", expected=", ".join(expected), remedy=nearest(shape.tag, expected))
        name = shape.text("filename")
        path = self.files.find(name, shape, seen=seen)
        made = self.files.mesh(path, shape.numbers("scale", 3, (1.0, 1.0, 1.0)))
        if made is None:
            self.report.leave_out(f"meshes in the format {path.suffix or 'of a file without extension'}", shape.path)
        elif path.suffix.lower() == ".dae" and (unit := unit_of(path.read_bytes())) != 1.0:
            self.report.note(f"meshes in units of {unit:g} m are scaled to metres (not by coal and trimesh)")
        return made

    def report_looks(self, visual: Element, *, own: bool) -> None:
        """Report missing or broken looks of a mesh, unless the robot's file replaces them."""
        mesh = visual.need("geometry").one("mesh")
        for sentence in [] if mesh is None or own else lost_looks(self.files.find(mesh.text("filename"), mesh)):
            self.report.leave_out("looks of meshes", sentence)

    def material(self, element: Element) -> Par | None:
        """Return the color of a visual: its own, or that of the robot's material of this name."""
        if element.one("color") is not None or element.one("texture") is not None:
            return self.color(element)
        return self.materials.get(element.attributes.get("name", ""))

    def color(self, element: Element) -> Par:
        """Return a material with a color; textures are left out."""
        if element.one("texture") is not None:
            self.report.leave_out("textures", element.path)
        color = element.one("color")
        if color is None:
            return make.VisualMaterial()
        parts = color.numbers("rgba", 4)
        if not all(0.0 <= part <= 1.0 for part in parts):
            raise color.error("the attribute 'rgba' is wrong", found=color.text("rgba"), expected="four numbers from 0 to 1")
        return visual_material(*parts)

    def origin(self, element: Element) -> Pose:
        """Return the pose of the element: ``xyz`` [m]; ``rpy``, angles about the fixed axes x, y, z in turn [rad], or
        ``quat_xyzw``.

        The quaternion counts from version 1.1 of URDF on, as in urdfdom.
        """
        origin = element.one("origin")
        if origin is None:
            return Pose()
        zero = (0.0, 0.0, 0.0)
        position = np.array(origin.numbers("xyz", 3, zero))
        if "quat_xyzw" in origin.attributes and self.version < (1, 1):
            self.report.leave_out("quat_xyzw, which counts from <robot version='1.1'> on", origin.path)
        elif "quat_xyzw" in origin.attributes:
            if "rpy" in origin.attributes:
                raise origin.error("the origin has two orientations", found="rpy and quat_xyzw", expected="one of them")
            x, y, z, w = origin.numbers("quat_xyzw", 4)
            if not any((x, y, z, w)):
                raise origin.error("the attribute 'quat_xyzw' is wrong", found="zeros", expected="a quaternion that is not 0")
            largest = max(map(abs, (x, y, z, w)))
            return Pose(matrix_of("quaternion", np.array((w, x, y, z)) / largest), position)
        R = np.eye(3)
        for axis, angle in zip(np.eye(3).tolist(), origin.numbers("rpy", 3, zero), strict=True):
            R = axis_rotation(axis, angle) @ R if angle else R
        return Pose(R, position)

    # -- joints --------------------------------------------------------------------------------------------------------

    def read_joint(self, element: Element, links: dict[str, Link]) -> RobotJoint:
        """Return a joint between two known links."""
        self.check_children(element)
        self.check_attributes(element)
        ends = [element.need(tag) for tag in ("parent", "child")]
        for end in ends:
            if end.text("link") not in links:
                raise end.error("there is no such link", found=end.text("link"), remedy=nearest(end.text("link"), links))
        kind = element.text("type")
        if kind not in KINDS:
            raise element.error("unknown joint type", found=f"'{kind}'", expected=", ".join(KINDS), remedy=nearest(kind, KINDS))
        parent, child = (end.text("link") for end in ends)
        joint = RobotJoint(element.text("name"), KINDS[kind], parent, child, element, self.origin(element))
        axis = element.one("axis")
        joint.axis = (1.0, 0.0, 0.0) if axis is None else axis.numbers("xyz", 3, (1.0, 0.0, 0.0))
        if kind not in ("fixed", "floating"):
            direction = np.array(joint.axis)
            if not direction.any():
                raise (axis or element).error("the axis is the zero vector", expected="a direction")
            direction /= np.abs(direction).max()
            joint.axis = (direction / np.linalg.norm(direction)).tolist()
        self.read_limits(element, kind, joint)
        dynamics = element.one("dynamics")
        if dynamics is not None and joint.kind in ("revolute", "prismatic"):
            damping = dynamics.number("damping", 0.0)
            if damping < 0.0:
                raise dynamics.error("the damping is negative", found=f"{damping:g}", expected="at least 0")
            joint.damping = (damping,)
            if dynamics.number("friction", 0.0):
                self.report.leave_out("dry friction of joints", f"joint {joint.name}")
        elif dynamics is not None and kind != "fixed":
            self.report.leave_out(f"dynamics of {kind} joints", f"joint {joint.name}")
        mimic = element.one("mimic")
        if mimic is not None:
            joint.mimic = Mimic(mimic.text("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
        return joint

    def read_limits(self, element: Element, kind: str, joint: RobotJoint) -> None:
        limit = element.one("limit")
        if limit is None:
            if kind in ("revolute", "prismatic"):
                raise element.error("<limit> is missing", expected="limits; a revolute joint without is of type 'continuous'")
            return
        if kind in ("revolute", "prismatic"):
            lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
            if lower > upper:
                raise limit.error(
                    "the lower limit is above the upper one",
                    found=f"lower {lower:g}, upper {upper:g}",
                    expected="lower <= upper",
                )
            if lower < upper:
                joint.limits = (lower, upper)
            else:
                self.report.leave_out("limits that leave no room", f"joint {joint.name}")
        elif kind != "fixed" and any(name in limit.attributes for name in ("lower", "upper")):
            self.report.leave_out(f"limits of position of {kind} joints", f"joint {joint.name}")
        if kind != "fixed" and (limit.number("effort", 0.0) or limit.number("velocity", 0.0)):
            self.report.leave_out("limits of effort and velocity", f"joint {joint.name}")

    def check_mimics(self, joints: dict[str, RobotJoint]) -> None:
        """Check that what a joint mimics is there, and not itself in the end; what is not between moving joints is left out."""
        moving = ("revolute", "prismatic")
        for joint in joints.values():
            if joint.mimic is None:
                continue
            leader = joints.get(joint.mimic.leader)
            if leader is None:
                raise joint.location.error(
                    "there is no such joint to mimic",
                    found=f"'{joint.mimic.leader}'",
                    remedy=nearest(joint.mimic.leader, joints),
                )
            if joint.kind not in moving or leader.kind not in moving:
                self.report.leave_out("mimic between joints of which one does not move", f"joint {joint.name}")
                joint.mimic = None
        for joint in joints.values():
            chain = [joint.name]
            follower = joint
            while follower.mimic is not None:
                follower = joints[follower.mimic.leader]
                chain.append(follower.name)
                if follower.name in chain[:-1]:
                    raise joint.location.error("joints mimic each other", found=" -> ".join(chain), expected="one that leads")

    def check_attributes(self, element: Element) -> None:
        """Report attributes that are left out of an element and of those in it, and refuse what is misspelled."""
        known = ATTRIBUTES.get(element.tag, ())
        if element.tag in self.left_out or not known:
            return
        for name in element.attributes:
            if name in known or name.startswith("xml"):
                continue
            similar = difflib.get_close_matches(name, known, n=1, cutoff=0.6 if len(name) <= 4 else 0.8)
            if similar:
                raise element.error(
                    f"unknown attribute '{name}'", expected=", ".join(known), remedy=f"Did you mean '{similar[0]}'?"
                )
            self.report.leave_out(f"attribute '{name}' of <{element.tag}>", element.path)
        for child in element.children if element.tag != "robot" else ():
            self.check_attributes(child)

    def check_children(self, element: Element) -> None:
        """Report what is left out of an element, and refuse what is misspelled."""
        known = KNOWN[element.tag]
        for child in element.children:
            if child.tag.startswith("xacro:"):
                raise child.error("xacro is not URDF", remedy="Expand the file: xacro robot.urdf.xacro > robot.urdf.")
            if child.tag in known:
                if element.tag == "robot" and child.tag not in READ:
                    self.report.leave_out(f"<{child.tag}>", child.path)
                elif child.tag in self.left_out:
                    self.report.leave_out(f"<{child.tag}>", element.path)
            elif difflib.get_close_matches(child.tag, known, n=1, cutoff=0.8):
                raise child.error(f"unknown element <{child.tag}>", expected=", ".join(known), remedy=nearest(child.tag, known))
            else:
                self.report.leave_out(f"<{child.tag}> in <{element.tag}>", child.path)


def _sizes(element: Element, name: str, count: int = 1) -> tuple[float, ...]:
    """Return the lengths above zero."""
    values = element.numbers(name, count)
    if min(values) <= 0.0:
        raise element.error(f"the attribute '{name}' is wrong", found=repr(element.text(name)), expected="lengths above zero")
    return values
