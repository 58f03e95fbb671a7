"""Action programs: what a user calls, as `modia3d.actions.NAME`; light to import."""

from modiapy.model.model import constructor

from .blocks import IfElse, Join, Parallel, Repeat, Retry, Spawn, Try
from .paths import ptp_duration
from .program import ActionProgram
from .steps import ActionRefused, End, Read, Set, StopPath, WaitUntil
from .values import (
    ACTIONS,
    ActionAdd,
    ActionAttach,
    ActionDelete,
    ActionFlipChain,
    ActionLock,
    ActionRelease,
    ActionReleaseAndAttach,
    Actions,
    ActionUnlock,
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
    "moveLinear",
    "ptpJointSpace",
    "ptp_duration",
]
