"""Types of variables, as the front end numbers them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Types:
    """The kind of a variable: "Real", "Integer", "Boolean", "String", "Clock", "enumeration" or "object"."""

    def __init__(self, trees: Mapping[str, Any]) -> None:
        self.predefined = {number: name.capitalize() for name, number in trees["predefined_types"].items()}
        self.effective = trees["effective_types"]
        self.enumerations = set(trees["enumeration_type_roots"])
        self.names = trees["variable_type_names"]
        literals: dict[str, dict[str, int]] = {}
        for literal, ordinal in trees["enum_literal_ordinals"].items():
            owner, _, word = literal.rpartition(".")
            if not word.startswith("'"):
                literals.setdefault(owner, {})[word] = ordinal
        self.literals_of = {owner: tuple(sorted(words, key=words.__getitem__)) for owner, words in literals.items()}

    def kind(self, name: str, variable: Mapping[str, Any]) -> str:
        """Return the sort of value that the variable has."""
        effective = self.effective.get(str(variable["type_id"]), {})
        canonical = effective.get("canonical_type")
        if canonical in self.predefined:
            return self.predefined[canonical]
        if canonical in self.enumerations:
            return "enumeration"
        named = self.names.get(name, "")
        return named if named in self.predefined.values() else "object"

    def literals(self, name: str) -> tuple[str, ...]:
        """Return the literals of the enumeration that a variable has as its type."""
        named = self.names.get(name, "")
        found = self.literals_of.get(named)
        if found is None:
            candidates = {
                words for owner, words in self.literals_of.items() if owner.rpartition(".")[2] == named.rpartition(".")[2]
            }
            found = candidates.pop() if len(candidates) == 1 else ()
        return found
