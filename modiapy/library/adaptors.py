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


def potential_to_flow(
    description: str,
    port: str,
    connector: Model,
    variables: tuple[str, str],
    signals: Sequence[str],
    flow: str,
    units: Sequence[str],
) -> Model:
    """Return an adaptor that moves a connector by signals and puts out the flow that this takes.

    Args:
        description: what it does.
        port, connector: name of the connector, and what it is.
        variables: names of its potential and flow.
        signals: names of the inputs: potential, first, second derivative.
        flow: name of the output.
        units: of potential, its derivatives, and flow.
    """
    inputs = {name: Var(input=True, unit=unit) for name, unit in zip(signals, units, strict=False)}
    model = Model(description=description, **{port: connector}, **inputs, **{flow: Var(output=True, unit=units[-1])})
    equations = [f"{port}.{variables[0]} = {signals[0]}", f"{flow} = -{port}.{variables[1]}"]
    return model | Model(equations=equations)


def flow_to_potential(
    description: str,
    port: str,
    connector: Model,
    variables: tuple[str, str],
    signals: Sequence[str],
    flow: str,
    units: Sequence[str],
) -> Model:
    """Return an adaptor that gives a connector the flow of a signal, and puts out its potential and derivatives; see above."""
    outputs = {name: Var(output=True, unit=unit) for name, unit in zip(signals, units, strict=False)}
    chain = [f"{signals[0]} = {port}.{variables[0]}", f"{port}.{variables[1]} = {flow}"]
    chain += [f"{upper} = der({lower})" for lower, upper in pairwise(signals)]
    return Model(
        description=description, **{port: connector}, **outputs, **{flow: Var(input=True, unit=units[-1])}, equations=chain
    )
