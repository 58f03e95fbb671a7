"""``modia3d schema``: the JSON Schema by which editors complete and check scenarios and studies."""

from __future__ import annotations

import os

import click

from .options import permit


@click.command("schema")
@click.argument("scenario", required=False)
@click.option("--study", is_flag=True, help="The schema of studies instead of scenarios.")
@click.option("-o", "--output", metavar="FILE", help="JSON file instead of stdout.")
@permit
def schema(scenario: str | None, study: bool, output: str | None, permitted: tuple[str, ...]) -> int:
    """Print the JSON Schema of scenarios.

    With a SCENARIO it is the one of this file: it knows its definitions, too, and refuses all other names.

    \b
    Editors with a YAML language server take it from the first line of a scenario:
    # yaml-language-server: $schema=modia3d.schema.json
    """
    import json

    from modiapy.model.errors import ModiaError

    from .outputs import written_file

    if study:
        from ..batch.study_schema import study_schema

        if scenario is not None:
            raise ModiaError("--study takes no scenario", found=f"'{scenario}'", expected="no file")
        made = study_schema()
    else:
        from ..files.schema import scenario_schema

        made = scenario_schema(scenario, permitted)
    text = json.dumps(made, indent=1, ensure_ascii=False)
    if output is None:
        print(text)
        return 0
    if scenario is not None and os.path.realpath(scenario) == os.path.realpath(output):
        raise ModiaError("--output would overwrite the scenario", path=output, expected="another file")
    with written_file(output, "the schema") as stream:
        stream.write(f"{text}\n".encode())
    print(f"schema: {output}")
    return 0
