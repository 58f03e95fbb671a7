"""Machine code of the component functions, a file for each group; a model imports those it uses (`motion` and those named
``*_motion`` compute results at many points)."""
