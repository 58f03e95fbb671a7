"""Options that several commands have, each with one name and one text."""

from __future__ import annotations

import click

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
libraries = click.option(
    "--library", "libraries", metavar="DIR", multiple=True, help="Folder of Modelica libraries instead of MODELICAPATH."
)
