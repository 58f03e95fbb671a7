"""Names that have another one by now: the old one is understood for a while, and its user is told of the new one."""

from __future__ import annotations

import warnings
from dataclasses import dataclass


@dataclass(frozen=True)
class Renamed:
    """A name that was replaced by another one.

    Attributes:
        old, new: both names.
        since: version in which it was renamed.
        until: version in which the old name goes away.
    """

    old: str
    new: str
    since: str
    until: str

    def told(self, category: type[Warning] = DeprecationWarning, *, stacklevel: int = 3) -> str:
        """Warn of the old name, by default at the caller of the function that calls this, and return the new one."""
        version = f"since version {self.since}; the old name goes away in version {self.until}"
        warnings.warn(f"'{self.old}' is called '{self.new}' {version}", category, stacklevel=stacklevel)
        return self.new
