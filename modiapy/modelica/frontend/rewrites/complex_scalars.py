"""Complex numbers: the compiler's next stage knows no operators of records.

To it they are scalars: ``Complex`` is a type of its own unit, ``Complex(a, b)`` and ``z.re`` are calls of functions. In the
flat trees a variable becomes again the record of its parts; the reader knows what the functions mean. Start values of the
parts of a variable become one of the variable; wishes for states are left out.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

from .texts import blanked, closed_at, substituted

MARK = "modia complex"
_RECORD = re.compile(r"\boperator\s+record\s+Complex\b.*\bend\s+Complex\s*;", re.DOTALL)
_SHORT = re.compile(r"\boperator\s+record\s+(\w+)\s*=\s*(?:\.?Complex)\s*\(")
_CALL = re.compile(r"(?<![\w.'])(?:\.?Complex|(?:(?:Modelica\.)?Units\.)?SI\.Complex\w+|Modelica\.Units\.SI\.Complex\w+)\s*\(")
_DERIVATIVE = re.compile(r"\bder\s*\(\s*([A-Za-z_][\w.\[\]]*)\.(re|im)\s*\)")
_PART = re.compile(
    r"(?<![\w.])(\.?[A-Za-z_]\w*(?:\s*\[[^\[\]]*\])?(?:\.[A-Za-z_]\w*(?:\[[^\[\]]*\])?)*)\.(re|im)\b(?!\s*[.(\[])"
)
_CONNECT = re.compile(r"\bconnect\s*\(")
_USED = re.compile(r"Complex|QuasiStatic|FundamentalWave")
_BOTH = re.compile(r"(?<=\w)\(\s*re\s*=\s*([^,()]+),\s*im\s*=\s*([^,()]+)\)")
_MODIFIER = re.compile(r"(?<=[(,])\s*(each\s+)?(?:final\s+)?(re|im)\s*\(")
_START = re.compile(r"\bstart\s*=((?:[^,()]|\((?:[^()]|\([^()]*\))*\))+)")
_FIXED = re.compile(r"\bfixed\s*=\s*true\b")
_REDECLARED = re.compile(r"(?<=[(,])\s*redeclare\s+(?:(?:each|final)\s+)*[\w.]+\s+(?:re|im)\b")
_TYPE = (
    f'type Complex = Real(unit="{MARK}"); '
    'function modia_re input Real c; output Real y; external "C" y = modia_re(c) annotation(Include="modia"); end modia_re; '
    'function modia_im input Real c; output Real y; external "C" y = modia_im(c) annotation(Include="modia"); end modia_im; '
    "function modia_complex input Real re; input Real im=0; output Real c; "
    'external "C" c = modia_complex(re, im) annotation(Include="modia"); end modia_complex;'
)


def rewrite(text: str) -> str:
    """Return a file in which complex numbers are scalars."""
    if not _USED.search(text):
        return text
    plain = blanked(text)
    whole = _RECORD.search(plain)
    if whole:
        return substituted(text, [(*whole.span(), _TYPE + "\n" * text.count("\n", *whole.span()))])
    changes = [(*found.span(), "modia_complex(" + _lines(found[0])) for found in _CALL.finditer(plain)]
    for found in _SHORT.finditer(plain):
        end = closed_at(plain, found.end())
        changes.append((found.start(), end, f"type {found[1]} = Complex" + _lines(plain[found.start() : end])))
    text = substituted(text, _apart(changes))
    text = _without_modifiers(text)
    text = _DERIVATIVE.sub(lambda m: f"modia_{m[2]}(der({m[1]}))" + _lines(m[0]), text)
    plain = blanked(text)
    kept = [(found.start(), closed_at(plain, found.end())) for found in _CONNECT.finditer(plain)]
    parts = [found for found in _PART.finditer(plain) if not any(a < found.start() < b for a, b in kept)]
    return substituted(text, [(*found.span(), f"modia_{found[2]}({found[1]})" + _lines(found[0])) for found in parts])


def _without_modifiers(text: str) -> str:
    """Return ``z(re(start=1), im(start=0))`` without modifiers of the parts; ``k(re=a, im=b)`` as a value."""
    plain = blanked(text)
    changes = []
    for found in _BOTH.finditer(plain):
        before = plain[: found.start()].rstrip()
        if not before.endswith("modia_complex"):
            changes.append((*found.span(), f"=modia_complex({found[1]}, {found[2]})"))
    changes += _modifiers(plain)
    changes += [(*found.span(), "") for found in _REDECLARED.finditer(plain)]
    if not changes:
        return text
    marked = substituted(
        text, [(a, b, new + _lines(text[a:b]) if new else "\0" + _lines(text[a:b])) for a, b, new in _apart(changes)]
    )
    marked = re.sub(r"\(\s*\0(\s*)(?:,\s*\0(\s*))?\)", r"\1\2", marked)
    marked = re.sub(r"\0(\s*),", r"\1", marked)
    return re.sub(r",(\s*)\0", r"\1", marked).replace("\0", "")


def _modifiers(plain: str) -> list[tuple[int, int, str]]:
    """Start values of the parts as ``start`` of the whole; what fixes one part only stays, and is refused by the compiler."""
    changes = []
    spans = [(found.start(), closed_at(plain, found.end()), found) for found in _MODIFIER.finditer(plain)]
    while spans:
        begin, end, found = spans.pop(0)
        written = {found[2]: plain[found.end() : end - 1]}
        each = found[1] or ""
        if spans and not plain[end : spans[0][0]].strip(", \t\r\n"):
            _, end, found = spans.pop(0)
            written[found[2]] = plain[found.end() : end - 1]
        fixed = len(written) == 2 and all(_FIXED.search(text) for text in written.values())
        if not fixed and any("fixed" in text for text in written.values()):
            continue
        starts = {part: m[1].strip() for part, text in written.items() if (m := _START.search(text))}
        new = f"{each}start=modia_complex({starts.get('re', '0')}, {starts.get('im', '0')})" if starts else ""
        if fixed:
            new += f"{', ' if new else ''}{each}fixed=true"
        changes.append((begin, end, new))
    return changes


def _apart(changes: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return the changes that lie in no other one."""
    found: list[tuple[int, int, str]] = []
    for change in sorted(changes, key=lambda c: (c[0], -c[1])):
        if not found or change[0] >= found[-1][1]:
            found.append(change)
    return found


def _lines(text: str) -> str:
    return "\n" * text.count("\n")


# -- flat trees ---------------------------------------------------------------------------------------------------------


def restore(trees: dict[str, Any]) -> None:
    """Make records of the variables that are complex numbers."""
    for name in ("modia_re", "modia_im", "modia_complex"):
        trees["functions"].pop(name, None)
    found: dict[str, Any] = {}
    for name, variable in trees["variables"].items():
        if variable["unit"] != MARK:
            found[name] = variable
            continue
        trees["record_instances"][name] = {"type_def_id": MARK, "dims": variable["dims"]}
        final = trees["variable_final_flags"].get(name, False)
        for element, index in _elements(name, variable["dims"]):
            if index:
                trees["record_instances"][element] = {"type_def_id": MARK}
            for part in ("re", "im"):
                found[f"{element}.{part}"] = {
                    **variable,
                    "unit": None,
                    "dims": [],
                    "binding": _part_of(variable["binding"], index, part),
                    "start": _part_of(_written(variable), index, part),
                }
                trees["variable_type_names"][f"{element}.{part}"] = "Real"
                if final:
                    trees["variable_final_flags"][f"{element}.{part}"] = True
    if len(found) != len(trees["variables"]):
        trees["variables"] = found
        trees["record_types"][MARK] = {
            "name": "Complex",
            "fields": [{"name": "re", "dims": []}, {"name": "im", "dims": []}],
        }


def _elements(name: str, dims: list[int]) -> Iterator[tuple[str, tuple[int, ...]]]:
    if not dims:
        yield name, ()
        return
    for index in itertools.product(*(range(1, n + 1) for n in dims)):
        yield f"{name}[{','.join(map(str, index))}]", index


def _written(variable: Any) -> Any:
    """Return the start value, where one is written."""
    tree = variable["start"]
    return tree if tree is not None and "FunctionCall" in json.dumps(tree) else None


def _part_of(tree: Any, index: tuple[int, ...], part: str) -> Any:
    """Return a part of an element of a binding."""
    if tree is None:
        return None
    span = next(iter(tree.values())).get("span")
    if index:
        tree = {"Index": {"base": tree, "subscripts": [{"Index": {"value": k, "span": span}} for k in index], "span": span}}
    return {"FieldAccess": {"base": tree, "field": part, "span": span}}
