"""Folder of compiled code on disk, and the check that it can be trusted: machine code that is loaded can do anything.

A folder or file that another user owns, or that others may write, is not used. Folders are made for the user alone.
"""

from __future__ import annotations

import os
import stat
import sys
import warnings
from pathlib import Path

from ...model.errors import ModelError

VARIABLE = "MODIA_CACHE_DIR"

_FORBIDDEN = stat.S_IWGRP | stat.S_IWOTH

_warned: set[Path] = set()


def cache_dir() -> Path:
    """Return the folder for compiled code: the environment variable MODIA_CACHE_DIR, else the user's cache folder of the
    platform.

    Raises:
        ModelError: the path is relative: which folder that is would depend on where a program is started.
    """
    for variable in (VARIABLE, "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"):
        given = os.environ.get(variable)
        path = Path(given).expanduser() if given else None
        if path is not None and path.is_absolute():
            return path if variable == VARIABLE else path / "modia3d"
        if path is not None and variable == VARIABLE:
            raise ModelError(
                f"the environment variable {VARIABLE} is a relative path",
                found=repr(given),
                expected="an absolute path, for example ~/.cache/modia3d",
            )
    folders = {"win32": Path.home() / "AppData" / "Local", "darwin": Path.home() / "Library" / "Caches"}
    return folders.get(sys.platform, Path.home() / ".cache") / "modia3d"


def is_trusted(folder: Path) -> bool:
    """Return whether nobody else can put code into a folder of the cache; a warning says, once, why not. True if it is not
    there.
    """
    root = cache_dir()
    below = folder.relative_to(root).parts if folder.is_relative_to(root) else ()
    places = [root, *(root.joinpath(*below[: k + 1]) for k in range(len(below)))]
    try:
        states = [(place, place.stat() if place == root else place.lstat()) for place in places if place.exists()]
    except OSError:
        return False
    bad = next(((place, state) for place, state in states if not is_own(state)), None)
    if bad is not None and bad[0] not in _warned:
        _warned.add(bad[0])
        mode = f"owner {bad[1].st_uid}, mode {stat.filemode(bad[1].st_mode)}"
        warnings.warn(
            f"{bad[0]}: compiled code is neither read from this folder nor kept there; found {mode}; expected one that is"
            f" yours and that nobody else may write. Check what is in it and use 'chmod go-w', or name another in {VARIABLE}.",
            stacklevel=2,
        )
    return bad is None


def is_own(state: os.stat_result) -> bool:
    """Return whether a file or folder belongs to this user, or to the administrator, and nobody else may write it."""
    if not hasattr(os, "geteuid"):
        return True
    return state.st_uid in (0, os.geteuid()) and not state.st_mode & _FORBIDDEN and not stat.S_ISLNK(state.st_mode)


def make_private(folder: Path) -> None:
    """Make a folder of the cache, with those above it, for this user alone. Raises OSError."""
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
