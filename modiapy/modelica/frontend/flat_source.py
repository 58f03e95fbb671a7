"""Result of a front end: the flat typed trees of a model, and the places where they were written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ...model.errors import ModelError
from .annotations import Experiment
from .libraries import Library
from .places import SourcePlaces

LISTS = (
    "algorithms", "assert_equations", "branches", "definite_roots", "enumeration_type_roots", "enumeration_types", "equations",
    "initial_algorithms", "initial_assert_equations", "initial_equations", "initial_structured_equations", "optional_edges",
    "potential_roots", "structured_equations", "top_level_connectors",
    "top_level_input_components", "when_chains",
)  # fmt: skip
MAPPINGS = (
    "effective_types", "enum_literal_ordinals", "functions", "instance_relations", "predefined_types", "record_instances",
    "record_types", "type_ids_by_def_id", "variable_final_flags", "variable_type_names", "variables",
)  # fmt: skip
OPTIONAL = ("parameter_branch_selections",)
SCALARS = ("class_type", "is_partial", "model_description", "oc_break_edge_scalar_count", "predefined_string_declaration")


@dataclass(frozen=True)
class FlatSource:
    """A flattened model as the compiler gave it.

    Attributes:
        model: full name of the class.
        trees: variables, equations, functions and so on by the compiler's own names: typed trees, as parsed JSON.
        places: where a span of these trees stands.
        experiment: what the class recommends.
        libraries: those that were at hand, by name: ``modelica://`` addresses are resolved with them.
    """

    model: str
    trees: Mapping[str, Any] = field(repr=False)
    places: SourcePlaces = field(repr=False)
    experiment: Experiment = field(default_factory=Experiment)
    libraries: Mapping[str, Library] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        check_schema(self.trees, self.model)

    def resource(self, address: str) -> Path | None:
        """Return the file of a ``modelica://Library/path`` address; None where the library is not at hand."""
        name, _, rest = address.removeprefix("modelica://").partition("/")
        library = self.libraries.get(name.partition(".")[0])
        if library is None:
            return None
        return library.file.parent.joinpath(*name.split(".")[1:], *rest.split("/"))


class FrontEnd(Protocol):
    """Parses, instantiates and flattens Modelica: connections become equations, conditional components are decided."""

    def flatten(self, model: str, source: Path | None, libraries: Mapping[str, Library]) -> FlatSource:
        """Return a model, flat.

        Args:
            model: full name of the class, e.g. ``"Modelica.Mechanics.Rotational.Examples.First"``.
            source: a file of its own that it needs besides libraries.
            libraries: packages at the top by name.

        Raises:
            ModelError: the source is wrong, or uses what is not supported; with file and line.
        """
        ...


def check_schema(trees: Any, model: str) -> None:
    """Refuse trees of another schema than the one that the reader knows, by the names of what is missing or unknown."""
    known = {**dict.fromkeys(LISTS, list), **dict.fromkeys(MAPPINGS, dict)}
    if not isinstance(trees, Mapping):
        raise ModelError("the compiler's answer is no flat model", path=model, found=type(trees).__name__, expected="a mapping")
    missing = sorted(name for name in (*known, *SCALARS) if name not in trees)
    unknown = sorted(set(trees) - set(known) - set(SCALARS) - set(OPTIONAL))
    wrong = sorted(name for name, kind in known.items() if name in trees and not isinstance(trees[name], kind))
    if missing or unknown or wrong:
        parts = {"missing": missing, "unknown": unknown, "of another kind": wrong}
        raise ModelError(
            "the compiler's flat model has another schema than the one that is known",
            path=model,
            found="; ".join(f"{what}: {', '.join(names)}" for what, names in parts.items() if names),
            remedy="Install the version of rumoca that docs/dependencies.md names.",
        )
