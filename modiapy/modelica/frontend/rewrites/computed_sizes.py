"""Sizes of arrays that a function computes in loops: the compiler can from the function as it is written, but goes no further.

Where it cannot know a size otherwise, such functions (scalars in, one Integer out) stay as they are written, and an Integer
parameter that one of them gives, and that is the size of an array, becomes the size of an array without another meaning:
``parameter Boolean modia_size_n[f(x)]; parameter Integer n = size(modia_size_n, 1)``. In the flat trees it is a number.
"""

from __future__ import annotations

import re
from typing import Any

from .texts import blanked, closed_at, functions, substituted

_MARK = "modia_size_"
_CALLED = re.compile(r"\b((?:(?:final|parameter)\s+)+)Integer\s+([A-Za-z_]\w*)\s*=\s*([A-Za-z_][\w.]*)\s*\(")
_BUILT_IN = {"size", "integer", "div", "mod", "rem", "max", "min", "sum", "product", "ndims", "abs", "sign", "Integer", "if"}
_OPENED = re.compile(r"(?<!end )\b(record|model|block|class|connector|package)\s+[A-Za-z_]\w*")
_ASSERTED = re.compile(r"(?<![\w.])assert\s*\(")
_INTERFACE = re.compile(r"\b(input|output)\s+([\w.]+)\s*(\[[^\[\]]*\])?\s*[A-Za-z_]\w*\s*(\[[^\[\]]*\])?")


def is_size(body: str) -> bool:
    """Return whether a function, in blanked text, computes one Integer from numbers."""
    found = _INTERFACE.findall(body)
    scalars = all(not before and not after and kind != "String" for _, kind, before, after in found)
    return scalars and [kind for word, kind, _, _ in found if word == "output"] == ["Integer"]


def rewrite(text: str) -> str:
    """Return a file in which such parameters are sizes of arrays; such functions assert nothing then."""
    plain = blanked(text)
    changes = []
    for body, place in functions(plain) if "function" in text else ():
        if is_size(body):
            for found in _ASSERTED.finditer(body):
                begin, end = place + found.start(), body.index(";", closed_at(body, found.end())) + 1 + place
                changes.append((begin, end, "\n" * text.count("\n", begin, end)))
    for found in _CALLED.finditer(plain):
        head, name, function = found.groups()
        end = closed_at(plain, found.end())
        used = re.search(rf"\w\s*\[[^\[\]]*\b{name}\b[^\[\]]*\]", plain)
        if "parameter" not in head or function in _BUILT_IN or not used or not re.match(r'\s*[;"]', text[end:]):
            continue
        around = [kind[1] for kind in _OPENED.finditer(plain, 0, found.start())]
        if around and around[-1] == "record":
            continue
        call = text[found.start(3) : end]
        declared = f"parameter Boolean {_MARK}{name}[{call}]; {head}Integer {name} = size({_MARK}{name}, 1)"
        lines = text.count("\n", found.start(), end) - declared.count("\n")
        changes.append((found.start(), end, declared + "\n" * lines))
    return substituted(text, changes)


def restore(trees: dict[str, Any]) -> None:
    """Make numbers of such sizes."""
    sizes = {name: entry["dims"] for name, entry in trees["variables"].items() if _MARK in name}
    if not sizes:
        return
    for name in sizes:
        for entries in (trees["variables"], trees["variable_type_names"], trees["variable_final_flags"]):
            entries.pop(name, None)
    for variable in trees["variables"].values():
        call = (variable["binding"] or {}).get("BuiltinCall", {})
        known = sizes.get(_asked(call)) if call.get("function") == "Size" else None
        if known is not None:
            variable["binding"] = {"Literal": {"value": {"Integer": known[0]}, "span": call["span"]}}


def _asked(call: Any) -> str:
    """Return the variable whose size is asked for."""
    return str(call["args"][0].get("VarRef", {}).get("name", {}).get("name"))
