"""What is not read is refused by name, with the place in the Modelica source."""

import pytest

from modiapy import ModelError

from .conftest import Written


def test_an_external_function_is_refused_with_its_place(written: Written) -> None:
    with pytest.raises(ModelError, match=r"m\.mo:9: .*the external function 'outside' is not read \(column") as caught:
        written("""model M
      function outside
        input Real u;
        output Real y;
      external "C" y = outside(u);
      end outside;
      Real x;
    equation
      x = outside(time);
    end M;""")
    assert caught.value.file.endswith("m.mo")
    assert caught.value.line == 9
