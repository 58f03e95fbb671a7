"""Action programs: what a user calls, as `modia3d.actions.NAME`; light to import."""

from modiapy.model.constructors import constructor

from .blocks import IfElse, Join, Parallel, Repeat, Retry, Spawn, Try
from .paths import ptp_duration
from .pose import Pose
from .program import ActionProgram
from .steps import ActionRefused, End, Read, Set, StopPath, WaitUntil
from .structural.add import ActionAdd
from .structural.attach import ActionAttach
from .structural.delete import ActionDelete
from .structural.flip_chain import ActionFlipChain
from .structural.lock_joint import ActionLock
from .structural.recorder import Actions
from .structural.release import ActionRelease
from .structural.release_and_attach import ActionReleaseAndAttach
from .structural.unlock_joint import ActionUnlock
from .touching import in_contact, not_in_contact
from .values import (
    ACTIONS,
    ActionWait,
    EventAfterPeriod,
    Together,
    addReferencePath,
    moveLinear,
    ptpJointSpace,
)

ModelActions = constructor(
    ActionProgram,
    name="ModelActions",
    remedies={
        "actions": "program=...: a list of actions, or a function.",
        "world": "The program belongs to the Model3D in which it stands; leave it out.",
    },
)

__all__ = [
    "ACTIONS",
    "ActionAdd",
    "ActionAttach",
    "ActionDelete",
    "ActionFlipChain",
    "ActionLock",
    "ActionRefused",
    "ActionRelease",
    "ActionReleaseAndAttach",
    "ActionUnlock",
    "ActionWait",
    "Actions",
    "End",
    "EventAfterPeriod",
    "IfElse",
    "Join",
    "ModelActions",
    "Parallel",
    "Pose",
    "Read",
    "Repeat",
    "Retry",
    "Set",
    "Spawn",
    "StopPath",
    "Together",
    "Try",
    "WaitUntil",
    "addReferencePath",
    "in_contact",
    "moveLinear",
    "not_in_contact",
    "ptpJointSpace",
    "ptp_duration",
]
