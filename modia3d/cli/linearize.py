"""``modia3d linearize``: a scenario as a linear model: matrices, poles and their damping, Bode diagram."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from .options import Seconds, libraries, modelica_class, overrides, permit
from .options import as_json as json_option

if TYPE_CHECKING:
    from modiapy.simulation.linear_model import LinearModel

FORMATS = (".png", ".svg", ".pdf", ".csv")
SHOWN = 12
"""Larger matrices are not printed."""


@click.command("linearize")
@click.argument("file", metavar="SCENARIO")
@click.option("--inputs", metavar="NAMES", multiple=True, help="Inputs: u,v[0] (all of the model). Not a file, as of run.")
@click.option(
    "--outputs", metavar="NAMES", multiple=True, help="Outputs: any signals, arm.phi,arm.w (the model's own outputs)."
)
@click.option("--at", type=Seconds(), default=0.0, metavar="S", help="When: at the end of a simulation until then [s] (0).")
@click.option("--steady", is_flag=True, help="Go from there to the steady state first.")
@click.option("--bode", metavar="FILE", help="Write the Bode diagram: .png, .svg, .pdf, or .csv for its figures.")
@json_option
@modelica_class
@permit
@overrides
@libraries
def linearize(
    file: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    at: float,
    steady: bool,
    bode: str | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Print poles, damping and matrices of a scenario.

    The scenario, or Modelica source (.mo), is linearised where it begins, or at the end of a simulation. The poles have their
    natural frequencies and damping ratios; the matrices are those of der(dx) = A dx + B du, dy = C dx + D du.
    """
    from pathlib import Path

    from modiapy.model.errors import ModiaError

    from .source import read_source

    if bode is not None and Path(bode).suffix.lower() not in FORMATS:
        raise ModiaError("--bode: the suffix is not known", found=bode, expected=", ".join(FORMATS))
    source = read_source(file, given["permitted"], given["overrides"], model=given["model"], libraries=given["libraries"])
    settings = source.settings
    simulation = source.instantiate()
    with source.located():
        linear = simulation.linearize(
            at, inputs=_names(inputs), outputs=_names(outputs), steady=steady, tolerance=settings.tolerance
        )
        if bode is not None:
            _write_bode(linear, bode)
    if as_json:
        print(json.dumps(linear.to_json(), indent=1))
    else:
        _print(linear)
        if bode is not None:
            print(f"Bode diagram: {bode}")
    return 0


def _names(given: Sequence[str]) -> list[str] | None:
    """Return the names that are given one by one, or with commas between them; None where none is given."""
    return [name.strip() for text in given for name in re.split(r",(?![^\[]*\])", text) if name.strip()] if given else None


def _write_bode(linear: LinearModel, file: str) -> None:
    from pathlib import Path

    from .outputs import written_file

    response = linear.bode()
    suffix = Path(file).suffix.lower()
    if suffix != ".csv":
        import matplotlib as mpl

        mpl.use("Agg")
        figure = response.plot()
        with written_file(file, "the Bode diagram") as stream:
            figure.savefig(stream, format=suffix[1:])
        return
    pairs = [(i, j) for i in range(len(linear.outputs)) for j in range(len(linear.inputs))]
    names = [f"{linear.inputs[j]} -> {linear.outputs[i]}" for i, j in pairs]
    header = ["omega [rad/s]", *(f"{name} [{unit}]" for name in names for unit in ("dB", "deg"))]
    lines = [",".join(f'"{text}"' if "," in text else text for text in header)]
    for k, omega in enumerate(response.omega.tolist()):
        figures = [float(values[i, j, k]) for i, j in pairs for values in (response.magnitude_dB, response.phase_deg)]
        lines.append(",".join(map(repr, [omega, *figures])))
    with written_file(file, "the Bode diagram") as stream:
        stream.write("\n".join([*lines, ""]).encode())


def _print(linear: LinearModel) -> None:
    print(
        f"linear model at {linear.time:g} s: {len(linear.states)} states, {len(linear.inputs)} inputs,"
        f" {len(linear.outputs)} outputs"
    )
    if linear.states:
        print(f"{'pole [1/s]':>28}  {'frequency [rad/s]':>17}  {'damping':>10}")
    for pole, frequency, damping in zip(linear.poles(), linear.natural_frequencies(), linear.damping_ratios(), strict=True):
        text = (
            f"{pole.real:.6g}" if pole.imag == 0.0 else f"{pole.real:.6g} {'+' if pole.imag > 0 else '-'} {abs(pole.imag):.6g}i"
        )
        print(f"{text:>28}  {frequency:17.6g}  {damping:10.4g}")
    for label, rows, columns in (
        ("A", "states", "states"),
        ("B", "states", "inputs"),
        ("C", "outputs", "states"),
        ("D", "outputs", "inputs"),
    ):
        matrix, left, above = getattr(linear, label), getattr(linear, rows), getattr(linear, columns)
        if not matrix.size:
            continue
        if max(matrix.shape) > SHOWN:
            print(f"{label}: {matrix.shape[0]} x {matrix.shape[1]}, see --json")
            continue
        cells = [[f"{value:.6g}" for value in row] for row in matrix.tolist()]
        widths = [max(len(name), *(len(row[k]) for row in cells)) for k, name in enumerate(above)]
        first = max(map(len, left))
        print(f"{label:{first}}  {'  '.join(f'{name:>{w}}' for name, w in zip(above, widths, strict=True))}")
        for name, row in zip(left, cells, strict=True):
            print(f"{name:{first}}  {'  '.join(f'{cell:>{w}}' for cell, w in zip(row, widths, strict=True))}")
