"""Random systems of straight lines, with all kinds of events, against a few lines of Python that go from event to event."""

import functools
import math

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, Var, When, instantiate

STOP = 2.0
NUMBER = Var(init=0, type="Integer")
MODEL = Model(
    **{f"{name}{k}": float(k) for name in "cr" for k in range(3)},
    **{f"x{k}": Var(init=1.0) for k in range(3)},
    **{f"s{k}": Var(init=1.0) for k in range(3)},
    **{f"n{k}": NUMBER for k in range(3)},
    m=NUMBER,
    p=NUMBER,
    h=Var(init=0.0),
    z=Var(),
    y=Var(),
    begin=0.1,
    every=0.3,
    early=0.5,
    late=0.7,
    equations=[
        *(f"der(x{k}) = s{k}" for k in range(3)),
        When("x0 > c0", ["reinit(x0, r0)", "n0 = pre(n0) + 1", "s1 = -pre(s1)"]),
        When("x1 < c1", ["reinit(x1, r1 + 0.01*pre(n1))", "n1 = pre(n1) + 1", "s2 = 0.1 - pre(s2)"]),
        When("x2 > c2", ["reinit(x2, r2)", "n2 = pre(n2) + 1", "s0 = -pre(s0)"]),
        When("x0 > x1", ["p = pre(p) + 1"]),
        When("sample(begin, every)", ["m = pre(m) + 1", "h = x0 + pre(h)"]),
        "z = 1 if x0 > x1 else 0",
        "y = (1 if after(early) else 0) + (2 if time >= late else 0)",
    ],
)
"""What happens at an event makes other lines turn round, and later events come earlier, later or not at all."""
RELATIONS = ("x0 > c0", "x1 < c1", "x2 > c2", "x0 > x1")
SIGNALS = [*(f"{name}{k}" for name in "xsn" for k in range(3)), "m", "p", "h", "z", "y"]
SOLVERS = ["cvode", "adams", "chebyshev", "scipy", "sundae"]


@functools.cache
def translated():
    return instantiate(MODEL)


class Lines:
    """The same model; ``v`` are values by name. The relations are margins that cross zero."""

    def __init__(self, given):
        self.v = dict.fromkeys(SIGNALS, 0.0) | given
        self.t, self.tick = 0.0, max(math.ceil(-given["begin"] / given["every"]), 0)
        self.true = [margin > 0.0 for margin, _ in self.margins()]  # at zero: an event at once, if it goes on to be true
        self.events = []
        self.output()

    def margins(self):
        """Margin and slope of each relation."""
        v = self.v
        lines = [(v["x0"] - v["c0"], v["s0"]), (v["c1"] - v["x1"], -v["s1"]), (v["x2"] - v["c2"], v["s2"])]
        return [*lines, (v["x0"] - v["x1"], v["s0"] - v["s1"])]

    def output(self):
        v = self.v
        v["z"], v["y"] = float(self.true[3]), float(self.t >= v["early"]) + 2.0 * (self.t >= v["late"])

    def coming(self):
        """Times of what comes, and what that is: the number of a relation, or a kind."""
        v = self.v
        found = [(v["begin"] + self.tick * v["every"], "clock")]
        found += [(v[name], "time") for name in ("early", "late") if v[name] > self.t]
        for k, (margin, slope) in enumerate(self.margins()):
            if slope and (slope < 0.0) == self.true[k] and (margin != 0.0 or slope > 0.0):
                found.append((self.t + abs(margin / slope), k))
        return sorted(found, key=lambda event: event[0])

    def simulate(self):
        """All events until the end: time, kind, values before and after."""
        while True:
            coming = self.coming()
            assume(abs(STOP - coming[0][0]) > 1e-5)
            if coming[0][0] > STOP:
                return self.events
            assume(len(coming) < 2 or coming[1][0] - coming[0][0] > 1e-5)  # else rounding decides which one is first
            time, what = coming[0]
            assume(not self.events or time - self.t > 1e-5)  # what an event lets follow at once is a part of it
            for k in range(3):
                self.v[f"x{k}"] += self.v[f"s{k}"] * (time - self.t)
            self.t, before = time, {name: self.v[name] for name in SIGNALS}
            self.happen(what)
            self.events.append((time, "state" if isinstance(what, int) else what, before, {n: self.v[n] for n in SIGNALS}))
            assume(len(self.events) < 60)

    def happen(self, what):
        v, before = self.v, dict(self.v)
        if what == "clock":
            self.tick += 1
            v["m"], v["h"] = v["m"] + 1, v["x0"] + v["h"]
        elif what != "time":
            self.true[what] = not self.true[what]
            if self.true[what] and what < 3:
                turned = (what + 1) % 3
                v[f"x{what}"] = v[f"r{what}"] + (0.01 * before["n1"] if what == 1 else 0.0)
                v[f"n{what}"] += 1
                v[f"s{turned}"] = (0.1 if what == 1 else 0.0) - v[f"s{turned}"]
                self.true[what] = self.margins()[what][0] > 0.0
                was, self.true[3] = self.true[3], self.margins()[3][0] > 0.0 if what < 2 else self.true[3]
                v["p"] += self.true[3] and not was
            elif what == 3:
                v["p"] += self.true[3]
        self.output()


def number(low, high):
    return st.floats(low, high).map(lambda x: round(x, 3))


FAR = st.one_of(number(-1.0, -0.05), number(0.05, 1.0))


@st.composite
def numbers(draw):
    given = {f"c{k}": draw(number(-1.0, 1.0)) for k in range(3)}
    for k in range(3):
        given |= {
            f"x{k}": given[f"c{k}"] + draw(FAR | st.just(0.0)),
            f"r{k}": given[f"c{k}"] + draw(FAR),
            f"s{k}": 3.0 * draw(FAR),
        }
    assume(abs(given["x0"] - given["x1"]) > 0.01)
    begin, every = draw(number(-0.5, 1.0)), draw(number(0.2, 0.9))
    assume(abs(math.remainder(begin, every)) > 1e-3 or begin > 0.01)  # a tick at the start is none of the events
    times = {"begin": begin, "every": every}
    return given | times | {"early": draw(number(0.01, 1.9)), "late": draw(number(0.01, 1.9))}


@settings(max_examples=30, phases=[Phase.generate])
@given(given=numbers(), solver=st.sampled_from(SOLVERS), interval=st.sampled_from([0.0713, 0.31, 5.0]))
def test_events_and_values_on_both_sides_are_those_of_the_lines(given, solver, interval):
    merged = Map(**{name: Var(init=x) if name[0] in "xs" else x for name, x in given.items()})
    events = Lines(given).simulate()
    result = translated().simulate(STOP, merge=merged, solver=solver, interval=interval)
    last = dict.fromkeys(SIGNALS, -1)
    assert result.time[np.flatnonzero(np.diff(result.time) == 0.0)] == pytest.approx([time for time, *_ in events], abs=1e-9)
    for row, (time, _, before, after) in zip(np.flatnonzero(np.diff(result.time) == 0.0), events, strict=True):
        for name in last:
            assert result[name][row : row + 2] == pytest.approx([before[name], after[name]], abs=1e-6), (time, name)
    kinds = [kind for _, kind, *_ in events]
    assert result.statistics["events_by_kind"] == {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}
