"""A simulation that goes on from a snapshot computes the same bits as one that was never interrupted."""

import functools
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modiapy import Clock, Map, Model, ModelError, SimulationError, SimulationInterrupted, Table1D, Var, When, instantiate
from modiapy.acausal import AcausalComponent, ComponentRun, SegmentLayout
from modiapy.library.heat_transfer import FixedTemperature
from modiapy.library.insulated_rod import InsulatedRod
from tests.modiapy.symbolic.test_sparse_systems import random_matrix

pytestmark = pytest.mark.white_box

STOP = 4.0

EVERYTHING = Model(
    curve=Table1D([[0, 0], [1, 2], [3, 1]]),
    k=3.0,
    clock=Clock(0.35),
    x=Var(init=1.0),
    v=Var(init=0.0),
    h=Var(init=5.0),
    w=Var(init=0.0),
    y=Var(start=0.5),
    s=Var(),
    sampled=Var(start=0.0, type="Real"),
    held=Var(start=0.0),
    bounces=Var(init=0, type="Integer"),
    last=Var(init=0.0),
    equations=[
        "der(x) = v",
        "der(v) = -k*x - 0.1*y + (0.5 if x > 0.3 else 0.0) + (1.0 if after(2.3) else 0.0)",
        "der(h) = w",
        "der(w) = -9.81",
        "y + 0.2*sin(y) + 0.1*y**3 = x*cos(time)",
        "s = curve(x)",
        "sampled = sample(x, clock) + 0.5*previous(sampled)",
        "held = hold(sampled)",
        When("h < 0", ["reinit(w, 9.0 - 0.1*pre(w))", "bounces = pre(bounces) + 1", "last = x"]),
    ],
)
"""State events, a reinit, memory, a clock, a time event, a nonlinear equation, a table."""

PENDULUM = Model(
    x=Var(start=1.0),
    y=Var(start=0.0),
    u=Var(init=0.0),
    v=Var(),
    tension=Var(),
    equations=["der(x) = u", "der(y) = v", "der(u) = -tension*x", "der(v) = -tension*y - 9.81", "x**2 + y**2 = 1"],
)


def assert_same_future(full, rest):
    """The points of ``rest`` are the last ones of ``full``, bit by bit."""
    n = rest.time.size
    assert rest.status == full.status == "finished"
    for name in full:
        np.testing.assert_array_equal(full[name][-n:], rest[name], err_msg=name, strict=True)
    for before, after in zip(full.segments[rest.segments[0].index - 1 :], rest.segments, strict=True):
        for name in ("index", "start", "cause", "states_variant", "info", "events", "steps"):
            assert getattr(before, name) == getattr(after, name), name
    for name in (
        "events",
        "events_by_kind",
        "steps",
        "rhs_evaluations",
        "jacobian_evaluations",
        "factorisations",
        "projections",
    ):
        assert full.statistics[name] == rest.statistics[name], name


@functools.cache
def translated():
    return instantiate(EVERYTHING, "everything")


@functools.cache
def uninterrupted(solver, mode):
    return translated().simulate(STOP, interval=0.05, solver=solver, mode=mode)


@pytest.mark.parametrize(("solver", "mode"), [("cvode", "ode"), ("cvode", "dae"), ("scipy", "ode"), ("sundae", "ode")])
@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stop=st.floats(1e-3, STOP), again=st.floats(0.0, 1.0))
def test_the_same_bits(tmp_path, solver, mode, stop, again):
    sim, file = translated(), tmp_path / "snapshot.npz"
    full = uninterrupted(solver, mode)
    sim.simulate(stop, interval=0.05, solver=solver, mode=mode)
    sim.save(file)
    sim.restore(file)
    sim.simulate(stop + again * (STOP - stop))
    sim.save(file)
    assert sim.restore(file) <= stop + again * (STOP - stop)
    assert_same_future(full, sim.simulate(STOP))


@functools.cache
def changing_pivots():
    """A sparse system of equations of which pivots that were good once are kept while they are good enough."""
    n, rng = 60, np.random.default_rng(0)
    matrix = random_matrix(n, 3, 1)
    equations = ["der(x) = tanh(w0 - w1) + k - x", When("time >= 0.05", ["k = 2"])]
    for row in matrix:
        entries = (
            f"({row[j]:.3f}*cos({rng.uniform(0, 9):.2f}*time) + {rng.uniform(-1, 1):.2f}*x)*w{j}" for j in row.nonzero()[0]
        )
        equations.append(f"{' + '.join(entries)} = {rng.normal():.2f}")
    unknowns = {f"w{i}": Var() for i in range(n)}
    sim = instantiate(Model(x=Var(init=0.3), k=Var(init=1.0), **unknowns, equations=equations))
    assert sim.compiled.code.sparse
    return sim


def test_a_sparse_system_of_equations_whose_pivots_change(tmp_path):
    """After an event pivots have no history."""
    sim = changing_pivots()
    full = sim.simulate(0.1, interval=1e-3)
    sim.simulate(0.07, interval=1e-3, save=tmp_path / "snapshot")
    sim.restore(tmp_path / "snapshot")
    assert_same_future(full, sim.simulate(0.1))


def test_dae_with_a_constraint(tmp_path):
    sim, file = instantiate(PENDULUM), tmp_path / "snapshot.npz"
    full = sim.simulate(2.0, interval=0.1, mode="auto")
    sim.simulate(0.7, interval=0.1, save=file)
    sim.restore(file)
    assert_same_future(full, sim.simulate(2.0))


def rod(**parameters):
    heated = InsulatedRod | Map(n=8, max_level=3, refine_above=4.0, length=0.2, **parameters)
    connect = [("hot.port", "rod.port_a"), ("cold.port", "rod.port_b")]
    return Model(rod=heated, hot=FixedTemperature | Map(T=360.0), cold=FixedTemperature | Map(T=290.0), connect=connect)


@pytest.mark.parametrize("stop", [0.3, 5.0, 37.0])
@pytest.mark.parametrize("period", [0.0, 2.0])
def test_a_component_whose_structure_changes(tmp_path, stop, period):
    sim, file = instantiate(rod(check_period=period)), tmp_path / "snapshot.npz"
    full = sim.simulate(60.0, interval=1.0)
    assert len(full.segments) > 3
    sim.simulate(stop, interval=1.0, save=file)
    sim.restore(file)
    assert_same_future(full, sim.simulate(60.0))


def test_another_process_goes_on(tmp_path):
    file = tmp_path / "snapshot.npz"
    full = uninterrupted("cvode", "ode")
    translated().simulate(2.5, interval=0.05, mode="ode", save=file)
    code = (
        "import sys; from tests.modiapy.simulation.test_save import translated\n"
        f"sim = translated(); sim.restore({str(file)!r}); r = sim.simulate({STOP})\n"
        "print(r['x'][-1].hex(), r['held'][-1].hex())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[3])
    assert run.stdout.split() == [full["x"][-1].hex(), full["held"][-1].hex()], run.stderr


def test_saved_while_it_runs_and_after_an_interrupt(tmp_path):
    sim, during, after = translated(), tmp_path / "during.npz", tmp_path / "after.npz"
    full = sim.simulate(STOP, interval=1e-3, mode="ode")

    def interrupt(now):
        sim.save(during)
        if now > 2.0:
            raise KeyboardInterrupt

    with pytest.raises(SimulationInterrupted):
        sim.simulate(STOP, interval=1e-3, mode="ode", progress=interrupt)
    sim.save(after)
    for file in (during, after):
        assert 0.0 < sim.restore(file) <= 3.1
        assert_same_future(full, sim.simulate(STOP))


def test_saved_every_second(tmp_path):
    sim, file = translated(), tmp_path / "snapshot.npz"
    times = []

    def look(now):
        if file.exists():
            with zipfile.ZipFile(file) as archive:
                times.append(json.loads(archive.read("header.json"))["snapshot"]["time"])

    full = sim.simulate(STOP, interval=1e-3, mode="ode", save=file, save_every=1.0, progress=look)
    assert len(set(times)) >= 2
    assert np.diff(sorted(set(times))).min() >= 1.0
    assert_same_future(full, (sim.restore(file), sim.simulate(STOP))[1])
    assert {f.name for f in tmp_path.iterdir()} == {"snapshot.npz"}  # no temporary files stay


def test_restore_holds_for_the_next_simulation_only(tmp_path):
    sim, file = translated(), tmp_path / "snapshot.npz"
    sim.simulate(2.0, save=file)
    sim.restore(file)
    assert sim.simulate(3.0).time[0] > 1.0
    assert sim.simulate(3.0).time[0] == 0.0


def test_merged_parameters_are_given_again(tmp_path):
    sim, file, merge = translated(), tmp_path / "snapshot.npz", Map(k=5.0)
    full = sim.simulate(STOP, interval=0.05, merge=merge)
    sim.simulate(2.0, interval=0.05, merge=merge, save=file)
    with pytest.raises(ModelError, match=r"another model.*parameter k = 3.0 \(in the snapshot 5.0\)"):
        sim.restore(file)
    sim.restore(file, merge=merge)
    with pytest.raises(ModelError, match=r"the argument 'merge' of simulate is wrong.*restore\(file, merge"):
        sim.simulate(STOP, merge=merge)
    assert_same_future(full, sim.simulate(STOP))


def test_a_snapshot_of_another_model_is_refused(tmp_path):
    file = tmp_path / "snapshot.npz"
    translated().simulate(1.0, save=file)
    other = instantiate(EVERYTHING | Model(extra=Var("2*x")))
    with pytest.raises(ModelError, match=r"another model.*equation that only the model has; variable extra"):
        other.restore(file)
    table = instantiate(EVERYTHING | Map(curve=Table1D([[0, 0], [1, 2], [3, 4]])))
    with pytest.raises(ModelError, match=r"another model.*curve"):
        table.restore(file)


def test_a_snapshot_with_other_values_of_an_array_is_refused(tmp_path):
    model, file = Model(A=np.eye(2), x=Var(init=[1.0, 2.0]), equations=["der(x) = -A@x"]), tmp_path / "snapshot.npz"
    sim = instantiate(model)
    sim.simulate(1.0, save=file)
    other = np.array([[1.0, 0.0], [1e-9, 1.0]])
    with pytest.raises(ModelError, match=r"another model.*parameter A differs"):
        sim.restore(file, merge=Map(A=other))
    assert sim.restore(file, merge=Map(A=np.eye(2))) == 0.0


def test_what_the_snapshot_has_cannot_be_given(tmp_path):
    sim, file = translated(), tmp_path / "snapshot.npz"
    sim.simulate(2.0, save=file)
    at = sim.restore(file)
    with pytest.raises(ModelError, match=r"the argument 'tolerance' of simulate is wrong.*goes on from a snapshot"):
        sim.simulate(3.0, tolerance=1e-9)
    with pytest.raises(ModelError, match=rf"the argument 'stop_time' of simulate is wrong.*at least {at}"):
        sim.simulate(0.5 * at)
    with pytest.raises(ModelError, match=r"the argument 'save_every' of simulate is wrong.*save="):
        sim.simulate(3.0, save_every=1.0)
    assert sim.simulate(3.0).status == "finished"


def without(file, member):
    with zipfile.ZipFile(file) as archive:
        kept = {name: archive.read(name) for name in archive.namelist() if name != member}
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in kept.items():
            archive.writestr(name, data)


def with_header(file, change):
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members["header.json"])
    change(header)
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in (members | {"header.json": json.dumps(header)}).items():
            archive.writestr(name, data)


DAMAGES = {
    "cut off": lambda file: file.write_bytes(file.read_bytes()[:-100]),
    "a byte": lambda file: file.write_bytes(b"".join([(b := file.read_bytes())[:90], bytes([b[90] ^ 1]), b[91:]])),
    "text": lambda file: file.write_text("hello"),
    "empty": lambda file: file.write_bytes(b""),
    "no array": lambda file: without(file, "0.npy"),
    "no header": lambda file: without(file, "header.json"),
    "no states": lambda file: with_header(file, lambda header: header["snapshot"].pop("x")),
    "another x": lambda file: with_header(file, lambda header: header["snapshot"].update(x=header["snapshot"]["unknowns"])),
    "a text as time": lambda file: with_header(file, lambda header: header["snapshot"].update(time="now")),
    "another memory": lambda file: with_header(file, lambda header: header["snapshot"].update(memory={})),
    "another segment": lambda file: with_header(file, lambda header: header["snapshot"].update(segment={"index": 1})),
    "another format": lambda file: with_header(file, lambda header: header.update(version=99)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused(tmp_path, damage):
    sim, file = translated(), tmp_path / "snapshot.npz"
    sim.simulate(1.0, save=file)
    DAMAGES[damage](file)

    def go_on():
        sim.restore(file)
        sim.simulate(2.0)

    with pytest.raises((ModelError, SimulationError), match=r"damaged|no snapshot|not known"):
        go_on()


def test_pickled_objects_are_not_read(tmp_path):
    file = tmp_path / "snapshot.npz"
    np.savez(file, x=np.array([print], dtype=object))
    with pytest.raises(ModelError, match=r"damaged, or no file of this kind"):
        translated().restore(file)


def test_no_file_no_simulation_no_folder(tmp_path):
    with pytest.raises(ModelError, match="there is no such file"):
        translated().restore(tmp_path / "missing.npz")
    sim = instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"]))
    with pytest.raises(ModelError, match="no result to save yet"):
        sim.save(tmp_path / "snapshot.npz")
    sim.simulate(1.0)
    with pytest.raises(ModelError, match="cannot be written"):
        sim.save(tmp_path / "missing" / "snapshot.npz")


class Box(AcausalComponent):
    """A component that does nothing."""

    def acausal_part(self):
        return Model(u=Var(), equations=["u = time"])

    def begin_run(self):
        return ClosedBox()


class ClosedBox(ComponentRun):
    """It does not say what its state is."""

    def init_segment(self, start):
        return SegmentLayout([], np.zeros(0))

    def event(self, start):
        return None

    def next_time_event(self, time):
        return np.inf


def test_a_component_that_cannot_be_saved_is_refused(tmp_path):
    sim = instantiate(Model(box=Model(_component=lambda scope: Box()), x=Var(init=0.0), equations=["der(x) = box.u"]))
    with pytest.raises(ModelError, match=r"box: .*cannot be saved; found ClosedBox without snapshot\(\) and restore"):
        sim.simulate(1.0, save=tmp_path / "snapshot.npz")
    sim.simulate(1.0)
    with pytest.raises(ModelError, match="cannot be saved"):
        sim.save(tmp_path / "snapshot.npz")
