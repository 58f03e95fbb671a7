"""`Diagram`: the object diagram of a model, which shows itself in notebooks; `diagram` makes it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from modiapy.acausal.disk.whole_file import written_whole
from modiapy.model.errors import ModelError, ModiaError
from modiapy.model.model import Model
from modiapy.simulation.model import SimulationModel
from modiapy.symbolic.analysis.error_places import errors_located
from modiapy.symbolic.flat.flat_model import FlatModel
from modiapy.symbolic.flattening.evaluate import evaluate

from . import marks
from .drawing import picture
from .net import Net


class Drawn:
    """Something that is drawn as SVG; in a notebook it shows itself.

    Attributes:
        title: of the picture.
    """

    title: str

    @property
    def svg(self) -> str:
        """The picture as the text of an SVG file, which needs nothing else."""
        raise NotImplementedError

    def _repr_svg_(self) -> str:
        """Return the picture, for notebooks."""
        return self.svg

    def write_svg(self, file: str | os.PathLike[str]) -> Path:
        """Write the picture.

        Args:
            file: its path.

        Raises:
            ModiaError: it cannot be written.
        """
        try:
            with written_whole(file, durable=False) as stream:
                stream.write(self.svg.encode())
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ModiaError("the picture cannot be written", path=os.fspath(file), found=reason) from None
        return Path(file)


class Diagram(Drawn):
    """Object diagram of a model.

    Attributes:
        net: boxes and lines.
        title: name of the model.
    """

    def __init__(self, net: Net, title: str) -> None:
        self.net, self.title = net, title

    @property
    def svg(self) -> str:
        """The picture as the text of an SVG file, which needs nothing else."""
        drawn = picture(self.net)
        return marks.document(drawn.width, drawn.height, drawn.marks, self.title)

    def __repr__(self) -> str:
        return f"<Diagram {self.title}: {len(self.net.boxes)} boxes, {len(self.net.lines)} lines>"


def diagram(model: Any, *, levels: int | None = None, title: str = "") -> Diagram:
    """Draw the components of a model with their connections; submodels are drawn in their boxes.

    A line is a connection, blue with an arrow where it is one of inputs and outputs. In a multibody system the spanning tree
    of the start is drawn as well. Red is what closes loops: cut joints, constraints, and connections of overdetermined
    connectors that were broken.

    Args:
        model: a `Model`, a `FlatModel`, or what `instantiate` returned.
        levels: so many levels of submodels are drawn; None: all.
        title: of the picture; "": the name of the model.

    Raises:
        ModelError: ``model`` is something else, or wrong.
    """
    from .flat import flat_net
    from .objects import object_net

    if levels is not None and (not isinstance(levels, int) or levels < 1):
        raise ModelError("levels is wrong", found=repr(levels), expected="a whole number from 1 on, or None")
    source, name = source_of(model)
    if isinstance(source, FlatModel):
        return Diagram(flat_net(source), title or source.name)
    with errors_located(source):
        return Diagram(object_net(evaluate(source, name).tree, levels), title or name)


def source_of(model: Any) -> tuple[Model | FlatModel, str]:
    """Return the model behind what a user gives, and its name.

    Raises:
        ModelError: it is no model.
    """
    if isinstance(model, SimulationModel):
        return model.written, model.name
    if not isinstance(model, Model | FlatModel):
        raise ModelError(
            "this is not a model", found=type(model).__name__, expected="a Model, a FlatModel or a SimulationModel"
        )
    return model, model.name if isinstance(model, FlatModel) else "Model"
