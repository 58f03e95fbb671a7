"""Side effects of functions, which the compiler refuses within others: ``impure``, files, the terminal.

The word ``impure`` is left out (libraries call such functions from others that are not declared so). Statements that only print
or remove files, and branches without a statement, assign a variable that nothing reads (`control_flow` takes it out of the flat
trees). The reader knows which functions have a state of their own.
"""

from __future__ import annotations

import re

from .texts import blanked, closed_at, functions, substituted

_IMPURE = re.compile(r"\bimpure(?=\s+function\b)")
_WRITES = re.compile(
    r"(?<![\w.])(?:Modelica\.)?(?:Utilities\.)?(?:(?:Streams|Files)\.)?(?:Internal\.)?(?:print|removeFile|close)\s*\((?=.*?;)",
    re.DOTALL,
)
_EMPTY = re.compile(r"\b(?:then|else)\b(?=(\s+)(?:end\s+if|else|elseif)\b)")
_ALGORITHM = re.compile(r"\balgorithm\b")
_DECLARED, _NOTHING = "protected Integer modia_nothing=0; ", "modia_nothing := modia_nothing;"


def rewrite(text: str) -> str:
    """Return a file in which functions do nothing of that."""
    if "function" not in text:
        return text
    plain = blanked(text)
    changes = [(*found.span(), "") for found in _IMPURE.finditer(plain)]
    for body, place in functions(plain):
        before = len(changes)
        for found in _WRITES.finditer(body):
            end = closed_at(body, found.end())
            stop = re.compile(r"\s*;").match(body, end)
            if stop and re.search(r"(?:;|\bthen|\belse|\bloop|\balgorithm)\s*$", body[: found.start()]):
                lines = "\n" * body.count("\n", found.start(), stop.end())
                changes.append((found.start() + place, stop.end() + place, _NOTHING + lines))
        for found in _EMPTY.finditer(body):
            at = found.end() + place
            if '"' not in text[at : at + len(found[1])]:  # a text would be the value of an expression
                changes.append((at, at, f" {_NOTHING}"))
        algorithm = _ALGORITHM.search(body)
        if algorithm and len(changes) > before:
            changes.append((algorithm.start() + place, algorithm.start() + place, _DECLARED))
    return substituted(text, changes)
