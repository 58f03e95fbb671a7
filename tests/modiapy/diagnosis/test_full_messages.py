"""Every word that a user is told of each mistake, at the top of a model and in a part of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from modiapy import Model

from .wrong_models import WRONG, refusal, told

FILE = Path(__file__).parent / "messages.txt"
TEXTS = dict(section.split("\n", 1) for section in FILE.read_text().strip().removeprefix("# ").split("\n\n# "))
DIFFERENT = {name for name in WRONG if "input" in name} | {"a variable of an enclosing model"}
"""What is no mistake in a part, or another one."""


def test_all_texts_are_used() -> None:
    assert TEXTS.keys() == WRONG.keys()


@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_is_told_of_in_full(mistake: str) -> None:
    assert told(refusal(WRONG[mistake])) == TEXTS[mistake]


@pytest.mark.parametrize("mistake", sorted(WRONG.keys() - DIFFERENT))
def test_a_mistake_in_a_part_is_told_of_with_its_full_path(mistake: str) -> None:
    """Otherwise in the same words; names that are alike may be others."""
    alone, inside = refusal(WRONG[mistake]), refusal(Model(a=Model(b=WRONG[mistake])))
    assert inside.path == f"a.b.{alone.path}".rstrip(".")
    alone.path = inside.path = alone.remedy = inside.remedy = ""
    assert told(inside, within="a.b") == told(alone)
