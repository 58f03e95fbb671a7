"""Written by ``python -m tools.exports``, which says why; not to be edited."""

from collections.abc import Callable, Sequence
from typing import Any

from modia3d.actions.blocks import IfElse as IfElse
from modia3d.actions.blocks import Join as Join
from modia3d.actions.blocks import Parallel as Parallel
from modia3d.actions.blocks import Repeat as Repeat
from modia3d.actions.blocks import Retry as Retry
from modia3d.actions.blocks import Spawn as Spawn
from modia3d.actions.blocks import Try as Try
from modia3d.actions.paths import ptp_duration as ptp_duration
from modia3d.actions.pose import Pose as Pose
from modia3d.actions.steps import ActionRefused as ActionRefused
from modia3d.actions.steps import End as End
from modia3d.actions.steps import Read as Read
from modia3d.actions.steps import Set as Set
from modia3d.actions.steps import StopPath as StopPath
from modia3d.actions.steps import WaitUntil as WaitUntil
from modia3d.actions.structural.add import ActionAdd as ActionAdd
from modia3d.actions.structural.attach import ActionAttach as ActionAttach
from modia3d.actions.structural.delete import ActionDelete as ActionDelete
from modia3d.actions.structural.flip_chain import ActionFlipChain as ActionFlipChain
from modia3d.actions.structural.lock_joint import ActionLock as ActionLock
from modia3d.actions.structural.recorder import Actions as Actions
from modia3d.actions.structural.release import ActionRelease as ActionRelease
from modia3d.actions.structural.release_and_attach import ActionReleaseAndAttach as ActionReleaseAndAttach
from modia3d.actions.structural.unlock_joint import ActionUnlock as ActionUnlock
from modia3d.actions.touching import in_contact as in_contact
from modia3d.actions.touching import not_in_contact as not_in_contact
from modia3d.actions.values import ACTIONS as ACTIONS
from modia3d.actions.values import ActionWait as ActionWait
from modia3d.actions.values import EventAfterPeriod as EventAfterPeriod
from modia3d.actions.values import Together as Together
from modia3d.actions.values import addReferencePath as addReferencePath
from modia3d.actions.values import moveLinear as moveLinear
from modia3d.actions.values import ptpJointSpace as ptpJointSpace
from modiapy.model.constructors import Boolean
from modiapy.model.model import Par

def ModelActions(program: Callable[..., Any] | Sequence[Any] | Par = ..., *, closes_loops: Boolean | None = None) -> Par:
    """An action program of a `Model3D`."""
