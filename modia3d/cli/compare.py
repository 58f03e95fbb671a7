"""``modia3d compare``: whether two result files say the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from .options import as_json as json_option

if TYPE_CHECKING:
    from modiapy.simulation.results.comparison import Comparison

DIFFERENT = 1
"""Exit status where the results differ."""
SHOWN = 10


@click.command("compare")
@click.argument("a")
@click.argument("b")
@click.argument("signals", nargs=-1)
@click.option("--relative", type=float, default=1e-3, show_default=True, help="Band, relative to a signal's largest magnitude.")
@click.option("--absolute", type=float, default=1e-6, show_default=True, help="Band, added to the relative one.")
@click.option("--time", "shift", type=float, default=0.0, metavar="S", help="By how much events may be shifted [s] (0).")
@json_option
def compare(a: str, b: str, signals: Sequence[str], relative: float, absolute: float, shift: float, as_json: bool) -> int:
    """Compare two result files, signal by signal.

    Exit status 1 where they differ.

    A is the reference. Without SIGNALS (names, in which * and ? stand for any text) all variables and states are compared.
    Values before and after an event are compared with those before and after it.
    """
    from modiapy import read_result
    from modiapy.simulation.results.comparison import compare as compared

    found = compared(
        read_result(a), read_result(b), signals or None, relative=relative, absolute=absolute, time_tolerance=shift
    )
    if as_json:
        print(json.dumps(_figures(found), indent=1))
    else:
        _print(found, a, b)
    return 0 if found.same else DIFFERENT


def _figures(found: Comparison) -> dict[str, Any]:
    signals = [{**vars(d), "differs": d.differs} for d in found.differences]
    plain = [{k: None if isinstance(v, float) and v != v else v for k, v in row.items()} for row in signals]
    for row in plain:
        row["excess"] = None if row["excess"] == float("inf") else row["excess"]
    points = {"points_a": found.points[0], "points_b": found.points[1], "interpolated": found.interpolated}
    return {"same": found.same, **points, "signals": plain, "only_a": found.only_a, "only_b": found.only_b}


def _print(found: Comparison, a: str, b: str) -> None:
    worst = [d for d in found.differences if d.differs]
    print(f"{len(found.differences)} signals compared, {len(worst)} differ")
    if found.interpolated:
        print(f"their points differ ({found.points[0]} and {found.points[1]}): between points values are interpolated linearly")
    if worst:
        width = max(len(d.name) for d in worst[:SHOWN])
        print(f"{'signal':{width}}  {'of the band':>11}  {'distance':>10}  {'time [s]':>12}  {'a':>14}  {'b':>14}")
    for d in worst[:SHOWN]:
        print(f"{d.name:{width}}  {d.excess:11.4g}  {d.distance:10.4g}  {d.time:12.9g}  {d.a:14.8g}  {d.b:14.8g}")
    if len(worst) > SHOWN:
        print(f"... and {len(worst) - SHOWN} more")
    for file, names in ((a, found.only_a), (b, found.only_b)):
        if names:
            more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            print(f"only {file} has {', '.join(names[:SHOWN])}{more}")
