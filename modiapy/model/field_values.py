"""What may be given for a field of a constructor, for type checkers: a value, or what becomes one when the model is made.

Where a number is wanted, text is an expression in the scope of the model; a `Par` may stand anywhere, a `Var` for its initial
value; an object is the call of its constructor, or the name of an entry that holds one. The exports of both packages
(``__init__.pyi``, written by ``python -m tools.exports``) have their types from here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .model import Par, Var

Number = float | np.floating | np.integer | str | Par | Var
Boolean = Number | np.bool_
String = str | Par
Object = str | Par
Array = np.ndarray | Par | Var
Vector = Sequence[Number] | Array
Matrix = Sequence[Number | Vector] | Array
