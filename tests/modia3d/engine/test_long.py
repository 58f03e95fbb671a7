"""Many changes of structure: what is kept of each is its record and its results, which stream to disk."""

import gc
import math
import tracemalloc

import pytest

from modia3d import ActionAttach, ActionRelease, ActionWait, Box, Model3D, ModelActions, NoGravity, Object3D, Scene, Solid
from modiapy import instantiate, read_result

SPIN = 2.0 * math.pi / 600.0
"""Angular velocity of the station [rad/s]."""


def station(changes, period):
    """Two modules turn slowly about their common centre; ``changes`` times in all they dock, or part without moving away."""

    def program(actions):
        yield ActionWait(actions, period)
        for _ in range(changes // 2):
            yield ActionAttach(actions, "left", "right")
            yield ActionWait(actions, period)
            yield ActionRelease(actions, "left")
            yield ActionWait(actions, period)

    module = Solid(shape=Box(0.4, 0.4, 0.4), solid_material="Aluminium")
    turned = (0.0, -math.pi / 2, 0.0)
    return Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        a=Object3D(feature=module, assembly_root=True, translation=(0.2, 0, 0)),
        b=Object3D(feature=module, assembly_root=True, translation=(-0.2, 0, 0)),
        left=Object3D(parent="a", translation=(-0.2, 0, 0), rotation=turned, lockable=True),
        right=Object3D(parent="b", translation=(0.2, 0, 0), rotation=(0.0, math.pi / 2, 0.0), lockable=True),
        far=Object3D(feature=module, translation=(0, 5, 0), angular_velocity=(0.0, SPIN, 0.1 * SPIN)),
        actions=ModelActions(program),
    )


def memory_of(changes, period, folder):
    """The result, and the memory of Python and numpy that it and its simulation keep [bytes]."""
    simulation = instantiate(station(changes, period))
    simulation.simulate(5.0 * period, interval=period)  # imports, caches
    gc.collect()
    tracemalloc.start()
    result = simulation.simulate((changes + 1) * period, interval=period, output=folder)
    gc.collect()
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(result.segments) == changes + 1
    assert result.statistics["compilations_after_start"] == 0
    assert [record.info["dof"] for record in result.segments[1:5]] == [12, 18, 12, 18]
    return result, kept, peak


RECORD = 3800
"""What may be kept of a change: its segment's record with the frames that moved, and the log of its two steps [bytes]. From
220 to 420 changes these are 3220; here about 2900, as what is allocated once falls on the run with few changes."""
FREE = 500
"""Of each change, while it runs: free tuples, of which Python keeps 2000 of each length until its garbage is collected."""
BLOCK = 2_000_000
"""What waits to be written, a second of the clock on the wall at most, and what is made once [bytes]."""


def test_a_result_on_disk_keeps_the_record_of_each_change_only(tmp_path):
    few, many = (memory_of(changes, 1.0, tmp_path / f"{changes}.h5")[1:] for changes in (20, 220))
    assert (many[0] - few[0]) / 200 < RECORD
    assert many[1] < BLOCK + 220 * (RECORD + FREE)


def test_a_result_in_memory_keeps_points_and_bodies_besides():
    """Three modules, four points for each change; every other structure is one that was there before and is kept once."""
    few, many = (memory_of(changes, 1.0, None)[1] for changes in (20, 220))
    assert (many - few) / 200 < 10_000


@pytest.mark.long
def test_a_day_with_ten_thousand_changes(tmp_path):
    """10000 changes in 86400 s."""
    changes = 10_000
    result, kept, peak = memory_of(changes, 86400.0 / (changes + 1), tmp_path / "day.h5")
    assert peak < 4_000_000 + changes * RECORD
    assert result.time[-1] == pytest.approx(86400.0)
    print(f"kept {kept / 1e6:.1f} MB, peak {peak / 1e6:.1f} MB")
    again = read_result(tmp_path / "day.h5")
    assert len(again.segments) == changes + 1
    assert [again[f"far.w[{k}]"][-1] for k in range(3)] == pytest.approx([0.0, SPIN, 0.1 * SPIN], abs=1e-3 * SPIN)
