"""Names that have another one by now: the old one is understood for a while, and its user is told of the new one."""

from __future__ import annotations

import warnings


def current_name(
    old: str, new: str, since: str, until: str, category: type[Warning] = DeprecationWarning, stacklevel: int = 3
) -> str:
    """Return the new name, and warn of the old one where the function that calls this was called.

    Args:
        old, new: both names.
        since: version in which it was renamed.
        until: version in which the old name goes away.
        stacklevel: of the warning; 3 is the caller of the function that calls this.
        category: `FutureWarning` where the name does not stand in a program, but in a file of its user.
    """
    versions = f"since version {since}; the old name goes away in version {until}"
    warnings.warn(f"'{old}' is called '{new}' {versions}", category, stacklevel=stacklevel)
    return new
