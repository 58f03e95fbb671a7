"""What a rewrite is."""

from __future__ import annotations

from collections.abc import Callable

Rewrite = Callable[[bytes], bytes]
"""The text of a file, with another wording of what the compiler cannot take; with as many lines."""
