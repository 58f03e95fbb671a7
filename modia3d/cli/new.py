"""``modia3d new``: a scenario to begin with."""

from __future__ import annotations

import click


@click.command("new")
@click.argument("file", required=False)
@click.option("-t", "--template", metavar="NAME", default="arm", help="Which one (arm); --list tells all.")
@click.option("--list", "listed", is_flag=True, help="Print what there is to begin with.")
def new(file: str | None, template: str, listed: bool) -> int:
    """Write a commented scenario to begin with, which runs.

    FILE is its name (scenario.yaml); an existing file is never overwritten.
    """
    import os

    from modiapy.model.errors import ModiaError

    from ..files.starter import starter, starters

    if listed:
        known = starters()
        for name, about in known.items():
            print(f"{name:<{max(map(len, known))}}  {about}")
        return 0
    name = file or "scenario.yaml"
    if not name.endswith((".yaml", ".yml")):
        raise ModiaError("the name of a scenario ends with .yaml", found=repr(name), expected=repr(f"{name}.yaml"))
    text = starter(template, os.path.basename(name))
    try:
        with open(name, "x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise ModiaError("there is such a file already", path=name, expected="a new name") from None
    except OSError as error:
        raise ModiaError("the scenario cannot be written", path=name, found=error.strerror or str(error)) from None
    print(f"scenario: {name}\nSimulate it: modia3d run {name}")
    return 0
