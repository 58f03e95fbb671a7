"""Content of files from strangers: not too large, and an error that names the file where it cannot be read."""

from __future__ import annotations

from pathlib import Path

from modiapy.model.errors import ModelError, ModiaError


def content_of(file: Path, most: int, error: type[ModiaError] = ModelError) -> bytes:
    """Return the content of a file.

    Args:
        file: its path.
        most: so many bytes at most.
        error: what is raised.

    Raises:
        ModiaError: there is no such file, it is too large, or cannot be read; as ``error``.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(most + 1)
    except FileNotFoundError:
        raise error("there is no such file", file=str(file)) from None
    except OSError as failed:
        raise error("the file cannot be read", file=str(file), found=failed.strerror or str(failed)) from None
    if len(content) > most:
        raise error("the file is too large", file=str(file), expected=f"at most {most} bytes")
    return content
