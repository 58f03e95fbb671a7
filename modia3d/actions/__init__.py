"""Action programs: what a user calls, as `modia3d.actions.NAME`; light to import."""

from modiapy.model.model import constructor

from .paths import ptp_duration
from .program import ActionProgram
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
    addReferencePath,
    moveLinear,
    ptpJointSpace,
)

ModelActions = constructor(ActionProgram, name="ModelActions")

__all__ = [
    "ACTIONS",
    "ActionAdd",
    "ActionAttach",
    "ActionDelete",
    "ActionFlipChain",
    "ActionLock",
    "ActionRelease",
    "ActionReleaseAndAttach",
    "ActionUnlock",
    "ActionWait",
    "Actions",
    "EventAfterPeriod",
    "ModelActions",
    "addReferencePath",
    "moveLinear",
    "ptpJointSpace",
    "ptp_duration",
]
