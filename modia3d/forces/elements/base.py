"""Base of all force elements: two frames and the declaration of what they do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from modiapy.model.errors import ModelError

from ..basics.law import Law
from .declaration import Declaration


class ForceElement(ABC):
    """A force that depends on the motion of two frames and on time only.

    Raises:
        ModelError: (where a subclass is defined) it has no `Declaration`.
    """

    declared: ClassVar[Declaration]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not isinstance(getattr(cls, "declared", None), Declaration):
            raise ModelError(
                f"force element '{cls.__name__}' has no declaration",
                expected="the class attribute 'declared', a modia3d.forces.Declaration",
            )

    @property
    @abstractmethod
    def frames(self) -> tuple[str, str]:
        """Names of frames 1 and 2 as written; "" is the world."""

    @property
    def acts_between(self) -> bool:
        """True if it pulls or pushes both frames, which must differ; else frame 2 is only what components refer to."""
        return not self.declared.has("outer_power")

    @property
    def parameters(self) -> tuple[float, ...]:
        """The columns of its row, see `Declaration`."""
        return self.declared.row.parameters_of(self)

    @property
    def laws_of_time(self) -> Sequence[Law]:
        """Return those of its laws that are functions of time."""
        row = self.declared.row
        return row.laws_of(self) if row.of_time else ()
