"""The Fourier transform of the standard library: an external function of a vector.

The transform of n numbers by the prime factors of n, each stage in order (T. G. Stockham, High-speed convolution and
correlation, AFIPS 1966). The function is compiled, which numpy's transform cannot be.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....model.expression import ZERO, Apply, Equation, Expr, Name
from ....model.functions import UserFunction
from ....symbolic.flat.flat_model import Variable
from .context import Context
from .refusals import Refusal
from .values import Value, array_of


def spectrum(active, u):  # type: ignore[no-untyped-def]
    """Return the amplitudes, by the number of frequencies, and phases [rad], one behind the other.

    Args:
        active: false if nobody looks at the result, which is 0 then.
        u: at equal distances in time, shape (n,), n even. There are n/2 + 1 frequencies.
    """
    n = len(u)
    count = n // 2 + 1
    if not active:
        return np.zeros(2 * count)
    angles = 2.0 * np.pi * np.arange(n) / n
    cosine, sine = np.cos(angles), np.sin(angles)
    real, imaginary = u.copy(), np.zeros(n)
    left, stride = n, 1
    while left > 1:
        factor = 2
        while left % factor:
            factor += 1
        rest = left // factor
        next_real, next_imaginary = np.zeros(n), np.zeros(n)
        for p in range(rest):
            for k in range(factor):
                for j in range(factor):
                    turned = (k * (p + j * rest) * stride) % n
                    c, s = cosine[turned], sine[turned]
                    for q in range(stride):
                        source, target = q + stride * (p + j * rest), q + stride * (factor * p + k)
                        next_real[target] += real[source] * c + imaginary[source] * s
                        next_imaginary[target] += imaginary[source] * c - real[source] * s
        real, imaginary = next_real, next_imaginary
        left, stride = rest, stride * factor
    result = np.empty(2 * count)
    for k in range(count):
        result[k] = np.sqrt(real[k] ** 2 + imaginary[k] ** 2) / count
        result[count + k] = np.arctan2(imaginary[k], real[k])
    return result


def transformed(reading: Context, args: Sequence[Value]) -> list[Value]:
    """Return ``ModelicaFFT_kiss_fftr``: whether it failed, amplitudes and phases of a vector whose length is even."""
    u = args[0]
    if not isinstance(u, np.ndarray) or u.ndim != 1 or u.size % 2:
        raise Refusal("the input of a Fourier transform is no vector of even length", found=str(np.shape(u)))
    flat, path = reading.flat, reading.component
    number = len(flat.shapes) // 2 + 1
    given, result = (Name(f"{path}.{what}({number})".lstrip(".")) for what in ("samples", "transformed"))
    count = u.size // 2 + 1
    flat.shapes |= {given.name: (u.size,), result.name: (2 * count,)}
    flat.variables |= {name.name: Variable(name.name, origin=path) for name in (given, result)}
    (call,) = UserFunction(spectrum, shapes=((2 * count,),)).call("spectrum", [reading.active, given])
    flat.equations += [Equation(given, Apply("array", tuple(u)), path), Equation(result, call, path)]
    elements: list[Expr] = [Apply(f"[{k}]", (result,)) for k in range(2 * count)]
    return [ZERO, array_of(elements[:count]), array_of(elements[count:])]
