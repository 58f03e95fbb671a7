"""The engine's part of the Jacobian: independent trees are independent blocks."""

import numpy as np
import pytest

from benchmarks.contact_scenes import bowl
from modia3d import (
    AbsoluteSensor,
    ActionAttach,
    ActionRelease,
    ActionWait,
    Force,
    MassProperties,
    MatingTolerance,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
    SpringDamperPtP,
    UniformGravity,
    WorldForce,
)
from modiapy import Map, Model, Var, instantiate
from modiapy.acausal import SegmentStart
from modiapy.simulation.evaluation import problems as problems_module
from modiapy.simulation.evaluation.component_checks import begin_runs
from modiapy.simulation.evaluation.machine import Machine
from modiapy.simulation.segments.segment import Segment, begin_components
from modiapy.simulation.solvers import jacobian, linear
from modiapy.symbolic.kernels import incidence
from tests.modia3d.engine.test_closed_loops import four_bars

pytestmark = pytest.mark.white_box

BODY = Object3D(feature=Solid(mass_properties=MassProperties(mass=2.0, Ixx=0.1, Iyy=0.2, Izz=0.3)))


def segment_problem(model):
    """The first segment as integrators see it, and its states."""
    sim = instantiate(model)
    machine = Machine(sim.compiled, sim.flat)
    states = dict(zip(sim.sorted.states, sim.sorted.initial_states(), strict=True))
    layouts = begin_components(
        begin_runs(sim.flat.components),
        {path: SegmentStart(0.0, None, lambda name: states.get(name, 0.0)) for path in sim.flat.components},
    )
    x = np.concatenate([list(states.values()), *(layout.x for layout in layouts.values())])
    machine.enter_segment(layouts, x.size, sum(layout.n_z for layout in layouts.values()))
    problem = machine.problem(x.size, 0)
    object.__setattr__(problem, "keep", (machine, layouts))
    return problem, x


def differences(problem, x):
    """Which derivatives change with which states by more than rounding errors: those of the derivatives, and what those of the
    states make of them."""
    f, g = np.empty(x.size), np.empty(x.size)
    columns, noise, signs = [], np.zeros(x.size), np.random.default_rng(0).choice([-1.0, 1.0], (4, x.size))
    for rounded in x * (1.0 + np.finfo(float).eps * signs):
        assert problem.rhs(0.0, x, f) == 0
        assert problem.rhs(0.0, rounded, g) == 0
        noise = np.maximum(noise, np.abs(g - f))
    for k in range(x.size):
        shifted = x.copy()
        shifted[k] += 1e-4
        assert problem.rhs(0.0, x, f) == 0
        assert problem.rhs(0.0, shifted, g) == 0
        columns.append(np.abs(g - f) > 1e-10 * (1.0 + np.abs(f)) + 10.0 * noise)
    return np.array(columns).T


def free_bodies(n):
    parts = {f"body{k}": BODY | Map(translation=[float(k), 0.0, 0.0], angular_velocity=[1.0, 0.1 * k, 0.3]) for k in range(n)}
    return Model3D(world=Object3D(feature=Scene(gravity=UniformGravity(g=9.81, n="-z"))), **parts)


def test_many_free_bodies_are_many_small_blocks():
    n = 60
    problem, x = segment_problem(free_bodies(n))
    assert x.size == 13 * n
    assert problem.incidence.rows.size <= 13 * 13 * n / 2
    assert problem.incidence.n_colours == 8  # those of orientation and angular velocity, and one for all velocities
    assert linear.band(problem) is None
    assert linear.sparse(problem) is problem.incidence


def test_the_sparse_matrix_gives_the_motion_of_the_dense_one():
    sim = instantiate(free_bodies(40))
    result = sim.simulate(1.0, tolerance=1e-8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(problems_module, "COMPONENT_STATES", 10**9)
        dense = sim.simulate(1.0, tolerance=1e-8)
    assert result.statistics["rhs_evaluations"] < dense.statistics["rhs_evaluations"]
    for name in ("body7.r_abs", "body7.w_abs", "body39.R_abs"):
        assert np.abs(result[name][-1] - dense[name][-1]).max() < 1e-6
    assert result["body7.r_abs"][-1] == pytest.approx([7.0, 0.0, -9.81 / 2], abs=1e-6)


@pytest.mark.parametrize("orientation", ["quaternion", "zyx"])
def test_incidence_of_what_flies_alone_covers_the_jacobian_and_little_more(orientation, monkeypatch):
    """Bodies with their centre of mass anywhere; one carries another, one is pulled: these are blocks."""
    monkeypatch.setattr(problems_module, "COMPONENT_STATES", 1)
    mass = MassProperties(mass=2.0, center_of_mass=(0.1, -0.3, 0.2), Ixx=0.5, Iyy=0.6, Izz=0.7, Ixy=0.1, Ixz=0.05, Iyz=-0.1)
    body = Object3D(feature=Solid(mass_properties=mass), angular_velocity=[1.0, 0.4, 0.3], rotation=[0.3, 0.2, 0.1])
    parts = {f"body{k}": body | Map(translation=[float(k), 0.0, 0.0], orientation=orientation) for k in range(4)}
    parts["hand"] = Object3D(feature=Solid(mass_properties=mass))
    parts["wrist"] = Revolute(obj1="body2", obj2="hand", axis="y", phi=0.4, w=0.3)
    parts["pull"] = SpringDamperPtP(obj1="world", obj2="body3", stiffness=30.0)
    problem, x = segment_problem(Model3D(world=Object3D(feature=Scene(gravity=UniformGravity(g=9.81, n="-y"))), **parts))
    size = 13 if orientation == "quaternion" else 12
    known = np.zeros((x.size, x.size), dtype=bool)
    known[problem.incidence.rows, problem.incidence.columns] = True
    assert not (differences(problem, x) & ~known).any()
    assert x.size == 4 * size + 2
    assert np.count_nonzero(known) <= 2 * 70 + (size + 2) ** 2 + size**2


@pytest.mark.parametrize("spring", [False, True])
def test_incidence_of_joints_with_and_without_flange_covers_the_jacobian(spring, monkeypatch):
    monkeypatch.setattr(problems_module, "COMPONENT_STATES", 1)
    damper = Model(d=0.4, flange=RevoluteWithFlange("a", "b")["flange"], phi=Var(), equations=["phi = flange.phi"])
    damper["equations"].append("flange.tau = d*der(phi)")
    parts = {
        "arm": BODY,
        "joint": RevoluteWithFlange(obj1="world", obj2="arm", axis="x", phi=Var(init=0.3), w=Var(init=0.2)),
        "hand": BODY,
        "at": Object3D(parent="arm", translation=[0.5, 0.2, 0.1]),
        "wrist": Revolute(obj1="at", obj2="hand", axis="y", phi=0.4, w=0.3),
        "end": Object3D(parent="hand", translation=[0.3, 0.2, 0.1]),
        "pendulum": BODY,
        "hinge": Revolute(obj1="world", obj2="pendulum", axis="z", phi=0.4, w=0.3),
        "tip": Object3D(parent="pendulum", translation=[0.4, 0.0, 0.1]),
        "stone": BODY | Map(translation=[1.0, 2.0, 3.0], angular_velocity=[0.3, 0.2, 0.1]),
        "damper": damper,
    }
    if spring:
        parts["spring"] = SpringDamperPtP(obj1="tip", obj2="stone", stiffness=30.0, damping=2.0, nominal_length=0.1)
    scene = Scene(gravity=UniformGravity(g=9.81, n="-y"))
    model = Model3D(world=Object3D(feature=scene), **parts, connect=[("damper.flange", "joint.flange")])
    problem, x = segment_problem(model)
    known = np.zeros((x.size, x.size), dtype=bool)
    known[problem.incidence.rows, problem.incidence.columns] = True
    assert not (differences(problem, x) & ~known).any()
    assert x.size == 13 + 2 + 4
    blocks = (15, 4) if spring else (13, 2, 4)
    assert np.count_nonzero(known) <= sum(size**2 for size in blocks)


@pytest.mark.parametrize("deleted", [False, True])
def test_incidence_with_damped_points_covers_the_jacobian(deleted, monkeypatch):
    """Displacements of points move the bodies at the other ends, and follow from their motion."""
    monkeypatch.setattr(problems_module, "COMPONENT_STATES", 1)
    held = Object3D(parent="world", fixed_to_parent=False, translation=[0.0, 0.3, 0.0])
    parts = {
        "arm": BODY,
        "joint": RevoluteWithFlange(obj1="world", obj2="arm", axis="x", phi=Var(init=0.3), w=Var(init=0.2)),
        "at": Object3D(parent="arm", translation=[0.5, 0.2, 0.1]),
        "stone": BODY | Map(translation=[1.0, 2.0, 3.0], angular_velocity=[0.3, 0.2, 0.1]),
        "bystander": BODY | Map(translation=[5.0, 2.0, 3.0], assembly_root=True, parked=deleted),
        "p": held,
        "q": held,
        "a": SpringDamperPtP(obj1="at", obj2="p", stiffness=30.0, damping=2.0, nominal_length=0.1),
        "b": SpringDamperPtP(obj1="p", obj2="stone", stiffness=30.0, nominal_length=0.1),
        "c": SpringDamperPtP(obj1="bystander", obj2="q", stiffness=30.0, damping=2.0),
        "d": SpringDamperPtP(obj1="q", obj2="world", stiffness=30.0, damping=1.0),
    }
    problem, x = segment_problem(Model3D(world=Object3D(feature=Scene(gravity=UniformGravity(g=9.81, n="-y"))), **parts))
    known = np.zeros((x.size, x.size), dtype=bool)
    known[problem.incidence.rows, problem.incidence.columns] = True
    assert not (differences(problem, x) & ~known).any()
    assert known.any()


def watched(n):
    """Free bodies, one of which is pushed by a force that depends on where another one is and on how a third one moves."""
    push = WorldForce(obj="body5", force=["2.0 - 3.0*meter.r.y", "0.5*meter.v.x", "0.1*other.v.z"])
    return free_bodies(n) | Model(meter=AbsoluteSensor(obj="body3"), other=AbsoluteSensor(obj="body7"), push=push)


def test_a_sensor_and_a_force_from_equations_leave_the_other_bodies_alone():
    n = 60
    problem, x = segment_problem(watched(n))
    known = np.zeros((x.size, x.size), dtype=bool)
    known[problem.incidence.rows, problem.incidence.columns] = True
    assert not (differences(problem, x) & ~known).any()
    assert np.count_nonzero(known) <= 13 * 13 * (n + 2)  # the pushed body depends on two others
    assert problem.incidence.n_colours <= 3 * 13
    assert linear.sparse(problem) is problem.incidence


def test_a_force_from_equations_between_two_bodies_makes_one_block_of_both():
    n = 60
    force = Force(obj1="body1", obj2="body2", force=["1.0", "sin(time)", "0.3*meter.v.x"])
    problem, x = segment_problem(free_bodies(n) | Model(meter=AbsoluteSensor(obj="body2"), force=force))
    known = np.zeros((x.size, x.size), dtype=bool)
    known[problem.incidence.rows, problem.incidence.columns] = True
    assert not (differences(problem, x) & ~known).any()
    assert np.count_nonzero(known) <= 13 * 13 * (n - 2) + 26 * 26


@pytest.mark.parametrize("kind", [WorldForce, Force])
def test_a_force_from_equations_that_the_world_bears_couples_no_other_body(kind, monkeypatch):
    monkeypatch.setattr(problems_module, "COMPONENT_STATES", 1)
    frames = ("body2",) if kind is WorldForce else ("world", "body2")
    parts = Model(meter=AbsoluteSensor(obj="body4"), force=kind(*frames, force=["1.0", "sin(time)", "0.3*meter.v.x"]))
    alone, pushed = (segment_problem(model)[0].incidence for model in (free_bodies(8), free_bodies(8) | parts))
    assert alone.rows.size < pushed.rows.size <= alone.rows.size // 8 * 7 + 13 * 26


@pytest.mark.parametrize("pushed", range(5))
def test_a_force_that_follows_a_state_of_the_equations_moves_the_body_it_acts_on(pushed, monkeypatch):
    """Whichever that is: its velocity depends on this state and those of no other body do."""
    monkeypatch.setattr(problems_module, "COMPONENT_STATES", 1)
    gust = Model(s=Var(init=0.4), equations=["der(s) = -s"])
    model = free_bodies(5) | Model(gust=gust, push=WorldForce(f"body{pushed}", force=["sin(time)", "0.0", "3*gust.s"]))
    problem, x = segment_problem(model)
    known = np.zeros((x.size, x.size), dtype=bool)
    known[problem.incidence.rows, problem.incidence.columns] = True
    needed = differences(problem, x)
    assert not (needed & ~known).any()
    assert needed[1:, 0].any()
    assert known[1:, 0].sum() <= 13


def test_coloured_by_machine_code_as_without(monkeypatch):
    fast = segment_problem(watched(70))[0].incidence
    again = incidence.incidence_of(fast.n, fast.rows[::-1], fast.columns[::-1])
    for one, other in zip(fast.blocks, again.blocks, strict=True):
        assert np.array_equal(one, other)
    monkeypatch.setattr(incidence, "_kernels", None)
    slow = incidence.incidence_of(fast.n, fast.rows[::-1], fast.columns[::-1])
    for name in ("rows", "columns", "starts", "colours"):
        assert np.array_equal(getattr(fast, name), getattr(slow, name)), name


def test_differences_by_machine_code_are_those_without_to_the_last_bit(monkeypatch):
    monkeypatch.setattr(linear, "has_blocks", lambda: False)
    sim = instantiate(watched(20))
    fast = sim.simulate(0.5)
    monkeypatch.setattr(jacobian, "_kernel", None)
    slow = sim.simulate(0.5)
    assert fast.statistics["jacobian_evaluations"] > 0
    for name in ("rhs_evaluations", "steps"):
        assert fast.statistics[name] == slow.statistics[name]
    for name in ("body5.r_abs", "body5.w_abs", "body19.R_abs"):
        assert np.array_equal(fast[name], slow[name])


@pytest.mark.parametrize("model", [watched(20), free_bodies(40)])
def test_a_matrix_in_blocks_gives_the_steps_and_the_motion_of_one_that_is_factorised_as_a_whole(model, monkeypatch):
    sim = instantiate(model)
    blocks = sim.simulate(1.0)
    monkeypatch.setattr(linear, "has_blocks", lambda: False)
    whole = sim.simulate(1.0)
    for name in ("steps", "rhs_evaluations", "jacobian_evaluations"):
        assert blocks.statistics[name] == whole.statistics[name] > 0
    for name in ("body5.r_abs", "body5.w_abs", "body19.R_abs"):
        assert not np.array_equal(blocks[name], whole[name])  # two ways, two roundings
        assert np.allclose(blocks[name], whole[name], rtol=1e-9, atol=1e-9)


def test_a_free_body_is_eight_blocks():
    """Its position and velocity by themselves, each coordinate alone; the orientation, driven by the angular velocity."""
    incidence = segment_problem(free_bodies(20))[0].incidence
    assert sorted(np.diff(incidence.blocks[1], prepend=0).tolist()) == [1] * 120 + [3] * 20 + [4] * 20


@pytest.mark.parametrize("pushed", [False, True])
def test_incidence_of_what_hangs_on_a_driven_joint_covers_the_jacobian(pushed, monkeypatch):
    """The state of a motor accelerates its joint, and through it whatever hangs on the arm without a drive of its own.

    So does the state that a force from equations follows.
    """
    monkeypatch.setattr(problems_module, "COMPONENT_STATES", 1)
    motor = Model(
        flange=RevoluteWithFlange("a", "b")["flange"],
        current=Var(init=0.7),
        equations=["der(current) = -3*current", "flange.tau = -2*current"],
    )
    parts = {}
    for name, x in (("left", 0.0), ("right", 5.0)):
        parts |= {
            f"{name}_base": Object3D(parent="world", translation=[x, 0.0, 0.0]),
            f"{name}_arm": BODY,
            f"{name}_joint": RevoluteWithFlange(f"{name}_base", f"{name}_arm", "x", phi=Var(init=0.3), w=Var(init=0.2)),
            f"{name}_at": Object3D(parent=f"{name}_arm", translation=[0.5, 0.2, 0.1]),
            f"{name}_hand": BODY,
            f"{name}_wrist": Revolute(f"{name}_at", f"{name}_hand", "y", phi=0.4, w=0.3),
            f"{name}_load": Object3D(parent=f"{name}_hand", translation=[0.3, 0.1, 0.2], feature=BODY["feature"]),
            f"{name}_motor": motor,
        }
        if pushed:
            parts[f"{name}_gust"] = Model(s=Var(init=0.4), equations=["der(s) = -s"])
            parts[f"{name}_force"] = WorldForce(f"{name}_hand", force=[f"3*{name}_gust.s", "0", f"{name}_gust.s"])
    connect = [(f"{name}_motor.flange", f"{name}_joint.flange") for name in ("left", "right")]
    world = Object3D(feature=Scene(gravity=UniformGravity(g=9.81, n="-y")))
    problem, x = segment_problem(Model3D(world=world, **parts, connect=connect))
    known = np.zeros((x.size, x.size), dtype=bool)
    known[problem.incidence.rows, problem.incidence.columns] = True
    needed = differences(problem, x)
    assert x.size == (12 if pushed else 10)
    assert not (needed & ~known).any()
    assert needed.sum() > 20
    assert not known.all()


def test_other_couplings_between_as_many_states_are_no_matrix_that_is_known(tmp_path):
    """One body is let go while another one is caught: what goes on has the bits of a simulation that begins there."""

    def program(actions):
        ActionAttach(actions, "body1.top", "body2.top", on_contact="impulse")
        ActionWait(actions, 0.3)
        with actions.together():
            ActionRelease(actions, "body1.top")
            ActionAttach(actions, "body11.top", "body12.top", on_contact="impulse")

    part = Model(core=BODY | Map(parent="world", fixed_to_parent=False), top=Object3D(parent="core", lockable=True))
    bodies = {
        f"body{k}": part | Map(core=Map(translation=[float(k), 0.0, 0.0], angular_velocity=[1.0, 0.1 * k, 0.3]))
        for k in range(14)
    }
    ropes = {
        f"rope{k}": SpringDamperPtP(obj1=f"body{k}.core", obj2=f"body{k + 5}.core", stiffness=900.0, nominal_length=4.0)
        for k in range(1, 8)
    }
    anything = MatingTolerance(position=1e9, z_angle=4.0, symmetry=0)
    world = Object3D(feature=Scene(gravity=NoGravity(), mating=anything))
    model = Model3D(world=world, **bodies, **ropes, actions=ModelActions(program))
    full = instantiate(model).simulate(0.6, interval=0.1)
    assert [record.states_variant for record in full.segments] == [14 * 13, 13 * 13, 13 * 13]
    again, file = instantiate(model), tmp_path / "snapshot.npz"
    again.simulate(0.31, interval=0.1, save=file)
    assert again.restore(file) == pytest.approx(0.3)
    rest = again.simulate(0.6)
    np.testing.assert_array_equal(full.segment(3).x[-rest.time.size :], rest.segment(3).x)


PENDULA = {f"arm{k}": BODY for k in range(3)}
PENDULA |= {f"foot{k}": Object3D(parent="world", translation=[float(k), 0.0, 0.0]) for k in range(3)}
PENDULA |= {f"hinge{k}": Revolute(f"foot{k}", f"arm{k}", axis, phi=0.3, w=0.2) for k, axis in enumerate("xyz")}
PENDULA |= {f"arm{k}_top": Object3D(parent=f"arm{k}", translation=[0.3, 0.4, 0.5], lockable=True) for k in range(3)}
STONE = {
    "stone": BODY | Map(parent="world", fixed_to_parent=False, translation=[0.5, 2.0, 0.0], assembly_root=True),
    "stone_top": Object3D(parent="stone", translation=[0.1, 0.2, 0.1], lockable=True),
    "eye": AbsoluteSensor("arm2"),
    "push": WorldForce("stone", force=["-3*eye.r.x", "2*eye.r.y", "eye.r.z"]),
}


def test_what_is_attached_elsewhere_is_coupled_there(monkeypatch):
    """A stone that equations push, to one pendulum and then to another one: as many states and joints as before."""

    def program(actions):
        ActionAttach(actions, "stone_top", "arm0_top", on_contact="impulse")
        ActionWait(actions, 0.01)
        with actions.together():
            ActionRelease(actions, "stone_top")
            ActionAttach(actions, "stone_top", "arm1_top", on_contact="impulse")

    start, seen = Segment.start_integrator, []

    def looked_at(self, solver, time, *arguments):
        start(self, solver, time, *arguments)
        problem = self.machine.problem(self.x.size, self.n_z)
        coupled = np.zeros((self.x.size, self.x.size), dtype=bool)
        coupled[problem.incidence.rows, problem.incidence.columns] = True
        seen.append((coupled, differences(problem, self.x)))

    monkeypatch.setattr(problems_module, "COMPONENT_STATES", 1)
    monkeypatch.setattr(Segment, "start_integrator", looked_at)
    anything = MatingTolerance(position=1e9, z_angle=4.0, symmetry=0)
    world = Object3D(feature=Scene(gravity=UniformGravity(g=9.81, n="-y"), mating=anything))
    instantiate(Model3D(world=world, **PENDULA, **STONE, actions=ModelActions(program))).simulate(0.02)
    coupled, found = zip(*seen[-2:], strict=True)
    assert coupled[0].shape == coupled[1].shape
    assert (coupled[0] != coupled[1]).any()
    for known, needed in zip(coupled, found, strict=True):
        assert not (needed & ~known).any()
        assert not known.all()


def test_trees_that_a_cut_joint_couples_are_one_block_and_no_others(monkeypatch):
    """The rockers of a row of four-bars hang on the world one by one; only the joints that close the loops couple them."""
    monkeypatch.setattr(problems_module, "COMPONENT_STATES", 1)
    free = Map({f"free{k}": BODY | Map(translation=[0.0, 3.0, float(k)], angular_velocity=[0.2, 0.1, 0.3]) for k in range(3)})
    problem, x = segment_problem(four_bars(2) | free)
    known = np.zeros((x.size, x.size), dtype=bool)
    known[problem.incidence.rows, problem.incidence.columns] = True
    found = differences(problem, x)
    assert not (found & ~known).any()
    closed = x.size - 3 * 13
    assert np.count_nonzero(found) > 0.2 * closed**2
    assert np.count_nonzero(known) <= closed**2 + 3 * 70


@pytest.fixture(scope="module")
def balls():
    """Balls that fall into a bowl: pairs begin and cease to touch."""
    return instantiate(bowl(30).model(), "Bowl")


def test_the_matrix_has_entries_for_bodies_that_touch_and_for_no_others(balls, monkeypatch):
    """After each event: all differences, and pairs of bodies that the incidence couples."""
    start, seen = Segment.start_integrator, []

    def looked_at(self, solver, time, *arguments):
        start(self, solver, time, *arguments)
        problem = self.machine.problem(self.x.size, self.n_z)
        contacts = next(iter(self.layouts.values())).keep.contacts
        coupled = np.zeros((self.x.size, self.x.size), dtype=bool)
        coupled[problem.incidence.rows, problem.incidence.columns] = True
        if len(seen) % 7 == 0:
            changed = differences(problem, self.x)
            np.fill_diagonal(changed, False)
            assert not (changed & ~coupled).any()
        pairs = {tuple(pair) for pair in contacts.touching_bodies.tolist() if min(pair) >= 0}
        speeds = [np.arange(7 * 30 + 6 * k, 7 * 30 + 6 * k + 6) for k in range(30)]
        found = {(i, j) for i in range(30) for j in range(i + 1, 30) if coupled[np.ix_(speeds[i], speeds[j])].any()}
        assert found == {tuple(sorted(pair)) for pair in pairs}
        seen.append(len(pairs))

    monkeypatch.setattr(Segment, "start_integrator", looked_at)
    balls.simulate(0.36, tolerance=1e-5)
    assert len(seen) > 50
    assert max(seen) >= 5


def test_what_goes_on_from_a_snapshot_among_contacts_has_the_same_bits(balls, tmp_path):
    """The integrator of the whole simulation has had matrices with other entries before, the other one is new there."""
    file = tmp_path / "snapshot.npz"
    whole = balls.simulate(0.36, tolerance=1e-5)
    balls.simulate(0.35, tolerance=1e-5, save=file)
    assert 0.34 < balls.restore(file) < 0.35
    rest = balls.simulate(0.36)
    last = whole.segments[-1].index
    assert np.array_equal(rest.segment(last).x[-1], whole.segment(last).x[-1])
    assert rest.contacts == whole.contacts
    for name in ("steps", "rhs_evaluations", "jacobian_evaluations", "events"):
        assert rest.statistics[name] == whole.statistics[name]
