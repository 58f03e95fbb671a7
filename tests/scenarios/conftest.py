"""The planner of the walking robot is a script in the scenario's folder: its modules are imported from there."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scenarios" / "mosar"))
