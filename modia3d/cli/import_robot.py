"""``modia3d import``: a robot's file becomes a scenario."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click


@dataclass(frozen=True)
class _Options:
    robot: str
    output: str | None
    roots: Sequence[str]
    flanges: str
    floating: bool
    no_limits: bool
    contacts: str | None
    show_contacts: bool
    no_visuals: bool


@click.command("import")
@click.argument("robot")
@click.option("-o", "--output", metavar="FILE", help="YAML file instead of stdout; meshes are copied beside it.")
@click.option("--root", "roots", metavar="NAME=FOLDER", multiple=True, help="Folder of the package NAME in package://NAME/...")
@click.option(
    "--flanges",
    metavar="WHICH",
    default="none",
    help="Joints with a flange: none, needed, all, or names with commas between (none).",
)
@click.option("--floating", is_flag=True, help="The root link of a URDF file moves freely.")
@click.option("--no-limits", is_flag=True, help="Leave out the limits of joints.")
@click.option(
    "--contacts",
    metavar="[MATERIAL]",
    is_flag=False,
    flag_value="Steel",
    help="Keep collision geometry, with this contact material (Steel).",
)
@click.option("--show-contacts", is_flag=True, help="Draw collision geometry, too.")
@click.option("--no-visuals", is_flag=True, help="Leave out what is only seen.")
def import_robot(**given: Any) -> int:
    """Write a robot (URDF, MJCF) as a scenario.

    MJCF needs the package mujoco. What became of the robot is said on stderr. Without -o the scenario goes to stdout, and
    meshes are named where they are.
    """
    from modiapy.model.errors import ModiaError

    from ..files.importers.formats import import_robot_file
    from ..files.writer import scenario_text, write_scenario

    options = _Options(**given)
    output = Path(options.output) if options.output else None
    if output is not None and output.resolve() == Path(options.robot).resolve():
        raise ModiaError("--output would overwrite the robot's file", path=str(output), expected="another file")
    flanges = options.flanges if options.flanges in ("none", "needed", "all") else options.flanges.split(",")
    model = import_robot_file(
        options.robot,
        roots=_folders(options.roots),
        flanges=flanges,
        floating=options.floating,
        limits=not options.no_limits,
        visuals=not options.no_visuals,
        contacts=options.contacts is not None,
        contact_material=options.contacts or "Steel",
        show_contacts=options.show_contacts,
        copy_meshes=None if output is None else output.parent / f"{output.stem}_meshes",
    )
    description = f"Imported from {Path(options.robot).name}"
    if output is None:
        sys.stdout.write(scenario_text(model, description=description))
    else:
        write_scenario(model, output, description=description)
    for line in model.report:
        print(f"{options.robot}: {line}", file=sys.stderr)
    if output is not None:
        print(f"scenario: {output}")
    return 0


def _folders(given: Sequence[str]) -> dict[str, str]:
    """Return the folders of packages from ``NAME=FOLDER``."""
    from modiapy.model.errors import ModiaError

    folders = {}
    for item in given:
        name, _, folder = item.partition("=")
        if not (name and folder):
            raise ModiaError("--root is wrong", found=f"'{item}'", expected="NAME=FOLDER")
        folders[name] = folder
    return folders
