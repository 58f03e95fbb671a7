"""Algorithm sections of flat trees, of the asserts that `model_algorithms` has made of their statements."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....model.errors import ModelError

MARK = "modia_algorithm_"
EQUATION = "modia_equation"
_STEP = re.compile(r"([a-z]+)(\d*)")
_NUMBER = re.compile(r"(\d+)of(\d+)")


@dataclass(frozen=True)
class _Entry:
    """One assert: its place in the section as it is left, the values of indices of loops that are left, and its content."""

    path: tuple[str, ...]
    indices: tuple[str, ...]
    content: tuple[Any, ...]
    span: Any


def restore(trees: dict[str, Any]) -> None:
    """Give flat trees the algorithm sections that were written."""
    _restore_equations(trees)
    names = {name for name in trees["variables"] if MARK in name}
    for kind, asserts in (("algorithms", "assert_equations"), ("initial_algorithms", "initial_assert_equations")):
        sections: dict[str, list[_Entry]] = {}
        conditions: dict[tuple[str, str], Any] = {}
        trees[asserts] = _without(trees[asserts], sections)
        if kind == "algorithms":
            trees["when_chains"] = [chain for chain in trees["when_chains"] if not _is_own(chain, sections, conditions)]
        for name, entries in sections.items():
            own = {place: tree for (section, place), tree in conditions.items() if section == name}
            component, _, _ = name.rpartition(".")
            span = entries[0].span
            statements = list(_block(entries, own))
            trees[kind].append({"statements": statements, "outputs": [], "origin": f"algorithm from {component}", "span": span})
    for name in names:
        for entries in (trees["variables"], trees["variable_type_names"], trees["variable_final_flags"]):
            entries.pop(name, None)


def _restore_equations(trees: dict[str, Any]) -> None:
    """Make equations of those that were veiled."""
    kept = []
    for entry in trees["assert_equations"]:
        if entry["message"].get("Literal", {}).get("value") != {"String": EQUATION}:
            kept.append(entry)
            continue
        (content,) = _sized(entry["condition"]["Binary"]["lhs"])
        residual = {"Binary": {"op": "Sub", "lhs": content[0], "rhs": content[1], "span": entry["span"]}}
        origin = {"VeiledEquation": next(iter(entry["origin"].values()))}
        trees["equations"].append({"residual": residual, "span": entry["span"], "origin": origin, "scalar_count": 1})
    trees["assert_equations"] = kept


def _without(asserts: Sequence[Any], sections: dict[str, list[_Entry]]) -> list[Any]:
    """Return the asserts that were written as such; the others go to their sections."""
    return [entry for entry in asserts if not _taken(entry, sections)]


def _taken(entry: Mapping[str, Any], sections: dict[str, list[_Entry]]) -> str:
    """Return the section to which an assert is added; "" if it belongs to none."""
    message = entry["message"].get("Literal", {}).get("value", {}).get("String", "")
    if not message.startswith(MARK):
        return ""
    sides = entry["condition"]["Binary"]
    section, *indices = _sized(sides["rhs"])
    name = str(section[0]["VarRef"]["name"]["name"])
    values = tuple(json.dumps(_without_spans(index[0])) for index in indices)
    path = tuple(message.removeprefix(MARK).split("."))
    content = tuple(next(_sized(sides["lhs"])))
    span = next(iter(content[0].values())).get("span") or entry["span"]
    sections.setdefault(name, []).append(_Entry(path, values, content, span))
    return name


def _sized(tree: Mapping[str, Any]) -> Iterator[list[Any]]:
    """Generate the elements of the lists whose sizes are added."""
    if "Binary" in tree:
        yield from _sized(tree["Binary"]["lhs"])
        yield from _sized(tree["Binary"]["rhs"])
    else:
        yield tree["BuiltinCall"]["args"][0]["Array"]["elements"]


def _without_spans(tree: Any) -> Any:
    if isinstance(tree, Mapping):
        return {name: _without_spans(entry) for name, entry in tree.items() if name != "span"}
    return [_without_spans(entry) for entry in tree] if isinstance(tree, list) else tree


def _is_own(chain: Mapping[str, Any], sections: dict[str, list[_Entry]], conditions: dict[tuple[str, str], Any]) -> bool:
    """Return whether a chain is a ``when`` of such a section; what it does goes there."""
    own = False
    for branch in (chain["first"], *chain["else_when"]):
        for equation in branch["equations"]:
            section = _taken(equation["Assert"], sections) if "Assert" in equation else ""
            if section:
                own = True
                path = sections[section][-1].path
                conditions[section, ".".join(path[:2])] = branch["condition"]
    return own


# -- statements ---------------------------------------------------------------------------------------------------------


def _block(entries: Sequence[_Entry], conditions: Mapping[str, Any], before: str = "") -> Iterator[Any]:
    """Generate the statements of a block, in the order in which they were written."""
    numbered: dict[str, list[_Entry]] = {}
    for entry in entries:
        if _NUMBER.fullmatch(entry.path[0]):
            numbered.setdefault(entry.path[0], []).append(_Entry(entry.path[1:], *_rest(entry)))
    written = {f"{k + 1}of{number.rpartition('f')[2]}" for number in numbered for k in range(int(number.rpartition("f")[2]))}
    if written != set(numbered):
        raise ModelError(
            "the compiler has left out statements of an algorithm", found=", ".join(sorted(written - set(numbered)))
        )
    for number in sorted(numbered, key=lambda number: int(number.partition("of")[0])):
        yield from _statement(numbered[number], conditions, f"{before}{number}")


def _rest(entry: _Entry) -> tuple[tuple[str, ...], tuple[Any, ...], Any]:
    return entry.indices, entry.content, entry.span


def _statement(entries: Sequence[_Entry], conditions: Mapping[str, Any], place: str) -> Iterator[Any]:
    kinds = {kind: entry for entry in entries if (kind := _kind(entry.path[0])[0])}
    first = entries[0]
    if "for" in kinds:
        passes: dict[tuple[str, ...], list[_Entry]] = {}
        for entry in entries:
            count = _kind(entry.path[0])[1]
            if not count:
                continue
            inner = _Entry(entry.path[1:], entry.indices[count:], entry.content, entry.span)
            passes.setdefault(entry.indices[:count], []).append(inner)
        statements = [statement for one in passes.values() for statement in _block(one, conditions)]
        yield from [_once(statements, first.span)] if any("break" in entry.path for entry in entries) else statements
    elif "if" in kinds:
        yield {"If": {**_branches(entries, conditions), "span": first.span}}
    elif "when" in kinds:
        blocks = [
            {"cond": conditions[f"{place}.when{number}"], "stmts": list(_block(inner, conditions)), "span": first.span}
            for number, inner in _by_branch(entries)
        ]
        yield {"When": {"blocks": blocks, "span": first.span}}
    else:
        yield _simple(kinds, entries)


def _once(statements: Sequence[Any], span: Any) -> dict[str, Any]:
    """Return a loop of one pass, which ``break`` ends."""
    one = {"Literal": {"value": {"Integer": 1}, "span": span}}
    index = {"ident": "modia_pass", "range": {"Range": {"start": one, "step": None, "end": one, "span": span}}}
    return {"For": {"indices": [index], "equations": statements, "span": span}}


def _branches(entries: Sequence[_Entry], conditions: Mapping[str, Any]) -> dict[str, Any]:
    blocks, otherwise = [], None
    for _, inner in _by_branch(entries):
        statements = list(_block(inner, conditions))
        head = next((entry for entry in inner if entry.path == ("condition",)), None)
        if head is None and any(entry.path == ("else",) for entry in inner):
            otherwise = statements
        elif head is None:
            raise ModelError("the compiler has left out the condition of a statement in an algorithm")
        else:
            blocks.append({"cond": head.content[0], "stmts": statements, "span": head.span})
    return {"cond_blocks": blocks, "else_block": otherwise}


def _by_branch(entries: Sequence[_Entry]) -> list[tuple[int, list[_Entry]]]:
    branches: dict[int, list[_Entry]] = {}
    for entry in entries:
        branches.setdefault(_kind(entry.path[0])[1], []).append(_Entry(entry.path[1:], *_rest(entry)))
    return sorted(branches.items())


def _simple(kinds: Mapping[str, _Entry], entries: Sequence[_Entry]) -> dict[str, Any]:
    content, span = entries[0].content, entries[0].span
    if "break" in kinds:
        return {"Break": {"span": span}}
    if "nothing" in kinds:
        return {"Empty": {"span": span}}
    if "set" in kinds:
        return {"Assignment": {"comp": _target(content[0]), "value": content[1], "span": span}}
    if "reinit" in kinds:
        return {"Reinit": {"variable": _target(content[0]), "value": content[1], "span": span}}
    if "message" in kinds:
        checked = kinds.get("assert") or kinds["warning"]
        level = None if "assert" in kinds else {"Literal": {"value": {"Integer": 1}, "span": span}}
        message = kinds["message"].content[0]
        return {"Assert": {"condition": checked.content[0], "message": message, "level": level, "span": span}}
    call = kinds["call"]
    inner = call.content[0]["FunctionCall"]
    results = {entry.path[0]: entry.content[0] for entry in entries}
    outputs = [results.get(f"result{k}", {}) for k in range(_kind(call.path[0])[1])]
    return {"FunctionCall": {"comp": inner["name"], "args": inner["args"], "outputs": outputs, "span": span}}


def _target(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reference to the variable that is assigned."""
    reference = tree["VarRef"]
    *pieces, last = reference["name"]["component_ref"]["parts"]
    return {"parts": [*pieces, {**last, "subs": [*last["subs"], *reference["subscripts"]]}], "span": reference["span"]}


def _kind(step: str) -> tuple[str, int]:
    """Return the word and number of a step of a path."""
    found = _STEP.fullmatch(step)
    return (found[1], int(found[2] or 0)) if found else ("", 0)
