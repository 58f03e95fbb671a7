"""A net becomes marks of SVG: boxes in layers, ports on the side that their lines come from, nets in boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import marks
from .layers import Layout, Point, arranged
from .marks import BLACK, BLUE, GREY, NORMAL, ORANGE, RED, SMALL
from .net import Box, Line, Net

MARGIN = 14.0
"""Around a net [pixels]."""

_ROW, _PORT = 15.0, 7.0
_COLOURS = {"connection": BLACK, "signal": BLUE, "cut": RED, "rigid": GREY, "bond": BLACK, "loop": ORANGE, "conflict": RED}
_BONDS = ("bond", "loop", "conflict")
_FILLS = {
    "component": "#f4f6fa",
    "connector": "white",
    "body": "#eef3e8",
    "joint": "#fdf6e3",
    "cut": "#fdecec",
    "tree": "white",
}


@dataclass(frozen=True)
class Picture:
    """Marks of a net, with their size [pixels]."""

    width: float
    height: float
    marks: str


def picture(net: Net) -> Picture:
    """Return the picture of a net, those of the nets in its boxes included."""
    shapes = [_Shape(box, picture(box.inner) if box.inner is not None and box.inner.boxes else None) for box in net.boxes]
    ends = [(line.start, line.end) for line in net.lines]
    layout = arranged([(shape.width, shape.height) for shape in shapes], ends)
    for shape, corner in zip(shapes, layout.corners, strict=True):
        shape.corner = (corner[0] + MARGIN, corner[1] + MARGIN)
    routes = [[(x + MARGIN, y + MARGIN) for x, y in route] for route in layout.routes]
    for line, route in zip(net.lines, routes, strict=True):
        _choose_sides(shapes, line, route)
    drawn = [shape.marks() for shape in shapes]
    drawn += [_line(shapes, line, route) for line, route in zip(net.lines, routes, strict=True)]
    drawn += [shape.port_marks() for shape in shapes]
    return Picture(*_size(layout), "".join(drawn))


def _size(layout: Layout) -> Point:
    return layout.width + 2 * MARGIN + 18.0, layout.height + 2 * MARGIN


class _Shape:
    """A box with its size, place and ports."""

    def __init__(self, box: Box, inner: Picture | None) -> None:
        self.box, self.inner = box, inner
        self.corner: Point = (0.0, 0.0)
        self.framed = box.kind != "element"
        self.texts = [(text, GREY) for text in (box.type, *box.more) if text] + [(box.wrong, RED)] * bool(box.wrong)
        lines = [(box.name, 1.1 * NORMAL), *((text, SMALL) for text, _ in self.texts)]
        self.head = 6.0 + _ROW * len(lines) if self.framed else 0.0
        labels = box.ports if self.framed else []
        self.label = max((marks.text_width(port, SMALL) for port in labels), default=0.0) + (6.0 if labels else 0.0)
        text = max(marks.text_width(*line) for line in lines) + 16.0
        inside = inner.width if inner is not None else 12.0 * bool(box.ports)
        self.width = max(text, inside + 2 * self.label)
        self.height = self.head + 4.0 + max(_ROW * len(box.ports), inner.height if inner is not None else 0.0)
        if not self.framed:
            self.height = max(self.height, 6.0 + _ROW * len(lines))
        self._wishes: dict[str, list[tuple[bool, float]]] = {}
        self._places: dict[str, tuple[bool, float]] | None = None

    @property
    def middle(self) -> float:
        """Height of the middle."""
        return self.corner[1] + self.height / 2

    def wish(self, port: str, right: bool, y: float) -> None:
        """Note on which side, and towards which height, a line leaves."""
        if port:
            self._wishes.setdefault(port, []).append((right, y))

    def end(self, port: str, right: bool) -> tuple[bool, Point]:
        """Return on which side a line ends, and where; at the box itself on the side that it comes from."""
        right, y = self._sides()[port] if port else (right, self.corner[1] + self.height / 2)
        return right, (self.corner[0] + (self.width if right else 0.0), y)

    def _sides(self) -> dict[str, tuple[bool, float]]:
        """Return the side and the height of each port; on a side they stand in the order of where their lines go."""
        if self._places is None:
            self._places = {}
            mean = {p: (sum(r for r, _ in w) * 2 > len(w), sum(y for _, y in w) / len(w)) for p, w in self._wishes.items()}
            for right in (False, True):
                ports = sorted((p for p, (r, _) in mean.items() if r == right), key=lambda p: mean[p][1])
                space = (self.height - self.head) / (len(ports) or 1)
                for k, port in enumerate(ports):
                    self._places[port] = right, self.corner[1] + self.head + space * (k + 0.5)
        return self._places

    def marks(self) -> str:
        """Return the box with its texts and what is in it."""
        (x, y), box = self.corner, self.box
        stroke = RED if box.kind == "cut" else GREY if box.kind in ("connector", "tree") else BLACK
        radius = self.height / 2 if box.kind in ("joint", "cut") else 3.0
        middle, top, drawn = x + self.width / 2, y + 15.0, list[str]()
        if self.framed:
            frame = (x, y, self.width, self.height)
            drawn.append(marks.rectangle(*frame, fill=_FILLS[box.kind], stroke=stroke, radius=min(radius, 14.0)))
        else:
            top += (self.height - 6.0 - _ROW * (1 + len(self.texts))) / 2
        drawn.append(marks.text_at(middle, top, box.name, style='font-weight="bold"'))
        for k, (text, colour) in enumerate(self.texts):
            style = 'font-style="italic"' if k == 0 and box.type else ""
            drawn.append(marks.text_at(middle, top + _ROW * (k + 1), text, size=SMALL, fill=colour, style=style))
        if self.inner is not None:
            left = x + (self.width - self.inner.width) / 2
            drawn.append(f'<g transform="translate({left:.1f},{y + self.head:.1f})">{self.inner.marks}</g>')
        return marks.noted("".join(drawn), box.note)

    def port_marks(self) -> str:
        """Return the ports with their names."""
        drawn = []
        for port, (right, y) in self._sides().items() if self.framed else ():
            x = self.corner[0] + (self.width if right else 0.0)
            drawn.append(marks.rectangle(x - _PORT / 2, y - _PORT / 2, _PORT, _PORT, fill="white", stroke=BLACK, radius=0))
            place, anchor = (x - 6.0, "end") if right else (x + 6.0, "start")
            drawn.append(marks.text_at(place, y + 3.0, port, size=SMALL, fill=GREY, anchor=anchor))
        return "".join(drawn)


def _choose_sides(shapes: Sequence[_Shape], line: Line, route: Sequence[Point]) -> None:
    """Note on which sides a line leaves its boxes: towards each other; from a box to itself on the right."""
    one, two = shapes[line.start], shapes[line.end]
    forward = one.corner[0] <= two.corner[0]
    one.wish(line.start_port, forward, route[0][1] if route else two.middle)
    two.wish(line.end_port, not forward or one is two, route[-1][1] if route else one.middle)


def _line(shapes: Sequence[_Shape], line: Line, route: Sequence[Point]) -> str:
    """Return the marks of a line; where a port is on the other side of its box, it goes around."""
    colour = _COLOURS[line.kind]
    one, two = shapes[line.start], shapes[line.end]
    forward = one.corner[0] <= two.corner[0]
    right, start = one.end(line.start_port, forward)
    end_right, end = two.end(line.end_port, not forward)
    before = _around(one, start) if one is two or right != forward else []
    after = _around(two, end)[::-1] if one is not two and end_right == forward else []
    dashes = 'stroke-dasharray="6 3"' if line.kind == "cut" else ""
    drawn = marks.smooth([start, *before, *route, *after, end], stroke=colour, style=dashes)
    if line.kind == "signal":
        tip = end[0] + (8.0 if end_right else -8.0)
        drawn += marks.polygon([end, (tip, end[1] - 4.0), (tip, end[1] + 4.0)], colour)
    if line.kind in _BONDS:
        drawn += marks.half_arrow(end, end_right, colour)
    if line.stroke:
        drawn += marks.causal_stroke(*((start, right) if line.stroke == "start" else (end, end_right)), colour)
    if line.label:
        drawn += marks.text_at((start[0] + end[0]) / 2, (start[1] + end[1]) / 2 - 5.0, line.label, size=SMALL, fill=colour)
    return marks.noted(drawn, line.note)


def _around(shape: _Shape, port: Point) -> list[Point]:
    """Return points beside a port and above its box."""
    (x, y), out = shape.corner, 14.0 if port[0] > shape.corner[0] else -14.0
    other = x if out > 0 else x + shape.width
    return [(port[0] + out, port[1]), (port[0] + out, y - 8.0), (other, y - 8.0)]
