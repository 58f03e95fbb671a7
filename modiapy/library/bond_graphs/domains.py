"""Units of efforts and flows, with which a graph, an element, or one end of a transformer is merged: ``Electric | Model(...)``.

Everything within has these units, and `check_units` compares them in all equations. Source: the table of domains in D. C.
Karnopp, D. L. Margolis, R. C. Rosenberg, System Dynamics, chapter 2.
"""

from __future__ import annotations

from ...model.model import Model, Par


def _domain(efforts: str, effort: str, flows: str, flow: str) -> Model:
    return Model(
        description=f"Units of a graph whose efforts are {efforts} [{effort}] and whose flows are {flows} [{flow}]",
        effort_unit=Par(effort, type="String"),
        flow_unit=Par(flow, type="String"),
    )


Electric = _domain("voltages", "V", "currents", "A")
Magnetic = _domain("magnetomotive forces", "A", "rates of the magnetic flux", "V")
Translational = _domain("forces", "N", "velocities", "m/s")
Rotational = _domain("torques", "N.m", "angular velocities", "rad/s")
Hydraulic = _domain("pressures", "Pa", "volume flows", "m3/s")
Thermal = _domain("temperatures", "K", "flows of entropy", "W/K")
Chemical = _domain("specific free enthalpies", "J/kg", "mass flows", "kg/s")
