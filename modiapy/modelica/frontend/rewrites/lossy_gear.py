"""The gear with losses: the compiler counts the equations of its branches otherwise than the language does.

The branch without losses sets a matrix, the one with losses its elements in a loop; it is given a loop in both.
"""

from __future__ import annotations

import re

_MATRIX = re.compile(r"\binterpolation_result\s*=\s*\[1, 1, 0, 0\];")
_LOOP = "for i in 1:4 loop interpolation_result[1, i] = if i < 3 then 1 else 0; end for;"


def rewrite(text: str) -> str:
    """Return a file in which both branches are loops."""
    return _MATRIX.sub(_LOOP, text)
