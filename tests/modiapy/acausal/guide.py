"""The code of docs/components.md as files."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
_BLOCK = re.compile(r"```python\n# file: (\S+)\n(.*?)```", re.DOTALL)


def write_guide(folder: Path) -> None:
    """Write the files of the guide into a folder; blocks of one file are joined in their order."""
    files: dict[str, str] = {}
    for name, text in _BLOCK.findall((ROOT / "docs" / "components.md").read_text()):
        files[name] = files.get(name, "") + text + "\n"
    for name, text in files.items():
        (folder / name).write_text(text)
