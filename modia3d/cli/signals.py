"""``modia3d signals``: which signals a scenario or a result file has, with their units and sizes."""

from __future__ import annotations

import json
from typing import Any

import click

from .options import as_json as json_option
from .options import libraries, modelica_class, overrides, permit


@click.command("signals")
@click.argument("file")
@click.argument("patterns", nargs=-1)
@json_option
@modelica_class
@permit
@overrides
@libraries
def signals(file: str, patterns: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """List the signals of a result file or scenario.

    Of a scenario or Modelica source (.mo) they are those with which it begins.
    PATTERNS are names, in which * and ? stand for any text. Each signal has its unit and its size, of arrays their shape; those
    that exist in some segments only have the segments.
    """
    from modiapy import read_result
    from modiapy.simulation.results.exports import chosen

    from .source import read_source
    from .view import RESULTS

    if file.lower().endswith(RESULTS):
        result = read_result(file)
    else:
        source = read_source(file, given["permitted"], given["overrides"], model=given["model"], libraries=given["libraries"])
        simulation = source.instantiate()
        with source.located():
            start = source.settings.start_time
            result = simulation.simulate(start, start_time=start)
    found = chosen(result, patterns) if patterns else result.signals()
    rows = [
        {"name": name, "unit": result.unit(name), "shape": list(result.shape(name))} | _where(result, name) for name in found
    ]
    if as_json:
        print(json.dumps(rows, indent=1))
        return 0
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        size = "x".join(map(str, row["shape"])) or "1"
        where = f"  segments {', '.join(map(str, row['segments']))}" if "segments" in row else ""
        print(f"{row['name']:{width}}  {size:>5}  {row['unit']}{where}".rstrip())
    return 0


def _where(result: Any, name: str) -> dict[str, Any]:
    """Return the segments that have a signal, where some have not."""
    indices = [record.index for record in result.segments]
    having = [index for index in indices if name in result.segment(index)]
    return {} if not having or having == indices else {"segments": having}
