"""Written by ``python -m tools.exports``, which says why; not to be edited."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from modiapy.model.array import Array as Array
from modiapy.model.constructors import Matrix, Number, Object, String
from modiapy.model.constructors import constructor as constructor
from modiapy.model.control import For as For
from modiapy.model.control import If as If
from modiapy.model.errors import ModelError as ModelError
from modiapy.model.errors import ModiaError as ModiaError
from modiapy.model.errors import NumericalError as NumericalError
from modiapy.model.errors import SimulationError as SimulationError
from modiapy.model.model import Bus as Bus
from modiapy.model.model import Map as Map
from modiapy.model.model import Model as Model
from modiapy.model.model import Par as Par
from modiapy.model.model import Var as Var
from modiapy.model.model import redeclare as redeclare
from modiapy.model.scoping import enclosing as enclosing
from modiapy.model.when import Assert as Assert
from modiapy.model.when import When as When
from modiapy.simulation.inputs.time_series import TimeSeries as TimeSeries
from modiapy.simulation.model import SimulationModel as SimulationModel
from modiapy.simulation.model import instantiate as instantiate
from modiapy.simulation.results.result import Result as Result
from modiapy.simulation.results.segment_result import SegmentRecord as SegmentRecord
from modiapy.simulation.results.stored_result import read_result as read_result
from modiapy.simulation.simulate import SimulationInterrupted as SimulationInterrupted
from modiapy.simulation.stepper import Stepper as Stepper
from modiapy.symbolic.analysis.connection_trees import connection_trees as connection_trees
from modiapy.symbolic.analysis.units import check_units as check_units

def Clock(interval: Number = ..., factor: Number = 1, phase: Number = 0.0) -> Par:
    """A periodic clock: it ticks ``n*factor`` intervals after the start of the simulation, n = 0, 1, 2, ..."""

def Function(
    function: Callable[..., Any] = ...,
    inputs: Number = 0,
    outputs: Number = 1,
    derivative: Object | Callable[..., Any] | None = None,
    inverse: Mapping[str, Any] = ...,
    shapes: Any = (),
    no_derivative: String | Sequence[String] = (),
    zero_derivative: String | Sequence[String] = (),
) -> Par:
    """A Python function of numbers, or of numbers and arrays, for the equations of a model."""

def Table1D(
    data: Matrix = ...,
    interpolation: Literal["linear", "constant", "akima", "makima", "monotone", "fritsch_butland", "steffen"] | Par = "linear",
    extrapolation: Literal["linear", "secant", "hold", "periodic", "error"] | Par = "linear",
) -> Par:
    """Interpolation in one dimension: ``y = table(u)``, or ``(y1, y2) = table(u)`` if there are several columns of results."""

def Table2D(
    data: Matrix = ...,
    interpolation: Literal["linear", "constant", "akima", "makima", "monotone", "fritsch_butland", "steffen"] | Par = "linear",
    extrapolation: Literal["linear", "secant", "hold", "periodic", "error"] | Par = "linear",
) -> Par:
    """Interpolation in two dimensions: ``y = table(u1, u2)``."""
