"""Marks of SVG: texts of strangers made harmless, shapes, smooth lines."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from .layers import Point

BLACK, GREY, BLUE, RED, ORANGE = "#1f2430", "#7a8190", "#1f5fa8", "#d01616", "#c06a00"
"""Colours: of what is there, of what is said about it, of signals, of what is cut or contradicts itself, of algebraic loops."""

SMALL, NORMAL = 9.0, 12.0
"""Sizes of text [pixels]."""

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escaped(text: str) -> str:
    """Return a text as content or attribute of XML; what XML does not admit is replaced."""
    return html.escape(_NO_XML.sub("\ufffd", text))


def text_width(text: str, size: float = NORMAL) -> float:
    """Return how wide a text is, about [pixels]: fonts differ."""
    return 0.6 * size * len(text)


def text_at(
    x: float, y: float, text: str, *, size: float = NORMAL, fill: str = BLACK, anchor: str = "middle", style: str = ""
) -> str:
    """Return a line of text; ``y`` is that of its base line."""
    more = f" {style}" if style else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{fill}" text-anchor="{anchor}"{more}>{escaped(text)}</text>'
    )


def noted(marks: str, note: str) -> str:
    """Return marks with a text that appears when the mouse rests on them."""
    return f"<g><title>{escaped(note)}</title>{marks}</g>" if note else marks


def smooth(points: Sequence[Point], *, stroke: str = BLACK, width: float = 1.3, style: str = "") -> str:
    """Return a line through points that is level at each of them."""
    (x, y), *others = points
    parts = [f"M{x:.1f},{y:.1f}"]
    for u, v in others:
        middle = (x + u) / 2
        parts.append(f"C{middle:.1f},{y:.1f} {middle:.1f},{v:.1f} {u:.1f},{v:.1f}")
        x, y = u, v
    return f'<path d="{"".join(parts)}" fill="none" stroke="{stroke}" stroke-width="{width:g}"{f" {style}" if style else ""}/>'


def rectangle(x: float, y: float, w: float, h: float, *, fill: str, stroke: str, radius: float = 3.0, style: str = "") -> str:
    """Return a rectangle with round corners."""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="{radius:g}"'
    return f'<rect {place} fill="{fill}" stroke="{stroke}"{f" {style}" if style else ""}/>'


def polygon(points: Sequence[Point], fill: str) -> str:
    """Return a filled polygon."""
    return f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="{fill}"/>'


def half_arrow(tip: Point, right: bool, stroke: str) -> str:
    """Return the half arrow of a bond that ends at the ``right`` side of its element, or at the left one."""
    x, y = tip
    return f'<path d="M{x:.1f},{y:.1f}l{9.0 if right else -9.0:g},6" fill="none" stroke="{stroke}" stroke-width="1.3"/>'


def causal_stroke(end: Point, right: bool, stroke: str) -> str:
    """Return the stroke across an end of a bond, at the right side of an element or at the left one."""
    x, y = end[0] + (1.5 if right else -1.5), end[1]
    return f'<path d="M{x:.1f},{y - 6.0:.1f}v12" stroke="{stroke}" stroke-width="2"/>'


def document(width: float, height: float, marks: str, title: str) -> str:
    """Return a whole SVG file on white ground."""
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="Helvetica, Arial, sans-serif">'
        f'<title>{escaped(title)}</title><rect width="100%" height="100%" fill="white"/>{marks}</svg>\n'
    )
