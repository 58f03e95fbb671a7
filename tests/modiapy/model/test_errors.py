"""Errors as values: they go from one process to another, and are copied, with all that they say."""

import copy
import pickle

import pytest

from modia3d import Box
from modiapy import ModelError, NumericalError, SimulationError


def caught(make) -> Exception:
    with pytest.raises(ModelError) as error:
        make()
    return error.value


@pytest.mark.parametrize(
    "error",
    [
        caught(lambda: Box(length_x=-1.0)),
        ModelError(
            "no such joint", path="a.b", found="'c'", expected="'d'", remedy="Write 'd'.", file="x.yaml", line=3, entry=2
        ),
        SimulationError("it stops", time=1.5, path="a"),
        NumericalError("not finite", time=2.5, found="nan"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("again", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))], ids=["copy", "pickle"])
def test_an_error_keeps_its_kind_its_text_and_its_attributes(error, again) -> None:
    made = again(error)
    assert type(made) is type(error)
    assert str(made) == str(error)
    assert vars(made) == vars(error)


def test_a_wrong_field_says_which_what_it_is_and_what_was_expected() -> None:
    error = caught(lambda: Box(length_x=-1.0))
    assert (error.field, error.found, error.expected) == ("length_x", "-1.0", "a number greater than 0")
    assert str(error) == "length_x of Box is wrong; found -1.0; expected a number greater than 0"
