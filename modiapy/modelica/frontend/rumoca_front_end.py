"""The front end: needed files, rewritten, are given to the compiler; its answers are kept."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from ...acausal.disk.cache_folder import make_private
from ...model.errors import ModelError
from . import cache
from .annotations import Experiment, class_span, experiment_of
from .failures import OWN, explained
from .flat_source import FlatSource, check_schema
from .libraries import Library, library_of
from .misread import refuse_misread
from .needed_files import NeededFile, needed_files
from .places import SourcePlaces, SourceText, source_number
from .rewrites.derivatives import DECLARATION
from .rewrites.inner_values import with_inner_values
from .rewrites.instance_names import with_instance_names
from .rewrites.outer_members import with_outer_members
from .rewrites.rules import VARIANTS, fingerprint, next_variant, restored, rewritten
from .rewrites.texts import blanked
from .rumoca_process import WRAPPER, CompilerError, Limits, installed_version, run_compiler

_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")

_ATTEMPTS = 4
"""How often a model is given to the compiler until names of ``outer`` components have their meaning."""


@dataclass(frozen=True)
class RumocaFrontEnd:
    """Flattens by rumoca, see `FrontEnd`.

    Attributes:
        limits: of its process.
    """

    limits: Limits = field(default_factory=Limits)

    def flatten(self, model: str, source: Path | None, libraries: Mapping[str, Library]) -> FlatSource:
        """Return a model, flat; see `FrontEnd.flatten`."""
        installed_version()
        if not _NAME.fullmatch(model):
            raise ModelError("this is no name of a Modelica class", found=repr(model), expected="for example 'Package.Model'")
        own, libraries = _own_text(source, libraries)
        variants = [self._given(model, source, own, libraries, variant) for variant in range(len(VARIANTS))]
        found = next(((given, answer) for given in variants if (answer := cache.read_trees(given.key)) is not None), None)
        given, answer = found or self._compiled(model, variants)
        places = given.places.with_texts({int(number): text.encode("latin-1") for number, text in answer["changed"].items()})
        refuse_misread(answer["trees"], places, model)
        return FlatSource(model, answer["trees"], places, _experiment(model, own, source, list(given.files)), libraries)

    def _compiled(self, model: str, variants: list[_Given]) -> tuple[_Given, Any]:
        """Return the first variant that the compiler takes; where there is none, what it says of the first that has all
        sizes.
        """
        variant = 0
        refused: tuple[int, Any] = -1, None
        while True:
            try:
                return variants[variant], self._compile(model, variants[variant])
            except CompilerError as error:
                following = next_variant(variant, error.answer["message"])
                if refused[1] is None or variant > refused[0] + 1:
                    refused = variant, error.answer
                if following is None:
                    raise explained(refused[1], model, variants[refused[0]].places) from None
                variant = following

    def _given(self, model: str, source: Path | None, own: str, libraries: Mapping[str, Library], variant: int) -> _Given:
        # a class that is not partial is refused where the compiler counts equations otherwise than the language does
        wrapper = f"{DECLARATION} partial model {WRAPPER} extends {model}; end {WRAPPER};"
        text = f"{rewritten(own.encode(), variant).decode()}\n{wrapper}\n"
        needed = needed_files(text, libraries)
        return _Given(text, {file: file.path.read_bytes() for file in needed}, _places(source, text, needed, variant), variant)

    def _compile(self, model: str, given: _Given) -> Any:
        make_private(cache.folder())
        with tempfile.TemporaryDirectory(dir=cache.folder(), ignore_cleanup_errors=True) as name:
            folder = Path(name)
            (folder / OWN).write_bytes(given.text.encode())
            (folder / "lib").mkdir()
            for file, content in given.files.items():
                path = folder / "lib" / file.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(rewritten(content, given.variant))
            paths = {source_number(f"lib/{file.name}"): folder / "lib" / file.name for file in given.files}
            paths[source_number(OWN)] = folder / OWN
            trees, changed = self._trees_by_names(folder, model, paths)
        restored(trees)
        answer = {"trees": trees, "changed": {str(number): text.decode("latin-1") for number, text in changed.items()}}
        cache.write_trees(given.key, json.dumps(answer).encode())
        return answer

    def _trees_by_names(self, folder: Path, model: str, paths: Mapping[int, Path]) -> tuple[Any, dict[int, bytes]]:
        """Return the trees of a prepared folder, and the files that ``inner`` and ``outer`` components changed."""
        written = {number: path.read_bytes() for number, path in paths.items()}
        changed: dict[int, bytes] = {}

        def change(new: dict[int, bytes]) -> bool:
            changed.update(new)
            for number, content in new.items():
                paths[number].write_bytes(content)
            return bool(new)

        for attempt in range(_ATTEMPTS):
            try:
                trees = self._trees(folder, model)
                break
            except CompilerError as error:
                said = error.answer["message"]
                if attempt == _ATTEMPTS - 1 or not change(with_outer_members(said, {**written, **changed})):
                    raise
        if change(with_inner_values(trees, {**written, **changed})):
            trees = self._trees(folder, model)
        return trees, changed

    def _trees(self, folder: Path, model: str) -> Any:
        """Return the trees that the compiler makes of a prepared folder."""
        data = run_compiler(folder, model, self.limits, cache.folder() / "rumoca")
        trees = json.loads(with_instance_names(data, WRAPPER, model))
        check_schema(trees, model)
        return trees


@dataclass(frozen=True)
class _Given:
    """Input of the compiler.

    Attributes:
        text: the model's own, with the class that is flattened.
        files: of libraries, as they were written.
        places: of all of them.
        variant: see `rewritten`.
    """

    text: str
    files: Mapping[NeededFile, bytes]
    places: SourcePlaces
    variant: int

    @cached_property
    def key(self) -> str:
        """Key of the answer in the cache."""
        names = (file.name.as_posix() for file in self.files)
        parts = [part.encode() for part in (installed_version(), str(self.variant), self.text, *names)]
        return cache.key_of([fingerprint(), *parts, *self.files.values()])


def _own_text(source: Path | None, libraries: Mapping[str, Library]) -> tuple[str, Mapping[str, Library]]:
    """Return the text of a model's own file, and the libraries; a file of a package's folder brings the package as a
    library.
    """
    if source is None:
        return "", libraries
    library = library_of(source)
    if library is not None:
        return "", {**libraries, library.name: library}
    try:
        return source.read_text(encoding="utf-8"), libraries
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(
            "Modelica source cannot be read", found=str(error), expected="a file in UTF-8", file=str(source)
        ) from None


def _places(source: Path | None, text: str, needed: list[NeededFile], variant: int) -> SourcePlaces:
    def read(path: Path) -> bytes:
        return rewritten(path.read_bytes(), variant)

    texts = {source_number(f"lib/{file.name}"): SourceText(str(file.path), partial(read, file.path)) for file in needed}
    texts[source_number(OWN)] = SourceText(str(source or "(the class to be flattened)"), text.encode)
    return SourcePlaces(texts)


def _experiment(model: str, own: str, source: Path | None, needed: list[NeededFile]) -> Experiment:
    """Return the annotation of the class where it stands: in the model's own file, or in that of a library."""
    names = model.split(".")
    if class_span(blanked(own), names):
        return experiment_of(own, names, str(source))
    files = {".".join((file.name.parent if file.name.name == "package.mo" else file.name.with_suffix("")).parts): file.path
             for file in needed}  # fmt: skip
    for count in range(len(names), 0, -1):
        path = files.get(".".join(names[:count]))
        if path is not None:
            return experiment_of(path.read_text(encoding="utf-8", errors="replace"), names[count - 1 :], str(path))
    return Experiment()
