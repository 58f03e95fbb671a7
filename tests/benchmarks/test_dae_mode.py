"""The benchmark of DAE mode: plain iteration, default and DAE mode simulate the same chain."""

from benchmarks import dae_mode


def test_all_modes_simulate_the_same_chain():
    row = dae_mode.row(4, repetitions=1)
    assert row["difference"] < 1e-4
    assert min(row["iteration_s"], row["ode_s"], row["dae_s"], row["auto_s"]) > 0.0
