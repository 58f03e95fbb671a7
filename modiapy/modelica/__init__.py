"""Modelica source becomes models: a front end flattens it (`frontend/`), a reader makes models of what it says (`reader/`).

The package needs the extra ``modia3d[modelica]``; nothing of it is imported before a model is loaded.
"""

from .load import load as load
from .load import load_file as load_file
