"""In results one signal of all submodels of an array is a vector, or a matrix where arrays stand in arrays."""

from pathlib import Path

import numpy as np
import pytest

from modiapy import Array, Map, Model, ModelError, Var, instantiate, read_result

TANK = Model(
    k=1.0, h=Var(init=1.0, unit="m"), r=Var(shape=2, init=[1.0, 2.0], unit="kg"), equations=["der(h) = -k*h", "der(r) = -k*r"]
)
ROW = Model(tanks=Array(3, TANK | Map(k="1 + i")))


def simulated(model: Model, file: Path):
    result = instantiate(model).simulate(1.0)
    result.save(file)
    return result, read_result(file)


def test_submodels_of_an_array_are_a_vector(tmp_path: Path) -> None:
    for result in simulated(ROW, tmp_path / "row.h5"):
        heights = result["tanks.h"]
        assert heights.shape == (result.time.size, 3)
        for k in range(3):
            assert np.array_equal(heights[:, k], result[f"tanks[{k}].h"])
        assert heights[-1] == pytest.approx(np.exp([-1.0, -2.0, -3.0]), rel=1e-4)
        assert result["tanks.r"].shape == (result.time.size, 3, 2)
        assert result.unit("tanks.h") == "m"
        assert [result.unit(name) for name in ("tanks.r", "tanks[1].r", "tanks[2].r[1]", "tanks[0].k", "tanks")] == [
            "kg"
        ] * 3 + [""] * 2
        assert "tanks.h" in result
        assert "tanks.h" not in result.signals()


def test_arrays_in_arrays_are_matrices(tmp_path: Path) -> None:
    for result in simulated(Model(rows=Array(2, ROW)), tmp_path / "rows.h5"):
        assert result["rows.tanks.h"].shape == (result.time.size, 2, 3)
        assert np.array_equal(result["rows.tanks.h"][:, 1, 2], result["rows[1].tanks[2].h"])
        assert np.array_equal(result["rows[1].tanks.h"], result["rows.tanks.h"][:, 1])


def test_what_is_no_array_is_refused() -> None:
    result = instantiate(ROW).simulate(0.1)
    for name in ("tanks.x", "tanks[0].r[5]", "tanks", "h"):
        assert name not in result
        with pytest.raises(ModelError, match="there is no signal"):
            result[name]


def test_they_are_exported_element_by_element() -> None:
    frame = instantiate(ROW).simulate(0.1).to_pandas("tanks.h")
    assert [*frame.columns] == ["tanks.h[0]", "tanks.h[1]", "tanks.h[2]"]
