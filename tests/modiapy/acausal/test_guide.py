"""The guide for authors of components: its code runs from a folder of its own, and the chain that it builds is right."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modiapy import Map, Model, ModelError, SimulationError, Var, instantiate, read_result
from modiapy.library.translational import Fixed

from .guide import ROOT, write_guide


def run(folder: Path, script: str) -> list[str]:
    """Lines that a script in the folder of the guide prints, in a new process."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


COUNT = "import use_chain; from modiapy.acausal.disk.kernel_cache import numba_compilations; print(numba_compilations())"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("guide")
    write_guide(path)
    return path


def test_the_code_of_the_guide_runs_outside_the_package_and_its_kernels_are_cached(folder: Path) -> None:
    first, second = run(folder, COUNT), run(folder, COUNT)
    assert "chain: 6 masses" in first[0]
    assert "chain: 7 masses" not in first[0]
    assert float(first[1]) == pytest.approx(-6 * 9.81, rel=1e-3)
    assert first[2] == "chain: tears at link 0 0"
    assert int(first[3]) >= 4
    assert second == [*first[:3], "0"]


KERNEL = """
from numba import cfunc
from modiapy.acausal import COMPONENT_SIGNATURE
@cfunc(COMPONENT_SIGNATURE, cache=True)
def kernel(context, inputs, outputs):
    return STATUS
"""
CALL = """
import ctypes, kernel_of_mine
from modiapy.acausal.disk.kernel_cache import numba_compilations
print(numba_compilations(), ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3)(kernel_of_mine.kernel.address)(0, 0, 0))
"""


def test_a_kernel_whose_file_has_changed_is_compiled_again(tmp_path: Path) -> None:
    file = tmp_path / "kernel_of_mine.py"
    file.write_text(KERNEL.replace("STATUS", "3"))
    assert run(tmp_path, CALL) == ["1 3"]
    file.write_text(KERNEL.replace("STATUS", "4 + 8"))
    assert run(tmp_path, CALL) == ["1 12"]


@pytest.fixture(scope="module")
def chain(folder: Path) -> Any:
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("chain")
    finally:
        sys.path.remove(str(folder))
        for name in ("chain", "chain_kernels"):
            sys.modules.pop(name, None)


def hung(chain: Any, **parameters: Any) -> Model:
    return Model(
        hook=Fixed | Map(s0=0.0),
        chain=chain.HangingChain | Map(**parameters),
        speed=Var(),
        connect=[("hook.flange", "chain.flange")],
        equations=["speed = der(chain.end_s)"],
    )


def test_one_mass_swings_as_in_closed_form(chain: Any) -> None:
    result = instantiate(hung(chain, n=1, d=0.0)).simulate(1.0, tolerance=1e-9)
    w = np.sqrt(1000.0)
    assert result["chain.s[0]"] == pytest.approx(0.1 + 9.81 / 1000.0 * (1.0 - np.cos(w * result.time)), abs=1e-7)
    assert result["speed"] == pytest.approx(9.81 / w * np.sin(w * result.time), abs=1e-6)


def test_momentum_is_the_integral_of_the_forces_and_a_new_mass_brings_its_own(chain: Any) -> None:
    result = instantiate(hung(chain, n=3, period=0.3)).simulate(1.0, tolerance=1e-10, interval=1e-4)
    assert [s.info["masses"] for s in result.segments] == [3, 4, 5, 6]
    for index, record in enumerate(result.segments, start=1):
        segment = result.segment(index)
        force = segment["chain.flange.f"] + record.info["masses"] * 9.81
        impulse = np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(segment.time))
        assert np.ptp(segment["chain.momentum"][[0, -1]]) == pytest.approx(abs(impulse), abs=1e-6)
        if index > 1:
            before = result.segment(index - 1)
            gained = before["speed"][-1]
            assert segment["chain.momentum"][0] == pytest.approx(before["chain.momentum"][-1] + gained, abs=1e-12)


def test_a_chain_of_2000_masses_uses_its_sparsity(chain: Any) -> None:
    model = hung(chain, n=1000)
    result = instantiate(model).simulate(0.002, interval=0.002)
    assert result.segments[0].states_variant == 2000
    assert result.statistics["rhs_evaluations"] < 1000  # one dense matrix alone takes 2000


def test_what_the_author_refuses_is_a_message(chain: Any) -> None:
    with pytest.raises(ModelError, match="chain: a chain without masses; found n = 0"):
        instantiate(hung(chain, n=0))


def test_status_of_a_kernel_names_component_function_and_inputs(chain: Any) -> None:
    model = hung(chain, n=2, c=0.001, d=0.0)
    model["chain"]["g"] = 100.0
    component = model["chain"]["_component"]

    class Stretched(component):  # type: ignore[misc,valid-type]
        def layout(self, x: Any) -> Any:
            layout = super().layout(x)
            layout.x[1] += 5.0
            return layout

    model["chain"]["_component"] = Stretched
    failed = r"chain: at time 0 s .*function 'move' failed; found status 1 for the inputs chain.flange.f = -?\d"
    with pytest.raises(SimulationError, match=failed):
        instantiate(model).simulate(1.0)


def test_a_chain_is_saved_and_goes_on_with_the_same_bits(chain: Any, tmp_path: Path) -> None:
    sim = instantiate(hung(chain, n=1, period=0.3, d=1.0))
    whole = sim.simulate(1.0)["chain.flange.f"][-1]
    sim.simulate(0.7)
    sim.save(tmp_path / "chain")
    other = instantiate(hung(chain, n=1, period=0.3, d=1.0))
    other.restore(tmp_path / "chain")
    rest = other.simulate(1.0)
    assert rest["chain.flange.f"][-1] == whole
    assert rest.segments[-1].info["masses"] == 4


def test_result_signals_of_a_chain_are_there_when_the_result_is_read_from_disk(chain: Any, tmp_path: Path) -> None:
    sim = instantiate(hung(chain, n=2, period=0.3))
    in_memory = sim.simulate(1.0)["chain.momentum"]
    sim.simulate(1.0, output=tmp_path / "result.h5")
    assert read_result(tmp_path / "result.h5", sim)["chain.momentum"].tolist() == in_memory.tolist()
