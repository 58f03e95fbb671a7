"""``modia3d check``: a scenario is read and translated."""

from __future__ import annotations

import click

from .options import permit


@click.command("check")
@click.argument("scenario")
@permit
def check(scenario: str, permitted: tuple[str, ...]) -> int:
    """Read and translate a scenario without simulating it."""
    from ..files.reader import read_scenario

    read = read_scenario(scenario, permitted)
    simulation = read.instantiate()
    sizes = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in simulation.report().items())
    print(f"{read.file}: this scenario can be simulated ({sizes})")
    return 0
