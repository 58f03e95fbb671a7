"""The code blocks of a page, carried out as a reader would: files are written, commands run, Python typed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"^(?:#|//|<!--) file: (\S+)")


def blocks_of(page: Path) -> list[tuple[str, str]]:
    """Return the language and text of all code blocks of a page."""
    return [(match[1], match[2]) for match in _FENCE.finditer(page.read_text(encoding="utf-8"))]


def carry_out(page: Path, folder: Path, root: Path) -> dict[str, Any]:
    """Return all blocks in their order, in a folder that is the current one; returns the names that Python knows then.

    Args:
        page: the page.
        folder: where files are written; commands on scenarios of the project read these.
        root: of the project.

    Raises:
        ValueError: a block is no Python, no command and no file.
    """
    from modia3d.cli.main import main

    names: dict[str, Any] = {"__name__": page.stem}
    for language, text in blocks_of(page):
        named = _FILE.match(text)
        if named:
            (folder / named[1]).write_text(text.partition("\n")[2] if language == "xml" else text, encoding="utf-8")
        elif language == "python":
            exec(compile(text, str(page), "exec"), names)
        elif language == "bash" and text.startswith("modia3d "):
            for command in text.strip().splitlines():
                arguments = [str(root / a) if a.startswith("scenarios/") else a for a in command.split()[1:]]
                if main(arguments) != 0:
                    raise ValueError(f"{page.name}: {command}")
        elif language not in ("text", "toctree"):
            raise ValueError(f"{page.name}: a block of {language} that nobody carries out: {text[:60]}")
    return names
