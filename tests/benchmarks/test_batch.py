"""The benchmark of batches."""

from benchmarks import batch, batch_scale


def test_a_batch_translates_once_and_does_what_the_loop_does() -> None:
    clock, seconds = batch.batch(50, 1)
    assert clock.translations == 1
    assert clock.runs == 50
    assert 0.0 < clock.seconds < seconds
    assert batch.loop(50) > 0.0


def test_small_files_are_joined() -> None:
    most, size, seconds = batch_scale.files_of_rows(2000, 10)
    assert 64 <= most <= 70
    assert 10 < size < 1000
    assert seconds > 0.0


def test_sizes_are_those_of_what_is_sent() -> None:
    design = batch.study(64).design
    tasks = [batch_scale.Task(run, 0, design.values(run)) for run in range(3)]
    assert [row.run for row in batch_scale.echo(tasks)] == [0, 1, 2]
