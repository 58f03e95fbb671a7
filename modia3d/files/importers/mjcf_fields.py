"""Every field of MuJoCo's compiled model, and whether the import takes it over, reports it, refuses it or may ignore it.

A field that is in none of these tables is one of a newer MuJoCo: where it differs from what MuJoCo itself puts there by
default, it is reported. Source: ``mjmodel.h`` of MuJoCo 4.0, https://mujoco.readthedocs.io/en/stable/APIreference/APItypes.html#mjmodel.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .mjcf_compiled import OBJECTS, Compiled
from .report import Report
from .robot import Place


@dataclass(frozen=True)
class Told:
    """Text about objects whose field differs from the default of MuJoCo.

    Attributes:
        what: words for the report, or for the error.
        when: whether the field has an influence, of a model and the numbers of its objects; None: always.
    """

    what: str
    when: Callable[[Compiled, np.ndarray, bool], np.ndarray] | None = None


def _limited(compiled: Compiled, rows: np.ndarray, contacts: bool) -> np.ndarray:
    return rows[compiled.model.jnt_limited[rows].astype(bool)] if not compiled.disabled("LIMIT") else rows[:0]


def _heavy(compiled: Compiled, rows: np.ndarray, contacts: bool) -> np.ndarray:
    return rows if compiled.has_gravity else rows[:0]


def _colliding(compiled: Compiled, rows: np.ndarray, contacts: bool) -> np.ndarray:
    return rows if contacts and not compiled.disabled("CONTACT") else rows[:0]


def _colliding_geoms(compiled: Compiled, rows: np.ndarray, contacts: bool) -> np.ndarray:
    model = compiled.model
    paired = np.isin(rows, np.concatenate([model.pair_geom1, model.pair_geom2]))
    return _colliding(compiled, rows[(model.geom_contype[rows] != 0) | (model.geom_conaffinity[rows] != 0) | paired], contacts)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


REFUSED: Mapping[str, Told] = {
    "body_gravcomp": Told("gravcomp cannot be imported", _heavy),
    "body_plugin": Told("plugins cannot be imported"),
    "geom_plugin": Told("plugins cannot be imported"),
    "geom_surfacevel": Told("surfacevel cannot be imported with contacts", _colliding_geoms),
    "geom_adhesion": Told("adhesion cannot be imported with contacts", _colliding_geoms),
    "pair_adhesion": Told("adhesion cannot be imported with contacts", _colliding),
    "opt.density": Told("a medium with density cannot be imported"),
    "opt.viscosity": Told("a medium with viscosity cannot be imported"),
    "nflex": Told("deformable bodies cannot be imported"),
}
"""What would make the motion another one."""

REPORTED: Mapping[str, Told] = {
    "body_mocapid": Told("mocap of bodies, which are fixed where they stand"),
    **dict.fromkeys(("jnt_solref", "jnt_solimp", "jnt_margin"), Told("softness and margin of limits", _limited)),
}

TOLD_ELSEWHERE = _words("""
jnt_springyield dof_frictionloss tendon_springyield tendon_frictionloss tendon_limited tendon_range
geom_condim geom_friction geom_gap geom_margin geom_priority geom_solimp geom_solmix geom_solref
pair_dim pair_friction pair_gap pair_margin pair_solimp pair_solref pair_solreffriction eq_solimp eq_solref
actuator_biasprm actuator_biastype actuator_gaintype nsensor nkey nskin
""")
"""What is refused or reported by those who read what belongs to it."""

TAKEN = _words("""
body_inertia body_ipos body_iquat body_jntadr body_jntnum body_mass body_parentid body_pos body_quat body_weldid
jnt_axis jnt_bodyid jnt_dofadr jnt_limited jnt_pos jnt_qposadr jnt_range jnt_stiffness jnt_stiffnesspoly jnt_type
qpos0 qpos_spring dof_armature dof_damping dof_dampingpoly
geom_bodyid geom_conaffinity geom_contype geom_dataid geom_group geom_matid geom_pos geom_quat geom_rgba geom_size geom_type
site_bodyid site_pos site_quat mesh_pos mesh_quat mat_rgba
pair_geom1 pair_geom2 exclude_signature eq_active0 eq_data eq_obj1id eq_obj2id eq_objtype eq_type
tendon_type tendon_adr tendon_num tendon_armature tendon_damping tendon_dampingpoly tendon_length0 tendon_lengthspring
tendon_stiffness tendon_stiffnesspoly wrap_objid wrap_prm wrap_type
actuator_armature actuator_damping actuator_dampingpoly actuator_gear actuator_outadr actuator_trnid actuator_trntype
names opt.gravity opt.disableflags opt.enableflags nactuator nbody neq nexclude ngeom njnt npair nsite ntendon nv
""")

IRRELEVANT = _words("""
body_bvhadr body_bvhnum body_conaffinity body_contype body_dofadr body_dofnum body_geomadr body_geomnum body_invweight0
body_margin body_rootid body_sameframe body_simple body_subtreemass body_treeid body_user
jnt_actfrclimited jnt_actfrcrange jnt_actgravcomp jnt_actuatorid jnt_group jnt_plasticadr jnt_user
dof_M0 dof_Madr dof_bodyid dof_invweight0 dof_jntid dof_length dof_parentid dof_simplenum dof_solimp dof_solref dof_treeid
geom_aabb geom_castshadow geom_fluid geom_rbound geom_sameframe geom_user
site_dataid site_group site_matid site_rgba site_sameframe site_size site_type site_user pair_signature
tendon_actfrclimited tendon_actfrcrange tendon_actuatorid tendon_group tendon_invweight0 tendon_margin tendon_matid
tendon_plasticadr tendon_rgba tendon_solimp_fri tendon_solimp_lim tendon_solref_fri tendon_solref_lim tendon_treeid
tendon_treenum tendon_user tendon_width
actuator_acc0 actuator_actadr actuator_actearly actuator_actlimited actuator_actnum actuator_actrange actuator_cranklength
actuator_ctrladr actuator_ctrllimited actuator_ctrlnum actuator_ctrlrange actuator_ctrlspec actuator_delay actuator_dynprm
actuator_dyntype actuator_forcelimited actuator_forcerange actuator_gainprm actuator_group actuator_history
actuator_historyadr actuator_length0 actuator_lengthrange actuator_outnum actuator_plugin actuator_user
tree_bodyadr tree_bodynum tree_dofadr tree_dofnum tree_sleep_policy
opt.ccd_iterations opt.ccd_tolerance opt.cone opt.disableactuator opt.impratio opt.integrator opt.iterations opt.jacobian
opt.ls_iterations opt.ls_tolerance opt.magnetic opt.noslip_iterations opt.noslip_tolerance opt.o_friction opt.o_margin
opt.o_solimp opt.o_solref opt.sdf_initpoints opt.sdf_iterations opt.sleep_tolerance opt.solver opt.timestep opt.tolerance
opt.wind
flg_adhesion flg_gravcomp flg_surfacevel mapD2M mapM2D mapM2M names_map paths plugin plugin_attr plugin_attradr
plugin_stateadr plugin_statenum signature stat vis
nB nC nD nJfe nJmom nJten nM na narena nbuffer nbvh nbvhdynamic nbvhstatic ncam nconmax nefm0L nefm0dof nefmCvert nemax
nflexbending nflexedge nflexelem nflexelemdata nflexelemedge nflexnode nflexshelldata nflexstiffness nflextexcoord nflexvert
ngravcomp nhfield nhfielddata nhistory njmax nlight nmat nmesh nmeshdegmax nmeshface nmeshgraph nmeshnormal nmeshpoly
nmeshpolymap nmeshpolyvert nmeshtexcoord nmeshvert nmocap nnames nnames_map nnumeric nnumericdata noct nout npaths nplastic
nplugin npluginattr npluginstate npolygonmax nq nsensordata nskinbone nskinbonevert nskinface nskintexvert nskinvert ntex
ntexdata ntext ntextdata ntree ntuple ntupledata nu nuser_actuator nuser_body nuser_cam nuser_geom nuser_jnt nuser_sensor
nuser_site nuser_tendon nuserdata nwrap
""")
"""Bookkeeping, what follows from other fields, looks, how MuJoCo solves, and what belongs to actuators, which are left out."""

IRRELEVANT_GROUPS = _words("""
B D M bvh cam efm0 efmC flex flexedge hfield key light mat mesh name numeric oct sensor skin ten tex text tuple
""")
"""Beginnings of names, up to the underscore: what is refused as a whole, only seen or measured, and sparsity."""

DISABLE_TAKEN = ("CONSTRAINT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT", "SPRING", "DAMPER", "GRAVITY", "FILTERPARENT")
DISABLE_IRRELEVANT = (
    "CLAMPCTRL", "WARMSTART", "ACTUATION", "REFSAFE", "SENSOR", "MIDPHASE", "EULERDAMP", "AUTORESET", "NATIVECCD", "ISLAND",
    "MULTICCD", "PASSIVE",
)  # fmt: skip
ENABLE_REPORTED = {
    "SLEEP": Told("sleeping of bodies: all move"),
    "OVERRIDE": Told("parameters of contact that replace all others", _colliding),
}
ENABLE_IRRELEVANT = ("ENERGY", "FWDINV", "INVDISCRETE", "DIAGEXACT", "IPC", "SPECULATIVE", "MULTICCD", "ISLAND")
"""Bits of flags, as fields."""

PLAIN = """<mujoco><worldbody><body name="a"><joint name="h"/><joint type="slide" axis="1 0 0"/><geom name="g" size="1"/>
<site name="s"/><body name="b"><joint type="ball"/><geom name="k" type="box" size="1 1 1"/></body></body>
<body name="c"><freejoint/><geom size="1"/></body></worldbody>
<contact><pair geom1="g" geom2="k"/><exclude body1="a" body2="c"/></contact>
<equality><weld body1="a"/><joint joint1="h"/></equality>
<tendon><fixed name="t"><joint joint="h" coef="1"/></fixed></tendon><actuator><motor joint="h"/></actuator></mujoco>"""
"""A model with one element of each kind and all defaults."""


def is_known(name: str) -> bool:
    """Return whether a field stands in a table of this file; options of ``opt`` as ``opt.NAME``, flags as ``DISABLE.NAME``."""
    group, _, bit = name.partition(".")
    if group in ("DISABLE", "ENABLE"):
        tables = (DISABLE_TAKEN, DISABLE_IRRELEVANT) if group == "DISABLE" else (tuple(ENABLE_REPORTED), ENABLE_IRRELEVANT)
        return any(bit in table for table in tables)
    if name in REFUSED or name in REPORTED:
        return True
    return any(name in t for t in (TAKEN, IRRELEVANT, TOLD_ELSEWHERE)) or name.partition("_")[0] in IRRELEVANT_GROUPS


def fields_of(mujoco: Any, model: Any) -> Iterator[str]:
    """Generate all fields of a compiled model and its options, and all bits of its flags."""
    for name in dir(model):
        if not name.startswith("_") and name != "opt" and not callable(getattr(model, name)):
            yield name
    for name in dir(model.opt):
        if not name.startswith("_") and not callable(getattr(model.opt, name)):
            yield f"opt.{name}"
    for group, bits in (("DISABLE", mujoco.mjtDisableBit), ("ENABLE", mujoco.mjtEnableBit)):
        for name in bits.__members__:
            if not name.startswith("mjN"):
                yield f"{group}.{name[7:]}"


def check_fields(compiled: Compiled, report: Report, contacts: bool) -> None:
    """Refuse and report what the model of the import does not have.

    Raises:
        ModelError: a field of `REFUSED` differs from its default where that has an influence.
    """
    mujoco, model = compiled.mujoco, compiled.model
    plain = _plain(mujoco)
    for name, told in REFUSED.items():
        for row in _differing(compiled, plain, name, told, contacts):
            values = " ".join(f"{value:g}" for value in _value(model, name)[row])
            raise _place(compiled, name, row).error(told.what, found=f"{name.removeprefix('opt.')} {values}")
    for name, told in REPORTED.items():
        for row in _differing(compiled, plain, name, told, contacts):
            report.leave_out(told.what, compiled.name(name.partition("_")[0], row))
    _check_flags(compiled, report, contacts)
    for name in fields_of(mujoco, model):
        if not is_known(name) and (_is_set(compiled, name) if "ABLE." in name else _differs(model, plain, name).size):
            report.leave_out(f"fields of MuJoCo {mujoco.__version__} that are not known here", name)


def _check_flags(compiled: Compiled, report: Report, contacts: bool) -> None:
    """Report the flags that are left out, and note those that switch something off."""
    for bit, told in ENABLE_REPORTED.items():
        if _is_set(compiled, f"ENABLE.{bit}") and (told.when is None or told.when(compiled, np.zeros(1), contacts).size):
            report.leave_out(told.what, f"<flag {bit.lower()}>")
    off = [bit.lower() for bit in DISABLE_TAKEN if _is_set(compiled, f"DISABLE.{bit}")]
    if off:
        report.note(f"switched off by <flag> of the file: {', '.join(off)}")


def _is_set(compiled: Compiled, name: str) -> bool:
    """Return whether a bit of the flags is set."""
    group, _, bit = name.partition(".")
    bits, letters = (compiled.mujoco.mjtDisableBit, "DSBL") if group == "DISABLE" else (compiled.mujoco.mjtEnableBit, "ENBL")
    flags = compiled.model.opt.disableflags if group == "DISABLE" else compiled.model.opt.enableflags
    return bool(int(flags) & int(getattr(bits, f"mj{letters}_{bit}", 0)))


@functools.cache
def _plain(mujoco: Any) -> Any:
    return mujoco.MjModel.from_xml_string(PLAIN)


def _value(model: Any, name: str) -> np.ndarray:
    """Return a field as an array of rows; texts and structures have none."""
    holder = model.opt if name.startswith("opt.") else model
    value = getattr(holder, name.removeprefix("opt."), ())
    if isinstance(value, np.ndarray) or (np.isscalar(value) and not isinstance(value, bytes | str)):
        return np.atleast_2d(np.asarray(value, dtype=float).T).T
    return np.empty((0, 1))


def _differs(model: Any, plain: Any, name: str) -> np.ndarray:
    """Return the rows of a field that have no like in the plain model; where that has none, those that are not 0."""
    rows, defaults = _value(model, name), _value(plain, name)
    if rows.shape[1] != defaults.shape[1] or not len(defaults):
        return np.flatnonzero((rows != 0.0).any(axis=1))
    if len(rows) == len(defaults) == 1 and name.startswith("n") and defaults[0, 0] > 0.0:
        return np.empty(0, dtype=int)  # a number of elements that every model has
    return np.flatnonzero(~(rows[:, None, :] == defaults[None, :, :]).all(axis=2).any(axis=1))


def _differing(compiled: Compiled, plain: Any, name: str, told: Told, contacts: bool) -> list[int]:
    """Return the numbers of the objects whose field differs and has an influence."""
    rows = _differs(compiled.model, plain, name)
    return (rows if told.when is None or not rows.size else told.when(compiled, rows, contacts)).tolist()


def _place(compiled: Compiled, name: str, row: int) -> Place:
    kind = name.partition("_")[0]
    return compiled.place(kind, row) if kind in OBJECTS else Place(compiled.file, "/mujoco")
