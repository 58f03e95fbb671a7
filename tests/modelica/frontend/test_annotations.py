"""What a class recommends for a simulation is read from its annotation, wherever in its file it stands."""

import pytest

from modiapy import ModelError
from modiapy.modelica.frontend.annotations import Experiment, experiment_of

pytestmark = pytest.mark.white_box

TEXT = """within Lib;
package Examples "with experiment(StopTime=99) in a comment"
  model First // annotation(experiment(StopTime=77));
    Real x;
    annotation (Documentation(info="<html>end First; model Second experiment(StopTime=88)</html>"),
      experiment(StopTime=1.5, Interval=1e-3, Tolerance=1e-008, StartTime = -0.5, __Tool(Algorithm="x")));
  end First;
  model Second = First annotation (experiment(StopTime=2));
  model Third
    Real y;
  end Third;
  annotation (Icon(graphics={}));
end Examples;
"""


def test_all_settings_are_read() -> None:
    assert experiment_of(TEXT, ["Examples", "First"]) == Experiment(-0.5, 1.5, 1e-3, 1e-8)


def test_a_short_class_has_its_own() -> None:
    assert experiment_of(TEXT, ["Examples", "Second"]) == Experiment(stop_time=2.0)


def test_a_class_without_one_has_none() -> None:
    assert experiment_of(TEXT, ["Examples", "Third"]) == Experiment()
    assert experiment_of(TEXT, ["Examples", "Fourth"]) == Experiment()


def test_a_value_that_is_no_number_is_refused_with_its_line() -> None:
    with pytest.raises(ModelError, match=r"lib\.mo:6: Examples\.First: StopTime .* found 'long'"):
        experiment_of(TEXT.replace("StopTime=1.5", "StopTime=long"), ["Examples", "First"], "lib.mo")
