"""``inputs:`` of scenarios: values of the model's inputs over time, from files or in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from modiapy.model.errors import ModelError, Position
from modiapy.simulation.inputs.given import series_of
from modiapy.simulation.inputs.time_series import EXTRAPOLATIONS, INTERPOLATIONS, TimeSeries
from modiapy.symbolic.flat.flat_model import FlatModel

from .input_file import InputFile, kind_of, read_input_file
from .node_reader import NodeReader
from .quantities import measured, seconds
from .yaml_tree import Node

KINDS = {"interpolation": INTERPOLATIONS, "extrapolation": EXTRAPOLATIONS}
KEYS = ("file", "times", "values", *KINDS)

UnitsAt = Callable[[str], Sequence[str]]
"""Units that are expected of an input."""


@dataclass(frozen=True, eq=False)
class GivenInput:
    """One entry of ``inputs``.

    Attributes:
        name: of the input; "" stands for all columns of the file.
        file: where its values are, if it is in a file.
        times: where they stand in the scenario [s]; a value without times stays.
        values: at these times, in the unit of the input.
        interpolation: between the times, see `TimeSeries`; "" means linear, and jumps where the input is no real number.
        extrapolation: before the first and after the last time, see `TimeSeries`; "" means "hold".
        position: file and line.
    """

    name: str
    file: InputFile | None
    times: Any
    values: Any
    interpolation: str
    extrapolation: str
    position: tuple[str, Position]

    def series(self, flat: FlatModel) -> dict[str, TimeSeries]:
        """Return the time series of inputs of a model. Raises ModelError with file and line."""
        try:
            if self.file is not None:
                return self.file.series(flat, self.name, self.interpolation, self.extrapolation or "hold")
            if self.times is None:
                return series_of({self.name: self.values}, flat)
            kind: Any = self.interpolation or kind_of(self.name, flat)
            extrapolation: Any = self.extrapolation or "hold"
            return series_of({self.name: TimeSeries(self.times, self.values, kind, extrapolation)}, flat)
        except ModelError as error:
            if not error.file:
                error.file, error.line = self.position
                error.path = error.path or self.name
            raise


def read_inputs(reader: NodeReader, node: Node | None, folders: Sequence[str], units: UnitsAt) -> list[GivenInput]:
    """Return the entries of ``inputs``.

    Args:
        reader: of the scenario.
        node: the name of a file, or a mapping; None: there are none.
        folders: in which files may be.
        units: of an input.

    Raises:
        ScenarioError, ModelError: with file and line.
    """
    if node is None:
        return []
    files: dict[str, InputFile] = {}
    if isinstance(node.value, str):
        every = _file(reader, node, folders, files)
        return [GivenInput("", every, None, None, "", "", (str(reader.file), Position(node.line)))]
    found = []
    for name, item in reader.mapping(node, "inputs").items():
        line = (node.key_lines or {}).get(name, Position(item.line))
        what = f"the input '{name}'"
        value = measured(reader, item, what, partial(units, name)) if not isinstance(item.value, dict) else item
        given: dict[str, Node] = value.value if isinstance(value.value, dict) else {"values": value}
        if isinstance(item.value, dict):
            _check(reader, item, given, what)
        table = _file(reader, given["file"], folders, files) if "file" in given else None
        times = measured(reader, given["times"], f"times of {what}", seconds).plain() if "times" in given else None
        values = measured(reader, given["values"], what, partial(units, name)).plain() if "values" in given else None
        if times is None and table is None and not isinstance(values, int | float | list):
            raise reader.error(f"{what} is wrong", item, found=item.shown, expected="a number, or times with values")
        kinds = [given[key].value if key in given else "" for key in KINDS]
        found.append(GivenInput(name, table, times, values, kinds[0], kinds[1], (str(reader.file), line)))
    return found


def files_of(given: Iterable[GivenInput]) -> dict[Path, str]:
    """Return the content of each file that entries of ``inputs`` were read from."""
    return {Path(one.file.file): "the inputs of the scenario" for one in given if one.file is not None}


def _check(reader: NodeReader, node: Node, given: dict[str, Node], what: str) -> None:
    """Refuse keys that are unknown or do not fit each other."""
    reader.check_keys(node, KEYS, what)
    if ("file" in given) == ("values" in given) or ("times" in given) != ("values" in given):
        raise reader.error(
            f"{what} is wrong", node, found=f"{', '.join(given) or 'nothing'}", expected="times and values, or a file"
        )
    for key, known in KINDS.items():
        if key in given and given[key].value not in known:
            raise reader.error(
                f"{key} of {what} is wrong", given[key], found=given[key].shown, expected=f"one of {', '.join(known)}"
            )


def _file(reader: NodeReader, node: Node, folders: Sequence[str], read: dict[str, InputFile]) -> InputFile:
    """Return the file that a node names, once."""
    path = reader.file_named(node, "the file of inputs", folders)
    with reader.placing(node):
        return read.setdefault(node.value, read.get(node.value) or read_input_file(path))
