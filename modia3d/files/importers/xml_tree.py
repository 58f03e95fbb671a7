"""XML text as a tree whose every element knows its line. XML is data from strangers: it may not name entities."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from modiapy.model.errors import ModelError

from ..basics.content import content_of

MAX_BYTES = 100_000_000
MAX_DEPTH = 200
BEGINNING = 1 << 16
"""So many bytes tell the root element."""


@dataclass(slots=True)
class Element:
    """XML element with its place in the file.

    Attributes:
        tag, attributes, children: as written.
        line: counts from 1.
        path: for messages: tags from the root on, with names, e.g. ``/robot/joint[elbow]/limit``.
        file: where it stands.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    path: str
    file: str
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Element]:
        """Return the children with this tag."""
        return (child for child in self.children if child.tag == tag)

    def one(self, tag: str) -> Element | None:
        """Return the child with this tag; None if there is none. Raises ModelError if there are several."""
        found = list(self.all(tag))
        if len(found) > 1:
            raise found[1].error(f"<{tag}> stands here twice", expected="one")
        return found[0] if found else None

    def need(self, tag: str) -> Element:
        """Return the child with this tag. Raises ModelError if there is none."""
        child = self.one(tag)
        if child is None:
            raise self.error(f"<{tag}> is missing")
        return child

    def text(self, name: str) -> str:
        """Return an attribute. Raises ModelError if it is missing or empty."""
        value = self.attributes.get(name, "")
        if not value.strip():
            raise self.error(f"the attribute '{name}' is missing")
        return value.strip()

    def numbers(self, name: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """Return an attribute of ``count`` numbers. Raises ModelError if it is something else, or missing without a default."""
        if default is not None and name not in self.attributes:
            return default
        text = self.text(name)
        try:
            values = tuple(float(part) for part in text.split())
        except ValueError:
            values = ()
        if len(values) != count or not all(map(math.isfinite, values)) or "_" in text:
            raise self.error(
                f"the attribute '{name}' is wrong",
                found=repr(text),
                expected="a finite number" if count == 1 else f"{count} finite numbers",
            )
        return values

    def number(self, name: str, default: float | None = None) -> float:
        """Return an attribute that is a number, see `numbers`."""
        return self.numbers(name, 1, None if default is None else (default,))[0]

    def error(self, message: str, **details: Any) -> ModelError:
        """Return an error at this element."""
        return ModelError(message, **{"path": self.path, "file": self.file, "line": self.line, **details})


def read_xml(file: Path) -> Element:
    """Return the root element of a file.

    Raises:
        ModelError: the file cannot be read, is not well-formed XML, declares a document type (which may define entities that
            grow without bounds or read other files), or is nested too deeply.
    """
    name, builder = str(file), _Builder(str(file))
    content = content_of(file, MAX_BYTES)
    try:
        builder.parser.Parse(content, True)
    except expat.ExpatError as error:
        raise ModelError(
            "this is not well-formed XML",
            file=name,
            line=error.lineno,
            found=expat.ErrorString(error.code),
            remedy="Mend the file at this line; a browser shows XML with its mistakes.",
        ) from None
    except (LookupError, ValueError) as error:
        raise ModelError("this is not well-formed XML", file=name, found=str(error)) from None
    assert builder.root is not None
    return builder.root


def root_tag(file: Path) -> str:
    """Return the tag of the root element; "" where the file does not begin as XML.

    Raises:
        ModelError: the file cannot be read, or declares a document type.
    """
    builder = _Builder(str(file))
    with suppress(expat.ExpatError, LookupError, ValueError):
        builder.parser.Parse(content_of(file, MAX_BYTES)[:BEGINNING])
    return builder.root.tag if builder.root is not None else ""


class _Builder:
    """Receives what the parser finds."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Element | None = None
        self.open: list[Element] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.refuse

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        if len(self.open) >= MAX_DEPTH:
            raise ModelError(
                "elements are nested too deeply", file=self.file, line=line, expected=f"at most {MAX_DEPTH} levels"
            )
        above = self.open[-1].path if self.open else ""
        name = attributes.get("name", "") if self.open else ""
        element = Element(tag, attributes, line, f"{above}/{tag}[{name}]" if name else f"{above}/{tag}", self.file)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, tag: str) -> None:
        self.open.pop()

    def refuse(self, *_: object) -> None:
        raise ModelError(
            "document types and entities are not read",
            file=self.file,
            line=self.parser.CurrentLineNumber,
            found="<!DOCTYPE",
            remedy="Write out what the entities stand for.",
        )
