"""Palettes: materials in TOML files. A table ``[solid.Name]`` or ``[visual.Name]`` holds the fields of one material, a table
``[contact.Name.Name]`` those of a pair of solid materials."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from modiapy.model.errors import ModelError, nearest

KINDS = ("solid", "visual", "contact")
BUILT_IN = Path(__file__).parent / "materials"


def read_tables(file: str | os.PathLike[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the fields of each material, by kind and name; all kinds are there. Those of ``contact`` are pairs by the second
    name.

    Raises:
        ModelError: the file cannot be read, is not TOML, or holds something else than materials.
    """
    what = f"the palette '{os.fspath(file)}'"
    try:
        with open(file, "rb") as opened:
            content = tomllib.load(opened)
    except OSError as error:
        raise ModelError(f"{what} cannot be read", found=error.strerror or str(error), expected="a TOML file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ModelError(f"{what} is not TOML", found=str(error)) from None
    for kind, tables in content.items():
        if kind not in KINDS:
            expected = "tables [solid.Name], [visual.Name] and [contact.Name.Name]"
            raise ModelError(f"{what} is wrong", found=f"'{kind}'", expected=expected, remedy=nearest(kind, KINDS))
        wrong = [name for name, fields in tables.items() if not isinstance(fields, dict)] if isinstance(tables, dict) else [""]
        if wrong:
            found = f"'{kind}.{wrong[0]}', which is no table" if wrong[0] else f"'{kind}', which is no table"
            raise ModelError(f"{what} is wrong", found=found, expected=f"[{kind}.Name] with the fields of a material")
    return {kind: content.get(kind, {}) for kind in KINDS}
