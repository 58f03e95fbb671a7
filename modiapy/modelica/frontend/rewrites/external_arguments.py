"""Local arrays that a function gives to its external body to work with: the compiler wants an owner of theirs.

What an external function means the reader knows by the name of the function, not by the arguments of its body: those that
mention local variables are left out.
"""

from __future__ import annotations

import re

from .texts import blanked, closed_at, functions, substituted

_EXTERNAL = re.compile(r"\bexternal\b[^(;]*\(")
_LOCAL = re.compile(r"(?:^|;)\s*(?:constant\s+|parameter\s+)?[A-Za-z_][\w.]*\s*(?:\[[^;]*?\])?\s+([A-Za-z_]\w*)\s*(?=[\[(=;])")
_PROTECTED = re.compile(r"\bprotected\b")
_ARGUMENT = re.compile(r"\s*((?:[^,()\[\]{}]|\([^()]*\)|\[[^\[\]]*\])*)")


def rewrite(text: str) -> str:
    """Return a file whose external functions get inputs and results only."""
    if "external" not in text or "protected" not in text:
        return text
    changes: list[tuple[int, int, str]] = []
    for body, place in functions(blanked(text)):
        call, hidden = _EXTERNAL.search(body), _PROTECTED.search(body)
        if not call or not hidden or hidden.start() > call.start():
            continue
        local = set(_LOCAL.findall(body[hidden.end() : call.start()]))
        begin, end = call.end(), closed_at(body, call.end()) - 1
        arguments = [a for a in _ARGUMENT.findall(body[begin:end]) if a]
        kept = [a.strip() for a in arguments if not local & set(re.findall(r"[A-Za-z_]\w*", a))]
        if len(kept) < len(arguments):
            new = ", ".join(" ".join(a.split()) for a in kept)
            changes.append((begin + place, end + place, new + "\n" * body.count("\n", begin, end)))
    return substituted(text, changes)
