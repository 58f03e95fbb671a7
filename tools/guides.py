"""Writes what follows from code into the guides: between two comments that name it.

    python -m tools.guides

The tests compare them. Of robots it is the table of their options, in ``docs/import.md``.
"""

from __future__ import annotations

import re
from pathlib import Path

from modia3d.cli.import_robot import BEHIND, import_robot
from modia3d.files.importers.formats import option_text
from modia3d.files.importers.options import IN_FILES, OPTIONS

GUIDE = Path(__file__).parent.parent / "docs" / "import.md"


def robot_options() -> str:
    """Return the table of the options of robots."""
    written = {str(one.name): f"`{one.opts[-1]}{f' {one.metavar}' if one.metavar else ''}`" for one in import_robot.params}
    rows = ["| option | `modia3d import` | default | meaning |", "|---|---|---|---|"]
    for name, option in OPTIONS.items():
        in_shell = written.get(name, "") if name in IN_FILES else "in Python only"
        if option in BEHIND.values():
            in_shell = written[option.metadata["written_as"]]
        default = f"`{option.default!r}`" if isinstance(option.default, str | bool) else ""
        rows.append(f"| `{name}` | {in_shell} | {default} | {option_text(name)} |")
    return "\n".join(rows)


def main() -> None:
    """Write the table into the guide."""
    text = GUIDE.read_text(encoding="utf-8")
    begin, end = "<!-- robot options -->", "<!-- end -->"
    table = f"{begin}\n{robot_options()}\n{end}"
    GUIDE.write_text(re.sub(f"{begin}.*?{end}", lambda _: table, text, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
