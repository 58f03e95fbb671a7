"""``modia3d modelica``: which Modelica libraries are found."""

from __future__ import annotations

import click

from .options import libraries


@click.command("modelica")
@click.argument("what", type=click.Choice(["libraries"]))
@libraries
def modelica(what: str, libraries: tuple[str, ...]) -> int:
    """List the Modelica libraries that are found.

    ``libraries``: where they are looked for, and which are there.
    """
    from modiapy.model.errors import ModelError
    from modiapy.modelica.frontend.libraries import VARIABLE, find_libraries, searched_folders
    from modiapy.modelica.frontend.rumoca_process import VERSION, installed_version

    given = libraries or None
    try:
        print(f"compiler: rumoca {installed_version()}")
    except ModelError as error:
        print(f"compiler: {error} (expected rumoca {VERSION})")
    folders = searched_folders(given)
    print(f"looked in: {', '.join(map(str, folders)) or f'nothing: {VARIABLE} names no folder that is there'}")
    for library in find_libraries(given).values():
        print(f"{library.name} {library.version or '(no version)'}  {library.path}")
    return 0
