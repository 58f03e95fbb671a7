"""A `Model3D` becomes a scenario file in YAML, from which `read_scenario` makes the same model."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from modiapy.acausal.disk.whole_file import written_whole
from modiapy.model import tables
from modiapy.model.array import Array
from modiapy.model.control import For, If
from modiapy.model.errors import ModelError
from modiapy.model.model import FLAT, MADE_BY, Entries, Map, Model, Par, Var
from modiapy.model.scoping import EnclosingText, levels_of, moved_in
from modiapy.model.when import Assert, When

from ..engine.model3d import multibody
from ..forces.registry import ADDED
from ..scene.contact_pairs import written_pairs
from ..scene.flanges import call_of
from ..scene.scene_feature import SceneFeature
from . import registry
from .confine import CONFINED
from .reader import VERSION
from .scenario import SimulationSettings
from .value_reader import APPENDED
from .yaml_mistakes import surprising
from .yaml_tree import plain_scalar

WIDTH = 120


def write_scenario(
    model: Model, file: str | os.PathLike[str], settings: SimulationSettings | None = None, *, description: str = ""
) -> Path:
    """Write a scenario file.

    Args:
        model: a `Model3D` made of constructors, variables, parameters, submodels and library models, without actions and
            functions.
        file: its path; files of meshes in its folder are named relative to it.
        settings: the part ``simulation``; one second by default.
        description: free text.

    Raises:
        ModelError: the file cannot be written, or something has no form in YAML; with its path.

    Returns:
        The path of the file.
    """
    target = Path(file)
    text = scenario_text(model, settings, description=description, folder=target.parent)
    try:
        with written_whole(target) as stream:
            stream.write(text.encode())
    except OSError as error:
        raise ModelError("the scenario cannot be written", path=str(target), found=error.strerror or str(error)) from None
    return target


def scenario_text(
    model: Model,
    settings: SimulationSettings | None = None,
    *,
    description: str = "",
    folder: str | os.PathLike[str] | None = None,
) -> str:
    """Return a `Model3D` as the text of a scenario.

    Args:
        model: made of constructors, variables, parameters, submodels and library models, without actions and functions.
        settings: the part ``simulation``; one second by default.
        description: free text.
        folder: where the file will stand: files of meshes in it are named relative to it.

    Raises:
        ModelError: with the path of what has no form in YAML.
    """
    if not isinstance(model, Model) or model.get("_component", multibody) is not multibody:
        raise ModelError("only a Model3D or a Model of equations can be a scenario", found=repr(model.get("_component", model)))
    writer = _Writer(None if folder is None else Path(folder).resolve())
    entries = {key: value for key, value in model.items() if key != "_component"}
    settings = settings or SimulationSettings(1.0)
    simulation = {f.name: getattr(settings, f.name) for f in fields(settings) if getattr(settings, f.name) != f.default}
    document = {"modia3d": VERSION, **({"description": description} if description else {})}
    document |= {"model": writer.entries(entries, ""), "simulation": simulation}
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=WIDTH, allow_unicode=True)


class _Writer:
    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def entries(self, values: Mapping[str, Any], path: str) -> dict[str, Any]:
        """Return the entries of a model."""
        return {key: self.value(value, f"{path}.{key}" if path else key) for key, value in values.items()}

    def value(self, value: Any, path: str) -> Any:
        """Return the numbers, texts, lists, calls."""
        if isinstance(value, dict):
            return self.call(value, path)
        if isinstance(value, np.ndarray | np.generic):
            return self.value(value.tolist(), path)
        if isinstance(value, list | tuple):
            return [self.value(item, f"{path}[{i}]") for i, item in enumerate(value)]
        if isinstance(value, EnclosingText):
            return {"enclosing": str(value) if value.levels == 1 else [str(value), value.levels]}
        if value is None or (isinstance(value, str | bool | int | float) and value == value):  # not NaN
            return value
        if isinstance(value, When | Assert | If | For):
            given = {f.name: getattr(value, f.name) for f in fields(value) if getattr(value, f.name) != f.default}
            return {type(value).__name__: self.entries(given, path)}
        raise ModelError(
            "this cannot be written as YAML", path=path, found=repr(value), expected="numbers, texts, constructors"
        )

    def call(self, value: dict[str, Any], path: str) -> dict[str, Any]:
        """Return a constructor or a model with its arguments, or a mapping."""
        if not isinstance(value, Entries):
            return self.entries(value, path)
        if "_constructor" in value and isinstance(value, Model):
            return self.joint_with_flange(value, path)
        if "_constructor" in value:
            return self.constructor(value, path)
        if isinstance(value, Array) and "changes" not in value:
            return {"Array": self.entries(value, path)}
        if isinstance(value, Var | Par):
            return {type(value).__name__: self.entries(value, path)}
        if isinstance(value, Model) and (joint := call_of(value)) is not None:
            name, given = joint
            return {name: self.entries(given, path)}
        if isinstance(value, Model) and FLAT in value:
            raise ModelError(
                "a class of Modelica source cannot be written as YAML",
                path=path,
                remedy="Write {modelica: {file: ...}} in its place.",
            )
        if isinstance(value, Model) and "_component" not in value:
            name, changes = library_model(value) or ("Model", {key: value[key] for key in value if key != MADE_BY})
            return {name: self.entries(changes, path)}
        raise ModelError(
            "this cannot be written as YAML", path=path, found=type(value).__name__, expected="a constructor or Model"
        )

    def constructor(self, value: dict[str, Any], path: str) -> dict[str, Any]:
        """Return a call of the constructor of a dataclass."""
        cls = value["_constructor"]
        name = _names().get(cls)
        if name is None:
            raise ModelError(
                "this cannot be written as YAML", path=path, found=cls.__name__, expected="a constructor of modia3d"
            )
        arguments = {key: entry for key, entry in value.items() if key != "_constructor"}
        if cls in CONFINED:
            arguments.pop("folders", None)
            if isinstance(name_of_file := arguments.get(CONFINED[cls]), str):
                arguments[CONFINED[cls]] = self.file(name_of_file)
            if "convex_parts" in arguments:
                arguments["convex_parts"] = [self.file(part) for part in arguments["convex_parts"]]
        if cls is SceneFeature and isinstance(pairs := arguments.get("contact_pairs"), Mapping):
            arguments["contact_pairs"] = written_pairs(pairs)
        return {name: self.entries(arguments, path)}

    def joint_with_flange(self, value: Model, path: str) -> dict[str, Any]:
        """Return a revolute or prismatic joint that is a model."""
        cls = value["_constructor"]
        name = f"{_names().get(cls)}With{'Support' if 'support' in value else 'Flange'}"
        known = registry.constructors().get(name)
        if known is None or known.make is None or known.fields is None:
            raise ModelError("this cannot be written as YAML", path=path, found=cls.__name__)
        given = moved_in(Map({key: value[key] for key in known.fields if key in value}), -1)
        ((coordinate,), (speed,)) = cls(given["obj1"], given["obj2"]).state_names()
        for key, initial in ((coordinate, Var(init=0.0)), (speed, Var(init=0.0))):
            if given.get(key) == initial:
                del given[key]
        if repr(known.make(**given)) != repr(value):
            raise ModelError(
                "this cannot be written as YAML", path=path, found="a joint with equations of its own", expected=f"{name}(...)"
            )
        default = known.make(obj1=given["obj1"], obj2=given["obj2"])
        own = {key: entry for key, entry in given.items() if key in ("obj1", "obj2") or entry != default.get(key)}
        return {name: self.entries(own, path)}

    def file(self, name: str) -> str:
        """Return the name of a file from the folder of the scenario."""
        path = Path(name).resolve()
        if self.folder is None:
            return str(path)
        return path.relative_to(self.folder).as_posix() if path.is_relative_to(self.folder) else str(path)


def _names() -> dict[type, str]:
    """Name of the constructor of each dataclass."""
    return _known_names() | {make.dataclass: name for name, make in ADDED.items()}  # type: ignore[attr-defined]


@functools.cache
def _known_names() -> dict[type, str]:
    from ..forces import constructors as forces
    from ..scene import constructors as scene
    from ..scene.sensors import constructors as sensors

    made = {name: getattr(scene, name) for name in (*scene.MADE_OF, *scene.JOINTS)}  # made when they are first asked for
    made |= {**forces.constructors(), **vars(sensors), **vars(tables)}
    return {make.dataclass: name for name, make in made.items() if hasattr(make, "dataclass") and name[0].isupper()}


def library_model(model: Model) -> tuple[str, dict[str, Any]] | None:
    """Return the library model that this is with other values of parameters or expressions, as ``library.Name``, and these."""
    for name, entry in registry.constructors().items():
        base = entry.model
        if "." not in name or not isinstance(base, Model) or base.keys() != model.keys():
            continue
        changes = {key: value for key, value in model.items() if value != base[key]}
        if changes.keys().isdisjoint(APPENDED) and all(
            (_is_value(value) or isinstance(value, str)) and _of_caller(value) and _is_value(base[key])
            for key, value in changes.items()
        ):
            return name, {key: moved_in(value, -1) for key, value in changes.items()}
    return None


def _of_caller(value: object) -> bool:
    """Return whether all texts of a value were written where the model is used, as those of a call are."""
    return (
        all(map(_of_caller, value)) if isinstance(value, list | tuple) else not isinstance(value, str) or levels_of(value) == 1
    )


def _is_value(value: object) -> bool:
    return isinstance(value, int | float | Sequence) and not isinstance(value, str)


class _Dumper(yaml.SafeDumper):
    """Texts that the reader would take for something else are quoted; nothing is written as an alias."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    ambiguous = plain_scalar(value) != value or not isinstance(plain_scalar(value), str) or surprising(value) is not None
    ambiguous = ambiguous or (len(value) > WIDTH // 2 and " - " in value)  # a line that begins so is taken for an entry
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style='"' if ambiguous else None)


def _number(dumper: _Dumper, value: float) -> yaml.ScalarNode:
    text = ".inf" if value == float("inf") else "-.inf" if value == -float("inf") else repr(value)
    return dumper.represent_scalar(
        "tag:yaml.org,2002:float", text if "e" not in text or "." in text else text.replace("e", ".0e")
    )


_Dumper.add_representer(str, _text)
_Dumper.add_representer(float, _number)
