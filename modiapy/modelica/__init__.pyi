"""Written by ``python -m tools.exports``, which says why; not to be edited."""

from modiapy.modelica.loading import load as load
from modiapy.modelica.loading import load_file as load_file
