"""A robot becomes a `Model3D`."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from modiapy.library import rotational, translational
from modiapy.model.errors import ModelError, nearest
from modiapy.model.model import Map, Model, Par, Var

from ...engine.model3d import Model3D
from ...scene import constructors as make
from ...scene.mass_properties import MassProperties
from .elements import gear, pull
from .names import Names
from .options import RobotOptions
from .report import ImportedModel, Report
from .robot import WORLD, Collision, Link, LoopConstraint, Mimic, Pose, Robot, RobotJoint, Tendon, acting, tree_order

MAKERS = {"revolute": make.Revolute, "prismatic": make.Prismatic}
WITH_FLANGE = {"revolute": make.RevoluteWithFlange, "prismatic": make.PrismaticWithFlange}


def build_model(robot: Robot, options: RobotOptions, report: Report) -> ImportedModel:
    """Return the model of a robot.

    Raises:
        ModelError: a link that moves has no mass, a name in the options is unknown, the root cannot float.
    """
    return _Builder(robot, options, report).model()


class _Builder:
    def __init__(self, robot: Robot, options: RobotOptions, report: Report) -> None:
        self.robot, self.options, self.report = robot, options, report
        self.names = Names(report)
        self.entries: dict[str, Any] = {}
        self.connect: list[tuple[str, ...]] = []
        self.by_child = {joint.child: joint for joint in robot.joints}
        self.with_flange = self._with_flange()
        self._check_masses()
        root = robot.links[robot.root]
        self.is_world = root.name == WORLD and root.inertial is None
        if options.floating and self.is_world:
            raise root.location.error(
                "the root link cannot float", found="a root link 'world' without mass", expected="a link with mass",
                remedy="Import with a fixed base.",
            )  # fmt: skip
        moving = [joint for joint in robot.joints if joint.kind != "fixed" and not self._is_free(joint)]
        self.joint = {joint.name: self.names.new(joint.name, "joint") for joint in moving}
        self.frame = {root.name: WORLD} if self.is_world else {}
        for link in robot.links.values():
            if link.name not in self.frame:
                self.frame[link.name] = self.names.new(link.name, "link")

    def model(self) -> ImportedModel:
        if self.options.scene:
            strength = float(np.linalg.norm(self.robot.gravity))
            direction = [float(x) / strength + 0.0 for x in self.robot.gravity] if strength else []
            gravity = make.UniformGravity(g=strength, n=direction) if strength else make.NoGravity()
            filtered = {"no_contact": [list(pair) for pair in self.robot.no_contact]} if self.robot.no_contact else {}
            self.entries[WORLD] = make.Object3D(feature=make.Scene(gravity=gravity, **filtered))
        elif self.robot.no_contact:
            pairs = ", ".join(map(str, self.robot.no_contact))
            self.report.note(f"contact: the Scene has to say which groups do not collide: no_contact=[{pairs}]")
        for link in self.robot.links.values():
            self.add_link(link)
        for joint in self.robot.joints:
            if joint.name in self.joint:
                self.add_joint(joint)
        for joint in self.robot.joints:
            if joint.mimic and self._is_coupled(joint):
                self.add_coupling(joint, joint.mimic)
        for tendon in self.robot.tendons:
            self.add_tendon(tendon)
        for loop in self.robot.loops:
            self.add_loop(loop)
        if self.options.contacts:
            self.report.note(f"contact: {self.collisions()}")
        if self.connect:
            self.entries["connect"] = self.connect
        model = ImportedModel(**dict(Model3D(**self.entries) if self.options.scene else Model(**self.entries)))
        model.report, model.links, model.joints = self.report.lines(), self.frame, self.joint
        return model

    # -- links ---------------------------------------------------------------------------------------------------------

    def add_link(self, link: Link) -> None:
        """Add the frame of a link with its mass, and its frames and shapes as children."""
        name = self.frame[link.name]
        if name != WORLD:
            self.entries[name] = make.Object3D(**self.placement(link), **self.feature(link))
        for frame, pose in link.frames.items():
            self.entries[self.names.new(frame, "frame")] = make.Object3D(parent=name, **pose.fields())
        for visual in link.visuals if self.options.visuals else ():
            material = {} if visual.material is None else {"visual_material": visual.material}
            feature = make.Visual(shape=visual.shape, **material)
            self._add(f"{name}_visual", make.Object3D(parent=name, feature=feature, **visual.pose.fields()))
        for collision in link.collisions:
            self.add_collision(name, collision)

    def add_collision(self, parent: str, collision: Collision) -> None:
        """Add a solid without mass that collides; the shapes that are seen are others."""
        look = {} if self.options.show_contacts else {"visual_material": make.VisualMaterial(transparency=1.0)}
        group = {"contact_group": collision.group} if collision.group else {}
        solid = make.Solid(
            shape=collision.shape, collision=True, contact_material=self.options.contact_material, **look, **group
        )
        name = self.names.new(collision.name, "collision") if collision.name else self.names.added(f"{parent}_collision")
        self.entries[name] = make.Object3D(parent=parent, feature=solid, **collision.pose.fields())

    def collisions(self) -> str:
        """Return which shapes collide, in words."""
        shapes = [one.shape["_constructor"].__name__ for link in self.robot.links.values() for one in link.collisions]
        counts = Counter(name.removesuffix("Shape").lower() for name in shapes)
        kinds = [f"{'convex hull of ' if kind == 'mesh' else ''}{kind} {count}" for kind, count in sorted(counts.items())]
        if not kinds:
            return "no shape of the file collides"
        one = counts.total() == 1
        what = "1 shape" if one else f"{counts.total()} shapes"
        return f"{what} of contact_material '{self.options.contact_material}' collide{'s' * one} ({', '.join(kinds)})"

    def placement(self, link: Link) -> dict[str, Any]:
        """Return the fields of the link's frame that say how it is placed."""
        joint = self.by_child.get(link.name)
        if joint is None:
            return {"assembly_root": True} if self.options.floating else {"parent": WORLD}
        if joint.kind == "fixed":
            return {"parent": self.frame[joint.parent], **joint.pose.fields()}
        return {"assembly_root": True, **joint.pose.fields()} if self._is_free(joint) else {}

    def feature(self, link: Link) -> dict[str, Any]:
        """Return the field ``feature`` of the link's frame: a solid without shape."""
        if link.inertial is None:
            return {}
        mass, I = link.inertial.mass, link.inertial.matrix
        values: dict[str, Any] = {"mass": mass, "center_of_mass": [float(x) + 0.0 for x in link.inertial.center]}
        places = {"Ixx": (0, 0), "Iyy": (1, 1), "Izz": (2, 2), "Ixy": (0, 1), "Ixz": (0, 2), "Iyz": (1, 2)}
        values |= {name: float(I[place]) for name, place in places.items() if I[place] != 0.0}
        try:
            MassProperties(**values)
        except ModelError as error:
            self.report.note(f"link '{link.name}' has an inertia that no real body has, taken as it is: {error.found}")
            values["as_given"] = True
        return {"feature": make.Solid(mass_properties=make.MassProperties(**values))}

    # -- joints --------------------------------------------------------------------------------------------------------

    def add_joint(self, joint: RobotJoint) -> None:
        """Add the joint, the frames between which it acts, and what acts on its coordinate."""
        name = self.joint[joint.name]
        ends = {
            "obj1": self._frame_on(self.frame[joint.parent], joint.pose, f"{name}_frame"),
            "obj2": self._frame_on(self.frame[joint.child], Pose(p=joint.anchor), f"{name}_anchor"),
        }
        axis = [float(x) for x in joint.axis]
        collide: dict[str, Any] = {"can_collide": True} if joint.can_collide and joint.kind != "floating" else {}
        if joint.kind in MAKERS:
            self.entries[name] = self.one_axis_joint(joint, {**ends, "axis": axis, **collide})
        elif joint.kind == "planar":
            self.entries[name] = make.Planar(**ends, axis=axis, **collide)
        elif joint.kind == "spherical":
            self.entries[name] = make.Spherical(**ends, **collide)
        else:
            self.entries[name] = make.FreeMotion(**ends)
        if joint.name in self.with_flange:
            self.add_elements(joint, name)
        for what in joint.acted_on:
            if joint.name not in self.with_flange or (what == "mimic" and not self._is_coupled(joint)):
                words = "mimic, so the joint moves independently" if what == "mimic" else what
                self.report.leave_out(f"{words} of joints without a flange; flanges='needed' keeps it", f"joint {joint.name}")

    def add_loop(self, loop: LoopConstraint) -> None:
        """Add a joint that is cut: no joint of the tree, but a constraint."""
        name = self.names.new(loop.name, "constraint")
        ends = zip(loop.links, loop.poses, ("1", "2"), strict=True)
        one, two = (self._frame_on(self.frame[link], pose, f"{name}_frame_{k}") for link, pose, k in ends)
        maker = make.Fix if loop.kind == "fixed" else make.Spherical
        self.entries[name] = maker(obj1=one, obj2=two, cut=True)

    def one_axis_joint(self, joint: RobotJoint, fields: dict[str, Any]) -> Model | Par:
        """Return a revolute or prismatic joint."""
        coordinate, speed = ("phi", "w") if joint.kind == "revolute" else ("s", "v")
        start = self.start(joint)
        if joint.limits is not None and self.options.limits:
            fields["limits"] = list(joint.limits)
        if joint.name not in self.with_flange:
            return MAKERS[joint.kind](**fields, **({coordinate: start} if start else {}))
        coupled = self._is_coupled(joint)
        initial = ((coordinate, start), (speed, 0.0))
        values: dict[str, Any] = {name: Var(start=x) if coupled else Var(init=x) for name, x in initial}
        return WITH_FLANGE[joint.kind](**fields, **values)

    def start(self, joint: RobotJoint) -> float:
        """Return the initial coordinate: as the user says, else that of the file, but inside of the limits."""
        given = self.options.positions.get(joint.name)
        if given is not None:
            return float(given)
        if joint.mimic and self._is_coupled(joint):
            leader = next(other for other in self.robot.joints if other.name == joint.mimic.leader)
            return joint.mimic.ratio * self.start(leader) + joint.mimic.offset
        if joint.limits is None or not self.options.limits or joint.limits[0] <= joint.start <= joint.limits[1]:
            return joint.start
        middle = 0.5 * (joint.limits[0] + joint.limits[1])
        note = f"joint '{joint.name}' starts at {middle:.6g}, the middle of its limits, as {joint.start:g} is outside of them"
        self.report.note(note)
        return middle

    def add_elements(self, joint: RobotJoint, name: str) -> None:
        """Add damper, spring and inertia on the flange of a joint."""
        library: Any = rotational if joint.kind == "revolute" else translational
        rest_name, inertia = ("phi_rel0", "Inertia") if joint.kind == "revolute" else ("s_rel0", "Mass")
        if joint.armature:
            mass = {"J" if joint.kind == "revolute" else "m": joint.armature}
            added = self._add(f"{name}_armature", getattr(library, inertia) | Map(**mass))
            self.connect.append((f"{name}.flange", f"{added}.flange_a"))
        if joint.yields:
            raise joint.location.error(
                "a spring that yields cannot be imported", found="springyield and stiffness", expected="springyield 0",
                remedy="Remove springyield, or import without a flange of this joint.",
            )  # fmt: skip
        if np.any(joint.stiffness[1:]) or np.any(joint.damping[1:]):
            rest = joint.rest, joint.rest
            forces = Tendon(joint.name, joint.location, {joint.name: 1.0}, joint.stiffness, joint.damping, rest)
            self.add_pull(self.names.added(f"{name}_spring_damper"), forces)
            return
        between = []
        if np.any(joint.damping):
            between.append(self._add(f"{name}_damper", library.Damper | Map(d=joint.damping[0])))
        if np.any(joint.stiffness):
            spring = library.Spring | Map(c=joint.stiffness[0], **{rest_name: joint.rest})
            between.append(self._add(f"{name}_spring", spring))
        if between:
            support = self._add(f"{name}_support", library.Fixed)
            for element in between:
                self.connect += [(f"{support}.flange", f"{element}.flange_a"), (f"{element}.flange_b", f"{name}.flange")]

    def add_tendon(self, tendon: Tendon) -> None:
        """Add a fixed tendon, if all of its joints have flanges."""
        if set(tendon.ratios) <= self.with_flange:
            self.add_pull(self.names.new(tendon.name, "tendon"), tendon)
            return
        for what in acting(tendon):
            self.report.leave_out(
                f"{what} of tendons with joints without a flange; flanges='needed' keeps it", f"tendon {tendon.name}"
            )

    def add_pull(self, name: str, tendon: Tendon) -> None:
        """Add the element that pulls at the flanges of joints; ``name`` must be free."""
        kinds = {joint.name: joint.kind for joint in self.robot.joints}
        self.entries[name] = pull(tendon, [kinds[joint] for joint in tendon.ratios])
        for number, joint in enumerate(tendon.ratios, 1):
            self.connect.append((f"{name}.flange_{number}", f"{self.joint[joint]}.flange"))

    def add_coupling(self, joint: RobotJoint, mimic: Mimic) -> None:
        """Add an ideal gear between two flanges."""
        kinds = {j.name: j.kind for j in self.robot.joints}
        added = self._add(f"{self.joint[joint.name]}_mimic", gear(mimic, kinds[mimic.leader], joint.kind))
        self.connect.append((f"{self.joint[mimic.leader]}.flange", f"{added}.flange_a"))
        self.connect.append((f"{added}.flange_b", f"{self.joint[joint.name]}.flange"))

    def _add(self, name: str, entry: Any) -> str:
        unique = self.names.added(name)
        self.entries[unique] = entry
        return unique

    def _frame_on(self, parent: str, pose: Pose, name: str) -> str:
        """Return a frame at a pose: the parent itself where they are the same."""
        fields = pose.fields()
        return self._add(name, make.Object3D(parent=parent, **fields)) if fields else parent

    # -- checks --------------------------------------------------------------------------------------------------------

    def _is_free(self, joint: RobotJoint) -> bool:
        """Return whether the joint is what a body that hangs on nothing has anyway; what a loop closes hangs on something."""
        root = self.robot.links[self.robot.root]
        if joint.kind != "floating" or joint.parent != root.name or root.name != WORLD or root.inertial is not None:
            return False
        return not any(self._carries(joint, link) for loop in self.robot.loops for link in loop.links)

    def _carries(self, joint: RobotJoint, link: str) -> bool:
        """Return whether a joint moves a link."""
        before = self.by_child.get(link)
        return before is not None and (before is joint or self._carries(joint, before.parent))

    def _is_coupled(self, joint: RobotJoint) -> bool:
        """Return whether the joint follows another one."""
        return joint.mimic is not None and {joint.name, joint.mimic.leader} <= self.with_flange

    def _with_flange(self) -> set[str]:
        """Return the names of the joints that get a flange."""
        able = {joint.name: joint for joint in self.robot.joints if joint.kind in MAKERS}
        asked = self.options.flanges
        for what, given in (("positions", self.options.positions), ("flanges", () if isinstance(asked, str) else asked)):
            for name in given:
                if name not in able:
                    raise ModelError(
                        f"'{name}' in {what} is no revolute or prismatic joint", path=self.robot.name,
                        expected=f"one of {', '.join(able)}", remedy=nearest(name, able),
                    )  # fmt: skip
        if not isinstance(asked, str):
            return set(asked)
        if asked == "needed":
            needed = {joint.mimic.leader for joint in able.values() if joint.mimic}
            needed |= {name for tendon in self.robot.tendons for name in tendon.ratios}
            return {name for name, joint in able.items() if joint.acted_on or name in needed}
        return set(able) if asked == "all" else set()

    def _check_masses(self) -> None:
        """Check that what a joint moves has a mass."""
        carried = {name: link.inertial.mass if link.inertial else 0.0 for name, link in self.robot.links.items()}
        for name in reversed(tree_order(self.robot)):
            joint = self.by_child.get(name)
            if joint is None:
                continue
            if joint.kind != "fixed" and carried[name] <= 0.0:
                raise self.robot.links[name].location.error(
                    "a link that moves has no mass",
                    found=f"joint '{joint.name}', which moves it", expected="an inertia of it, or of links that it carries",
                )  # fmt: skip
            carried[joint.parent] += carried[name]
        if self.options.floating and carried[self.robot.root] <= 0.0:
            raise self.robot.links[self.robot.root].location.error(
                "the robot floats and has no mass", expected="an inertia of a link"
            )
