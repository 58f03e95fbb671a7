"""Records: submodels without equations, set equal as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from modiapy import Map, Model, ModelError, Var, instantiate

Point = Model(x=Var(), y=Var())
State = Model(r=Point, T=Var())


def test_records_are_equal_element_by_element():
    model = Model(
        a=State, b=State, part=Model(s=State), equations=["a.r.x = time", "a.r.y = 2*time", "a.T = 300", "b = a", "part.s = b"]
    )
    result = instantiate(model).simulate(1.0)
    np.testing.assert_allclose(result["part.s.r.y"], 2 * result.time)
    assert result["b.T"][-1] == 300.0


def test_record_inside_a_record_is_set_equal_alone():
    model = Model(a=State, p=Point, equations=["p.x = 1", "p.y = 2", "a.r = p", "a.T = 3"])
    assert instantiate(model).simulate(1.0)["a.r.y"][-1] == 2.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (Model(b=Point, equations=["b = a"]), "different records; found T, r.x, r.y, x, y in one of them only"),
        (Model(b=State, equations=["b = 2*a"]), "'b' in 'b = 2\\*a' is a model"),
        (Model(b=State | Map(equations=["T = 1"]), equations=["b = a"]), "is a model"),
    ],
)
def test_mistakes_are_named(change, message):
    with pytest.raises(ModelError, match=message):
        instantiate(Model(a=State, equations=["a.r.x = 1", "a.r.y = 1", "a.T = 1"]) | change)
