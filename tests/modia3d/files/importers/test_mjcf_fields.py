"""Every field of the installed MuJoCo's compiled model is known to the import, and what is not taken over is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import pytest

from modia3d.files import import_mjcf
from modia3d.files.importers import mjcf_fields
from modia3d.files.importers.mjcf_fields import PLAIN, fields_of, is_known
from modiapy import ModelError

pytestmark = pytest.mark.white_box


def report_of(folder: Path, text: str, **options: Any) -> str:
    (folder / "robot.xml").write_text(f"<mujoco>{text}</mujoco>")
    return "\n".join(import_mjcf(folder / "robot.xml", **options).report)


BODY = '<worldbody><body name="b"><joint name="j" axis="0 1 0" {}/><geom name="g" size="1" {}/></body></worldbody>'


def test_every_field_of_the_installed_version_is_known() -> None:
    """Whoever reads this because it fails: a new MuJoCo has new fields; put each into a table of `mjcf_fields`."""
    model = mujoco.MjModel.from_xml_string(PLAIN)
    names = set(fields_of(mujoco, model))
    assert len(names) > 500
    assert {"jnt_springyield", "opt.density", "DISABLE.LIMIT", "ENABLE.SLEEP", "nflex"} <= names
    assert [name for name in sorted(names) if not is_known(name)] == []


def test_no_field_stands_in_two_tables() -> None:
    tables = [mjcf_fields.REFUSED, mjcf_fields.REPORTED, mjcf_fields.TAKEN, mjcf_fields.IRRELEVANT, mjcf_fields.TOLD_ELSEWHERE]
    names = [name for table in tables for name in table]
    assert sorted(set(names)) == sorted(names)
    assert not [name for name in names if name.partition("_")[0] in mjcf_fields.IRRELEVANT_GROUPS and "mesh_" not in name
                and "mat_" not in name]  # fmt: skip


@pytest.mark.parametrize("kinds", ["mjtJoint", "mjtEq", "mjtWrap", "mjtTrn", "mjtBias", "mjtGain"])
def test_every_kind_is_known(kinds: str) -> None:
    """A new kind of joint, constraint, transmission may need code: see `mjcf_robot` and `mjcf_forces`."""
    known = {
        "mjtJoint": "FREE BALL SLIDE HINGE",
        "mjtEq": "CONNECT WELD JOINT TENDON FLEX FLEXVERT FLEXSTRAIN DISTANCE",
        "mjtWrap": "NONE JOINT PULLEY SITE SPHERE CYLINDER",
        "mjtTrn": "JOINT JOINTINPARENT SLIDERCRANK TENDON SITE BODY SO3 UNDEFINED",
        "mjtBias": "NONE AFFINE MUSCLE DCMOTOR SO3 USER",
        "mjtGain": "FIXED AFFINE MUSCLE DCMOTOR SO3 PID USER",
    }
    names = {name.partition("_")[2] for name in getattr(mujoco, kinds).__members__}
    assert names <= set(known[kinds].split())


REFUSED = {
    "gravcomp": (
        '<worldbody><body name="b" gravcomp="0.5"><joint/><geom size="1"/></body></worldbody>',
        {},
        "body_gravcomp 0.5",
    ),
    "density": ('<option density="1.2"/>' + BODY.format("", ""), {}, "a medium with density cannot be imported; found density"),
    "viscosity": ('<option viscosity="0.1"/>' + BODY.format("", ""), {}, "a medium with viscosity"),
    "surfacevel": (BODY.format("", 'surfacevel="0 1 0 0 0 0"'), {"contacts": True}, "geom[g]: surfacevel cannot be imported"),
    "adhesion": (BODY.format("", 'adhesion="3"'), {"contacts": True}, "geom[g]: adhesion cannot be imported"),
    "adhesion of a pair": (
        BODY.format("", "").replace("<body", '<geom name="floor" type="plane" size="1 1 1"/><body', 1)
        + '<contact><pair name="p" geom1="floor" geom2="g" adhesion="3"/></contact>',
        {"contacts": True},
        "pair[p]: adhesion",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_changes_the_motion_is_refused(tmp_path: Path, case: str) -> None:
    text, options, words = REFUSED[case]
    with pytest.raises(ModelError) as caught:
        report_of(tmp_path, text, **options)
    assert words in str(caught.value)


ALLOWED = {
    "gravcomp without gravity": '<option gravity="0 0 0"/>' + REFUSED["gravcomp"][0],
    "gravcomp, switched off": '<option><flag gravity="disable"/></option>' + REFUSED["gravcomp"][0],
    "surfacevel without contacts": REFUSED["surfacevel"][0],
    "surfacevel of what does not collide": BODY.format("", 'contype="0" conaffinity="0" adhesion="2"'),
    "margin without limits": BODY.format('margin="0.1" solreflimit="0.1 1"', ""),
    "solver": '<option timestep="0.01" cone="elliptic" integrator="RK4" iterations="7" o_margin="1"/>' + BODY.format("", ""),
    "looks": BODY.format('group="3"', 'rgba="1 0 0 1" group="2"'),
}


@pytest.mark.parametrize("case", ALLOWED)
def test_what_has_no_influence_is_not_told(tmp_path: Path, case: str) -> None:
    report = report_of(tmp_path, ALLOWED[case], contacts="collide" in case)
    assert not any(word in report for word in ("softness", "not known", "replace"))


REPORTED = {
    "margin": (BODY.format('range="-40 40" margin="0.1"', ""), {}, "softness and margin of limits (j)"),
    "solref": (BODY.format('range="-40 40" solreflimit="0.1 1"', ""), {}, "softness and margin of limits (j)"),
    "mocap": ('<worldbody><body name="m" mocap="true"/></worldbody>', {}, "mocap of bodies"),
    "sleep": ('<option><flag sleep="enable"/></option>' + BODY.format("", ""), {}, "sleeping of bodies: all move"),
    "override": (
        '<option o_margin="1"><flag override="enable"/></option>' + BODY.format("", ""),
        {"contacts": True}, "parameters of contact that replace all others",
    ),
    "frictionloss": (BODY.format('frictionloss="1"', ""), {}, "dry friction of joints (joint j)"),
}  # fmt: skip


@pytest.mark.parametrize("case", REPORTED)
def test_what_is_left_out_is_reported(tmp_path: Path, case: str) -> None:
    text, options, words = REPORTED[case]
    assert words in report_of(tmp_path, text, **options)


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("jnt_margin", BODY.format('margin="0.1"', "")),
        ("jnt_solref", BODY.format('solreflimit="0.1 1"', "")),
        ("geom_friction", BODY.format("", 'friction="0.3"')),
        ("opt.timestep", '<option timestep="0.01"/>' + BODY.format("", "")),
        ("opt.wind", '<option wind="0 0 1"/>' + BODY.format("", "")),
        ("nkey", BODY.format("", "") + '<keyframe><key qpos="0"/></keyframe>'),
    ],
)
def test_a_field_of_a_newer_version_is_told_where_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, field: str, text: str
) -> None:
    for table in ("REPORTED", "REFUSED"):
        known = getattr(mjcf_fields, table)
        monkeypatch.setattr(mjcf_fields, table, {name: told for name, told in known.items() if name != field})
    for table in ("TAKEN", "IRRELEVANT", "TOLD_ELSEWHERE"):
        monkeypatch.setattr(mjcf_fields, table, getattr(mjcf_fields, table) - {field})
    words = f"fields of MuJoCo {mujoco.__version__} that are not known here ({field})"
    assert words in report_of(tmp_path, text)
    assert "not known here" not in report_of(tmp_path, BODY.format("", ""))


def test_a_flag_of_a_newer_version_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flags = tuple(flag for flag in mjcf_fields.DISABLE_IRRELEVANT if flag != "SENSOR")
    monkeypatch.setattr(mjcf_fields, "DISABLE_IRRELEVANT", flags)
    text = '<option><flag sensor="disable"/></option>' + BODY.format("", "")
    assert "not known here (DISABLE.SENSOR)" in report_of(tmp_path, text)
    assert "not known here" not in report_of(tmp_path, BODY.format("", ""))
