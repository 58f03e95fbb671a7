"""The generators of random numbers of the standard library, which the compiler refuses for several causes.

A pure function calls one that is not; sizes of arrays are computed in loops; Integer arrays in initial equations. Their
functions become external ones of Real numbers (32 bits each, exact); the reader knows what they compute.
"""

from __future__ import annotations

import re

from .texts import blanked, substituted

_STATE = re.compile(r"\bInteger(?=\s*\[nState\]\s+state\b|\s+state(?:In|Out)?\s*\[[\w.]*nState\])")
_BODY = re.compile(
    r"\bfunction\s+(initialState\w*|initializeImpureRandom)\b.*?(\b(?:protected|algorithm)\b.*?)(?=\bannotation\b[^;]*;\s*end\s+\1\s*;)",
    re.DOTALL,
)
_CALLS = {
    "initialState": "modia_state(localSeed, globalSeed, state)",
    "initialStateWithXorshift64star": "modia_state(localSeed, globalSeed, nState, state)",
    "initializeImpureRandom": "id = modia_id(seed)",
}


def rewrite(text: str) -> str:
    """Return a file in which these functions are external."""
    if "Xorshift" not in text:
        return text
    plain = blanked(text)
    changes = [(*found.span(), _real(plain, found.start())) for found in _STATE.finditer(plain)]
    for found in _BODY.finditer(plain):
        call = _CALLS.get(found[1])
        if call:
            changes.append((*found.span(2), f'external "C" {call} annotation(Include="modia"); ' + "\n" * found[2].count("\n")))
    return substituted(text, changes)


def _real(plain: str, position: int) -> str:
    """Return the type of a state: discrete where it is a variable of a model."""
    before = plain[plain.rfind("\n", 0, position) + 1 : position]
    return "Real" if re.search(r"\b(input|output|parameter)\b", before) else "discrete Real"
