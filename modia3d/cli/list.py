"""``modia3d list``: the names that a scenario may use, with what they mean."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..files.registry import Entry

ROOMS = {
    "joints": ("modia3d.scene.joints", "modia3d.scene.flanges", "modia3d.scene.constraint_elements"),
    "shapes": ("modia3d.scene.shapes",),
    "sensors": ("modia3d.scene.sensors",),
    "forces": ("modia3d.forces",),
    "assemblies": ("modia3d.assemblies",),
    "language": ("modiapy", "modia3d.files"),
    "scene": ("modia3d",),
}
"""Kinds of constructors by the modules that they are in, the first that fits."""
KINDS = (*ROOMS, "models", "actions", "materials")


@dataclass(frozen=True)
class Known:
    """A name that a scenario may use.

    Attributes:
        name: as it is written there.
        kind: one of `KINDS`.
        text: what it means.
        arguments: their names in their order; None where any are allowed.
    """

    name: str
    kind: str
    text: str
    arguments: tuple[str, ...] | None


@click.command("list")
@click.argument("what", required=False, metavar="[KIND|NAME|LIBRARY]", shell_complete=lambda *given: _proposed(given[2]))
@click.option("--json", "as_json", is_flag=True, help="Print names, kinds, texts and arguments as JSON.")
def list_names(what: str | None, as_json: bool) -> int:
    """List the names that a scenario may use.

    \b
    KIND is one of joints, shapes, sensors, forces, assemblies, language, scene,
    models, actions, materials; without it they are counted. LIBRARY is one of
    models (rotational, blocks, ...). For a NAME its arguments are told.
    """
    from modiapy.model.errors import ModelError, nearest

    every = list(known_names())
    found = [one for one in every if what is None or what in (one.kind, one.name, *one.name.rsplit(".", 1))]
    if not found:
        libraries = {one.name.rpartition(".")[0] for one in every if one.kind == "models"}
        proposal = nearest(str(what), [*KINDS, *sorted(libraries), *(one.name for one in every)])
        raise ModelError(
            "there is no such kind or name",
            found=f"'{what}'",
            expected=f"one of {', '.join(KINDS)}, a library or a name",
            remedy=proposal,
        )
    if as_json:
        print(json.dumps([asdict(one) for one in found], indent=1))
    elif what is None:
        for kind in KINDS:
            of_kind = [one.name for one in every if one.kind == kind]
            shown = of_kind if kind != "models" else dict.fromkeys(name.rpartition(".")[0] for name in of_kind)
            _print(kind, f"{len(of_kind):3}  {', '.join(shown)}", 10)
    elif len(exact := [one for one in found if one.name == what] or found) == 1:
        _print_one(exact[0])
        if len(found) > 1:
            print(f"  see also: {', '.join(one.name for one in found if one is not exact[0])}")
    else:
        width = max(len(one.name) for one in found)
        for one in found:
            _print(one.name, one.text, width)
    return 0


def known_names() -> Iterator[Known]:
    """Generate all of them: those of a kind together, in the order of their names."""
    from ..files.registry import actions, constructors
    from ..scene.palette import BUILT_IN, read_tables

    entries = sorted(constructors().items())
    made = [_constructor(entry) for _, entry in entries if entry.make is not None and not entry.merged]
    for kind in ROOMS:
        yield from (one for one in made if one.kind == kind)
    for name, entry in entries:
        if entry.merged:
            yield Known(name, "models", _text(entry.make), entry.fields)
        elif entry.make is None and "." in name:
            yield Known(name, "models", str(entry.model.get("description", "")), _modifiable(entry.model))
    for name, entry in actions().items():
        yield Known(name, "actions", _text(entry.make), entry.fields)
    for name, values in sorted(read_tables(BUILT_IN / "solid.toml")["solid"].items()):
        yield Known(
            name, "materials", ", ".join(f"{key} {value:g}" for key, value in values.items() if isinstance(value, float)), ()
        )


def _constructor(entry: Entry) -> Known:
    function = getattr(entry.make, "func", entry.make)
    module = str(getattr(function, "__module__", ""))
    kind = next((kind for kind, prefixes in ROOMS.items() if module.startswith(prefixes)), "forces")  # one of a user
    return Known(entry.name, kind, _text(entry.make), entry.fields)


def _text(make: Any) -> str:
    from ..files.basics.docstrings import summary

    function = getattr(make, "func", make)
    return summary(getattr(function, "dataclass", function))


def _modifiable(model: Any) -> tuple[str, ...]:
    from ..files.registry import modifiable

    return tuple(modifiable(model))


def _print(name: str, text: str, width: int) -> None:
    """Print a line; on a terminal as long as this is wide."""
    line = f"{name:{width}}  {text}".rstrip()
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else len(line)
    print(line if len(line) <= columns else f"{line[: columns - 1]}…")


def _print_one(one: Known) -> None:
    print(f"{one.name} ({one.kind}): {one.text}")
    if one.arguments:
        print(f"arguments: {', '.join(one.arguments)}")


def _proposed(incomplete: str) -> list[str]:
    return [name for name in (*KINDS, *(one.name for one in known_names())) if name.startswith(incomplete)]
