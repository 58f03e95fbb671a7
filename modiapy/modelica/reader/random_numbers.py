"""The generators of random numbers of the standard library: the state is 32 bits in each number, as the library's.

Source of the algorithms: S. Vigna, An experimental exploration of Marsaglia's xorshift generators, scrambled (2014), in
numbers of 32 bits, which products and sums do not overflow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...model.expression import Apply, Const, Expr, apply
from ...model.functions import UserFunction
from .terms.context import Context
from .terms.refusals import Refusal
from .terms.values import Value, array_of, integer

_PACKAGE = "Modelica.Math.Random"
_IMPURE_ID = 715827883
"""What the library's function returns that starts the generator with a hidden state."""
_FACTOR64, _FACTOR1024 = 0x2545F4914F6CDD1D, 0x106689D45497FDB5


def _shifted64(low, high):  # type: ignore[no-untyped-def]
    mask = 0xFFFFFFFF
    a, b = int(low) & mask, int(high) & mask
    a, b = a ^ (((a >> 12) | (b << 20)) & mask), b ^ (b >> 12)
    a, b = a ^ ((a << 25) & mask), b ^ (((b << 25) | (a >> 7)) & mask)
    a, b = a ^ (((a >> 27) | (b << 5)) & mask), b ^ (b >> 27)
    return float(a), float(b)


def _shifted1024(low, high, next_low, next_high):  # type: ignore[no-untyped-def]
    mask = 0xFFFFFFFF
    a, b = int(low) & mask, int(high) & mask
    c, d = int(next_low) & mask, int(next_high) & mask
    c, d = c ^ ((c << 31) & mask), d ^ (((d << 31) | (c >> 1)) & mask)
    c, d = c ^ (((c >> 11) | (d << 21)) & mask), d ^ (d >> 11)
    a, b = a ^ (((a >> 30) | (b << 2)) & mask), b ^ (b >> 30)
    return float(a ^ c), float(b ^ d)


def _multiplied(low, high, factor_low, factor_high):  # type: ignore[no-untyped-def]
    mask = 0xFFFFFFFF
    a, b, f, g = int(low), int(high), int(factor_low), int(factor_high)
    first, second = (a & 0xFFFF) * f, (a >> 16) * f
    sum_low = first + ((second & 0xFFFF) << 16)
    b = ((sum_low >> 32) + (second >> 16) + (b & 0xFFFF) * f + (((b >> 16) * f & 0xFFFF) << 16)
         + (a & 0xFFFF) * g + (((a >> 16) * g & 0xFFFF) << 16)) & mask  # fmt: skip
    a = sum_low & mask
    a = a - 0x100000000 if a >= 0x80000000 else a
    b = b - 0x100000000 if b >= 0x80000000 else b
    number = (b * 4294967296.0 + (a & mask)) * 5.42101086242752217004e-20 + 0.5
    return number, float(a), float(b)


def _xorshift128plus(a, b, c, d):  # type: ignore[no-untyped-def]
    mask = 0xFFFFFFFF
    p, q = int(a) & mask, int(b) & mask
    r, s = int(c) & mask, int(d) & mask
    p, q = p ^ ((p << 23) & mask), q ^ (((q << 23) | (p >> 9)) & mask)
    low = (p ^ r ^ ((p >> 17) | (q << 15)) ^ ((r >> 26) | (s << 6))) & mask
    high = (q ^ s ^ (q >> 17) ^ (s >> 26)) & mask
    low = low + r
    high = (high + s + (low >> 32)) & mask
    low = low & mask
    number_high = high - 0x100000000 if high >= 0x80000000 else high
    number = (number_high * 4294967296.0 + low) * 5.42101086242752217004e-20 + 0.5
    x = low - 0x100000000 if low >= 0x80000000 else low
    return number, float(c), float(d), float(x), float(number_high)


_PLUS = UserFunction(_xorshift128plus, outputs=5)
_SHIFTED64, _SHIFTED1024 = UserFunction(_shifted64, outputs=2), UserFunction(_shifted1024, outputs=2)
_MULTIPLIED = UserFunction(_multiplied, outputs=3)


def _star(shifted: UserFunction, state: Sequence[Expr], factor: int) -> tuple[list[Expr], list[Expr]]:
    """Return the next 64 bits, then the random number and the bits of their product with a factor."""
    words = shifted.call(f"{_PACKAGE}.{shifted.name.lstrip('_')}", state)
    factors = [Const(float(factor & 0xFFFFFFFF)), Const(float(factor >> 32))]
    return words, _MULTIPLIED.call(f"{_PACKAGE}.multiplied", [*words, *factors])


def _xorshift64star(state: Sequence[Expr]) -> list[Expr]:
    """Return a random number, and the next state."""
    return _star(_SHIFTED64, state, _FACTOR64)[1]


def xorshift1024star(state: Sequence[Expr]) -> tuple[Expr, list[Expr]]:
    """Return a random number, and the next state: 16 words of two numbers, the one that comes next first."""
    new, (number, _, _) = _star(_SHIFTED1024, state[:4], _FACTOR1024)
    return number, [*new, *state[4:], *state[:2]]


def _first(condition_of: Expr, other: Expr) -> Expr:
    """Return the local seed, or a large prime number where both seeds are zero."""
    both = apply("and", Apply("==", (condition_of, Const(0.0))), Apply("==", (other, Const(0.0))))
    return apply("if", apply("noEvent", both), Const(126247697.0), condition_of)


def _next(state: Sequence[Expr]) -> list[Expr]:
    return _xorshift64star(state)[1:]


def initial_state(local_seed: Expr, global_seed: Expr, count: int) -> list[Expr]:
    """Return the first state, of ``count`` numbers: ten steps from the seeds, then a step for each further pair."""
    pair: list[Expr] = [_first(local_seed, global_seed), global_seed]
    for _ in range(10):
        pair = _next(pair)
    state = list(pair)
    while len(state) < count:
        pair = _next(pair)
        state += pair
    return state[:count]


def _state_of(count: int) -> Callable[[Context, Sequence[Value]], list[Value]]:
    def function(reading: Context, args: Sequence[Value]) -> list[Value]:
        return [array_of(initial_state(args[0], args[1], count))]

    return function


def _state(reading: Context, args: Sequence[Value]) -> list[Value]:
    return [array_of(initial_state(args[0], args[1], integer(reading.interpreter.known(args[2]))))]


def _random(generator: Callable[[Sequence[Expr]], list[Expr]]) -> Callable[[Context, Sequence[Value]], list[Value]]:
    def function(reading: Context, args: Sequence[Value]) -> list[Value]:
        number, *state = generator(list(args[0]))
        return [number, array_of(state)]

    return function


def _xorshift128plus_of(state: Sequence[Expr]) -> list[Expr]:
    return _PLUS.call(f"{_PACKAGE}.Generators.Xorshift128plus.random", state)


def hidden_state(seed: float) -> list[float]:
    """Return the state of the generator with a hidden state that the library begins with."""
    low, high = float(_IMPURE_ID), seed
    state: list[float] = []
    for step in range(26):
        low, high = _shifted64(low, high)
        _, low, high = _multiplied(low, high, _FACTOR64 & 0xFFFFFFFF, _FACTOR64 >> 32)
        state += (low, high) if step >= 9 else ()
    first = 2 * (int(state[32]) & 15)
    return [*state[first:32], *state[:first]]


def _begin_hidden(reading: Context, args: Sequence[Value]) -> list[Value]:
    """Return ``initializeImpureRandom``: the seed of the generator with a hidden state."""
    reading.draws.begin(args[0], hidden_state, 32)
    return [Const(_IMPURE_ID)]


def _draw_hidden(reading: Context, args: Sequence[Value]) -> list[Value]:
    return [reading.draws.draw(xorshift1024star)]


def _hash(reading: Context, args: Sequence[Value]) -> list[Value]:
    """Return ``hashString``: A. Partow's hash function of bytes, as a number of 32 bits with its sign."""
    if not isinstance(args[0], str):
        raise Refusal("the hash of a text that changes is not read")
    mask, value = 0xFFFFFFFF, 0xAAAAAAAA
    for k, byte in enumerate(args[0].encode()):
        if k % 2:
            value ^= ~((value << 11) + (byte ^ (value >> 5))) & mask
        else:
            value ^= ((value << 7) ^ (byte * (value >> 3))) & mask
    return [Const(value - (1 << 32) if value >> 31 else value)]


FUNCTIONS: dict[str, Callable[[Context, Sequence[Value]], list[Value]]] = {
    f"{_PACKAGE}.Generators.Xorshift64star.initialState": _state_of(2),
    f"{_PACKAGE}.Generators.Xorshift128plus.initialState": _state_of(4),
    f"{_PACKAGE}.Generators.Xorshift64star.random": _random(_xorshift64star),
    f"{_PACKAGE}.Generators.Xorshift128plus.random": _random(_xorshift128plus_of),
    f"{_PACKAGE}.Utilities.initialStateWithXorshift64star": _state,
    f"{_PACKAGE}.Utilities.initializeImpureRandom": _begin_hidden,
    f"{_PACKAGE}.Utilities.impureRandom": _draw_hidden,
    "Modelica.Utilities.Strings.hashString": _hash,
}
