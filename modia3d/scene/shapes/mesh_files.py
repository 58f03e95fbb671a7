"""Files that the file of a mesh names: materials of OBJ, textures, the numbers of a glTF file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

PICTURE = r"\.(?:png|jpe?g|tga|bmp|tiff?|gif|webp)"
_MATERIALS = re.compile(r"^\s*mtllib\s+(.+?)\s*$", re.M)
_MAPS = re.compile(rf"^\s*\w*(?:map|bump|disp|decal|refl)\w*\s+(?:.*\s)?(\S*{PICTURE})\s*$", re.M | re.I)
_URI = re.compile(r'"uri"\s*:\s*"([^"]+)"')
_INIT_FROM = re.compile(rf"<init_from>\s*(?:<ref>)?\s*([^<]*{PICTURE})\s*<", re.I)


def named_files(path: Path) -> list[Path]:
    """Return the files that a mesh's file needs to be shown as it is, those that are there and in its folder or below.

    Raises:
        OSError: the file cannot be read.
    """
    found: dict[Path, None] = {}
    for name in _names(path):
        file = (path.parent / unquote(name).removeprefix("file://").replace("\\", "/")).resolve()
        if file.is_relative_to(path.parent.resolve()) and file.is_file() and file != path.resolve():
            found[file] = None
            if file.suffix.lower() == ".mtl":
                found |= dict.fromkeys(named_files(file))
    return list(found)


def _names(path: Path) -> Iterator[str]:
    patterns = {".obj": _MATERIALS, ".mtl": _MAPS, ".gltf": _URI, ".dae": _INIT_FROM}
    if path.suffix.lower() in patterns:
        for name in patterns[path.suffix.lower()].findall(path.read_text(encoding="utf-8", errors="replace")):
            if not name.startswith("data:"):
                yield name
