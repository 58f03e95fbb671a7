"""Parameters whose values stand in the equations, and choices of states and roots that parameters decide."""

from __future__ import annotations

import pytest

from modiapy import If, Map, Model, ModelError, Par, Var, connection_trees, instantiate

HINGE = Model(
    n=Par([0, 0, 2], structural=True),
    axis=Par("n/norm(n)", structural=True),
    reverse=Par(False, structural=True),
    w=Var(init=0.5),
    wv=Var(shape=3, elements=True),
    t=Var(shape=3, elements=True),
    y=Var(),
    equations=[
        "wv = w*axis",
        "axis@t = -der(w)",
        "t[0] + t[2] = 1",
        "t[1] = wv[1]",
        "t[0] = 0.25",
        If("reverse", ["y = -w"], otherwise=["y = w"]),
    ],
)


def test_zeros_and_branches_are_decided_at_translation() -> None:
    sim = instantiate(HINGE)
    texts = [f"{e.lhs} = {e.rhs}" for e in sim.flat.equations]
    assert "wv[0] = 0" in texts
    assert "wv[2] = w" in texts
    assert "t[2] = -der(w)" in texts
    assert "y = w" in texts
    assert sim.simulate(2.0)["w"][-1] == pytest.approx(0.5 - 0.75 * 2.0)
    assert instantiate(HINGE | Map(reverse=True)).simulate(0.0)["y"][-1] == -0.5
    other = instantiate(HINGE | Map(n=[0, 3, 4]))
    # 0.6*t[1] + 0.8*t[2] = -der(w) with t[1] = 0.6*w and t[2] = 0.75
    result = other.simulate(1.0, tolerance=1e-9)
    assert result["der(w)"] == pytest.approx(-0.36 * result["w"] - 0.6, abs=1e-9)


def test_another_value_needs_a_new_translation() -> None:
    sim = instantiate(HINGE)
    assert sim.simulate(0.0, merge=Map(n=[0, 0, 5]))["wv"][-1] == pytest.approx([0, 0, 0.5])  # the same equations
    with pytest.raises(ModelError, match="'merge' changes the structure") as caught:
        sim.simulate(1.0, merge=Map(n=[0, 1, 0]))
    assert "Merge before: instantiate(model | Map(...))" in str(caught.value)


def test_axis_of_no_length_is_refused() -> None:
    with pytest.raises(ModelError, match=r"axis: the parameter has no finite value; found \[nan, nan, nan\] in"):
        instantiate(HINGE | Map(n=[0, 0, 0]))


@pytest.mark.parametrize(("enforced", "states"), [(True, ("y",)), (False, ("x",))])
def test_parameter_decides_on_states(enforced: bool, states: tuple[str]) -> None:
    model = Model(
        enforced=enforced,
        choice=Par("prefer", choices=("prefer", "default")),
        x=Var(start=1.0, state_select="choice"),
        y=Var(state_select="'always' if enforced else 'default'"),
        equations=["y = 2*x + x**3/3", "der(x) = -y"],
    )
    assert instantiate(model).states == states


def test_words_that_are_none_are_refused() -> None:
    with pytest.raises(ModelError, match=r"unknown state_select 'prefers'.*Did you mean 'prefer'"):
        instantiate(Model(x=Var(init=1.0, state_select="prefers"), equations=["der(x) = -x"]))
    with pytest.raises(ModelError, match="x: unknown state_select '3"):
        instantiate(Model(p=3, x=Var(init=1.0, state_select="p"), equations=["der(x) = -x"]))


def test_priority_of_a_potential_root_is_an_expression() -> None:
    Angle = Model(theta=Var(potential=True), equality_constraint=[])
    Load = Model(q=1.0, p=Model(ref=Angle), equations=["Connections.potential_root(p.ref, 10 - q)"])
    model = Model(a=Load, b=Load | Map(q=3.0), connect=[("a.p", "b.p")])
    assert connection_trees(model).roots == {"b.p.ref"}
    assert connection_trees(model | Map(a=Map(q=4.0))).roots == {"a.p.ref"}
    with pytest.raises(ModelError, match=r"'10 - z' in .* is no priority; expected a number, or an expression of parameters"):
        connection_trees(Model(p=Model(ref=Angle), equations=["Connections.potential_root(p.ref, 10 - z)"]))
