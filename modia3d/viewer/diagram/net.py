"""Content of a diagram, before it has places: boxes with ports, lines between them, nets in boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Box:
    """A component, or whatever else lines end at.

    Attributes:
        name: its name in the net.
        type: what it is, "" if that is not known.
        kind: "component", "connector" of the model around the net, "body", "joint", "cut", "tree" of a multibody system,
            "element" of a bond graph.
        note: text that is shown when the mouse rests on it.
        more: further lines of text in it.
        wrong: a line of text about what is wrong with it.
        inner: what it consists of; None: nothing that is shown.
        ports: names of its ports, in the order in which lines reach them.
    """

    name: str
    type: str = ""
    kind: str = "component"
    note: str = ""
    more: tuple[str, ...] = ()
    wrong: str = ""
    inner: Net | None = None
    ports: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Line:
    """A connection, from port to port; the port "" is the box itself.

    Attributes:
        start, end: numbers of the boxes.
        start_port, end_port: names of the ports.
        kind: "connection", "signal" (with an arrow), "cut", "rigid"; of bonds "bond", "loop", "conflict".
        note: text that is shown when the mouse rests on it.
        stroke: "start" or "end" of a bond, where its causal stroke is; "" without one.
        label: text beside it.
    """

    start: int
    end: int
    start_port: str = ""
    end_port: str = ""
    kind: str = "connection"
    note: str = ""
    stroke: str = ""
    label: str = ""


@dataclass
class Net:
    """Boxes and lines of one level."""

    boxes: list[Box] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)

    def box(self, box: Box) -> int:
        """Add a box and return its number."""
        self.boxes.append(box)
        return len(self.boxes) - 1

    def connect(
        self, start: tuple[int, str], end: tuple[int, str], kind: str = "connection", note: str = "", **more: str
    ) -> None:
        """Add a line between two ends, each the number of a box and the name of a port; ``more`` of `Line`."""
        for number, port in (start, end):
            if port and port not in self.boxes[number].ports:
                self.boxes[number].ports.append(port)
        self.lines.append(Line(start[0], end[0], start[1], end[1], kind, note, **more))

    def find(self, path: Sequence[str]) -> Box | None:
        """Return the box at a path of names, None if there is none."""
        found = next((box for box in self.boxes if path and box.name == path[0]), None)
        if found is None or len(path) == 1:
            return found
        return found.inner.find(path[1:]) if found.inner is not None else None
