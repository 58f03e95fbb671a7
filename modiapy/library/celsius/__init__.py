"""Temperatures in degC, for thermal networks (`modiapy.library.heat_transfer`), which compute in K."""

from __future__ import annotations

from ...model.model import Model, Var
from ..blocks import SISO
from ..heat_transfer import HeatPort

__all__ = ["FixedTemperature", "FromKelvin", "PrescribedTemperature", "TemperatureSensor", "ToKelvin"]

ToKelvin = SISO | Model(description="Temperature in K of a temperature in degC", equations=["y = u + 273.15"])

FromKelvin = SISO | Model(description="Temperature in degC of a temperature in K", equations=["y = u - 273.15"])

FixedTemperature = Model(description="Constant temperature T [degC]", T=20.0, port=HeatPort, equations=["port.T = T + 273.15"])

PrescribedTemperature = Model(
    description="Prescribed temperature T [degC]",
    T=Var(input=True, unit="degC"),
    port=HeatPort,
    equations=["port.T = T + 273.15"],
)

TemperatureSensor = Model(
    description="Measures the temperature T [degC]",
    port=HeatPort,
    T=Var("port.T - 273.15", output=True, unit="degC"),
    equations=["port.Q_flow = 0"],
)
