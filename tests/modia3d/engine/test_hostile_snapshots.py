"""Snapshots of strangers that name a structure, a program or states that this machine cannot have: a named error, no crash."""

import functools
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d import Model3D, ModelActions, Object3D, Scene
from modia3d.actions.values import Wait
from modiapy import ModelError, SimulationError, instantiate, read_result
from modiapy.simulation.files.archive import read_archive, write_archive
from modiapy.simulation.run import Run
from tests.hostile import REMOVED, edited, edits, places, value_at
from tests.modia3d.engine.test_save_everything import INTERVAL, MODEL, STOP

pytestmark = pytest.mark.white_box

ENGINE = ("snapshot", "components", "one")
STRUCTURE = (*ENGINE, "structure")


@functools.cache
def machine():
    return instantiate(MODEL)


@functools.cache
def snapshot():
    """Taken while the joint `elbow` is locked."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "snapshot.npz")
        machine().simulate(0.5, interval=INTERVAL, save=file)
        return read_archive(file)


def goes_on(data, stop=STOP):
    """A result, or the text of the error."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "snapshot.npz")
        try:
            write_archive(file, data)
            machine().restore(file)
            return machine().simulate(stop)
        except (ModelError, SimulationError) as error:
            return str(error)
        finally:
            machine()._last.run = Run(machine()._last.run.values)


def lock(R=(1, 0, 0, 0, 1, 0, 0, 0, 1), p=(0, 0, 0), a="pool.m0.near", b="port"):
    return {"frame_a": a, "frame_b": b, "R_AB": [*map(float, R)], "p_AB_A": [*map(float, p)]}


STRUCTURES = {
    "a frame that is not there": ("nowhere", {"locks": [lock(b="nowhere")]}),
    "a frame that is not lockable": ("tip", {"locks": [lock(b="tip")]}),
    "a frame that is deleted": ("pool.m0.near", {"locks": [lock()], "deleted": ["pool.m0.body"]}),
    "a short matrix": ("pool.m0.near", {"locks": [lock(R=[1, 0, 0])]}),
    "no rotation": ("pool.m0.near", {"locks": [lock(R=[2, 0, 0, 0, 1, 0, 0, 0, 1])]}),
    "a reflection": ("pool.m0.near", {"locks": [lock(R=[-1, 0, 0, 0, 1, 0, 0, 0, 1])]}),
    "a short vector": ("pool.m0.near", {"locks": [lock(p=[0, 0])]}),
    "no number": ("pool.m0.near", {"locks": [lock(p=[0, 0, float("nan")])]}),
    "a frame locked twice": ("pool.m0.near", {"locks": [lock(), lock()]}),
    "a frame locked to itself": ("pool.m0.near", {"locks": [lock(b="pool.m0.near")]}),
    "an assembly that is not there": ("nothing", {"deleted": ["nothing"]}),
    "the world deleted": ("world", {"deleted": ["world"]}),
    "a joint that is not there": ("knee", {"welded": [{"name": "knee", "q": [0.0]}]}),
    "a joint with a flange": ("shoulder", {"welded": [{"name": "shoulder", "q": [0.0]}]}),
    "too many coordinates": ("elbow", {"welded": [{"name": "elbow", "q": [0.0, 1.0]}]}),
    "no coordinate": ("elbow", {"welded": [{"name": "elbow", "q": []}]}),
    "an infinite one": ("elbow", {"welded": [{"name": "elbow", "q": [float("inf")]}]}),
    "locked twice": ("elbow", {"welded": [{"name": "elbow", "q": [0.0]}] * 2}),
    "locked and welded": ("elbow", {"locked": [{"name": "elbow", "side": 1}]}),
    "locked where there is no limit": ("wrist", {"welded": [], "locked": [{"name": "wrist", "side": 1}]}),
    "another side": ("elbow", {"welded": [], "locked": [{"name": "elbow", "side": 5}]}),
    "no sequence": ("ball", {"sequences": [["ball", "abc"]]}),
    "a sequence of what has none": ("elbow", {"sequences": [["elbow", "xyz"]]}),
    "two sequences": ("ball", {"sequences": [["ball", "xyz"], ["ball", "zyx"]]}),
}


@pytest.mark.parametrize("case", STRUCTURES)
def test_a_structure_that_cannot_be_is_refused(case):
    old = value_at(snapshot(), STRUCTURE)
    name, change = STRUCTURES[case]
    answer = goes_on(edited(snapshot(), STRUCTURE, old | change))
    assert isinstance(answer, str)
    assert f" {name}" in answer
    assert "of the saved structure" in answer or "cannot be locked" in answer


@pytest.mark.parametrize(
    "other", [{"deleted": ["pool.m0.body"]}, {"welded": []}, {"locks": [lock()]}], ids=["fewer", "more", "attached"]
)
def test_a_structure_with_another_number_of_states_is_refused(other):
    """It is one that can be, but not with these states."""
    answer = goes_on(edited(snapshot(), STRUCTURE, value_at(snapshot(), STRUCTURE) | other))
    assert "saved states do not fit the structure" in answer


def test_limits_of_other_joints_are_refused():
    place = (*ENGINE, "bounds")
    answer = goes_on(edited(snapshot(), place, value_at(snapshot(), place)[:-1]))
    assert isinstance(answer, str)
    assert "the snapshot is damaged" in answer
    assert "limits" in answer


def test_what_was_not_changed_goes_on():
    assert goes_on(snapshot()).status == "finished"


def test_a_structure_as_older_versions_wrote_it_goes_on():
    """Welded joints were called locked, and locked ones held."""
    now = value_at(snapshot(), STRUCTURE)
    assert now["welded"]
    old = {name: value for name, value in now.items() if name != "welded"} | {"locked": now["welded"], "held": now["locked"]}
    assert goes_on(edited(snapshot(), STRUCTURE, old)).status == "finished"


def test_steps_of_a_program_where_there_is_none_are_refused(tmp_path):
    program = [Wait(0.1), Wait(0.1)]
    with_it, without = (
        instantiate(Model3D(world=Object3D(feature=Scene()), **more)) for more in ({"actions": ModelActions(program)}, {})
    )  # fmt: skip
    without.simulate(0.15, save=tmp_path / "none.npz")
    with_it.simulate(0.15, save=tmp_path / "some.npz")
    log = ("snapshot", "components", "", "log")
    steps = value_at(read_archive(tmp_path / "some.npz"), log)
    assert steps
    write_archive(tmp_path / "x.npz", edited(read_archive(tmp_path / "none.npz"), log, steps))
    without.restore(tmp_path / "x.npz")
    with pytest.raises(
        SimulationError, match=f"the snapshot has the log of a program, but the model has no program; found {len(steps)} steps"
    ):
        without.simulate(1.0)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_edit_ends_in_a_named_error_or_a_simulation(data):
    way = data.draw(st.sampled_from([way for way in places(snapshot()) if way[:3] == ENGINE]))
    value = data.draw(st.sampled_from([REMOVED, *edits(value_at(snapshot(), way))]))
    answer = goes_on(edited(snapshot(), way, value), 0.6)
    assert answer.strip() if isinstance(answer, str) else answer.status == "finished"


def test_signals_of_a_result_with_another_structure_are_refused(tmp_path, monkeypatch):
    """The description of a segment with fewer bodies than it has states."""
    sim = machine()
    sim.simulate(STOP, interval=INTERVAL, output=tmp_path / "x.h5")
    whole = read_result(tmp_path / "x.h5", sim)["one.ball.v_abs"]
    assert np.isfinite(whole).all()
    result = read_result(tmp_path / "x.h5", sim)
    monkeypatch.setattr(result.store, "layouts", functools.partial(_others, result.store.layouts, result._segments))
    with pytest.raises(ModelError, match="stored states do not fit the structure"):
        result["one.ball.v_abs"]


def _others(layouts, segments, line, names):
    """The layouts of another segment than that at the line."""
    other = next(s for s in segments if s._line != line and len(s._names["one"]) != len(names["one"]))
    own = layouts(line, names)
    return own | {path: type(own[path])(own[path].names, own[path].x, signals=layout.signals) for path, layout in
                  layouts(other._line, other._names).items()}  # fmt: skip
