"""Texts that ``getInstanceName()`` gives: they begin with the name of the class that is simulated, not with the wrapper's."""

from __future__ import annotations

import re


def with_instance_names(data: bytes, wrapper: str, model: str) -> bytes:
    """Return a flat model, JSON as the compiler wrote it, with these texts.

    Args:
        wrapper: name of the class that the compiler was asked for.
        model: name of the one that it stands for.
    """
    text = re.compile(rb'("String":\s*")' + wrapper.encode() + rb'(?=[."])')
    return text.sub(rb"\g<1>" + model.rpartition(".")[2].encode(), data)
