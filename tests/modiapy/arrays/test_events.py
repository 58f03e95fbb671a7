"""Events of arrays: relations of elements, pre, reinit, when clauses, Integer and Boolean arrays."""

import numpy as np
import pytest

from modiapy import For, Map, Model, ModelError, Var, When, instantiate
from modiapy.symbolic.interpreter.interpreter import interpret

pytestmark = pytest.mark.white_box

Balls = Model(
    e=0.7,
    h=Var(init=[1.0, 2.0]),
    v=Var(init=[0.0, 0.0]),
    n=Var(type="Integer", init=[0, 0]),
    equations=[
        "der(h) = v",
        "der(v) = -9.81",
        When(
            "h[0] < 0",
            ["reinit(v[0], -e*v[0])", "n = pre(n) + [1, 0]"],
            elsewhen=[("h[-1] < 0", ["reinit(v[-1], -e*v[-1])", "n = pre(n) + [0, 1]"])],
        ),
    ],
)


def bounces(height, stop, e=0.7, g=9.81):
    """Number of bounces of one ball, its height and velocity at the time ``stop``."""
    t, v, n = np.sqrt(2 * height / g), np.sqrt(2 * g * height), 0
    while t < stop:
        n, v, last = n + 1, e * v, t
        t += 2 * v / g
    return n, v * (stop - last) - g * (stop - last) ** 2 / 2, v - g * (stop - last)


def test_bouncing_balls_agree_with_the_closed_form():
    sim = instantiate(Balls)
    result = sim.simulate(1.9, tolerance=1e-9)
    for k, height in enumerate((1.0, 2.0)):
        n, h, v = bounces(height, 1.9)
        assert result["n"][-1, k] == n
        assert result["h"][-1, k] == pytest.approx(h, abs=1e-6)
        assert result["v"][-1, k] == pytest.approx(v, abs=1e-6)
    assert result["n"].dtype == float
    assert set(result["n"][:, 0]) == set(range(int(result["n"][-1, 0]) + 1))


def test_whole_arrays_are_set_at_an_event_and_change_their_size():
    model = Model(
        k=[1.0, 2.0],
        x=Var(init=[1.0, 1.0]),
        m=Var(init=[0.0, 0.0]),
        c=Var(type="Integer", init=0),
        total=Var("sum(m)"),
        equations=["der(x) = -k*x", When("sum(x) < 1", ["reinit(x, 1)", "m = pre(x)", "c = pre(c) + 1"])],
    )
    sim = instantiate(model)
    for k in ([1.0, 2.0], [1.0, 2.0, 4.0, 0.5]):
        k, n = np.array(k), len(k)
        merge = Map(k=k, x=Var(init=np.ones(n)), m=Var(init=np.zeros(n)))
        result = sim.simulate(2.0, tolerance=1e-10, merge=merge)
        low, high = 0.0, 5.0  # sum(exp(-k t)) = 1
        for _ in range(60):
            t = (low + high) / 2
            low, high = (t, high) if np.exp(-k * t).sum() > 1 else (low, t)
        assert result["c"][-1] == np.floor(2.0 / t)
        np.testing.assert_allclose(result["m"][-1], np.exp(-k * t), rtol=1e-6)
        np.testing.assert_allclose(result["x"][-1], np.exp(-k * (2.0 - t * np.floor(2.0 / t))), rtol=1e-6)
        assert result["total"][-1] == pytest.approx(1.0, abs=1e-6)
        assert result.statistics["compilations_after_start"] == 0


def test_reinit_through_an_alias_with_the_opposite_sign():
    model = Model(
        x=Var(init=[1.0, 2.0]),
        y=Var(),
        equations=[
            "der(x) = [1, 0]",
            "y = -x",
            When("time >= 0.5", ["reinit(y[1], 7)"], elsewhen=[("time >= 0.75", ["reinit(y, [3, 4])"])]),
        ],
    )
    result = instantiate(model).simulate(1.0)
    np.testing.assert_allclose(result["x"][-1], [-2.75, -4.0])
    assert result["x"][300, 1] == -7.0


def test_relations_of_discrete_arrays_and_inside_no_event():
    model = Model(
        limit=[0.0, 2.0, 4.0],
        count=Var(type="Integer", init=0),
        n=Var(type="Integer", shape=3),
        above=Var(type="Boolean", shape=3),
        both=Var(type="Boolean", shape=3),
        x=Var(init=[-1.0, 0.5, 2.0]),
        clipped=Var(shape=3),
        changed=Var(type="Boolean", shape=3),
        equations=[
            "der(x) = 1",
            When("sample(0.25, 0.25)", ["count = pre(count) + 1"]),
            "n = [count, count, 2*count]",
            "above = n > limit",
            "both = above and not pre(above)",
            "changed = change(n)",
            "clipped = noEvent(x if x < 1 else 1)",
        ],
    )
    sim = instantiate(model)
    assert not sim.sorted.indicators
    result = sim.simulate(1.1)
    np.testing.assert_array_equal(result["above"][-1], [1.0, 1.0, 1.0])
    for k, limit in enumerate(model["limit"]):
        np.testing.assert_array_equal(result["above"][:, k], result["n"][:, k] > limit)
    np.testing.assert_allclose(result["clipped"], np.minimum(result["x"], 1.0))
    assert not result["both"].any()  # true in one iteration of an event only
    np.testing.assert_array_equal(
        interpret(sim.sorted, 0.0, [0.0, 0.5, 2.0], sim.flat.parameters, memory=[3.0])["clipped"], [0.0, 0.5, 1.0]
    )


def test_each_element_makes_its_own_events():
    """A thermostat for each room, written for any number of rooms."""
    rooms = Model(
        N=3,
        low=19.0,
        high=21.0,
        c=[1.0, 2.0, 3.0],
        T=Var(init=[20.0, 20.5, 19.5]),
        on=Var(type="Boolean", shape="N", init=False),
        equations=["der(T) = c*(8 if on else -4)", For("i", "N", ["on[i] = T[i] < low or pre(on[i]) and T[i] < high"])],
    )
    result = instantiate(rooms).simulate(5.0, tolerance=1e-8)
    assert result["T"].max() == pytest.approx(21.0, abs=1e-4)
    assert result["T"].min() == pytest.approx(19.0, abs=1e-4)
    for k, c in enumerate(rooms["c"]):
        period = 2 / (4 * c) + 2 / (8 * c)
        switches = np.count_nonzero(np.diff(result["on"][:, k]) > 0)
        first = (result["T"][0, k] - 19.0) / (4 * c)
        assert switches == 1 + np.floor((5.0 - first) / period)


def test_array_model_equals_the_model_in_scalars():
    scalars = Model(
        **{f"h{k}": Var(init=k + 1.0) for k in range(2)},
        **{f"v{k}": Var(init=0.0) for k in range(2)},
        equations=[
            *(f"der(h{k}) = v{k}" for k in range(2)),
            *(f"der(v{k}) = -9.81" for k in range(2)),
            *(When(f"h{k} < 0", [f"reinit(v{k}, -0.7*v{k})"]) for k in range(2)),
        ],
    )
    one, other = instantiate(Balls).simulate(1.5, tolerance=1e-9), instantiate(scalars).simulate(1.5, tolerance=1e-9)
    for k in range(2):
        np.testing.assert_allclose(one["h"][:, k], other[f"h{k}"], atol=1e-6)


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(ModelError) as error:
        instantiate(Balls).simulate(1.0, merge=Map(h=Var(init=[1.0, 2.0, 3.0])))
    assert "(3,)" in str(error.value)
    assert "(2,)" in str(error.value)


@pytest.mark.parametrize("first", ["x", "y"])
def test_an_array_that_gets_new_values_is_a_state_also_where_another_has_initial_ones(first):
    declared = {"x": Var(init=[0.0, 1.0]), "y": Var(shape=2)}
    equations = ["der(x) = [1, 2]", "y = 2*x", "v = der(y)", When("time > 0.5", ["reinit(y, [0, 1])"])]
    model = Model(**{first: declared.pop(first)}, **declared, v=Var(shape=2), equations=equations)
    result = instantiate(model).simulate(1.0)
    np.testing.assert_allclose(result["y"][-1], [1.0, 3.0], rtol=1e-8)
    np.testing.assert_allclose(result["x"][-1], [0.5, 1.5], rtol=1e-8)
