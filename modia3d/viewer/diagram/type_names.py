"""Names of the types of components: those of the library models and constructors that they were made of."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from modiapy.library import library_names, models_in
from modiapy.model.array import Array
from modiapy.model.fields import constructor_name
from modiapy.model.model import FLAT, MADE_BY, Model


def type_name(model: Mapping[str, Any]) -> str:
    """Return the name of a library model, with changes or not, of a constructor or of a Modelica class; "" for other models.

    A library model is recognised by its description, which changes of values leave as it is.
    """
    if "_constructor" in model:
        return constructor_name(model["_constructor"])
    if MADE_BY in model:
        return str(getattr(model[MADE_BY], "name", ""))
    if FLAT in model:
        return str(model[FLAT].flat.name)
    text = model.get("description")
    known = [(name, base) for name, base in _known() if base.get("description") == text] if isinstance(text, str) else []
    fitting = [
        name for name, base in known if {key for key, entry in base.items() if not isinstance(entry, Array)} <= model.keys()
    ]
    same = [name for name, base in known if base.get("equations") == model.get("equations")]
    return next(iter(same or fitting), "")


def _known() -> list[tuple[str, Model]]:
    """Return the models of the libraries that are imported, which are those that a model may have been made of."""
    return [
        item
        for library in library_names()
        if f"modiapy.library.{library}" in sys.modules
        for item in models_in(library).items()
    ]
