"""Reader from the front end's trees to the flat model of the core: all its parts, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...model.errors import nesting_limited
from ...symbolic.flattening.delays import settle_delays
from ...symbolic.hybrid.initial_memory import settle_initial_memory
from .algorithms import read_algorithms
from .buses import leave_out_unused
from .clocks.expansion import expand_clocks
from .component import LoadedModel
from .equations import read_equations
from .events import read_whens
from .guesses import guess_others
from .initial_values import settle_computed, settle_discrete
from .mixing import settle_mixing
from .outside import open_parameters, ports_of, visualizers_of
from .reading import Reading
from .variables import read_variables

if TYPE_CHECKING:
    from ..frontend.flat_source import FlatSource


@nesting_limited()
def read(source: FlatSource) -> LoadedModel:
    """Return the model that a flat Modelica source means.

    Raises:
        ModelError: something in it is not understood; names it with file and line.
    """
    reading = Reading(source)
    read_variables(reading)
    read_equations(reading)
    clocked = read_whens(reading)
    read_algorithms(reading)
    reading.draws.finish()
    expand_clocks(reading, clocked)
    settle_mixing(reading.flat)
    flat = reading.flat
    leave_out_unused(reading)
    flat.defaults = {name: value for name, value in vars(source.experiment).items() if value is not None}
    settle_computed(reading)
    reading.draws.settle(reading.number)
    settle_discrete(reading)
    flat.parameters |= reading.parameters.numbers
    parameters = reading.parameters
    flat.bindings, flat.premises, flat.settled = parameters.bindings, parameters.premises, parameters.settled
    guess_others(reading)
    settle_delays(flat)
    settle_initial_memory(flat)
    flat.visualizers = tuple(visualizers_of(reading))
    return LoadedModel(**vars(flat), ports=ports_of(reading), open=open_parameters(reading))
