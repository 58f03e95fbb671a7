"""What prompts and notebooks show of long results and large models: the last segments, the first values, what is left out."""

import re

import pytest

from modiapy import Array, Model, Var, instantiate
from modiapy.acausal import SegmentChange

from .test_components import Actor, model

pytestmark = pytest.mark.white_box

TIMES = tuple(k / 64.0 for k in range(1, 41))


@pytest.fixture(scope="module")
def result():
    """41 segments, with an event in each but the first and the last one."""
    done = set()

    def event(start):
        if start.time in done or start.time not in TIMES:
            return None
        done.add(start.time)
        return SegmentChange(f"the <{start.time!r}>")

    between = tuple(t + 1.0 / 128.0 for t in TIMES[:-1])
    actors = {"a": Actor(event, tuple(sorted((*TIMES, *between))))}
    return instantiate(
        model(actors, x=Var(init=1.0), y=Var(init=[1.0, 2.0]), equations=["der(x) = -x", "der(y) = -y"]), "Long"
    ).simulate(0.63)


def expected(record):
    return [str(record.index), f"{record.start:.6g}", "3", str(record.events), record.cause]


def test_of_many_segments_the_last_ones_are_shown(result):
    assert [record.events for record in result.segments] == [1, *[2] * 39, 0]
    lines = str(result).splitlines()
    assert lines[0] == repr(result) == f"<Result of Long: finished at 0.63 s, 41 segments, {result.time.size} points>"
    assert re.split(r"\s{2,}", lines[1].strip()) == ["segment", "begins [s]", "states", "events", "cause"]
    assert [re.split(r"\s{2,}", line.strip()) for line in lines[2:-1]] == [expected(r) for r in result.segments[-30:]]
    assert lines[-1] == "... and 11 segments before"


def test_notebooks_show_the_same_as_a_table_and_texts_as_texts(result):
    page = result._repr_html_()
    rows = [re.findall("<td>(.*?)</td>", row) for row in re.findall("<tr>(.*?)</tr>", page)]
    assert rows[1:] == [[cell.replace("<", "&lt;").replace(">", "&gt;") for cell in expected(r)] for r in result.segments[-30:]]
    assert re.findall("<p>(.*?)</p>", page) == [repr(result).strip("<>"), "... and 11 segments before"]


def test_of_many_states_parameters_and_lines_of_a_component_the_first_ones_are_shown():
    class Talkative(Actor):
        def __str__(self):
            return "\n".join(f"line {k}" for k in range(33))

    tank = Model(k=2.0, h=Var(init="0.5*i"), equations=["der(h) = -k*h"])
    part = Model(_component=lambda scope: Talkative(lambda start: None))
    rest = Model(part=part, free=Var(input=True), z=Var(), equations=["der(z) = free"])
    sim = instantiate(Model(tanks=Array(35, tank)) | rest, "Tanks")
    lines = [line.strip() for line in str(sim).splitlines()]
    of = {title: lines.index(title) for title in ("states:", "inputs:", "parameters:", "component part:")}
    assert list(of.values()) == sorted(of.values())
    values = {f"tanks[{k}].h": 0.5 * k for k in range(35)} | {"z": 0.0}
    states = [f"{name} = {values[name]!r}" for name in sim.states]
    assert lines[of["states:"] + 1 : of["inputs:"]] == [*states[:30], "... and 6 more"]
    assert lines[of["inputs:"] + 1 : of["parameters:"]] == ["free = 0.0"]
    parameters = [f"tanks[{k}].k = 2.0" for k in range(30)]
    assert lines[of["parameters:"] + 1 : of["component part:"]] == [*parameters, "... and 5 more"]
    assert lines[of["component part:"] + 1 :] == [*(f"line {k}" for k in range(30)), "... and 3 lines more"]
