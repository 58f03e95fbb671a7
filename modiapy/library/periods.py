"""Periods of signals: the base of all periodic sources.

A period begins at each instant ``start_time + count*period``, also before the beginning of the simulation: whatever the time
at which it begins, a source is where it would be if it had always run. Source: the equations of Modelica.Blocks.Sources.Pulse.
"""

from __future__ import annotations

from ..model.model import Model, Var
from ..model.when import When

_SAME = "3.6e-15*max(abs(time), abs(start_time), period)"
"""By how much two times may differ that ``sample`` takes for the same."""

PERIODS = Model(
    start_time=0.0,
    period=1.0,
    T_start=Var(init="start_time", description="beginning of the present period [s]"),
    count=Var(type="Integer", init=0, description="number of the present period; below zero before start_time"),
    equations=[
        When(
            ["initial()", "sample(start_time, period)"],
            [f"count = noEvent(floor((time - start_time + {_SAME})/period))", "T_start = start_time + count*period"],
        ),
    ],
)
"""Counted periods of the length ``period`` [s] from ``start_time`` [s] on."""

LIMITED_PERIODS = PERIODS | Model(nperiod=-1)
"""Periods of which only ``nperiod`` count; all, if that is below zero."""

RUNNING = "after(start_time) and (nperiod < 0 or count < nperiod)"
"""Whether one of `LIMITED_PERIODS` is present."""

FOREVER = " from start_time [s] on, every period [s], nperiod times (below zero: forever)"
"""Words for the description of a source."""
