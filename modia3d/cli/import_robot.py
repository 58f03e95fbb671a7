"""``modia3d import``: a robot's file becomes a scenario."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..files.importers.formats import known_formats, option_text
from ..files.importers.options import FLANGES, FOLDERS, IN_FILES, JOINTS, NUMBERS, OPTIONS, TRUTH
from .options import number_with_unit

BEHIND = {option.metadata["written_as"]: option for option in OPTIONS.values() if option.metadata["written_as"]}
"""What stands behind an option that is a truth value, such as the material behind ``--contacts``."""


def robot_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with the options of `RobotOptions`, each of which comes to it by its name."""
    for name in reversed(IN_FILES):
        if OPTIONS[name] not in BEHIND.values():
            command = _declared(name)(command)
    return command


def _declared(name: str) -> Callable[..., Any]:
    """Return the option of `click`: ``--floating``, ``--no-limits``, ``--root NAME=FOLDER`` for each of the roots."""
    option, kind, text = OPTIONS[name], OPTIONS[name].metadata["kind"], option_text(name).removeprefix("Whether ")
    written, text = f"--{name.replace('_', '-')}", f"{text[:1].upper()}{text[1:]}"
    if name in BEHIND:
        value, behind = BEHIND[name].name.rpartition("_")[2].upper(), BEHIND[name]
        help = f"{text} {value}: {option_text(behind.name)}"
        return click.option(written, name, is_flag=False, flag_value=behind.default, metavar=f"[{value}]", help=help)
    if kind is TRUTH:
        written, text = (
            (f"--no{written[1:]}", f"Without it, {text[:1].lower()}{text[1:]}") if option.default else (written, text)
        )
        return click.option(written, name, is_flag=True, callback=lambda *given: given[-1] != option.default, help=text)
    if kind is JOINTS:
        return click.option(written, name, metavar="WHICH", default=option.default, callback=_joints, help=text)
    value = f"NAME={'FOLDER' if kind is FOLDERS else 'NUMBER'}"
    return click.option(written.removesuffix("s"), name, metavar=value, multiple=True, callback=_pairs, help=text)


def _joints(_: click.Context, parameter: click.Parameter, text: str) -> str | list[str]:
    return text if text in FLANGES else text.split(",")


def _pairs(context: click.Context, parameter: click.Parameter, given: Sequence[str]) -> Mapping[str, str | float]:
    """Return the values by name of ``NAME=VALUE``."""
    from modiapy.model.errors import ModiaError

    found: dict[str, str | float] = {}
    for item in given:
        name, _, value = item.partition("=")
        if not (name and value):
            raise ModiaError(f"{parameter.opts[0]} is wrong", found=f"'{item}'", expected=str(parameter.metavar))
        numbers = OPTIONS[str(parameter.name)].metadata["kind"] is NUMBERS
        found[name] = number_with_unit(value, (), f"the position of '{name}'") if numbers else value
    return found


@click.command(
    "import",
    help=f"""Write a robot as a scenario.

    ROBOT is a file in {known_formats()}; MJCF needs the package mujoco. What became of the robot is said on stderr. Without -o
    the scenario goes to stdout, and meshes are named where they are.""",
)
@click.argument("robot")
@click.option("-o", "--output", metavar="FILE", help="YAML file instead of stdout; meshes are copied beside it.")
@robot_options
def import_robot(robot: str, output: str | None, **given: Any) -> int:
    """Write a robot as a scenario; the text for users stands above."""
    from modiapy.model.errors import ModiaError

    from ..files import import_robot as read
    from ..files.writer import scenario_text, write_scenario

    target = Path(output) if output else None
    if target is not None and target.resolve() == Path(robot).resolve():
        raise ModiaError("--output would overwrite the robot's file", path=str(target), expected="another file")
    for name, option in BEHIND.items():
        given |= {name: given[name] is not None, option.name: given[name] or option.default}
    model = read(robot, copy_meshes=None if target is None else target.parent / f"{target.stem}_meshes", **given)
    description = f"Imported from {Path(robot).name}"
    if target is None:
        sys.stdout.write(scenario_text(model, description=description))
    else:
        write_scenario(model, target, description=description)
    for line in model.report:
        print(f"{robot}: {line}", file=sys.stderr)
    if target is not None:
        print(f"scenario: {target}")
    return 0
