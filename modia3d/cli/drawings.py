"""Options of ``view`` that draw a model, of which nothing is simulated."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import click

from modiapy.acausal.disk.whole_file import check_writable
from modiapy.model.errors import ModiaError

from .options import with_options

SUFFIX = ".svg"

_OPTIONS = (
    click.option("--diagram", metavar="FILE.svg", help="Draw components and connections; nothing is simulated."),
    click.option("--bond-graph", metavar="FILE.svg", help="Draw bonds with causal strokes; nothing is simulated."),
)


def drawing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with the options of drawings; they come to it as names of `Drawings`."""
    return with_options(command, _OPTIONS)


@dataclass(frozen=True)
class Drawings:
    """Files of drawings that are asked for."""

    diagram: str | None
    bond_graph: str | None

    @classmethod
    def taken(cls, given: dict[str, Any]) -> Drawings:
        """Return the options, which are taken out of those that are given.

        Raises:
            ModiaError: a file has another suffix, or cannot be written; two are the same.
        """
        drawings = cls(**{field.name: given.pop(field.name) for field in fields(cls)})
        taken: dict[str, str] = {}
        for option, file in drawings.files.items():
            suffix = os.path.splitext(file)[1].lower()
            if suffix != SUFFIX:
                raise ModiaError(f"{option} is wrong", path=file, found=f"'{suffix}'", expected=SUFFIX)
            try:
                check_writable(file)
            except (OSError, ValueError) as error:
                raise ModiaError("the picture cannot be written", path=file, found=str(error)) from None
            if (other := taken.setdefault(os.path.realpath(file), option)) != option:
                raise ModiaError(f"{option} would overwrite what {other} writes", path=file, expected="another file")
        return drawings

    @property
    def files(self) -> dict[str, str]:
        """The files, by the option that names them."""
        given = {"--diagram": self.diagram, "--bond-graph": self.bond_graph}
        return {option: file for option, file in given.items() if file is not None}

    def write(self, model: Any, title: str, say: Callable[[str], None]) -> None:
        """Write the files.

        Args:
            model: as of `modia3d.diagram`.
            title: of the pictures.
            say: tells the user which file is there.

        Raises:
            ModiaError: the model is wrong, has no bonds, or a file cannot be written.
        """
        from ..viewer.diagram.bond_graph import BondGraph, bond_graph
        from ..viewer.diagram.diagram import Drawn, diagram

        for option, file in self.files.items():
            drawn: Drawn = bond_graph(model, title=title) if option == "--bond-graph" else diagram(model, title=title)
            drawn.write_svg(file)
            if isinstance(drawn, BondGraph) and drawn.refusal:
                say(drawn.refusal)
            say(f"{option[2:].replace('-', ' ')}: {file}")
