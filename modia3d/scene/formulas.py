"""Functions that a user writes as text, in the expression language of the equations."""

from __future__ import annotations

from collections.abc import Sequence

from modiapy.model.algorithms import Assign, FunctionDefinition
from modiapy.model.errors import ModelError
from modiapy.model.functions import UserFunction
from modiapy.model.parser import parse


def function_of_text(owner: str, arguments: Sequence[str], results: Sequence[str]) -> UserFunction:
    """Return the function of ``arguments`` with one result for each expression; nothing else is known in them.

    Raises:
        ModelError: an expression is wrong or contains another name.
    """
    outputs = [f"result{i}" for i in range(len(results))]
    try:
        body = [Assign(output, parse(text)) for output, text in zip(outputs, results, strict=True)]
        return FunctionDefinition(owner, arguments, outputs, body).function()
    except ModelError as error:
        error.path = ""
        error.expected = error.expected or f"an expression of {', '.join(arguments)}"
        raise
