"""Random numbers are those of the standard library's generators, bit by bit; models draw them as the language says."""

from typing import Any

import numpy as np
import pytest

from modiapy import ModelError
from modiapy.flat import Const
from modiapy.model.expression import evaluate
from modiapy.modelica.reader.externals import EXTERNALS

from .conftest import Written

pytestmark = pytest.mark.white_box

ALL = (1 << 64) - 1
GENERATORS = "Modelica.Math.Random.Generators"


def signed(value: int, bits: int = 32) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def words(value: int) -> list[int]:
    return [signed(value & 0xFFFFFFFF), signed(value >> 32)]


def joined(low: int, high: int) -> int:
    return (low & 0xFFFFFFFF) | ((high & 0xFFFFFFFF) << 32)


def star(state: list[int]) -> tuple[float, list[int]]:
    """xorshift64* in numbers of any length."""
    x = joined(*state)
    x ^= x >> 12
    x ^= (x << 25) & ALL
    x ^= x >> 27
    x = x * 2685821657736338717 & ALL
    return signed(x, 64) / 2.0**64 + 0.5, words(x)


def plus(state: list[int]) -> tuple[float, list[int]]:
    """xorshift128+ in numbers of any length."""
    one, two = joined(*state[:2]), joined(*state[2:])
    one ^= (one << 23) & ALL
    new = ((one ^ two ^ (one >> 17) ^ (two >> 26)) + two) & ALL
    return signed(new, 64) / 2.0**64 + 0.5, [*state[2:], *words(new)]


def drawn(name: str, state: list[int]) -> tuple[float, list[int]]:
    vector = np.array([Const(float(s)) for s in state], dtype=object)
    number, new = EXTERNALS[f"{GENERATORS}.{name}.random"](None, [vector])  # type: ignore[arg-type]
    return evaluate(number, {}), [int(evaluate(e, {})) for e in new]


@pytest.mark.parametrize(("name", "exact", "count"), [("Xorshift64star", star, 2), ("Xorshift128plus", plus, 4)])
def test_each_step_is_that_of_exact_arithmetic(name: str, exact: object, count: int) -> None:
    random = np.random.default_rng(5)
    states = random.integers(-(2**31), 2**31, size=(500, count)).tolist() + [[-1] * count, [0] * (count - 1) + [-(2**31)]]
    for state in states:
        number, new = drawn(name, state)
        wanted, next_state = exact(state)  # type: ignore[operator]
        assert new == next_state
        assert number == pytest.approx(wanted, abs=1e-15)


def test_a_state_begins_ten_steps_from_its_seeds() -> None:
    for seeds, first in (((7, -3), [7, -3]), ((0, 5), [0, 5]), ((5, 0), [5, 0]), ((0, 0), [126247697, 0])):
        state = first
        for _ in range(10):
            state = star(state)[1]
        wanted = [*state, *star(state)[1]]
        arguments = [Const(float(s)) for s in seeds]
        (found,) = EXTERNALS[f"{GENERATORS}.Xorshift128plus.initialState"](None, arguments)  # type: ignore[arg-type]
        assert [int(evaluate(e, {})) for e in found] == wanted


@pytest.mark.parametrize(("text", "hashed"), [("", -1431655766), ("M", -1431612093)])
def test_the_hash_of_a_text(text: str, hashed: int) -> None:
    # the first step by hand: 0xAAAAAAAA ^ ((0xAAAAAAAA << 7) ^ 77*(0xAAAAAAAA >> 3))
    if text:
        value = 0xAAAAAAAA
        hashed = signed(value ^ (((value << 7) ^ (77 * (value >> 3))) & 0xFFFFFFFF))
    (found,) = EXTERNALS["Modelica.Utilities.Strings.hashString"](None, [text])  # type: ignore[arg-type]
    assert found == Const(float(hashed))


def test_several_results_are_drawn_at_samples_from_an_initial_state(written: Written) -> None:
    """As the library's noise: what initial equations say of discrete variables follows from one another."""
    sim = written("""model M
      function next
        input Real state[2];
        output Real number;
        output Real new[2];
      algorithm
        new := {0.5*state[1] + 1, state[1]};
        number := new[1] + 10*state[2];
      end next;
      parameter Real seed(fixed = false), twice = 2*seed;
      discrete Real state[2];
      discrete Real number, scaled;
    initial equation
      seed = 3;
      pre(state) = {seed, twice};
      number = next(pre(state));
      scaled = 2*number;
    equation
      when sample(0.5, 1) then
        (number, state) = next(pre(state));
      end when;
      when sample(0.5, 1) then
        scaled = 2*number;
      end when;
    end M;""")
    result = sim.simulate(2.0)
    at = lambda name, t: result[name][np.searchsorted(result.time, t, side="right") - 1]  # noqa: E731
    assert [at("number", t) for t in (0.2, 0.7, 1.7)] == [62.5, 62.5, 32.25]
    assert [at("state[1]", t) for t in (0.2, 0.7, 1.7)] == [3.0, 2.5, 2.25]
    assert [at("scaled", t) for t in (0.2, 0.7, 1.7)] == [125.0, 125.0, 64.5]


def test_what_was_before_is_not_what_an_algorithm_has_assigned(written: Written) -> None:
    sim = written("""model M
      discrete Integer n(start = 3, fixed = true), before(start = 0, fixed = true);
    algorithm
      when time > 0.5 then
        n := n + 1;
        n := n + pre(n);
        before := pre(n);
      end when;
    end M;""")
    result = sim.simulate(1.0)
    assert (result["n"][-1], result["before"][-1]) == (7, 3)


def star1024(state: list[int], position: int) -> tuple[float, int]:
    """xorshift1024* in numbers of any length; changes the state."""
    first = state[position]
    position = (position + 1) & 15
    next_one = state[position]
    next_one ^= (next_one << 31) & ALL
    next_one ^= next_one >> 11
    state[position] = first ^ (first >> 30) ^ next_one
    return signed(state[position] * 1181783497276652981 & ALL, 64) / 2.0**64 + 0.5, position


def hidden(seed: int, count: int) -> list[float]:
    """The first numbers of the generator with a hidden state."""
    pair = [715827883, seed]
    words: list[int] = []
    for step in range(26):
        pair = star(pair)[1]
        words += pair if step >= 9 else []
    state, position = [joined(*words[2 * k : 2 * k + 2]) for k in range(16)], words[32] & 15
    numbers = []
    for _ in range(count):
        number, position = star1024(state, position)
        numbers.append(number)
    return numbers


UTILITIES = """package Modelica package Math package Random package Utilities
      impure function initializeImpureRandom input Integer seed; output Integer id; external "C" id = f(seed);
      end initializeImpureRandom;
      impure function impureRandom input Integer id; output Real y; external "C" y = g(id); end impureRandom;
      function between input Integer id; input Real high; output Real y; algorithm y := high*impureRandom(id); end between;
    end Utilities; end Random; end Math; end Modelica;
    """


def test_numbers_with_a_hidden_state_are_those_of_one_generator(written: Written) -> None:
    """Whoever draws goes on where the last one ended: in equations and algorithms, at the same instant or another."""
    sim = written(
        UTILITIES
        + """model M
      import Modelica.Math.Random.Utilities.*;
      final parameter Integer seed(fixed = false), id(fixed = false);
      Real one, two[2], three;
    initial equation
      seed = 67867967;
      id = initializeImpureRandom(seed);
    equation
      when {initial(), sample(1, 1)} then
        one = impureRandom(id);
      end when;
      when sample(1.5, 1) then
        two = {impureRandom(id), between(id, 10)};
      end when;
    algorithm
      when sample(2, 2) then
        three := impureRandom(id);
      end when;
    end M;"""
    )
    result = sim.simulate(4.2)
    at = lambda name, t: result[name][np.searchsorted(result.time, t, side="right") - 1]  # noqa: E731
    wanted = hidden(67867967, 12)
    order: list[Any] = [("one", 0.5), ("one", 1.2), ("two", 1.7), ("one", 2.2), ("three", 2.2), ("two", 2.7), ("one", 3.2),
                        ("two", 3.7), ("one", 4.2), ("three", 4.2)]  # fmt: skip
    drawn: list[float] = []
    for name, t in order:
        drawn += [at("two[1]", t), at("two[2]", t) / 10] if name == "two" else [at(name, t)]
    assert drawn[:11] == pytest.approx(wanted[:11], abs=1e-15)


def test_a_number_with_a_hidden_state_has_an_instant(written: Written) -> None:
    with pytest.raises(ModelError, match="outside of a 'when'"):
        written(
            UTILITIES
            + """model M
          parameter Integer id = Modelica.Math.Random.Utilities.initializeImpureRandom(3);
          Real x = Modelica.Math.Random.Utilities.impureRandom(id);
        end M;"""
        )
