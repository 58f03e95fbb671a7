"""Records and arrays of ``outer`` components: the compiler loses them in equations and in arguments of functions.

Where an ``outer`` component is declared, such a member gets a second name in a declaration, ``World.modia_type_R
modia_outer_5_world_R = world.R``, which the compiler takes; ``modia_type_R`` is declared beside the member itself, whose
type it is. In the flat trees everything has its first name again.

An ``outer`` component whose ``inner`` one is of another class, a subtype, is declared with that class.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .texts import blanked, class_spans, owners_at, substituted

_LOST = re.compile(r"record function field projection|unresolved Flat reference `([^`]*)`")
_MISMATCH = re.compile(r"inner/outer type mismatch for `(\w+)`: outer expects `([\w.]+)`, inner provides `([\w.]+)`")
_OUTER = re.compile(
    r"\b(inner\s+)?(?:outer|outer\s+(inner))\s+(?:(?:replaceable|final|parameter)\s+)*([\w.]+)\s+(\w+)\s*(?:annotation\b[^;]*)?;"
)
_INNER = re.compile(r"\binner\s+(?:(?:replaceable|final|parameter|outer)\s+)*[\w.]+\s+(\w+)")
_EXTENDS = re.compile(r"\bextends\s+([\w.]+)")
_TYPE, _NAME = "modia_type_", "modia_outer_"


def with_outer_members(message: str, texts: Mapping[int, bytes]) -> dict[int, bytes]:
    """Return the files in other words, by their number; those that change only, none where that would not help.

    Args:
        message: what the compiler said.
        texts: the files that it read.
    """
    plain = {number: _text(text) for number, text in texts.items() if b"outer" in text}
    mismatch, lost = _MISMATCH.search(message), _LOST.search(message)
    changes: Mapping[int, list[tuple[int, int, str]]] = {}
    if mismatch:
        changes = {number: _retyped(text, *mismatch.groups()) for number, text in plain.items()}
    elif lost and not any(_NAME in text for text in plain.values()):
        names = {found[4] for text in plain.values() for found in _OUTER.finditer(blanked(text))}
        if not lost[1] or names & set(re.findall(r"\w+", lost[1])):
            users = [n for n, text in texts.items() if b"outer" in text or any(f"{name}.".encode() in text for name in names)]
            changes = _Members(users, texts).changes()
    return {n: substituted(_text(texts[n]), edits).encode("latin-1") for n, edits in changes.items() if edits}


def _alias(name: str, member: str) -> str:
    return f"{_NAME}{len(name)}_{name}_{member}"


def as_written(text: str) -> str:
    """Return a text that was given to the compiler, with the first names of such members."""
    return re.sub(rf"\b{_NAME}(\d+)_(\w+)", lambda m: f"{m[2][: int(m[1])]}.{m[2][int(m[1]) + 1 :]}", text)


def _text(content: bytes) -> str:
    return content.decode("latin-1")


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _retyped(text: str, name: str, expected: str, provided: str) -> list[tuple[int, int, str]]:
    """Return the declarations of an ``outer`` component with the class of the ``inner`` one."""
    outers = _OUTER.finditer(blanked(text))
    return [(*found.span(3), provided) for found in outers if found[4] == name and _last(found[3]) == _last(expected)]


@dataclass(eq=False)
class _Class:
    """A class in a text, without the classes within it.

    Attributes:
        outers: its ``outer`` components: the class as it is written, and where the declaration ends.
        inners: names of its ``inner`` components.
        bases: last names of the classes that it extends.
    """

    number: int
    begin: int
    plain: str
    outers: dict[str, tuple[str, int]] = field(default_factory=dict)
    inners: set[str] = field(default_factory=set)
    bases: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for found in _OUTER.finditer(self.plain):
            if found[1] or found[2]:
                self.inners.add(found[4])
            else:
                self.outers[found[4]] = (found[3], self.begin + found.end())
        self.inners.update(_INNER.findall(self.plain))
        self.bases.update(map(_last, _EXTENDS.findall(self.plain)))


class _Members:
    """The classes that use members of ``outer`` components, and those that declare them, by their last names."""

    def __init__(self, texts: Iterable[int], everything: Mapping[int, bytes]) -> None:
        self.everything = everything
        self._plain: dict[int, str] = {}
        self._kinds: dict[str, list[tuple[str, bool]]] = {}
        self.classes: dict[str, list[_Class]] = {}
        self._read: set[int] = set()
        self._asked: set[str] = set()
        self._types: dict[tuple[str, str], tuple[_Class, int, str, str] | None] = {}
        for number in texts:
            self._add(number)

    def changes(self) -> dict[int, list[tuple[int, int, str]]]:
        """Return the replacements in each file."""
        found: dict[int, list[tuple[int, int, str]]] = {}
        aliases: dict[tuple[int, int], dict[str, str]] = {}
        types: dict[tuple[int, int], dict[str, str]] = {}
        for user in [one for named in self.classes.values() for one in named]:
            for begin, end, name, member in self._uses(user):
                declared = self._declaring(user, name, set())
                kinds = {self._type(_last(written), member) for _, written, _ in declared}
                if not declared or None in kinds:
                    continue
                found.setdefault(user.number, []).append((begin, end, _alias(name, member)))
                for place in kinds:
                    owner, at, prefix, text = place  # type: ignore[misc]
                    types.setdefault((owner.number, at), {})[member] = f" {text};"
                    for one, written, after in declared:
                        alias = f" {prefix}{written}.{_TYPE}{member} {_alias(name, member)} = {name}.{member};"
                        aliases.setdefault((one.number, after), {})[f"{name}.{member}"] = alias
        for insertions in (aliases, types):
            for (number, at), parts in insertions.items():
                found.setdefault(number, []).append((at, at, "".join(parts.values())))
        return found

    def _add(self, number: int) -> None:
        if number in self._read:
            return
        self._read.add(number)
        for name, begin, body in class_spans(self._blanked(number)):
            self.classes.setdefault(name, []).append(_Class(number, begin, body))

    def _named(self, name: str) -> list[_Class]:
        """Return all classes of this name."""
        if name not in self._asked:
            self._asked.add(name)
            ends = re.compile(rb"\bend\s+" + name.encode() + rb"\s*;")
            for number, content in self.everything.items():
                if number not in self._read and ends.search(content):
                    self._add(number)
        return self.classes.get(name, [])

    def _uses(self, user: _Class) -> Iterator[tuple[int, int, str, str]]:
        for found in re.finditer(r"(?<![\w.])([A-Za-z_]\w*)\.([A-Za-z_]\w*)\b(?!\s*\()", user.plain):
            if found[1] not in user.inners:
                yield user.begin + found.start(), user.begin + found.end(), found[1], found[2]

    def _declaring(self, user: _Class, name: str, seen: set[str]) -> list[tuple[_Class, str, int]]:
        """Return the classes that declare an ``outer`` component of a class or of its bases, with what they declare."""
        if name in user.outers:
            return [(user, *user.outers[name])]
        found = []
        for base in user.bases - seen:
            for one in self._named(base):
                found += self._declaring(one, name, seen | {base})
        return found

    def _type(self, owner: str, member: str) -> tuple[_Class, int, str, str] | None:
        """Find a declared record or array of a class: the class, the end of the declaration, its variability, its type."""
        if (owner, member) not in self._types:
            self._types[owner, member] = next(self._declarations(owner, member, set()), None)
        return self._types[owner, member]

    def _declarations(self, owner: str, member: str, seen: set[str]) -> Iterator[tuple[_Class, int, str, str]]:
        head = re.compile(
            rf"(?:\b(parameter|constant)\s+)?(?<![\w.])(\.?[A-Za-z_][\w.]*)\s*(?:\[([^\[\]]*)\])?\s+{member}\s*(?:\[([^\[\]]*)\])?\s*(?=[;(=]|if\b|annotation\b)"
        )
        for one in self._named(owner):
            found = head.search(one.plain)
            end = one.plain.find(";", found.end()) if found else -1
            if found is None or end < 0:
                for base in one.bases - seen:
                    yield from self._declarations(base, member, seen | {base})
                continue
            variability, kind, *sizes = found.groups()
            dimensions = ", ".join(size for size in reversed(sizes) if size)
            if kind not in self._kinds:
                self._kinds[kind] = list(self._heads(kind))
            heads = self._kinds[kind]
            sized = all(word == "type" for word, _ in heads) if dimensions else any(array for _, array in heads)
            if sized:
                text = f"type {_TYPE}{member} = {kind}" + (f"[{dimensions}]" if dimensions else "")
            elif not dimensions and heads and all(word.endswith("record") for word, _ in heads):
                text = f"record {_TYPE}{member} = {kind}"
            else:
                continue
            yield one, one.begin + end + 1, f"{variability} " if variability else "", text

    def _heads(self, written: str) -> Iterator[tuple[str, bool]]:
        """Generate the classes that a name can mean, and whether they are types of arrays; its first piece may be imported."""
        first, *rest = written.lstrip(".").split(".")
        known = [name.split(".") for name in self._imported(first)] or [[first]]
        head = re.compile(
            rf"\b(type|connector|(?:operator\s+)?record|model|block|class)\s+{_last(written)}\b(\s*=\s*[\w.]+\s*\[)?"
        )
        for number, content in self.everything.items():
            if re.search(rb"\b" + _last(written).encode() + rb"\b", content):
                plain = self._blanked(number)
                for found in head.finditer(plain):
                    path = [*owners_at(plain, found.start()), _last(written)]
                    if any(path[-len(name) - len(rest) :] == [*name, *rest] for name in known):
                        yield found[1], bool(found[2])

    def _imported(self, name: str) -> set[str]:
        """Return the full names that an imported name can stand for."""
        named = re.compile(rf"\bimport\s+(?:{name}\s*=\s*([\w.]+)|([\w.]+\.{name}))\s*;")
        numbers = [n for n, content in self.everything.items() if b"import" in content and name.encode() in content]
        return {full or short for n in numbers for full, short in named.findall(self._blanked(n))}

    def _blanked(self, number: int) -> str:
        """Return a file, see `blanked`."""
        if number not in self._plain:
            self._plain[number] = blanked(_text(self.everything[number]))
        return self._plain[number]


# -- flat trees ---------------------------------------------------------------------------------------------------------


def restore(trees: dict[str, Any]) -> None:
    """Give such members their first names."""
    first: dict[str, Any] = {}
    for name, variable in trees["variables"].items():
        if _NAME in name:
            reference = (variable["binding"] or {}).get("VarRef")
            if reference and not reference["subscripts"]:
                first[name] = reference["name"]
    if not first:
        return
    for name in list(trees["record_instances"]):
        of_field = next((field for field in first if field.startswith(f"{name}.")), None) if _NAME in name else None
        if of_field is not None:
            rest = of_field[len(name) :]
            target = first[of_field]["name"].removesuffix(rest)
            parts = (first[of_field]["component_ref"] or {}).get("parts", [])[: -rest.count(".")]
            first[name] = {**first[of_field], "name": target, "component_ref": {"local": False, "parts": parts}}
            del trees["record_instances"][name]
    for entries in ("variables", "variable_type_names", "variable_final_flags"):
        trees[entries] = {name: entry for name, entry in trees[entries].items() if name not in first}
    for entries in ("variables", *(name for name in trees if isinstance(trees[name], list))):
        trees[entries] = _renamed(trees[entries], first)


def _renamed(node: Any, first: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_renamed(entry, first) for entry in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("VarRef")
    if isinstance(reference, dict) and _NAME in reference["name"]["name"]:
        name = first.get(reference["name"]["name"], reference["name"])
        return {"VarRef": {**reference, "subscripts": _renamed(reference["subscripts"], first), "name": name}}
    return {name: _renamed(entry, first) for name, entry in node.items()}
