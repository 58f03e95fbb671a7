"""An insulated rod with heat ports at both ends and a number of volumes that changes: a predefined acausal component.

It is written against `modiapy.acausal` only. The number of volumes changes at given times and when the temperature in the
middle crosses thresholds, each of which is an event indicator that disappears when it was crossed. Energy is conserved: a
volume is split, or neighbours are mixed.
"""

from __future__ import annotations

import math

import numpy as np

from modiapy import Model, Var
from modiapy.acausal.protocol import CallEquation, ComponentFunction, SegmentChange, SegmentLayout, SegmentStart, Sparsity
from modiapy.model.parser import parse


def _kernel(name):
    from . import rod_kernels

    return getattr(rod_kernels, name).address


HEAT_FLOWS = ComponentFunction("heat_flows", 2, 2, "test_rod_heat_flows", lambda: _kernel("heat_flows"), frozenset({0, 1}))
BALANCE = ComponentFunction("balance", 2, 1, "test_rod_balance", lambda: _kernel("balance"), frozenset({0, 1}), sink=True)

HeatPort = Model(T=Var(potential=True), Q=Var(flow=True))


def resample(temperature, n):
    """Mean temperatures of n equal volumes that hold the same energy."""
    edges = np.linspace(0.0, 1.0, temperature.size + 1)
    energy = np.concatenate([[0.0], np.cumsum(temperature)]) / temperature.size
    return np.diff(np.interp(np.linspace(0.0, 1.0, n + 1), edges, energy)) * n


def conduction(n):
    """Each volume depends on its neighbours, the first and the last one on the heat flows at the ends."""
    rows = [sorted({max(i - 1, 0), i, min(i + 1, n - 1)}) for i in range(n)]
    starts = np.cumsum([0, *map(len, rows)])
    ends = np.array([[0, 0], [n - 1, 1]])
    return Sparsity(
        starts,
        np.concatenate(rows),
        inputs={"balance": ends, "heat_flows": []},
        outputs={"heat_flows": ends[:, ::-1], "balance": []},
    )


class Rod:
    """Args: number of volumes first, then changes ``(time, n)``, and thresholds ``(T, n)`` of the temperature in the middle."""

    def __init__(self, scope, n, at_times=(), thresholds=()):
        self.scope, self.n, self.at_times, self.at_thresholds = scope, n, list(at_times), list(thresholds)

    def acausal_part(self):
        equations = [
            CallEquation(HEAT_FLOWS, (parse("a.T"), parse("b.T")), (parse("a.Q"), parse("b.Q"))),
            CallEquation(BALANCE, (parse("a.Q"), parse("b.Q")), (parse("done"),)),
        ]
        return Model(a=HeatPort, b=HeatPort, done=Var(), equations=equations)

    def init_segment(self, start: SegmentStart) -> SegmentLayout:
        parameters = self.scope.parameters
        if start.x is None:
            self.now, self.times, self.open = self.n, list(self.at_times), list(self.at_thresholds)
            x = np.full(self.n, parameters["T0"])
        else:
            x = resample(start.x, self.now)
        self.thresholds = np.array([t for t, _ in self.open])
        data = np.array([parameters["G"], parameters["C"]])
        capacity = parameters["C"] / x.size
        return SegmentLayout(
            names=[f"T[{i}]" for i in range(x.size)],
            x=x,
            n_z=len(self.open),
            data=[data.ctypes.data, self.thresholds.ctypes.data],
            keep=(data, self.thresholds),
            signals={"energy": lambda trajectory: capacity * trajectory.x.sum(axis=1), "T": lambda trajectory: trajectory.x},
            info={"volumes": x.size},
            sparsity=conduction(x.size),
        )

    def event(self, start: SegmentStart) -> SegmentChange | None:
        if self.times and start.time >= self.times[0][0]:
            _, self.now = self.times.pop(0)
            return SegmentChange(f"{self.now} volumes")
        for threshold in self.open:
            if start.x[self.now // 2] >= threshold[0] - 1e-9:
                self.open.remove(threshold)
                self.now = threshold[1]
                return SegmentChange(f"{self.now} volumes above {threshold[0]:g} K")
        return None

    def next_time_event(self, time):
        return self.times[0][0] if self.times else math.inf


def insulated_rod(n, at_times=(), thresholds=(), **parameters):
    """Model of a rod. Parameters: conductance G [W/K], heat capacity C [J/K], initial temperature T0 [K]."""
    given = {"G": 2.0, "C": 3.0, "T0": 300.0} | parameters
    return Model(_component=lambda scope: Rod(scope, n, at_times, thresholds), **given)
