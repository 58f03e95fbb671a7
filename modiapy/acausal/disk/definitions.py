"""Hashes of single definitions: a function, all that it refers to in source files, and what they refer to.

A hash is that of the byte code, which is what numba reads: comments, docstrings, empty lines and other functions of the same
file do not change it.
"""

from __future__ import annotations
import __future__ as future

import ast
import hashlib
import marshal
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from .sources import Sources

_LOCAL = ".<locals>."
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
_Target = tuple[str, str | None]
"""A file and a name in it; None: all of the file."""


@dataclass
class _Statement:
    """A statement of a module.

    Attributes:
        digest: of its byte code.
        names: that it refers to, attributes among them.
        uses: what it depends on, here and in other files.
    """

    digest: bytes
    names: frozenset[str]
    uses: list[_Target]


@dataclass
class _Module:
    """Source file of kernels, with its definitions.

    Attributes:
        statements: in their order.
        places: numbers of the statements that bind a name.
        imported: what a name stands for that is imported.
        effects: numbers of the statements that do more than bind names, so that all depends on them.
        whole: what all depends on besides: files that it says it is made of.
    """

    statements: list[_Statement] = field(default_factory=list)
    places: dict[str, list[int]] = field(default_factory=dict)
    imported: dict[str, list[_Target]] = field(default_factory=dict)
    effects: list[int] = field(default_factory=list)
    whole: list[_Target] = field(default_factory=list)

    def needs(self, name: str | None) -> tuple[Iterable[int], list[_Target]]:
        """Return the numbers of the statements behind a name (None: all), and what it stands for if it is imported."""
        if name is None:
            return range(len(self.statements)), [target for targets in self.imported.values() for target in targets]
        return self.places.get(name, ()), self.imported.get(name, [])


class Definitions:
    """The definitions of source files, each file parsed once, when it is first needed.

    Args:
        sources: the files.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._modules: dict[str, _Module] = {}

    def hash_of(self, path: str, name: str) -> str:
        """Return the hash of a definition and of all that it depends on.

        A name that is not found at the beginning of a line, or a function within another one, stands for its whole file.

        Args:
            path: of the file.
            name: qualified, as in ``__qualname__``.
        """
        known = _LOCAL not in name and name in self._module(path).places
        digest = hashlib.sha256(f"{self._sources.name_of(path)}:{name}\n".encode())
        for file, numbers in sorted(self._reached(path, name if known else None).items()):
            digest.update(self._sources.name_of(file).encode())
            for number in sorted(numbers):
                digest.update(self._module(file).statements[number].digest)
        return digest.hexdigest()

    def hash_of_function(self, function: Callable[..., Any]) -> str:
        """Return the hash of a function as it was written, and of the file in whose names it looks if that is another one."""
        first, *others = files_of(function)
        if not others:
            return self.hash_of(first, function.__qualname__)
        return "".join(self.hash_of(path, _LOCAL) for path in (first, *others))

    def _reached(self, path: str, name: str | None) -> dict[str, set[int]]:
        """Return the numbers of all statements that a definition, or a whole file, depends on, by file."""
        reached: dict[str, set[int]] = {}
        asked: set[_Target] = set()
        pending: list[_Target] = [(path, name)]
        while pending:
            target = pending.pop()
            if target in asked:
                continue
            asked.add(target)
            file, name = target
            module = self._module(file)
            numbers, targets = module.needs(name)
            if not numbers and not targets and name is not None:
                targets = [(file, None)]  # the name is made when the module runs
            pending += targets
            if file not in reached:
                reached[file] = set()
                pending += module.whole
                numbers = [*module.effects, *numbers]
            for number in numbers:
                if number not in reached[file]:
                    reached[file].add(number)
                    pending += module.statements[number].uses
        return reached

    def _module(self, path: str) -> _Module:
        if path not in self._modules:
            self._modules[path] = self._parsed(path)
        return self._modules[path]

    def _parsed(self, path: str) -> _Module:
        source = self._sources.read(path) or b""
        module = _Module(whole=[(file, None) for file in self._sources.marked(source)])
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):  # it cannot be imported either
            module.statements.append(_Statement(hashlib.sha256(source).digest(), frozenset(), []))
            module.effects.append(0)
            return module
        flags = 0
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                flags = future.annotations.compiler_flag
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                for name, target in self._targets(path, node):
                    module.imported.setdefault(name, []).append(target)
            elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                self._add(module, path, node, flags)
        for statement in module.statements:
            names = statement.names & (module.places.keys() | module.imported.keys())
            statement.uses += [(path, name) for name in sorted(names)]
        return module

    def _add(self, module: _Module, path: str, node: ast.stmt, flags: int) -> None:
        number, types_only, inner = len(module.statements), _only_for_types(node), list(_statements(node))
        imported = [target for one in inner for target in self._targets(path, one)]
        for one in inner:
            _drop_docstring(one)
        code = _without_lines(compile(ast.Module([node], []), "", "exec", flags, dont_inherit=True))
        digest = hashlib.sha256(marshal.dumps(code, 2)).digest()
        uses = [] if types_only else [target for _, target in imported]
        module.statements.append(_Statement(digest, frozenset(_names(code)), uses))
        bound = _bound(node)
        if bound is None:
            bound = {name for one in inner for name in _bound(one) or ()} | {name for name, _ in imported}
            bound |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
            if not types_only:
                module.effects.append(number)
        for name in bound:
            module.places.setdefault(name, []).append(number)

    def _targets(self, path: str, node: ast.stmt) -> Iterator[tuple[str, _Target]]:
        """Generate the names that an import binds, each with the file and the name there."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                if file := self._sources.module_file(path, 0, alias.name):
                    yield alias.asname or alias.name.partition(".")[0], (file, None)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            for alias in node.names:
                inner = self._sources.module_file(path, node.level, f"{base}.{alias.name}".strip("."))
                if inner:
                    yield alias.asname or alias.name, (inner, None)
                elif file := self._sources.module_file(path, node.level, base):
                    yield alias.asname or alias.name, (file, None if alias.name == "*" else alias.name)


def files_of(function: Callable[..., Any]) -> list[str]:
    """Return the file in which a function stands, and the one in whose names it looks if that is another one."""
    file, module = function.__code__.co_filename, sys.modules.get(function.__globals__.get("__name__", ""))
    return list(dict.fromkeys(map(os.path.realpath, (file, getattr(module, "__file__", None) or file))))


def _bound(node: ast.stmt) -> set[str] | None:
    """Return the names that a statement binds and nothing more; None if it may do more."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    parts = [part for one in targets for part in (one.elts if isinstance(one, ast.Tuple) else [one])]
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return names if targets and len(names) == len(parts) else None


def _only_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _statements(node: ast.stmt) -> Iterator[ast.stmt]:
    """Generate a statement and all statements within it."""
    yield node
    for name in _BODIES:
        for inner in getattr(node, name, ()):
            yield from _statements(inner)


def _drop_docstring(node: ast.stmt) -> None:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            node.body[0] = ast.copy_location(ast.Pass(), first)


def _without_lines(code: CodeType) -> CodeType:
    """Return the code as it would be at the beginning of a file without a name."""
    inner = tuple(_without_lines(value) if isinstance(value, CodeType) else value for value in code.co_consts)
    return code.replace(co_consts=inner, co_firstlineno=1, co_linetable=b"", co_filename="")


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _names(value)
