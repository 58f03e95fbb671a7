"""What passes print, for random equations with a known solution: each line is true of the solution, and none is missing."""

from __future__ import annotations

import math
import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from modiapy.flat import sort_model

from .flat_models import flat_model
from .random_daes import RandomDae
from .test_random_daes import at

pytestmark = pytest.mark.white_box

TIME = 0.1
FUNCTIONS = {name: getattr(math, name) for name in ("sin", "cos", "atan", "tanh", "cosh", "copysign")}
FUNCTIONS |= {"abs": abs, "sign": lambda x: math.copysign(1.0, x) if x else 0.0, "time": TIME}
EQUATION = re.compile(r"^ *(?:\d+ +(?![-+*/] )|constraint +|\w+ +with +)?(?:[\w(), ]+: +)?(?P<left>[^:=]+?) :?= (?P<right>.+)$")
SYSTEM = re.compile(r"system of (\d+) unknowns?, torn: (.*)((?:\n {10}.*)*)")


def value_of(text, dae, others):
    """A printed expression at `TIME`; ``others`` are values of discrete variables and multipliers."""
    text = text.replace(".argument", "_argument")
    while found := re.search(r"der\((\w+?)(?:__(\d))?\)", text):
        text = text[: found.start()] + f"{found[1]}__{int(found[2] or 0) + 1}" + text[found.end() :]
    known = {**FUNCTIONS, **dae.parameters, **others}
    for name, order in re.findall(r"\b(\w+?)(?:__(\d))?\b", text):
        if name in dae.waves:
            known[f"{name}__{order}" if order else name] = dae.waves[name].value(TIME, int(order or 0))
        elif name.startswith("multiplier"):
            known[f"{name}__{order}" if order else name] = 0.0
    return eval(text, {"__builtins__": {}}, known)


def translated(seed, parts):
    dae, stages = RandomDae(random.Random(seed)).build(parts), {}
    flat = flat_model(dae.equations, dae.variables(), dae.parameters)
    model = sort_model(flat, observe=lambda name, state: stages.update({name: str(state)}))
    others = {name: value for name, value in at(dae, model, TIME)[1].items() if name in dae.factors}
    return dae, model, stages, others


@settings(max_examples=25)
@given(seed=st.integers(0, 10**9), parts=st.integers(1, 4))
@example(seed=657, parts=4)  # with arguments of functions that stand for themselves
@example(seed=2407, parts=4)  # with an equation that begins with a number
def test_every_line_of_every_pass_is_true(seed, parts):
    dae, _, stages, others = translated(seed, parts)
    others["after"] = lambda _: False  # the only event is at time 0.4
    del stages["expand control"]  # as it was written
    for stage, text in stages.items():
        for line in text.splitlines():
            if found := EQUATION.match(line):
                if ".argument" in found["left"]:
                    others[found["left"].replace(".", "_")] = value_of(found["right"], dae, others)
                left, right = (value_of(side, dae, others) for side in found.group("left", "right"))
                assert left == pytest.approx(right, rel=1e-6, abs=1e-6), f"{stage}: {line}"


@settings(max_examples=25)
@given(seed=st.integers(0, 10**9), parts=st.integers(1, 4))
@example(seed=657, parts=4)  # with arguments of functions that stand for themselves
def test_what_is_printed_in_the_end_gives_each_variable_once(seed, parts):
    """By an assignment, by an iteration, as a state or as an alias; an iteration has as many residuals as unknowns."""
    dae, model, stages, _ = translated(seed, parts)
    text = stages["assemble"]
    given_ = [*model.states, *re.findall(r"^ *(?:\d+ +)?(\S+) := ", text, re.M)]
    for size, torn, lines in SYSTEM.findall(text):
        given_ += torn.split(", ")
        assert lines.count("\n          0 = ") == len(torn.split(", "))
        assert lines.count(" := ") + len(torn.split(", ")) == int(size)
    given_ += re.findall(r"^  (\S+) = ", text.partition("\naliases\n")[2], re.M)
    assert len(set(given_)) == len(given_)
    assert {*dae.waves, *dae.factors} <= set(given_)
    for name in model.unknowns:  # what results hold
        assert name.replace("der(", "").rstrip(")") in given_, name
        assert "argument" not in name


@settings(max_examples=10)
@given(seed=st.integers(0, 10**9), parts=st.integers(1, 4))
@example(seed=657, parts=4)
def test_no_variable_is_missing_from_what_passes_print_until_systems_are_sorted(seed, parts):
    """What an elimination takes out of the equations is printed as an alias from then on."""
    dae, _, stages, _ = translated(seed, parts)
    for stage in ("eliminate aliases", "remove singularities"):
        assert set(dae.waves) <= set(re.findall(r"\w+", stages[stage])), stage
