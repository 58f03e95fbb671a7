"""MJCF: the models of MuJoCo, compiled by MuJoCo itself (`MjSpec`): defaults, angles and inertias are what it makes of them.

The format: https://mujoco.readthedocs.io/en/stable/XMLreference.html.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError
from modiapy.model.model import Par

from ...scene import constructors as make
from ...scene.basics.paths import permitted_path
from ...scene.basics.rotations import matrix_of
from ...scene.shapes.mesh import FORMATS
from .build import Options, build_model
from .mjcf_contacts import CollidingGeoms
from .paths import Files
from .report import ImportedModel, Report
from .robot import WORLD, Closing, Inertial, Link, Look, Mimic, Pose, Robot, RobotJoint, Touch
from .xml_tree import Element, read_xml

REFUSED = {
    "plugin": "plugins", "flex": "deformable bodies", "flexcomp": "deformable bodies", "composite": "composite objects",
    "model": "models within models",
}  # fmt: skip
"""Elements that change the motion and have no counterpart."""

HIDDEN = 3
"""First group of geoms that MuJoCo's viewer does not show."""

LEFT_OUT = ("actuator", "sensor", "keyframe", "custom", "contact", "visual", "statistic", "skin", "camera", "light")
"""Elements without an influence on the motion of the free mechanism."""


def import_mjcf(
    file: str | os.PathLike[str],
    *,
    roots: Mapping[str, str | os.PathLike[str]] | None = None,
    flanges: str | Collection[str] = "none",
    scene: bool = True,
    limits: bool = True,
    visuals: bool = True,
    positions: Mapping[str, float] | None = None,
    copy_meshes: str | os.PathLike[str] | None = None,
    contacts: bool = False,
    contact_material: str = "Steel",
    show_contacts: bool = False,
) -> ImportedModel:
    """Return a model in an MJCF file as a `Model3D`; needs the package mujoco.

    Every body becomes an `Object3D` of its name, every joint a joint of its name; several joints of one body are a chain with
    massless frames between them. A free joint is the free motion of its body. Coordinates are zero where MuJoCo's are
    ``qpos0`` (attribute ``ref``). The equality constraint ``connect`` becomes a spherical joint that is cut, ``weld`` a fixed
    one; ``joint``, if it is linear, an ideal gear, if both joints have flanges.

    Args:
        file: MJCF file; it and what it includes may name files in its own folder and in ``roots`` only.
        roots: folders of further files, by any name.
        flanges: as in `modia3d.files.import_urdf`; "needed" are joints with damping, stiffness or armature.
        scene, limits, visuals, positions, copy_meshes: as in `import_urdf`; gravity is that of the file.
        contacts: whether geoms collide, as ``contype``, ``conaffinity``, ``exclude`` and ``pair`` say; a mesh does as its
            convex hull. Friction, ``condim``, ``solref`` and the like are left out. What collides in the groups 3 to 5, which
            MuJoCo's viewer hides, is no visual then.
        contact_material, show_contacts: as in `import_urdf`.

    Returns:
        The model; its attribute ``report`` tells what was renamed and what was left out.

    Raises:
        ModelError: with file and element: what MuJoCo refuses, what cannot be represented, a file that is missing or
            outside of the permitted folders.
    """
    try:
        import mujoco
    except ImportError:
        found, remedy = "it is not installed", "pip install modia3d[import]"
        raise ModelError("MJCF needs the package mujoco", found=found, remedy=remedy) from None
    path, report = Path(file), Report()
    files = Files(path, roots or {}, None if copy_meshes is None else Path(copy_meshes))
    root = read_xml(path)
    if root.tag != "mujoco":
        raise root.error("this is no MJCF file", found=f"<{root.tag}>", expected="<mujoco>")
    _check(root, files, report, [what for what in LEFT_OUT if what != "contact" or not contacts])
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        model = spec.compile()
    except Exception as error:  # MuJoCo raises ValueError and its own errors
        raise ModelError("MuJoCo refuses the file", file=str(path), found=" ".join(str(error).split())) from None
    touching = contacts, contact_material, show_contacts
    options = Options(flanges, False, scene, limits, visuals, dict(positions or {}), *touching)
    return build_model(_Mjcf(mujoco, spec, model, str(path), files, report, contacts).robot(), options, report)


def _check(root: Element, files: Files, report: Report, left_out: Collection[str]) -> None:
    """Refuse elements without a counterpart and files outside of the permitted folders, in included files, too."""
    folders = [str(files.folder), *map(str, files.roots.values())]

    def permitted(element: Element, target: Path) -> Path:
        try:
            return permitted_path(f"the file of <{element.tag}>", str(target), folders)
        except ModelError as error:
            remedy = "Give its folder as a root: --root NAME=FOLDER." if "outside" in error.found else ""
            raise element.error(error.message, found=error.found, expected=error.expected, remedy=remedy) from None

    def read(element: Element, depth: int = 0) -> Iterator[Element]:
        """Generate an element and all inside of it, those of included files in the place of their ``<include>``."""
        yield element
        name = element.attributes.get("file")
        if name and element.tag == "include":
            if depth > 20:
                raise element.error("files include each other", found=name)
            yield from read(read_xml(permitted(element, files.folder / name)), depth + 1)
        for child in element.children:
            yield from read(child, depth)

    elements = list(read(root))
    compilers = [element.attributes for element in reversed(elements) if element.tag == "compiler"]
    strip = any(c.get("strippath") == "true" for c in compilers)
    for element in elements:
        if element.tag in REFUSED:
            raise element.error(f"{REFUSED[element.tag]} cannot be imported", found=f"<{element.tag}>")
        if element.tag in left_out and element.children:
            report.leave_out(f"<{element.tag}>", f"line {element.line}")
        folder_of = "texturedir" if element.tag == "texture" else "meshdir"
        folder = next((c[key] for c in compilers for key in (folder_of, "assetdir") if key in c), "")
        for key, name in element.attributes.items():
            if name and key.startswith("file") and element.tag != "include":
                permitted(element, files.folder / folder / (Path(name).name if strip else name))


@dataclass(frozen=True)
class _Place:
    """An element of a compiled model, which does not know its line."""

    file: str
    path: str

    def error(self, message: str, **details: Any) -> ModelError:
        return ModelError(message, **{"path": self.path, "file": self.file, **details})


class _Mjcf:
    def __init__(
        self, mujoco: Any, spec: Any, model: Any, file: str, files: Files, report: Report, contacts: bool = False
    ) -> None:
        self.mujoco, self.spec, self.model, self.file, self.files, self.report = mujoco, spec, model, file, files, report
        self.contacts = contacts
        self.colliding = CollidingGeoms(model, not self.disabled("FILTERPARENT")) if contacts else None
        if contacts and self.disabled("CONTACT"):
            self.colliding = None
            report.leave_out("contact, which the file switches off", "<flag contact>")
        kinds = mujoco.mjtObj
        self.bodies = [self.name(kinds.mjOBJ_BODY, i, "body") for i in range(model.nbody)]
        self.bodies[0] = WORLD

    def robot(self) -> Robot:
        """Return the bodies as links, joints as joints; in between massless links where a body has several joints."""
        model = self.model
        self.check_options()
        links = {name: self.link(i) for i, name in enumerate(self.bodies)}
        joints: list[RobotJoint] = []
        between: dict[str, Link] = {}
        for body in range(1, model.nbody):
            joints += self.joints_of(body, between)
        touched = {touch.group for link in links.values() for touch in link.touches}
        apart = [] if self.colliding is None else [pair for pair in self.colliding.no_contact if touched.issuperset(pair)]
        self.report_pairs()
        closings = [closing for i in range(model.neq) for closing in self.equality(i, joints)]
        gravity = [0.0] * 3 if self.disabled("GRAVITY") else model.opt.gravity.tolist()
        name = model.names.split(b"\0")[0].decode() or "robot"
        return Robot(name, WORLD, links | between, joints, gravity, closings, apart)

    def check_options(self) -> None:
        """Refuse what acts on the motion and has no counterpart."""
        model = self.model
        place = _Place(self.file, "/mujoco")
        for i in range(model.ntendon):
            name = self.name(self.mujoco.mjtObj.mjOBJ_TENDON, i, "tendon")
            acts = [what for what in ("stiffness", "damping", "frictionloss", "armature", "limited")
                    if np.any(getattr(model, f"tendon_{what}", np.zeros(model.ntendon))[i])]  # fmt: skip
            if acts:
                raise _Place(self.file, f"/mujoco/tendon[{name}]").error("tendons cannot be imported", found=f"its {acts[0]}")
            self.report.leave_out("tendons without stiffness, damping and limits", name)
        for what in ("density", "viscosity"):
            if getattr(model.opt, what):
                raise place.error(f"a medium with {what} cannot be imported", found=f"{what}={getattr(model.opt, what):g}")
        for i in np.flatnonzero(model.body_gravcomp).tolist():
            raise _Place(self.file, f"/mujoco/body[{self.bodies[i]}]").error("gravcomp cannot be imported", expected="0")
        for i in np.flatnonzero(model.body_mocapid >= 0).tolist():
            self.report.leave_out("mocap of bodies, which are fixed where they stand", self.bodies[i])

    def disabled(self, what: str) -> bool:
        """Return whether a flag of ``<option>`` switches something off."""
        return bool(self.model.opt.disableflags & int(getattr(self.mujoco.mjtDisableBit, f"mjDSBL_{what}")))

    # -- equality constraints ------------------------------------------------------------------------------------------

    def equality(self, i: int, joints: list[RobotJoint]) -> Iterator[Closing]:
        """Generate a constraint of two frames; one of two joints becomes their coupling. MuJoCo's are soft, these are not."""
        model, kinds = self.model, self.mujoco.mjtEq
        name = self.name(self.mujoco.mjtObj.mjOBJ_EQUALITY, i, "equality")
        if self.disabled("EQUALITY") or not model.eq_active0[i]:
            self.report.leave_out("equality constraints that are not active", name)
            return
        self.report.leave_out("softness of equality constraints (solref, solimp)", name)
        kind, place = kinds(int(model.eq_type[i])), _Place(self.file, f"/mujoco/equality[{name}]")
        if kind == kinds.mjEQ_JOINT:
            self.couple(i, joints, place)
        elif kind in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD):
            weld = kind == kinds.mjEQ_WELD
            one, two = (self.end(i, k, weld) for k in (0, 1))
            if one[0] != two[0]:
                yield Closing(name, "fixed" if weld else "spherical", (one[0], two[0]), (one[1], two[1]))
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

    def couple(self, i: int, joints: list[RobotJoint], place: _Place) -> None:
        """Couple the coordinate of a joint to that of another one linearly: as `RobotJoint.mimic`."""
        model = self.model
        offset, ratio, *rest = model.eq_data[i, :5].tolist()
        follower, leader = (int(ids[i]) for ids in (model.eq_obj1id, model.eq_obj2id))
        name = self.name(self.mujoco.mjtObj.mjOBJ_JOINT, follower, "joint")
        if leader < 0 or any(rest):
            raise place.error(
                "a joint follows another one linearly, or not at all",
                found="a constant position"
                if leader < 0
                else f"polycoef {offset:g} {ratio:g} {' '.join(f'{x:g}' for x in rest)}",
                expected="joint2, and zeros but for the first two of polycoef",
                remedy=f"Remove the constraint, and {'the joint' if leader < 0 else 'write equations for both'}.",
            )
        joint = next(joint for joint in joints if joint.name == name)
        if joint.mimic is not None:
            raise place.error("a joint follows two others", found=f"joint '{name}'", expected="one constraint for each joint1")
        joint.mimic = Mimic(self.name(self.mujoco.mjtObj.mjOBJ_JOINT, leader, "joint"), ratio, offset)

    # -- bodies --------------------------------------------------------------------------------------------------------

    def link(self, body: int) -> Link:
        """Return a body with its mass, shapes and sites."""
        model = self.model
        link = Link(self.bodies[body], _Place(self.file, f"/mujoco/body[{self.bodies[body]}]"))
        if body and model.body_mass[body] > 0.0:
            R = matrix_of("quaternion", model.body_iquat[body])
            matrix = R @ np.diag(model.body_inertia[body]) @ R.T
            link.inertial = Inertial(float(model.body_mass[body]), model.body_ipos[body].copy(), 0.5 * (matrix + matrix.T))
        for geom in np.flatnonzero(model.geom_bodyid == body).tolist():
            shape = self.shape(geom)
            self.add_touch(link, geom, shape)
            if shape is not None and not self.is_hidden(geom):
                *rgb, alpha = self.color(geom)
                material = make.VisualMaterial(color=rgb, **({"transparency": 1.0 - alpha} if alpha != 1.0 else {}))
                link.looks.append(Look(shape, self.geom_pose(geom), material))
        for site in np.flatnonzero(model.site_bodyid == body).tolist():
            name = self.name(self.mujoco.mjtObj.mjOBJ_SITE, site, "site")
            link.frames[name] = _pose(model.site_pos[site], model.site_quat[site])
        return link

    def shape(self, geom: int) -> Par | None:
        """Return the shape of a geom; None if it is left out."""
        kinds, size = self.mujoco.mjtGeom, self.model.geom_size[geom].tolist()
        kind, name = kinds(int(self.model.geom_type[geom])), self.name(self.mujoco.mjtObj.mjOBJ_GEOM, geom, "geom")
        if not self.contacts and (self.model.geom_contype[geom] or self.model.geom_conaffinity[geom]):
            self.report.leave_out("contact of geoms", name)
        if kind == kinds.mjGEOM_BOX:
            return make.Box(*(2.0 * x for x in size))
        if kind == kinds.mjGEOM_SPHERE:
            return make.Sphere(2.0 * size[0])
        if kind == kinds.mjGEOM_ELLIPSOID:
            return make.Ellipsoid(*(2.0 * x for x in size))
        if kind in (kinds.mjGEOM_CYLINDER, kinds.mjGEOM_CAPSULE):
            maker = make.Cylinder if kind == kinds.mjGEOM_CYLINDER else make.Capsule
            return maker(diameter=2.0 * size[0], length=2.0 * size[1], axis="z")
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

    def add_touch(self, link: Link, geom: int, shape: Par | None) -> None:
        """Add a geom that collides; ``shape`` is how it looks."""
        if self.colliding is None or geom not in self.colliding.groups:
            return
        name = self.name(self.mujoco.mjtObj.mjOBJ_GEOM, geom, "geom")
        if int(self.model.geom_type[geom]) == int(self.mujoco.mjtGeom.mjGEOM_PLANE):
            shape = make.Plane("z")
        elif shape is None:
            self.report.leave_out("contact of geoms of other kinds than box, sphere, capsule, cylinder, mesh, plane", name)
            return
        own = self.mujoco.mj_id2name(self.model, int(self.mujoco.mjtObj.mjOBJ_GEOM), geom) or ""
        link.touches.append(Touch(shape, self.geom_pose(geom), own, self.colliding.groups[geom]))
        self.report.leave_out("friction, condim, solref, solimp, margin and gap of geoms", name)

    def report_pairs(self) -> None:
        """Tell what is left out of explicit pairs."""
        if self.colliding is None:
            return
        model, kind = self.model, self.mujoco.mjtObj.mjOBJ_GEOM
        for one, two in self.colliding.pairs_of_neighbours():
            names = " and ".join(self.name(kind, geom, "geom") for geom in (one, two))
            self.report.leave_out("<pair> of neighbours; can_collide=True of their joint lets them collide", names)
        if model.npair:
            self.report.leave_out("parameters of <pair>", f"{model.npair} pairs")

    def mesh(self, geom: int, name: str) -> Par | None:
        """Return the file of a mesh; None if it has none."""
        mesh = self.spec.meshes[int(self.model.geom_dataid[geom])]
        folder = self.spec.compiler.meshdir if hasattr(self.spec, "compiler") else self.spec.meshdir
        path = Path(self.files.folder, folder, mesh.file).resolve() if mesh.file else None
        if path is None or path.suffix.lower() not in FORMATS or not path.is_file():
            self.report.leave_out("meshes without a file in a known format", f"{name}: {mesh.file or mesh.name}")
            return None
        scale = [float(x) for x in mesh.scale]
        factor = scale[0] if len(set(scale)) == 1 and scale[0] > 0.0 else scale
        return make.Mesh(file=self.files.used(path), **({} if factor == 1.0 else {"scale": factor}))

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
        place = _Place(self.file, f"/mujoco/body[{child}]")
        pose = _pose(model.body_pos[body], model.body_quat[body])
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        if count == 0:
            return [RobotJoint(f"{child} fixed", "fixed", parent, child, place, pose)]
        kinds = {0: "floating", 1: "spherical", 2: "prismatic", 3: "revolute"}
        made = []
        done = np.zeros(3)
        for j in range(first, first + count):
            name = self.name(self.mujoco.mjtObj.mjOBJ_JOINT, j, "joint")
            kind, last = kinds[int(model.jnt_type[j])], j == first + count - 1
            at = np.zeros(3) if kind == "floating" else model.jnt_pos[j].copy()
            target = child if last else f"{child}_{j - first + 1}"
            if not last:
                between[target] = Link(target, place)
            joint = RobotJoint(name, kind, parent, target, _Place(self.file, f"/mujoco/joint[{name}]"))
            joint.can_collide = self.colliding is not None and self.colliding.across(body)
            joint.pose = (pose if j == first else Pose()) @ Pose(p=at - done)
            joint.anchor, joint.axis = (at if last else np.zeros(3)), model.jnt_axis[j].tolist()
            self.add_properties(joint, j)
            made.append(joint)
            parent, done = target, at
        return made

    def add_properties(self, joint: RobotJoint, j: int) -> None:
        """Add limits, damping, spring and armature of a joint."""
        model, dof = self.model, int(self.model.jnt_dofadr[j])
        values = {
            "damping": 0.0 if self.disabled("DAMPER") else _linear(joint, model.dof_damping[dof]),
            "stiffness": 0.0 if self.disabled("SPRING") else _linear(joint, model.jnt_stiffness[j]),
            "armature": float(model.dof_armature[dof]),
        }
        if model.dof_frictionloss[dof]:
            self.report.leave_out("dry friction of joints", f"joint {joint.name}")
        if joint.kind not in ("revolute", "prismatic"):
            for what, value in values.items():
                if value:
                    self.report.leave_out(f"{what} of joints with more than one coordinate", f"joint {joint.name}")
            if model.jnt_limited[j]:
                self.report.leave_out("limits of joints with more than one coordinate", f"joint {joint.name}")
            return
        joint.damping, joint.stiffness, joint.armature = values["damping"], values["stiffness"], values["armature"]
        q = int(model.jnt_qposadr[j])
        zero = float(model.qpos0[q])
        joint.rest = float(model.qpos_spring[q]) - zero
        if zero:
            self.report.note(f"the coordinate of joint '{joint.name}' is that of MuJoCo less {zero:g} (ref)")
        if model.jnt_limited[j]:
            lower, upper = (model.jnt_range[j] - zero).tolist()
            joint.limits = (lower, upper)

    def name(self, kind: Any, index: int, default: str) -> str:
        """Return the name of an element; an element without one is numbered."""
        return self.mujoco.mj_id2name(self.model, int(kind), index) or f"{default}{index}"


def _linear(joint: RobotJoint, value: Any) -> float:
    """Return a coefficient. Raises ModelError if MuJoCo has a polynomial there."""
    values = np.atleast_1d(np.asarray(value, dtype=float))
    if np.any(values[1:]):
        raise joint.location.error("nonlinear damping and stiffness cannot be imported", found=str(values.tolist()))
    return float(values[0])


def _pose(position: np.ndarray, quaternion: np.ndarray) -> Pose:
    """Return a pose from a position and a quaternion w x y z."""
    w, *rest = np.asarray(quaternion, dtype=float).tolist()
    R = np.eye(3) if not any(rest) and w > 0.0 else matrix_of("quaternion", quaternion)
    return Pose(R, np.array(position, dtype=float))
