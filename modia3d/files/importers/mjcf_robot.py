"""Bodies, joints, geoms and loops of a compiled MJCF model as a `Robot`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from modiapy.model.model import Par

from ...scene import constructors as make
from ...scene.basics.rotations import matrix_of
from .mjcf_compiled import Compiled
from .mjcf_contacts import CollidingGeoms
from .mjcf_fields import check_fields
from .mjcf_forces import Forces
from .paths import Files
from .report import Report
from .robot import (
    SHAPES,
    WORLD,
    Collision,
    Inertial,
    Link,
    LoopConstraint,
    Mimic,
    Place,
    Pose,
    Robot,
    RobotJoint,
    Visual,
    visual_material,
)

HIDDEN = 3
"""First group of geoms that MuJoCo's viewer does not show."""


class MjcfRobot:
    """Reads the bodies, joints and loops of a compiled model."""

    def __init__(self, compiled: Compiled, files: Files, report: Report, contacts: bool = False) -> None:
        self.compiled, self.files, self.report, self.contacts = compiled, files, report, contacts
        self.mujoco, self.model = compiled.mujoco, compiled.model
        touching = not compiled.disabled("CONTACT")
        self.colliding = CollidingGeoms(self.model, not compiled.disabled("FILTERPARENT")) if contacts and touching else None
        if contacts and not touching:
            report.leave_out("contact, which the file switches off", "<flag contact>")
        self.forces = Forces(compiled, report)
        self.bodies = [compiled.name("body", i) for i in range(self.model.nbody)]
        self.bodies[0] = WORLD

    def robot(self) -> Robot:
        """Return the bodies as links, joints as joints; in between massless links where a body has several joints."""
        model = self.model
        check_fields(self.compiled, self.report, self.contacts)
        self.forces.report_actuators()
        links = {name: self.link(i) for i, name in enumerate(self.bodies)}
        joints: list[RobotJoint] = []
        between: dict[str, Link] = {}
        for body in range(1, model.nbody):
            joints += self.joints_of(body, between)
        groups = {collision.group for link in links.values() for collision in link.collisions}
        apart = [] if self.colliding is None else [pair for pair in self.colliding.no_contact if groups.issuperset(pair)]
        self.report_pairs()
        loops = [loop for i in range(model.neq) for loop in self.equality(i, joints)]
        tendons = list(self.forces.tendons())
        gravity = model.opt.gravity.tolist() if self.compiled.has_gravity else [0.0] * 3
        name = model.names.split(b"\0")[0].decode() or "robot"
        return Robot(name, WORLD, links | between, joints, gravity, loops, apart, tendons)

    # -- equality constraints ------------------------------------------------------------------------------------------

    def equality(self, i: int, joints: list[RobotJoint]) -> Iterator[LoopConstraint]:
        """Generate a constraint of two frames; one of two joints becomes their coupling. MuJoCo's are soft, these are not."""
        model, kinds = self.model, self.mujoco.mjtEq
        name = self.compiled.name("eq", i)
        if self.compiled.disabled("EQUALITY") or not model.eq_active0[i]:
            self.report.leave_out("equality constraints that are not active", name)
            return
        self.report.leave_out("softness of equality constraints (solref, solimp)", name)
        kind, place = kinds(int(model.eq_type[i])), self.compiled.place("eq", i)
        if kind == kinds.mjEQ_JOINT:
            self.couple(i, joints, place)
        elif kind in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD):
            weld = kind == kinds.mjEQ_WELD
            one, two = (self.end(i, k, weld) for k in (0, 1))
            turned = weld and model.eq_data[i, 10] != 0.0  # torquescale: 0 leaves the rotation free
            if one[0] != two[0]:
                yield LoopConstraint(name, "fixed" if turned else "spherical", (one[0], two[0]), (one[1], two[1]))
        else:
            raise place.error(
                "this kind of equality constraint cannot be imported", found=kind.name.removeprefix("mjEQ_").lower(),
                expected="connect, weld or joint", remedy="Remove it, or set active='false'.",
            )  # fmt: skip

    def end(self, i: int, k: int, weld: bool) -> tuple[str, Pose]:
        """Return the first or second body of a constraint and its frame there: a site, or as MuJoCo's ``eq_data`` has it."""
        model = self.model
        index = int((model.eq_obj1id, model.eq_obj2id)[k][i])
        if int(model.eq_objtype[i]) == int(self.mujoco.mjtObj.mjOBJ_SITE):
            return self.bodies[model.site_bodyid[index]], _pose(model.site_pos[index], model.site_quat[index])
        data, upright = model.eq_data[i], np.array((1.0, 0.0, 0.0, 0.0))
        if weld:
            return self.bodies[index], _pose(data[:3], upright) if k else _pose(data[3:6], data[6:10])
        return self.bodies[index], _pose(data[3 * k : 3 * k + 3], upright)

    def couple(self, i: int, joints: list[RobotJoint], place: Place) -> None:
        """Couple the coordinate of a joint to that of another one linearly: as `RobotJoint.mimic`."""
        model = self.model
        offset, ratio, *rest = model.eq_data[i, :5].tolist()
        follower, leader = (int(ids[i]) for ids in (model.eq_obj1id, model.eq_obj2id))
        name = self.compiled.name("jnt", follower)
        if leader < 0 or any(rest):
            raise place.error(
                "this equality constraint of a joint cannot be imported",
                found="a constant position"
                if leader < 0
                else f"polycoef {offset:g} {ratio:g} {' '.join(f'{x:g}' for x in rest)}",
                expected="joint2, and zeros but for the first two of polycoef",
                remedy=f"Remove the constraint, and {'the joint' if leader < 0 else 'write equations for both'}.",
            )
        joint = next(joint for joint in joints if joint.name == name)
        if joint.mimic is not None:
            raise place.error("a joint follows two others", found=f"joint '{name}'", expected="one constraint for each joint1")
        joint.mimic = Mimic(self.compiled.name("jnt", leader), ratio, offset)

    # -- bodies --------------------------------------------------------------------------------------------------------

    def link(self, body: int) -> Link:
        """Return a body with its mass, shapes and sites."""
        model = self.model
        link = Link(self.bodies[body], self.compiled.place("body", body))
        if body and model.body_mass[body] > 0.0:
            R = matrix_of("quaternion", model.body_iquat[body])
            matrix = R @ np.diag(model.body_inertia[body]) @ R.T
            link.inertial = Inertial(float(model.body_mass[body]), model.body_ipos[body].copy(), 0.5 * (matrix + matrix.T))
        for geom in np.flatnonzero(model.geom_bodyid == body).tolist():
            shape = self.shape(geom)
            self.add_collision(link, geom, shape)
            if shape is not None and not self.is_hidden(geom):
                link.visuals.append(Visual(shape, self.geom_pose(geom), visual_material(*self.color(geom))))
        for site in np.flatnonzero(model.site_bodyid == body).tolist():
            name = self.compiled.name("site", site)
            link.frames[name] = _pose(model.site_pos[site], model.site_quat[site])
        return link

    def shape(self, geom: int) -> Par | None:
        """Return the shape of a geom; None if it is left out."""
        kinds, size = self.mujoco.mjtGeom, self.model.geom_size[geom].tolist()
        kind, name = kinds(int(self.model.geom_type[geom])), self.compiled.name("geom", geom)
        touches = self.model.geom_contype[geom] or self.model.geom_conaffinity[geom]
        if touches and not self.contacts and not self.compiled.disabled("CONTACT"):
            self.report.leave_out("contact of geoms", name)
        shape = kind.name.removeprefix("mjGEOM_").lower()
        if shape in SHAPES:
            maker, count = SHAPES[shape]
            return maker(*(2.0 * x for x in size[:count]))
        if kind == kinds.mjGEOM_MESH:
            return self.mesh(geom, name)
        self.report.leave_out(f"{'looks of ' * self.collides(geom)}geoms of the kinds plane, hfield and sdf", name)
        return None

    # -- contact -------------------------------------------------------------------------------------------------------

    def collides(self, geom: int) -> bool:
        """Return whether a geom may collide."""
        return self.colliding is not None and geom in self.colliding.groups

    def is_hidden(self, geom: int) -> bool:
        """Return whether a geom that collides is in a group that MuJoCo's viewer hides."""
        return self.collides(geom) and int(self.model.geom_group[geom]) >= HIDDEN

    def add_collision(self, link: Link, geom: int, shape: Par | None) -> None:
        """Add a geom that collides; ``shape`` is how it looks."""
        if self.colliding is None or geom not in self.colliding.groups:
            return
        name = self.compiled.name("geom", geom)
        if int(self.model.geom_type[geom]) == int(self.mujoco.mjtGeom.mjGEOM_PLANE):
            shape = make.Plane("z")
        elif shape is None:
            self.report.leave_out("contact of geoms of other kinds than box, sphere, capsule, cylinder, mesh, plane", name)
            return
        own = self.mujoco.mj_id2name(self.model, int(self.mujoco.mjtObj.mjOBJ_GEOM), geom) or ""
        link.collisions.append(Collision(shape, self.geom_pose(geom), own, self.colliding.groups[geom]))
        self.report.leave_out("friction, condim, solref, solimp, margin and gap of geoms", name)

    def report_pairs(self) -> None:
        """Report the parts of explicit pairs that are left out."""
        if self.colliding is None:
            return
        model = self.model
        for one, two in self.colliding.pairs_of_neighbours():
            names = " and ".join(self.compiled.name("geom", geom) for geom in (one, two))
            self.report.leave_out("<pair> of neighbours; can_collide=True of their joint lets them collide", names)
        if model.npair:
            self.report.leave_out("parameters of <pair>", f"{model.npair} pairs")

    def mesh(self, geom: int, name: str) -> Par | None:
        """Return the file of a mesh; None if it has none."""
        mesh = self.compiled.spec.meshes[int(self.model.geom_dataid[geom])]
        folder = self.compiled.spec.compiler.meshdir if hasattr(self.compiled.spec, "compiler") else self.compiled.spec.meshdir
        path = Path(self.files.folder, folder, mesh.file).resolve() if mesh.file else None
        made = None if path is None or not path.is_file() else self.files.mesh(path, [float(x) for x in mesh.scale])
        if made is None:
            self.report.leave_out("meshes without a file in a known format", f"{name}: {mesh.file or mesh.name}")
        return made

    def geom_pose(self, geom: int) -> Pose:
        """Return the pose of a geom; of a mesh, that of the coordinates of its file, which MuJoCo moves to its center of
        mass.
        """
        model = self.model
        pose = _pose(model.geom_pos[geom], model.geom_quat[geom])
        if int(model.geom_type[geom]) != int(self.mujoco.mjtGeom.mjGEOM_MESH):
            return pose
        mesh = model.geom_dataid[geom]
        return pose @ _pose(model.mesh_pos[mesh], model.mesh_quat[mesh]).inverse()

    def color(self, geom: int) -> list[float]:
        """Return the red, green, blue, opacity."""
        material = int(self.model.geom_matid[geom])
        own = self.model.geom_rgba[geom]
        given = self.model.mat_rgba[material] if material >= 0 and np.array_equal(own, [0.5, 0.5, 0.5, 1.0]) else own
        return [round(float(x), 7) for x in np.clip(given, 0.0, 1.0)]

    # -- joints --------------------------------------------------------------------------------------------------------

    def joints_of(self, body: int, between: dict[str, Link]) -> list[RobotJoint]:
        """Return the joints of a body: they act one after the other, each about its own point of the body, from ``qpos0``
        on.
        """
        model = self.model
        child, parent = self.bodies[body], self.bodies[model.body_parentid[body]]
        place = self.compiled.place("body", body)
        pose = _pose(model.body_pos[body], model.body_quat[body])
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        if count == 0:
            return [RobotJoint(f"{child} fixed", "fixed", parent, child, place, pose)]
        kinds = {0: "floating", 1: "spherical", 2: "prismatic", 3: "revolute"}
        made = []
        done = np.zeros(3)
        for j in range(first, first + count):
            name = self.compiled.name("jnt", j)
            kind, last = kinds[int(model.jnt_type[j])], j == first + count - 1
            at = np.zeros(3) if kind == "floating" else model.jnt_pos[j].copy()
            target = child if last else f"{child}_{j - first + 1}"
            if not last:
                between[target] = Link(target, place)
            joint = RobotJoint(name, kind, parent, target, self.compiled.place("jnt", j))
            joint.can_collide = self.colliding is not None and self.colliding.across(body)
            joint.pose = (pose if j == first else Pose()) @ Pose(p=at - done)
            joint.anchor, joint.axis = (at if last else np.zeros(3)), model.jnt_axis[j].tolist()
            self.forces.add_properties(joint, j)
            made.append(joint)
            parent, done = target, at
        return made


def _pose(position: np.ndarray, quaternion: np.ndarray) -> Pose:
    """Return a pose from a position and a quaternion w x y z."""
    w, *rest = np.asarray(quaternion, dtype=float).tolist()
    R = np.eye(3) if not any(rest) and w > 0.0 else matrix_of("quaternion", quaternion)
    return Pose(R, np.array(position, dtype=float))
