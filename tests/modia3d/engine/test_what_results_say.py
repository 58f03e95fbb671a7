"""What results say of busy scenes fits together, by the laws of Newton and Euler in numpy; no state is integrated for it."""

import numpy as np
import pytest

from tests.modia3d.engine.busy_scenes import BODIES, JOINTS, simulated

G = np.array([0.0, 0.0, -9.81])
NAMES = tuple(BODIES)


class Body:
    """The motion of a body in a segment, from the signals of its frame; arrays over time, in world."""

    def __init__(self, segment, name, given):
        self.mass, center, xx, yy, zz, xy, xz, yz = given
        r, R, v, w, a, z = (segment[f"{name}.{what}_abs"] for what in ("r", "R", "v", "w", "a", "z"))
        c = R @ np.array(center)
        self.center, self.v, self.w = r + c, v + np.cross(w, c), w
        self.a = a + np.cross(z, c) + np.cross(w, np.cross(w, c))
        inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.transpose(0, 2, 1)
        self.spin = np.einsum("tij,tj->ti", inertia, w)
        self.torque = np.einsum("tij,tj->ti", inertia, z) + np.cross(w, self.spin)

    @property
    def momentum(self):
        """Linear and angular about the origin, shape (nt, 6)."""
        return np.hstack([self.mass * self.v, np.cross(self.center, self.mass * self.v) + self.spin])

    @property
    def rate(self):
        """Of the momentum, but for the weight."""
        force = self.mass * (self.a - G)
        return np.hstack([force, np.cross(self.center, force) + self.torque])

    @property
    def weight(self):
        return np.hstack([np.tile(self.mass * G, (len(self.v), 1)), np.cross(self.center, self.mass * G)])

    @property
    def kinetic(self):
        return 0.5 * self.mass * (self.v**2).sum(axis=1) + 0.5 * (self.spin * self.w).sum(axis=1)


def bodies(name, segment):
    return {b: Body(segment, b, given) for b, given in BODIES[name].items() if f"{b}.r_abs" in segment}


def wrench(at, force, torque):
    """About the world's origin."""
    return np.hstack([force, torque + np.cross(at, force)])


def cuts(name, segment):
    """What each joint exerts on its second body: force, torque about the origin of its second frame; in world."""
    found = {}
    for joint, (*_, frame) in JOINTS[name].items():
        R = segment[f"{frame}.R_abs"]
        found[joint] = tuple(np.einsum("tij,tj->ti", R, segment[f"{joint}.cut_{what}"]) for what in ("force", "torque"))
    return found


def vector(segment, name):
    return np.stack([segment[f"{name}.{c}"] for c in "xyz"], axis=1)


def from_elements(name, segment):
    """Wrenches (nt, 6) of forces that are no joints, on the bodies that have some."""
    found = {}
    if name == "yard":
        r = segment["hard.r_abs"] - segment["post.r_abs"]
        length = np.sqrt((r**2).sum(axis=1, keepdims=True))
        rate = (r * segment["hard.v_abs"]).sum(axis=1, keepdims=True) / length
        found["hard"] = wrench(segment["hard.r_abs"], -(3.0 * (length - 1.0) + 0.1 * rate) * r / length, np.zeros_like(r))
    else:
        found["bob"] = wrench(segment["bob.r_abs"], vector(segment, "push.force"), np.zeros((len(segment.time), 3)))
    if name == "linkage":
        R = segment["kite.R_abs"]
        force, torque = (np.einsum("tij,tj->ti", R, vector(segment, f"pull.{what}")) for what in ("force", "torque"))
        found["coupler"] = wrench(segment["coupler.r_abs"], force, torque)
        found["kite"] = -found["coupler"]
    return found


def segments(name):
    result = simulated(name)
    return [result.segment(record.index) for record in result.segments]


@pytest.mark.parametrize("name", NAMES)
def test_what_acts_on_a_body_moves_it(name):
    """Of what touches something only the forces are compared, and what an action locks together is taken together."""
    for segment in segments(name):
        moving, acts = bodies(name, segment), from_elements(name, segment)
        total = {b: np.array(acts.get(b, np.zeros((len(segment.time), 6)))) for b in moving}
        for joint, (force, torque) in cuts(name, segment).items():
            one, other, _, frame = JOINTS[name][joint]
            total[other] += wrench(segment[f"{frame}.r_abs"], force, torque)
            if one:
                total[one] -= wrench(segment[f"{frame}.r_abs"], force, torque)
        groups = [[b] for b in moving]
        if name == "linkage" and segment.record.index == 2:
            groups = [["kite", "stone"], *([b] for b in moving if b not in ("kite", "stone"))]
        for group in groups:
            expected, found = sum(moving[b].rate for b in group), sum(total[b] for b in group)
            rows = slice(0, 6)
            if f"{group[0]}.contact_force" in segment:
                found[:, :3] += segment[f"{group[0]}.contact_force"]
                rows = slice(0, 3)
            size = max(1.0, np.abs(expected).max())
            assert found[:, rows] == pytest.approx(expected[:, rows], abs=1e-7 * size), (segment.record, group)


@pytest.mark.parametrize("name", NAMES)
def test_joints_do_the_work_of_their_drives(name):
    """Passive ones none, whether they are in a loop or not, locked or at a limit."""
    for segment in segments(name):
        for joint, (force, torque) in cuts(name, segment).items():
            *_, one, other = JOINTS[name][joint]
            r = segment[f"{other}.r_abs"] - segment[f"{one}.r_abs"]
            v = segment[f"{other}.v_abs"] - segment[f"{one}.v_abs"] - np.cross(segment[f"{one}.w_abs"], r)
            w = segment[f"{other}.w_abs"] - segment[f"{one}.w_abs"]
            power = (force * v).sum(axis=1) + (torque * w).sum(axis=1)
            drive = f"{joint}.flange.tau"
            tau = segment[drive] * segment[f"{joint}.w"] if drive in segment else 0.0
            size = max(1.0, np.abs(force).max(), np.abs(torque).max())
            assert power == pytest.approx(tau * np.ones(len(power)), abs=1e-6 * size), (segment.record, joint)


@pytest.mark.parametrize("name", NAMES)
def test_the_system_is_the_sum_of_its_bodies(name):
    for segment in segments(name):
        there = bodies(name, segment).values()
        expected = sum(body.momentum for body in there)
        found = np.hstack([segment["mechanics.momentum"], segment["mechanics.angular_momentum"]])
        assert found == pytest.approx(expected, abs=1e-9 * max(1.0, np.abs(expected).max()))
        rates = sum(body.rate + body.weight for body in there)
        found = np.hstack([segment["mechanics.momentum_rate"], segment["mechanics.angular_momentum_rate"]])
        assert found == pytest.approx(rates, abs=1e-8 * max(1.0, np.abs(rates).max()))
        assert segment["mechanics.kinetic_energy"] == pytest.approx(sum(body.kinetic for body in there), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_an_impact_tells_what_momentum_came_from_outside_and_what_energy_went(name):
    """From the motion just before and just after; nothing moves at that moment, so all other energies stay."""
    said = 0
    for before, after in zip(segments(name), segments(name)[1:], strict=False):
        info = after.record.info
        if "energy_lost" not in info:
            continue
        said += 1
        one, other = (bodies(name, segment) for segment in (before, after))
        jump = sum(body.momentum[0] for body in other.values()) - sum(body.momentum[-1] for body in one.values())
        told = [*info["impulse_from_outside"], *info["angular_impulse_from_outside"]]
        assert told == pytest.approx(jump, abs=1e-7)
        lost = sum(body.kinetic[-1] for body in one.values()) - sum(body.kinetic[0] for body in other.values())
        assert info["energy_lost"] == pytest.approx(lost, rel=1e-6, abs=1e-9)
    assert said == {"yard": 3, "linkage": 2, "press": 0}[name]


@pytest.mark.parametrize("name", ["linkage", "press"])
def test_what_was_moved_to_close_loops_is_told(name):
    """By how much the first coordinates are others than the declared ones."""
    segment = segments(name)[0]
    declared = {"knee.phi": 1.1, "pivot.phi": -1.1, "motor.phi": -1.1}
    declared |= {f"kite.r[{k}]": x for k, x in enumerate((0.2, 1.0, 1.5))}
    moved = segment.record.info["moved"]
    assert set(moved) == {"linkage": {"pivot", "knee", "kite"}, "press": {"motor", "pivot", "knee"}}[name]
    for joint, change in moved.items():
        signals = [signal for signal in declared if signal.startswith(f"{joint}.")]
        found = [segment[signal][0] - declared[signal] for signal in signals]
        assert found == pytest.approx(change[: len(signals)], abs=1e-12), joint


def test_the_table_of_contacts_says_when_signals_do_so():
    """Elastic ones begin and end where ``touching`` does; rigid ones at segments that begin with their impulse."""
    result, rows = simulated("yard"), simulated("yard").contacts
    strikes = [(r.start, row) for r in result.segments for row in r.info.get("impacts", ())]
    assert [row["begin"] for row in rows if row["begin"] == row["end"]] == [time for time, _ in strikes]
    told = [row["impulse"] for row in rows if row["begin"] == row["end"]]
    assert told == pytest.approx([row["impulse"][2] for _, row in strikes], rel=1e-12)
    pairs = dict.fromkeys(tuple(row["pair"]) for row in rows)
    count = 0
    for pair in pairs:
        touching = np.nan_to_num(result[f"mechanics.contact[{','.join(pair)}].touching"])
        changes = np.flatnonzero(np.diff(touching) * (result.time[1:] > 0.0))
        ends = [
            t for row in rows if tuple(row["pair"]) == pair and row["begin"] != row["end"] for t in (row["begin"], row["end"])
        ]
        starts = [t for t in ends if t not in (None, 0.0)]
        assert result.time[changes] == pytest.approx(starts, abs=1e-12), pair
        count += len(starts)
    assert count > 3


@pytest.mark.parametrize("name", ["linkage", "press"])
def test_sensors_say_what_signals_say(name):
    result = simulated(name)
    turn = result["coupler.R_abs"].transpose(0, 2, 1) @ result["rocker_tip.R_abs"]
    for what in ("force", "torque"):
        expected = np.einsum("tij,tj->ti", turn, result[f"pin.cut_{what}"])
        assert vector(result, f"through.{what}") == pytest.approx(expected, abs=1e-6 * max(1.0, np.abs(expected).max())), what
    for what in "vw":
        assert vector(result, f"speed.{what}") == pytest.approx(result[f"bob.{what}_abs"], abs=1e-9)
    power = (vector(result, "push.force") * result["bob.v_abs"]).sum(axis=1)
    assert result["power.power"] == pytest.approx(power, abs=1e-9)


def test_sensors_in_the_yard_say_what_signals_say():
    result = simulated("yard")
    for what in ("force", "torque"):
        for sensor, cut in (("cut", "flap"), ("under", "skin")):
            expected = result[f"{cut}.cut_{what}"]
            size = max(1.0, np.abs(expected).max())
            assert vector(result, f"{sensor}.{what}") == pytest.approx(expected, abs=1e-6 * size), (cut, what)
    assert result["joules.kinetic"] == pytest.approx(result["mechanics.kinetic_energy"], rel=1e-9)
    assert result["joules.potential"] == pytest.approx(result["mechanics.potential_energy"], rel=1e-9)
    for own, signal in (
        ("power", "power"),
        ("drive", "drive_power"),
        ("force", "force_power"),
        ("dissipated", "dissipated_power"),
    ):
        size = np.abs(result[f"mechanics.{signal}"]).max()
        assert result[f"watts.{own}"] == pytest.approx(result[f"mechanics.{signal}"], abs=1e-9 * max(1.0, size)), own
    R = result["upper.R_abs"].transpose(0, 2, 1)
    r = result["lower.r_abs"] - result["upper.r_abs"]
    assert vector(result, "sees.r") == pytest.approx(np.einsum("tij,tj->ti", R, r), abs=1e-12)
    w = result["lower.w_abs"] - result["upper.w_abs"]
    assert vector(result, "sees.w") == pytest.approx(np.einsum("tij,tj->ti", R, w), abs=1e-9)


UNITS = {
    **dict.fromkeys(("r_abs", "point", "distance"), "m"),
    "v_abs": "m/s",
    "w_abs": "rad/s",
    "a_abs": "m/s^2",
    "z_abs": "rad/s^2",
    "momentum": "N.s",
    "angular_momentum": "N.m.s",
    **dict.fromkeys(("cut_force", "contact_force", "force", "momentum_rate"), "N"),
    **dict.fromkeys(("cut_torque", "angular_momentum_rate", "constraint_torque"), "N.m"),
    **dict.fromkeys(("kinetic_energy", "potential_energy"), "J"),
    **dict.fromkeys(("power", "drive_power", "force_power", "dissipated_power"), "W"),
    **dict.fromkeys(("R_abs", "cut_force_unique", "cut_torque_unique", "normal", "touching", "phase", "contacts"), ""),
    "hinge.phi": "rad",
    "hinge.w": "rad/s",
    "flap.phi": "rad",
    "flap.w": "rad/s",
}
"""By the last part of the name, or by the whole name."""
SENSORS = ("cut", "under", "watts")


def test_signals_have_the_units_of_what_they_are():
    result, seen = simulated("yard"), set()
    for name in result:
        place, _, last = name.rpartition(".")
        if place in SENSORS:
            continue
        key = name if name in UNITS else last
        if key in UNITS:
            seen.add(key)
            assert result.unit(name) == UNITS[key], name
    assert seen == set(UNITS)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_done_to_the_values_of_a_signal_changes_no_other(name):
    """All that was read is overwritten, then read again."""
    segment = segments(name)[-1]
    read = {signal: segment[signal] for signal in segment.signals()}
    before = {signal: values.copy() for signal, values in read.items()}
    for values in read.values():
        if values.flags.writeable:
            values[...] = 7.25
    for signal, values in before.items():
        np.testing.assert_array_equal(segment[signal], values, err_msg=signal)
