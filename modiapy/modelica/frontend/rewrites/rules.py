"""All rewrites, and their application to a file."""

from __future__ import annotations

from .rewrite import Rewrite

REWRITES: tuple[Rewrite, ...] = ()


def rewritten(text: bytes) -> bytes:
    """The text of a file as the compiler is to read it."""
    for rewrite in REWRITES:
        text = rewrite(text)
    return text
