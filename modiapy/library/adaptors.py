"""Adaptors between connectors and signals, by which parts of a model become blocks with inputs and outputs (FMUs).

The derivatives of a potential are signals, too, because blocks of other tools cannot differentiate their inputs. Inside of one
model the equations of the potential itself are differentiated: the inputs for its derivatives are there for the exchange, and
must agree with them. Source of the names: Modelica.Blocks.Interfaces.Adaptors.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ..model.functions import Function
from ..model.model import Model, Var


def _second(p: float, p1: float, p2: float, t: float, dt: float, ddt: float, d2t: float) -> float:
    return p2 * dt * ddt + p1 * d2t


def _first(p: float, p1: float, p2: float, t: float, dt: float) -> float:
    return p1 * dt


def _value(p: float, p1: float, p2: float, t: float) -> float:
    return p


_GIVEN = ("p", "p1", "p2")

WITH_TWO_DERIVATIVES = Function(
    _value, derivative=Function(_first, derivative=_second, no_derivative=_GIVEN), no_derivative=_GIVEN
)
"""``p(p, p1, p2, time)``, whose derivatives are p1 and p2."""


GENERAL = ("p", "pder", "pder2")
"""Signals of a potential and its derivatives in all adaptors named General."""


def potential_to_flow(
    description: str,
    port: str,
    connector: Model,
    first: bool,
    second: bool = False,
    signals: Sequence[str] = GENERAL,
    flow: str = "f",
) -> Model:
    """Return an adaptor that moves a connector by signals and puts out the flow that this takes.

    Args:
        description: what it does.
        port, connector: name of the connector, and what it is.
        first, second: whether the first derivative of the potential is an input, too; and then whether the second one is.
        signals: names of the inputs: potential, first, second derivative.
        flow: name of the output.
    """
    potential, through, units = _variables(connector, first, second)
    inputs = {name: Var(input=True, unit=unit) for name, unit in zip(signals, units, strict=False)}
    outputs = {flow: Var(output=True, unit=connector[through]["unit"])}
    equations = [f"{port}.{potential} = {signals[0]}", f"{flow} = -{port}.{through}"]
    return Model(description=description, **{port: connector}, **inputs, **outputs, equations=equations)


def flow_to_potential(
    description: str,
    port: str,
    connector: Model,
    first: bool,
    second: bool = False,
    signals: Sequence[str] = GENERAL,
    flow: str = "f",
) -> Model:
    """Return an adaptor that gives a connector the flow of a signal, and puts out its potential and derivatives; see above."""
    potential, through, units = _variables(connector, first, second)
    outputs = {name: Var(output=True, unit=unit) for name, unit in zip(signals, units, strict=False)}
    inputs = {flow: Var(input=True, unit=connector[through]["unit"])}
    equations = [f"{signals[0]} = {port}.{potential}", f"{port}.{through} = {flow}"]
    equations += [f"{upper} = der({lower})" for lower, upper in pairwise(outputs)]
    return Model(description=description, **{port: connector}, **outputs, **inputs, equations=equations)


def _variables(connector: Model, first: bool, second: bool) -> tuple[str, str, list[str]]:
    """Return the names of the potential and the flow, and the units of the potential and of its wanted derivatives."""
    potential, flow = (next(name for name in connector if role in connector[name]) for role in ("potential", "flow"))
    units = [f"{connector[potential]['unit']}{per}" for per in ("", "/s", "/s2")]
    return potential, flow, units[: 1 + first + (first and second)]
