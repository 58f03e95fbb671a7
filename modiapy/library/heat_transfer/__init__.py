"""Thermal networks: heat flows between lumped temperatures.

Conventions of Modelica.Thermal.HeatTransfer: a heat flow ``Q_flow`` is positive when it flows into the component; SI units,
temperatures in K.
"""

from __future__ import annotations

from ...model.model import Model, Var
from ..adaptors import flow_to_potential, potential_to_flow

__all__ = [
    "BodyRadiation",
    "Convection",
    "ConvectiveResistor",
    "Element1D",
    "FixedHeatFlow",
    "FixedTemperature",
    "GeneralHeatFlowToTemperatureAdaptor",
    "GeneralTemperatureToHeatFlowAdaptor",
    "HeatCapacitor",
    "HeatFlowSensor",
    "HeatPort",
    "PrescribedHeatFlow",
    "PrescribedTemperature",
    "RelTemperatureSensor",
    "TemperatureSensor",
    "ThermalCollector",
    "ThermalConductor",
    "ThermalResistor",
    "WithHeatPort",
]

HeatPort = Model(
    description="Thermal port",
    T=Var(potential=True, unit="K", description="temperature"),
    Q_flow=Var(flow=True, unit="W", description="heat flow into the component"),
)

Element1D = Model(
    description="Base of components that transport heat from port_a to port_b and store none",
    port_a=HeatPort,
    port_b=HeatPort,
    Q_flow=Var(unit="W", description="heat flow from port_a to port_b"),
    dT=Var("port_a.T - port_b.T", unit="K", description="temperature of port_a minus that of port_b"),
    equations=["port_a.Q_flow = Q_flow", "port_b.Q_flow = -Q_flow"],
)

WithHeatPort = Model(
    description="To be merged with a component that has losses (rotational.Damper | WithHeatPort): its loss_power flows out of"
    " heat_port",
    heat_port=HeatPort,
    equations=["heat_port.Q_flow = -loss_power"],
)

HeatCapacitor = Model(
    description="Lumped thermal mass with heat capacity C [J/K]",
    C=1.0,
    port=HeatPort,
    T=Var(start=293.15, unit="K", description="temperature"),
    der_T=Var("der(T)", unit="K/s"),
    equations=["T = port.T", "C*der_T = port.Q_flow"],
)

ThermalConductor = Element1D | Model(
    description="Conduction with the thermal conductance G [W/K]", G=1.0, equations=["Q_flow = G*dT"]
)

ThermalResistor = Element1D | Model(
    description="Conduction with the thermal resistance R [K/W]", R=1.0, equations=["dT = R*Q_flow"]
)

_Convective = Model(
    solid=HeatPort,
    fluid=HeatPort,
    Q_flow=Var(unit="W", description="heat flow from solid to fluid"),
    dT=Var("solid.T - fluid.T", unit="K", description="temperature of the solid minus that of the fluid"),
    equations=["solid.Q_flow = Q_flow", "fluid.Q_flow = -Q_flow"],
)

Convection = _Convective | Model(
    description="Convection from solid to fluid with the thermal conductance Gc [W/K]",
    Gc=Var(input=True, unit="W/K"),
    equations=["Q_flow = Gc*dT"],
)

ConvectiveResistor = _Convective | Model(
    description="Convection from solid to fluid with the thermal resistance Rc [K/W]",
    Rc=Var(input=True, unit="K/W"),
    equations=["dT = Rc*Q_flow"],
)

BodyRadiation = Element1D | Model(
    description="Radiation between two bodies; Gr [m2]: area times emissivity and view factor; sigma: constant of Stefan and"
    " Boltzmann (CODATA 2018)",
    Gr=1.0,
    sigma=5.670374419e-8,
    equations=["Q_flow = Gr*sigma*(port_a.T**4 - port_b.T**4)"],
)

FixedTemperature = Model(description="Constant temperature T [K]", T=293.15, port=HeatPort, equations=["port.T = T"])

PrescribedTemperature = Model(
    description="Prescribed temperature T [K]", T=Var(input=True, unit="K"), port=HeatPort, equations=["port.T = T"]
)

FixedHeatFlow = Model(
    description="Constant heat flow Q_flow [W] into what is connected; with alpha [1/K] it grows with the temperature above"
    " T_ref [K]",
    Q_flow=1.0,
    T_ref=293.15,
    alpha=0.0,
    port=HeatPort,
    equations=["port.Q_flow = -Q_flow*(1 + alpha*(port.T - T_ref))"],
)

PrescribedHeatFlow = FixedHeatFlow | Model(
    description="Prescribed heat flow Q_flow [W] into what is connected; with alpha [1/K] it grows with the temperature above"
    " T_ref [K]",
    Q_flow=Var(input=True, unit="W"),
)

TemperatureSensor = Model(
    description="Measures the temperature T [K]",
    port=HeatPort,
    T=Var("port.T", output=True, unit="K"),
    equations=["port.Q_flow = 0"],
)

RelTemperatureSensor = Model(
    description="Measures the temperature T_rel [K] of port_a minus that of port_b",
    port_a=HeatPort,
    port_b=HeatPort,
    T_rel=Var("port_a.T - port_b.T", output=True, unit="K"),
    equations=["port_a.Q_flow = 0", "port_b.Q_flow = 0"],
)

HeatFlowSensor = Model(
    description="Measures the heat flow Q_flow [W] from port_a to port_b",
    port_a=HeatPort,
    port_b=HeatPort,
    Q_flow=Var("port_a.Q_flow", output=True, unit="W"),
    equations=["port_a.T = port_b.T", "0 = port_a.Q_flow + port_b.Q_flow"],
)


def ThermalCollector(m: int = 3) -> Model:
    """Joins the ports port_a1, port_a2, ... of m heat flows to one port_b."""
    ports = [f"port_a{k + 1}" for k in range(m)]
    return Model(dict.fromkeys([*ports, "port_b"], HeatPort)) | Model(
        description=f"Collects {m} heat flows", connect=[(*ports, "port_b")]
    )


def GeneralTemperatureToHeatFlowAdaptor(use_pder: bool = True) -> Model:
    """Gives heat_port the temperature p [K], with its derivative pder unless that is left out; output f [W]."""
    return potential_to_flow(
        "The heat flow f [W] that it takes to give the port a temperature", "heat_port", HeatPort, use_pder
    )


def GeneralHeatFlowToTemperatureAdaptor(use_pder: bool = True) -> Model:
    """Gives heat_port the heat flow f [W]; outputs its temperature p [K] and, unless that is left out, its derivative pder."""
    return flow_to_potential("The temperature p [K] of the port by the heat flow f [W]", "heat_port", HeatPort, use_pder)
