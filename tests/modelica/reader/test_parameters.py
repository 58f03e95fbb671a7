"""Parameters stay changeable with the expressions between them; those that equations are built on do not."""

import math
import pickle

import pytest

from modiapy import Map, ModelError, Var

from .conftest import Written

DECAY = """
model Part
  parameter Real T = 1;
  parameter Real x0[2] = {1, 2};
  final parameter Real rate = 1/T;
  parameter Integer n = 2;
  Real x[n](start = x0, each fixed = true);
equation
  for i in 1:n loop
    der(x[i]) = -i*rate*x[i];
  end for;
end Part;

model M
  parameter Real Tall = 2;
  parameter Real weights[3] = {1, Tall, Tall^2};
  parameter Boolean slow = true;
  Part part(T = if slow then Tall else 1, x0 = {Tall, 3});
  Real y;
equation
  y = weights*{part.x[1], part.x[2], 1};
  annotation (experiment(StopTime = 1.5, Tolerance = 1e-9));
end M;
"""


def expected(tall: float, t: float) -> tuple[float, float]:
    return tall * math.exp(-t / tall), 3.0 * math.exp(-2.0 * t / tall)


def test_what_depends_on_a_parameter_follows_it(written: Written) -> None:
    sim = written(DECAY)
    for changes, tall in (({}, 2.0), ({"Tall": 0.7}, 0.7)):
        result = sim.simulate(merge=Map(**changes))
        a, b = expected(tall, 1.5)
        assert result.time[-1] == 1.5
        assert result["part.x[1]"][-1] == pytest.approx(a, rel=1e-6)
        assert result["part.x[2]"][-1] == pytest.approx(b, rel=1e-6)
        assert result["y"][-1] == pytest.approx(a + tall * b + tall**2, rel=1e-6)


def test_what_is_given_itself_does_not_follow(written: Written) -> None:
    sim = written(DECAY)
    result = sim.simulate(merge=Map(Tall=0.5, part=Map(T=3.0)))
    assert result["part.x[1]"][-1] == pytest.approx(0.5 * math.exp(-0.5), rel=1e-6)
    result = sim.simulate(merge=Map({"part.x[1]": Var(init=5.0)}))
    assert result["part.x[1]"][-1] == pytest.approx(5.0 * math.exp(-0.75), rel=1e-6)


def test_a_vector_is_given_as_one(written: Written) -> None:
    result = written(DECAY).simulate(merge=Map(weights=[1.0, 0.0, 7.0]))
    assert result["y"][-1] == pytest.approx(expected(2.0, 1.5)[0] + 7.0, rel=1e-6)


@pytest.mark.parametrize(("changes", "name"), [({"part": {"n": 3}}, "part.n"), ({"slow": False}, "slow")])
def test_what_equations_are_built_on_cannot_change(written: Written, changes: dict, name: str) -> None:
    sim = written(DECAY)
    with pytest.raises(ModelError, match=f"{name}: this parameter cannot be changed.*the equations are built on it"):
        sim.simulate(merge=Map(**changes))
    assert sim.simulate(merge=Map(slow=True)).time[-1] == 1.5


def test_it_is_pickled_and_linearised(written: Written) -> None:
    sim = pickle.loads(pickle.dumps(written(DECAY)))
    assert sorted(sim.linearize(outputs=["y"]).A.diagonal()) == pytest.approx([-1.0, -0.5])
    assert sim.linearize(outputs=["y"]).C.tolist()[0] == pytest.approx([1.0, 2.0])


def test_a_parameter_may_be_computed_at_the_beginning(written: Written) -> None:
    sim = written("""model M
      parameter Real k(fixed = false, start = 1);
      Real x(start = 2, fixed = true);
    equation
      der(x) = -k*x;
    initial equation
      der(x) = -3;
    end M;""")
    result = sim.simulate(1.0, tolerance=1e-9)
    assert result["k"] == pytest.approx(1.5)
    assert result["x"][-1] == pytest.approx(2.0 * math.exp(-1.5), rel=1e-6)


def test_what_the_initial_time_determines_is_a_parameter(written: Written) -> None:
    sim = written("""model M
      parameter Real T = 0.5;
      parameter Real t0(fixed = false);
      Integer n(start = 0, fixed = true);
    initial equation
      t0 = time + T;
    equation
      when sample(t0, 1) then
        n = pre(n) + 1;
      end when;
    end M;""")
    assert sim.states == ()
    assert sim.simulate(2.0)["n"][-1] == 2
    assert sim.simulate(2.2, merge=Map(T=0.1))["n"][-1] == 3
    with pytest.raises(
        ModelError, match=r"'start_time' of simulate is wrong; found 1\.0; expected 0\.0, on which the equations are built"
    ):
        sim.simulate(2.0, start_time=1.0)
