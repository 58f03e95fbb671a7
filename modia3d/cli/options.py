"""Options that several commands have, each with one name and one text."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import click


def number_with_unit(text: str, units: Sequence[str], what: str) -> float:
    """Return a number, or one with a unit as in scenarios, in the first of the units that measures the same.

    Raises:
        ModelError: ``what`` is none.
    """
    from modiapy.model.errors import ModelError

    from ..files.basics.quantity_text import QUANTITY
    from ..files.quantities import converted

    if (match := QUANTITY.match(text)) is not None:
        return float(converted(float(match[1]), match[2], units, what, text))
    try:
        return float(text)
    except ValueError:
        raise ModelError(
            f"{what} is no number",
            found=f"'{text}'",
            expected="such as 2, '1500 ms' or '90 deg'",
            remedy="A unit stands behind a blank.",
        ) from None


def with_options(command: Callable[..., Any], options: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """Return a command with more options, which its help lists in this order."""
    for option in reversed(options):
        command = option(command)
    return command


class Seconds(click.ParamType):
    """A time: a number [s], or one with a unit, as in scenarios."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """See `click.ParamType`."""
        return number_with_unit(str(value), ("s",), param.opts[0] if param is not None else "the time")


permit = click.option(
    "--permit", "permitted", metavar="FOLDER", multiple=True, help="Let the file read files of this folder, too."
)
overrides = click.option(
    "--set",
    "overrides",
    metavar="PATH=VALUE",
    multiple=True,
    help="Another value for a parameter, written as in the scenario: arm.gear.ratio=100, simulation.stop_time=5.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
modelica_class = click.option("--model", metavar="NAME", help="The class to simulate, where the file is Modelica source (.mo).")
libraries = click.option(
    "--library", "libraries", metavar="DIR", multiple=True, help="Folder of Modelica libraries instead of MODELICAPATH."
)


_INTERPOLATIONS = ("linear", "constant", "akima", "monotone")


def inputs_over_time(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the options of `given_series`."""
    for option in (
        click.option(
            "--interpolation",
            type=click.Choice(_INTERPOLATIONS),
            help="Between the times of --inputs (linear, and constant for whole numbers and truth values).",
        ),
        click.option(
            "--inputs",
            "input_files",
            metavar="FILE.csv",
            multiple=True,
            help="Values of inputs over time: a first line with names (time, u, ...), then numbers.",
        ),
    ):
        command = option(command)
    return command


def given_series(simulation: Any, files: Sequence[str], interpolation: str | None) -> dict[str, Any]:
    """Return the time series of the inputs of a model from files; a later file wins.

    Raises:
        ModelError: with file and line; --interpolation without --inputs.
    """
    from modiapy.model.errors import ModelError

    if interpolation and not files:
        raise ModelError("--interpolation is given without --inputs", expected="--inputs FILE.csv")
    found: dict[str, Any] = {}
    for file in files:
        from ..files.input_file import read_input_file

        found |= read_input_file(file).series(simulation.flat, interpolation=interpolation or "")
    return found


def read_files(files: Sequence[str]) -> dict[str, str]:
    """Return the content of each file of inputs, by its real path."""
    return {os.path.realpath(file): "the inputs of the run" for file in files}
