"""Forces on the coordinates of MJCF joints: springs, dampers, limits, fixed tendons, actuators without control.

Formulas, tried with MuJoCo 4.0: a spring ``-x*(k1 + k2*x + k3*x^2)``, a damper ``-v*(d1 + d2*|v| + d3*v^2)``; damping and
armature of an actuator, times the square of its first gear, are added to those of its joint or tendon, without control, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .mjcf_compiled import Compiled
from .report import Report
from .robot import RobotJoint, Tendon

QUIET_GAINS = ("FIXED", "AFFINE", "MUSCLE")
"""Gains of actuators that are multiplied by the control: nothing acts where that is 0."""


class Forces:
    """Reads the forces of a compiled model."""

    def __init__(self, compiled: Compiled, report: Report) -> None:
        self.compiled, self.model, self.report = compiled, compiled.model, report
        transmissions = compiled.mujoco.mjtTrn
        self._joint_like = [int(kind) for kind in (transmissions.mjTRN_JOINT, transmissions.mjTRN_JOINTINPARENT)]
        self._tendon_like = [int(transmissions.mjTRN_TENDON)]

    def add_properties(self, joint: RobotJoint, j: int) -> None:
        """Add limits, damping, spring and armature of a joint."""
        model, dof = self.model, int(self.model.jnt_dofadr[j])
        damping, armature = self._of_actuators(self._joint_like, j)
        damping = self.damping("dof", dof, damping)
        stiffness = self.stiffness("jnt", j)
        armature += float(model.dof_armature[dof])
        if model.dof_frictionloss[dof] and not self.compiled.disabled("FRICTIONLOSS"):
            self.report.leave_out("dry friction of joints", f"joint {joint.name}")
        limited = bool(model.jnt_limited[j]) and not self.compiled.disabled("LIMIT")
        if joint.kind not in ("revolute", "prismatic"):
            values = {"damping": any(damping), "stiffness": any(stiffness), "armature": armature, "limits": limited}
            for what, value in values.items():
                if value:
                    self.report.leave_out(f"{what} of joints with more than one coordinate", f"joint {joint.name}")
            return
        joint.damping, joint.stiffness, joint.armature = damping, stiffness, armature
        joint.yields = any(stiffness) and bool(_first(getattr(model, "jnt_springyield", None), j))
        q = int(model.jnt_qposadr[j])
        zero = float(model.qpos0[q])
        joint.rest = float(model.qpos_spring[q]) - zero
        if zero:
            self.report.note(f"the coordinate of joint '{joint.name}' is that of MuJoCo less {zero:g} (ref)")
        if limited:
            lower, upper = (model.jnt_range[j] - zero).tolist()
            joint.limits = (lower, upper)

    def tendons(self) -> Iterator[Tendon]:
        """Generate the fixed tendons that act.

        Raises:
            ModelError: a spatial tendon that acts; limits, dry friction or plasticity of any tendon.
        """
        model, fixed = self.model, int(self.compiled.mujoco.mjtWrap.mjWRAP_JOINT)
        for i in range(model.ntendon):
            place, name = self.compiled.place("tendon", i), self.compiled.name("tendon", i)
            damping, armature = self._of_actuators(self._tendon_like, i)
            armature += _first(getattr(model, "tendon_armature", None), i)
            stiffness, damping = self.stiffness("tendon", i), self.damping("tendon", i, damping)
            acts = {"stiffness": any(stiffness), "damping": any(damping), "armature": bool(armature)}
            refused = {
                "frictionloss": bool(model.tendon_frictionloss[i]) and not self.compiled.disabled("FRICTIONLOSS"),
                "limits": bool(model.tendon_limited[i]) and not self.compiled.disabled("LIMIT"),
                "springyield": any(stiffness) and bool(_first(getattr(model, "tendon_springyield", None), i)),
            }
            parts = range(int(model.tendon_adr[i]), int(model.tendon_adr[i]) + int(model.tendon_num[i]))
            spatial = any(int(model.wrap_type[part]) != fixed for part in parts)
            for what, found in {**refused, **(acts if spatial else {})}.items():
                if found:
                    raise place.error(
                        f"{'spatial tendons' if spatial else what + ' of tendons'} cannot be imported", found=f"its {what}",
                        expected="fixed tendons with stiffness, damping and armature",
                    )  # fmt: skip
            if not any(acts.values()):
                self.report.leave_out("tendons that do not act by themselves", name)
                continue
            ratios: dict[str, float] = {}
            for part in parts:
                joint = self.compiled.name("jnt", int(model.wrap_objid[part]))
                ratios[joint] = ratios.get(joint, 0.0) + float(model.wrap_prm[part])
            lower, upper = (model.tendon_lengthspring[i] - model.tendon_length0[i]).tolist()
            yield Tendon(name, place, ratios, stiffness, damping, (lower, upper), armature)

    def stiffness(self, kind: str, i: int) -> tuple[float, ...]:
        """Return the coefficients of the spring of a joint or tendon."""
        if self.compiled.disabled("SPRING"):
            return ()
        return _coefficients(self.model, f"{kind}_stiffness", i)

    def damping(self, kind: str, i: int, more: Sequence[float] = ()) -> tuple[float, ...]:
        """Return the coefficients of the damper of a coordinate or tendon, with those of its actuators."""
        if self.compiled.disabled("DAMPER"):
            return ()
        own = _coefficients(self.model, f"{kind}_damping", i)
        return tuple(a + b for a, b in zip(own, more, strict=False)) if more else own

    def report_actuators(self) -> None:
        """Report actuators that act without control, and how they are left out."""
        model, mujoco = self.model, self.compiled.mujoco
        for i in range(len(model.actuator_trntype)):
            name = self.compiled.name("actuator", i)
            if self._damps(i):
                self.report.note(
                    f"damping and armature of actuator '{name}' act without control: they count as its joint's or tendon's"
                )
            gain = mujoco.mjtGain(int(model.actuator_gaintype[i])).name.removeprefix("mjGAIN_")
            bias = mujoco.mjtBias(int(model.actuator_biastype[i])).name.removeprefix("mjBIAS_")
            quiet = bias == "NONE" or (bias == "AFFINE" and not model.actuator_biasprm[i, :3].any())
            if not (quiet and gain in QUIET_GAINS) and not self.compiled.disabled("ACTUATION"):
                self.report.leave_out("forces of actuators that act without control (servos, muscles)", name)

    def _of_actuators(self, kinds: Sequence[int], target: int) -> tuple[tuple[float, ...], float]:
        """Return the coefficients of damping, and armature, that all actuators of a joint or tendon bring along."""
        model = self.model
        damping, armature = np.zeros(len(_coefficients(model, "dof_damping", 0)) if model.nv else 1), 0.0
        for i in range(len(model.actuator_trntype)):
            if int(model.actuator_trntype[i]) in kinds and int(model.actuator_trnid[i, 0]) == target and self._damps(i):
                output = int(model.actuator_outadr[i]) if hasattr(model, "actuator_outadr") else i
                square = float(model.actuator_gear[output, 0]) ** 2
                damping = damping + square * np.array(_coefficients(model, "actuator_damping", i))
                armature += square * float(model.actuator_armature[i])
        return tuple(damping.tolist()), armature

    def _damps(self, i: int) -> bool:
        """Return whether an actuator has damping or armature, which it has from MuJoCo 3.6 on."""
        model = self.model
        if not hasattr(model, "actuator_damping"):
            return False
        return any(_coefficients(model, "actuator_damping", i)) or bool(model.actuator_armature[i])


def _coefficients(model: Any, name: str, i: int) -> tuple[float, ...]:
    """Return a polynomial: the linear coefficient stands in a field of its own, those of higher order in ``...poly``."""
    first = np.ravel(getattr(model, name)[i])
    poly = getattr(model, f"{name}poly", None)
    return tuple(np.concatenate([first, [] if poly is None else poly[i]]).tolist())


def _first(values: Any, i: int) -> float:
    """Return an element of a field that older versions do not have."""
    return 0.0 if values is None else float(values[i])
