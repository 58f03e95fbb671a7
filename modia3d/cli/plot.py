"""``modia3d plot``: signals of a result file as diagrams."""

from __future__ import annotations

from collections.abc import Sequence

import click

from .terminal import tell

FORMATS = (".png", ".svg", ".pdf")


@click.command("plot")
@click.argument("result")
@click.argument("signals", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", help="Write the figure (.png, .svg, .pdf) instead of showing a window.")
@click.option("--together", is_flag=True, help="One diagram for all signals.")
def plot(result: str, signals: Sequence[str], output: str | None, together: bool) -> int:
    """Plot signals of a result file over time.

    SIGNALS are names, in which * and ? stand for any text: 'arm.*.phi'. What one of them finds shares a diagram for each unit.
    Dotted lines are where segments begin.
    """
    from pathlib import Path

    from modiapy import read_result
    from modiapy.model.errors import ModiaError

    from .outputs import written_file

    if output is not None and Path(output).suffix.lower() not in FORMATS:
        raise ModiaError("--output: the suffix is not known", found=output, expected=", ".join(FORMATS))
    read = read_result(result)
    if output is not None:
        import matplotlib as mpl

        mpl.use("Agg")
    figure = read.plot(tuple(signals)) if together else read.plot(*signals)
    if output is not None:
        with written_file(output, "the figure") as stream:
            figure.savefig(stream, format=Path(output).suffix[1:].lower())
        print(f"figure: {output}")
        return 0
    import matplotlib.pyplot as plt

    if plt.get_backend().lower() == "agg":
        tell("modia3d: there is no window to show the figure in; write it with -o FILE.png")
        return 2
    plt.show()
    return 0
