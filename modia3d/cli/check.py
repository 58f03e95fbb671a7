"""``modia3d check``: a scenario is read and translated."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .options import given_series, inputs_over_time, libraries, modelica_class, overrides, permit
from .progress import progress_bar


@click.command("check")
@click.argument("scenario")
@modelica_class
@permit
@overrides
@libraries
@inputs_over_time
@click.option("--trees", is_flag=True, help="Print the trees of overdetermined connectors, and what was broken.")
def check(
    scenario: str,
    model: str | None,
    permitted: tuple[str, ...],
    overrides: tuple[str, ...],
    libraries: tuple[str, ...],
    input_files: tuple[str, ...],
    interpolation: str | None,
    trees: bool,
) -> int:
    """Read and translate a scenario without simulating it.

    SCENARIO is a YAML file, or Modelica source (.mo).
    """
    from .source import read_source

    with progress_bar() as bar:
        bar.step(f"reading {Path(scenario).name}")
        read = read_source(scenario, permitted, overrides, model=model, libraries=libraries)
        bar.step(f"translating {Path(scenario).name}")
        simulation = read.instantiate()
        given_series(simulation, input_files, interpolation)
    for line in read.report:
        print(line, file=sys.stderr)
    if trees:
        print(read.connection_trees())
    sizes = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in simulation.report().items())
    print(f"{read.file}: this scenario can be simulated ({sizes})")
    return 0
