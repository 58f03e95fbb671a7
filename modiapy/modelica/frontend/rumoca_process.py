"""Runs the compiler in a process of its own: it hangs in forked children, and must not cost more than is allowed."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...model.errors import ModelError
from . import rumoca_child

VERSION = "0.10.2"
"""The release whose answers the reader knows; pyproject.toml pins it."""

WRAPPER = rumoca_child.FLATTENED


@dataclass(frozen=True)
class Limits:
    """Time and memory that the process may use.

    Attributes:
        seconds: until it is ended.
        megabytes: of memory (address space), 0 for no limit; not on Windows.
    """

    seconds: float = 300.0
    megabytes: int = 16_000


class CompilerError(Exception):
    """The compiler refused the model. ``answer`` has its message, and what it said of the syntax."""

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(answer["message"])
        self.answer = answer


def installed_version() -> str:
    """Return the version of the compiler.

    Raises:
        ModelError: it is not installed, or another release is.
    """
    if importlib.util.find_spec("rumoca") is None:
        raise ModelError("Modelica source cannot be read: rumoca is not installed", remedy="pip install 'modia3d[modelica]'")
    version = importlib.metadata.version("rumoca")
    if version != VERSION:
        raise ModelError(
            "another rumoca is installed", found=version, expected=VERSION, remedy="pip install 'modia3d[modelica]'"
        )
    return version


def run_compiler(folder: Path, model: str, limits: Limits, compiler_cache: Path) -> bytes:
    """Return the flat model, as JSON, of the class ``WRAPPER`` in a prepared folder (see `rumoca_child`).

    The compiler keeps what it has parsed. It trusts these files, and ends where one is damaged, as by a process that was ended
    while it wrote: then it runs once more without them, and where that helps they are removed.

    Raises:
        CompilerError: the compiler says that the model is wrong.
        ModelError: it failed itself, or took more than it may.
    """
    try:
        return _run(folder, model, limits, compiler_cache)
    except _Crash:
        answer = _run(folder, model, limits, folder / "parsed")
        shutil.rmtree(compiler_cache, ignore_errors=True)
        return answer


class _Crash(ModelError):
    """The compiler itself ended."""


def _run(folder: Path, model: str, limits: Limits, compiler_cache: Path) -> bytes:
    for name in ("flat.json", "error.json"):
        (folder / name).unlink(missing_ok=True)
    megabytes = 0 if os.name == "nt" else limits.megabytes
    command = [sys.executable, rumoca_child.__file__, str(folder), str(megabytes)]
    environment = {**os.environ, "XDG_CACHE_HOME": str(compiler_cache), "LOCALAPPDATA": str(compiler_cache)}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=limits.seconds, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        raise ModelError(
            "flattening took too long", path=model, expected=f"at most {limits.seconds:g} s", remedy="Allow more seconds."
        ) from None
    if (folder / "flat.json").is_file() and done.returncode == 0:
        return (folder / "flat.json").read_bytes()
    if (folder / "error.json").is_file():
        raise CompilerError(json.loads((folder / "error.json").read_text(encoding="utf-8")))
    lines = done.stderr.strip().splitlines()[-5:]
    raise _Crash("the compiler rumoca failed", path=model, found=f"exit status {done.returncode}: {' | '.join(lines)}")
