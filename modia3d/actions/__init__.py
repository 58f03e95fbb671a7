"""Action programs: what a user calls, as `modia3d.actions.NAME`; light to import."""

from modiapy.model.model import constructor

from .paths import ptp_duration
from .program import ActionProgram
from .values import (
    ACTIONS,
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
    ptpJointSpace,
)

ModelActions = constructor(ActionProgram, name="ModelActions")

__all__ = [
    "ACTIONS",
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
    "ptpJointSpace",
    "ptp_duration",
]
