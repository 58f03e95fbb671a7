"""Adaptors between pins and signals, by which parts of a circuit become blocks with inputs and outputs (FMUs).

As in `modiapy.library.adaptors`, inputs for derivatives are there for the exchange only: inside of one model the equations of
the signal itself are differentiated.
"""

from __future__ import annotations

from typing import Any

from ...model.model import Model, Var
from .interfaces import Pin


def _adaptor(description: str, given: tuple[str, str], received: tuple[str, str], gives: bool, receives: bool) -> Model:
    """Return an adaptor: signals and variables that it puts out and takes in; whether their derivatives are exchanged, too."""
    units = {"v": "V", "-i": "A", "i": "A"}
    (output, value), (entry, own) = given, received
    signals: dict[str, Any] = {
        output: Var(value, output=True, unit=units[value]),
        entry: Var(input=True, unit=units[own]),
    }
    if gives:
        signals[f"{output}der"] = Var(f"der({output})", output=True, unit=f"{units[value]}/s")
    if receives:
        signals[f"{entry}der"] = Var(input=True, unit=f"{units[own]}/s")
    return Model(signals) | Model(
        description=description,
        pin_p=Pin,
        pin_n=Pin,
        v=Var("pin_p.v - pin_n.v", unit="V", description="voltage from pin_p to pin_n"),
        i=Var("pin_p.i", unit="A", description="current from pin_p to pin_n"),
        equations=["pin_p.i + pin_n.i = 0", f"{own} = {entry}"],
    )


def GeneralCurrentToVoltageAdaptor(use_pder: bool = True, use_fder: bool = True) -> Model:
    """The current f [A] from pin_p to pin_n is an input, the voltage p [V] an output.

    Args:
        use_pder: whether pder, the derivative of the voltage, is an output, too.
        use_fder: whether fder, the derivative of the current, is an input, too.
    """
    return _adaptor("Adaptor: current in, voltage out", ("p", "v"), ("f", "i"), use_pder, use_fder)


def GeneralVoltageToCurrentAdaptor(use_pder: bool = True, use_fder: bool = True) -> Model:
    """The voltage p [V] from pin_p to pin_n is an input, the current f [A] that it drives out of pin_p an output.

    Args:
        use_pder: whether pder, the derivative of the voltage, is an input, too.
        use_fder: whether fder, the derivative of the current, is an output, too.
    """
    return _adaptor("Adaptor: voltage in, current out", ("f", "-i"), ("p", "v"), use_fder, use_pder)
