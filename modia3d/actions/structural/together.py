"""Several structural actions that are one change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modiapy.model.errors import ModelError

from .base import StructuralAction


@dataclass(frozen=True)
class Together:
    """Several structural actions that are one change, one segment: in their order, checked where all have been carried out."""

    actions: Sequence[StructuralAction]

    def __post_init__(self) -> None:
        given = self.actions if isinstance(self.actions, Sequence) else (self.actions,)
        for action in given:
            if not isinstance(action, StructuralAction):
                raise ModelError(
                    "Together takes structural actions only", found=str(action), expected="attach, release, delete, ..."
                )
        if not given:
            raise ModelError("Together has no actions", found="an empty list", expected="structural actions")
        object.__setattr__(self, "actions", tuple(given))

    def __str__(self) -> str:
        shown, more = self.actions[:3], len(self.actions) - 3
        return " + ".join([*map(str, shown), *([f"{more} more"] if more > 0 else [])])
