"""Tables of two inputs: the compiler knows the objects of the other tables only, by the names of their bodies in C.

They are given to it as tables of one input. So the object gets the columns that such a one has, and functions that give the
smallest and largest abscissas of both inputs give one of them for each number. The reader knows what a function means by its
name.
"""

from __future__ import annotations

import re

_BODY = re.compile(r"\bModelicaStandardTables_CombiTable2D_")
_CONSTRUCTED = re.compile(r"\b(?=output\s+(?:\w+\.)*ExternalCombiTable2D\b)")
_ENDS = re.compile(r"\b(?=output\s+Real\s+u(?:Min|Max)\s*\[2\])")
_CALL = re.compile(r"(?<![\w.])getTable2DAbscissaU(min|max)\s*\(\s*(\w+)\s*\)")
_FUNCTION = "Modelica.Blocks.Tables.Internal.getTable2DAbscissaU"


def rewrite(text: str) -> str:
    """Return a file in which they look like tables of one input."""
    if "CombiTable2D_" not in text:
        return text
    text = _CONSTRUCTED.sub("input Integer columns[:]={1}; ", _BODY.sub("ModelicaStandardTables_CombiTable1D_", text))
    text = re.sub(r"(\boutput\s+Real\s+u(?:Min|Max)\s*)\[2\]", r"\1", _ENDS.sub("input Integer modia_input=1; ", text))
    return _CALL.sub(rf"{{{_FUNCTION}\1(\2, 1), {_FUNCTION}\1(\2, 2)}}", text)
