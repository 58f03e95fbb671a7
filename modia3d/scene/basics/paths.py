"""Files that a scene names: found relative to the folder of the scenario, and refused outside of what is permitted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from modiapy.model.errors import ModelError


def permitted_path(what: str, name: str, folders: Sequence[str], *, kind: str = "file") -> Path:
    """Return the existing file (or folder, as ``kind`` says) called ``name``.

    Args:
        what: for messages, e.g. "file of Mesh".
        name: path; a relative one begins at the first of the folders, or at the current folder if there are none.
        folders: the file must be inside one of them, symbolic links followed; none: it may be anywhere.

    Raises:
        ModelError: it is outside, or there is no such thing.
    """
    base = Path(folders[0]) if folders else Path.cwd()
    try:
        path = (base / name).resolve()
        exists = path.is_dir() if kind == "folder" else path.is_file()
    except (OSError, RuntimeError, ValueError) as error:  # names that no file can have, circles of links
        raise ModelError(
            f"{what} is not a {kind} that can be read", found=f"{name!r}: {error}", expected=f"the name of a {kind}"
        ) from None
    if folders and not any(path.is_relative_to(Path(folder).resolve()) for folder in folders):
        raise ModelError(
            f"{what} is outside of the permitted folders",
            found=f"'{name}'",
            expected=f"a {kind} in {', '.join(dict.fromkeys(str(Path(folder).resolve()) for folder in folders))}",
            remedy=f"Move the {kind}, or permit its folder: --permit FOLDER, read_scenario(..., permitted=[folder]).",
        )
    if not exists:
        raise ModelError(
            f"{what} does not exist", found=f"'{name}', but there is no {kind} {path}", expected=f"an existing {kind}"
        )
    return path
