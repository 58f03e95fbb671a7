"""The external tables of the standard library interpolate as they do there."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

from .conftest import Written

TYPES = """
package Modelica
  package Blocks
    package Types
      type Smoothness = enumeration(LinearSegments, ContinuousDerivative, ConstantSegments, MonotoneContinuousDerivative1);
      type Extrapolation = enumeration(HoldLastPoint, LastTwoPoints, Periodic, NoExtrapolation);
      class ExternalCombiTable1D
        extends ExternalObject;
        function constructor
          input String tableName;
          input String fileName;
          input Real table[:, :];
          input Integer columns[:];
          input Smoothness smoothness;
          input Extrapolation extrapolation;
          output ExternalCombiTable1D externalCombiTable1D;
        external "C" externalCombiTable1D = ModelicaStandardTables_CombiTable1D_init2(tableName, fileName, table,
          size(table, 1), size(table, 2), columns, size(columns, 1), smoothness, extrapolation);
        end constructor;
        function destructor
          input ExternalCombiTable1D externalCombiTable1D;
        external "C" ModelicaStandardTables_CombiTable1D_close(externalCombiTable1D);
        end destructor;
      end ExternalCombiTable1D;
    end Types;
    package Tables
      package Internal
        function getTable1DValue
          input Modelica.Blocks.Types.ExternalCombiTable1D tableID;
          input Integer icol;
          input Real u;
          output Real y;
        external "C" y = ModelicaStandardTables_CombiTable1D_getValue(tableID, icol, u);
        end getTable1DValue;
      end Internal;
    end Tables;
  end Blocks;
end Modelica;
"""
MODEL = """
model M
  parameter Real table[:, :] = {{0, 1, 10}, {1, 3, 20}, {3, 2, 50}};
  parameter Modelica.Blocks.Types.ExternalCombiTable1D tableID = Modelica.Blocks.Types.ExternalCombiTable1D(
    "NoName", "NoName", table, {3, 2}, Modelica.Blocks.Types.Smoothness.LinearSegments,
    Modelica.Blocks.Types.Extrapolation.EXTRAPOLATION);
  Real y[2];
equation
  for i in 1:2 loop
    y[i] = Modelica.Blocks.Tables.Internal.getTable1DValue(tableID, i, 2*time - 1);
  end for;
end M;
"""


@pytest.mark.parametrize(
    ("extrapolation", "below", "above"), [("HoldLastPoint", (10, 1), (50, 2)), ("LastTwoPoints", (0, -1), (65, 1.5))]
)
def test_columns_are_selected_and_extrapolated(
    written: Written, extrapolation: str, below: tuple[float, float], above: tuple[float, float]
) -> None:
    result = written(TYPES + MODEL.replace("EXTRAPOLATION", extrapolation)).simulate(2.5)
    for k, column in ((1, [10.0, 20.0, 50.0]), (2, [1.0, 3.0, 2.0])):
        inside = (result.time >= 0.5) & (result.time <= 2.0)
        u = 2 * result.time[inside] - 1
        assert result[f"y[{k}]"][inside] == pytest.approx(np.interp(u, [0, 1, 3], column))
        assert result[f"y[{k}]"][[0, -1]] == pytest.approx([below[k - 1], above[k - 1]])


def test_an_array_of_numbers_is_looked_up(written: Written) -> None:
    sim = written("""model M
      constant Integer gate[3, 3] = {{1, 2, 3}, {2, 2, 1}, {3, 1, 5}};
      Integer a, b, c;
    equation
      a = if time < 0.3 then 1 else if time < 0.6 then 2 else 3;
      b = if time < 0.5 then 2 else 3;
      c = gate[a, b];
    end M;""")
    result = sim.simulate(1.0)
    found = [result["c"][np.searchsorted(result.time, t)] for t in (0.1, 0.4, 0.55, 0.9)]
    assert found == [2, 2, 1, 5]


def test_a_model_with_tables_goes_to_another_process(written: Written) -> None:
    sim = written(TYPES + MODEL.replace("EXTRAPOLATION", "HoldLastPoint"))
    expected = sim.simulate(2.5)["y[1]"]
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).simulate(2.5)['y[1]'].tolist())"
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(sim), capture_output=True, check=True)
    assert json.loads(done.stdout) == expected.tolist()
