"""The files that a run writes: checked before it, written whole or not at all, each on its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from modiapy.acausal.disk.whole_file import check_writable, written_whole
from modiapy.model.errors import ModiaError

from .animations import SUFFIXES

Say = Callable[[str], None]


class Outputs:
    """Outputs that options ask for.

    Args:
        save, output: the files; None is not asked for.
        animations: files by kind: ``html``, ``gltf``, ``png``, ``video``.

    Attributes:
        files: by option. streamed: the one that is written while the simulation runs.

    Raises:
        ModelError: the suffix of ``output`` is not known.
    """

    def __init__(
        self, *, save: str | None = None, output: str | None = None, animations: Mapping[str, str] | None = None
    ) -> None:
        self.streamed: str | None = None
        if output is not None:
            from modiapy.simulation.results.exports import check_suffix
            from modiapy.simulation.results.recorder import SUFFIXES as STREAMED

            self.streamed = output if check_suffix(output, STREAMED) in STREAMED else None
        given = {"--save": save, "--output": output} | {f"--{kind}": file for kind, file in (animations or {}).items()}
        self.files = {option: file for option, file in given.items() if file is not None}

    def check(self, inputs: Mapping[str, str]) -> None:
        """Refuse, before anything is computed, what cannot be written or would overwrite what the run reads.

        Args:
            inputs: what each file is that the run reads, by its real path.

        Raises:
            ModiaError: names the option.
        """
        taken = dict(inputs)
        for option, file in self.files.items():
            real = os.path.realpath(file)
            if real in taken:
                raise ModiaError(f"{option} would overwrite {taken[real]}", path=file, expected="another file")
            try:
                check_writable(file)
            except (OSError, ValueError) as error:
                raise _refusal(option, file, error) from None
            if Path(file).is_file() or not Path(file).exists():
                taken[real] = f"what {option} writes"

    def write(self, simulation: Any, result: Any, animate: Callable[[str, str], None], say: Say) -> list[ModiaError]:
        """Write everything; what could not be written does not keep the rest from being written.

        Args:
            simulation, result: what is written; None where only animations are asked for.
            animate: writes the animation as a kind of file.
            say: tells the user which file is there.

        Returns:
            The errors.
        """
        writers: dict[str, tuple[str, Callable[[str], Any]]] = {}
        if result is not None:
            writers |= {"--save": ("snapshot", simulation.save), "--output": ("result", result.save)}
        for kind in SUFFIXES:
            writers[f"--{kind}"] = "animation", partial(animate, kind)
        errors = []
        for option, file in self.files.items():
            what, write = writers[option]
            try:
                if file != self.streamed:
                    write(file)
                say(f"{what}: {file}")
            except ModiaError as error:
                errors.append(error)
            except (OSError, MemoryError) as error:
                errors.append(_refusal(option, file, error))
        return errors


@contextmanager
def written_file(file: str, what: str) -> Iterator[BinaryIO]:
    """Open a stream whose content becomes the file when the block ends, whole or not at all.

    Raises:
        ModiaError: it cannot be written; ``what`` it would be.
    """
    try:
        with written_whole(file, durable=False) as stream:
            yield stream
    except OSError as error:
        raise ModiaError(f"{what} cannot be written", path=file, found=error.strerror or str(error)) from None


def _refusal(option: str, file: str, error: Exception) -> ModiaError:
    what = {"--output": "the result", "--save": "the snapshot"}.get(option, "the animation")
    return ModiaError(f"{what} cannot be written", path=file, found=getattr(error, "strerror", None) or str(error))
