"""Members of arrays of components, where the compiler's answer says something else than what was written.

It knows ``p.k`` and ``p.v`` of arrays of one dimension. In ``p.v[2]`` it takes the subscript for one of ``p``, and a member of
an array of two dimensions, or of arrays within each other, for what its class says of one component. Nothing in the answer
tells: what stands at the places in the source is compared with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from ...model.errors import ModelError
from .places import SourcePlaces
from .rewrites.texts import blanked

_SUBSCRIPTS = r"(?:\s*\[(?:[^\[\]]|\[[^\[\]]*\])*\])?"
_PART = re.compile(rf"([A-Za-z_]\w*)({_SUBSCRIPTS})")
_PATH = re.compile(rf"[A-Za-z_]\w*{_SUBSCRIPTS}(?:\s*\.\s*[A-Za-z_]\w*{_SUBSCRIPTS})+")
_CONNECT = re.compile(rf"\bconnect\s*\(\s*(\.?{_PATH.pattern})\s*,\s*(\.?{_PATH.pattern})\s*\)")
_CLASS = re.compile(r"\b(?:model|block|class|connector)\s+([A-Za-z_]\w*)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_INDEXED = re.compile(r"\[([\d,]+)\]$")
_MODEL_PARTS = (
    "equations",
    "structured_equations",
    "initial_equations",
    "initial_structured_equations",
    "assert_equations",
    "initial_assert_equations",
    "algorithms",
    "initial_algorithms",
    "when_chains",
)


def refuse_misread(trees: Mapping[str, Any], places: SourcePlaces, model: str) -> None:
    """Raise ModelError where the answer of the compiler is not what was written, with the form and its place."""
    arrays = _Arrays(trees)
    if not arrays.dimensions:
        return
    found = _Found(arrays, places, model)
    for name, variable in trees["variables"].items():
        found.look(variable, name.rpartition(".")[0])
    for part in _MODEL_PARTS:
        for tree in trees[part]:
            found.look(tree, _component(tree))
    found.look_at_connections()


class _Arrays:
    """The arrays of components of a model: their numbers of dimensions, by paths in which other subscripts are left out."""

    def __init__(self, trees: Mapping[str, Any]) -> None:
        self.dimensions: dict[str, int] = {}
        self.members: set[str] = set()
        for name, variable in trees["variables"].items():
            path = ""
            *components, member = name.split(".") if "," not in name else _split(name)
            for piece in components:
                index = _INDEXED.search(piece)
                path = f"{path}.{piece[: index.start()] if index else piece}".lstrip(".")
                self.members.add(path)
                if index:
                    self.dimensions[path] = index[1].count(",") + 1
            whole = f"{path}.{member}".lstrip(".")
            self.members.add(whole)
            if variable["dims"]:
                self.dimensions.setdefault(f"{whole} ", len(variable["dims"]))

    def is_array(self, path: str) -> bool:
        """Return whether it is an array, of components or of numbers."""
        return path in self.dimensions or f"{path} " in self.dimensions

    def resolved(self, owner: str, first: str) -> str | None:
        """Return the path of the component within which a name begins; None if nothing is called so."""
        scope = re.sub(r"\[[\d,]+\]", "", owner)
        while True:
            if f"{scope}.{first}".lstrip(".") in self.members:
                return scope
            if not scope:
                return None
            scope = scope.rpartition(".")[0]


class _Found:
    def __init__(self, arrays: _Arrays, places: SourcePlaces, model: str) -> None:
        self.arrays, self.places, self.model = arrays, places, model
        self._seen: set[tuple[Any, ...]] = set()

    def look(self, tree: Any, owner: str) -> None:
        """Look at all expressions of a tree that belongs to the component ``owner``."""
        stack = [tree]
        while stack:
            node = stack.pop()
            if isinstance(node, list):
                stack += node
            elif isinstance(node, Mapping):
                if len(node) == 1 and isinstance(parts := next(iter(node.values())), Mapping):
                    self._expression(next(iter(node)), parts, owner)
                    if "Index" in node:  # its subscripts are known: they need not be looked for behind its base
                        stack += [parts["subscripts"]] if "subscripts" in parts else []
                        continue
                stack += node.values()

    def _expression(self, kind: str, parts: Mapping[str, Any], owner: str) -> None:
        span = parts.get("span")
        if not isinstance(span, Mapping):
            return
        moved = kind == "VarRef" and not parts["subscripts"] and not parts["name"]["name"].endswith("]")
        key = (span["source"], span["start"], span["end"], moved, owner)
        if key in self._seen:
            return
        self._seen.add(key)
        written = self.places.quoted(span)
        if "." not in written or not _PATH.fullmatch(written):
            return
        following = self.places.following(span)
        if self._sliced(written, owner) > 1 or (moved and following == "[" and self._sliced(written, owner)):
            self._refuse(written, span)

    def _sliced(self, written: str, owner: str) -> int:
        """Return how many dimensions of arrays of components a path goes through without choosing one of each."""
        parts = _PART.findall(written)
        path = self.arrays.resolved(owner, parts[0][0])
        if path is None:
            return 0
        count = 0
        for name, subscripts in parts[:-1]:
            path = f"{path}.{name}".lstrip(".")
            count += _left(subscripts, self.arrays.dimensions.get(path, 0))
        return count

    def look_at_connections(self) -> None:
        """Look at the connections, for which the answer has no places."""
        last = {path.rpartition(".")[2] for path in self.arrays.dimensions}
        for number, source in self.places.texts.items():
            text = source.read().decode("latin-1")
            if "connect" not in text or not any(re.search(rf"\b{re.escape(name)}\s*\[", text) for name in last):
                continue
            for match in _CONNECT.finditer(blanked(text)):
                for side in (1, 2):
                    if self._is_chosen_of_sliced(match[side]) and self._is_used(number, match.start()):
                        self._refuse(match[side], {"source": number, "start": match.start(side), "end": match.end(side)})

    def _is_used(self, number: int, at: int) -> bool:
        """Return whether a class of which a place is part may be part of the model: by the words of classes that are."""
        return any(source == number and begin <= at < end for source, begin, end in self._used)

    @cached_property
    def _used(self) -> list[tuple[int, int, int]]:
        texts = {number: blanked(source.read().decode("latin-1")) for number, source in self.places.texts.items()}
        classes: dict[str, list[tuple[int, int, int]]] = {}
        for number, text in texts.items():
            for match in _CLASS.finditer(text):
                closing = re.compile(rf"\bend\s+{re.escape(match[1])}\s*;").search(text, match.end())
                classes.setdefault(match[1], []).append((number, match.start(), closing.end() if closing else len(text)))
        names, used = [self.model.rpartition(".")[2]], []
        known = set(names)
        while names:
            for number, begin, end in classes.get(names.pop(), ()):
                used.append((number, begin, end))
                new = (set(_WORD.findall(texts[number][begin:end])) & classes.keys()) - known
                known |= new
                names += sorted(new)
        return used

    def _is_chosen_of_sliced(self, written: str) -> bool:
        """Return whether a connector of an array within each component of an array is meant, somewhere in the model."""
        (first, subscripts), *others = _PART.findall(written)
        if len(others) != 1 or not others[0][1].strip():
            return False
        paths = [path for path in self.arrays.dimensions if f".{path}".endswith(f".{first}")]
        return any(
            _left(subscripts, self.arrays.dimensions[path]) and self.arrays.is_array(f"{path}.{others[0][0]}") for path in paths
        )

    def _refuse(self, written: str, span: Mapping[str, Any]) -> None:
        place = self.places.of(span)
        raise ModelError(
            f"'{written}' is a member of several components at once, which the compiler reads wrongly"
            + (f" (column {place.column})" if place else ""),
            path=self.model,
            expected="a member of each component of one array, 'p.k', or an element of one of them, 'p[1].v[2]'",
            remedy="Write the elements: {p[i].v[2] for i in 1:size(p, 1)}.",
            file=place.file if place else "",
            line=place.line if place else 0,
        )


def _left(subscripts: str, dimensions: int) -> int:
    """Return how many dimensions subscripts leave."""
    chosen = subscripts.strip()[1:-1].split(",") if subscripts.strip() else []
    return dimensions - sum(":" not in item for item in chosen) if dimensions else 0


def _split(name: str) -> Iterator[str]:
    return iter(re.split(r"\.(?![^\[]*\])", name))


def _component(tree: Any) -> str:
    origin = tree.get("origin") if isinstance(tree, Mapping) else None
    what = next(iter(origin.values())) if isinstance(origin, Mapping) and origin else {}
    return str(what.get("component", "")) if isinstance(what, Mapping) else ""
