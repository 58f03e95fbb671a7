"""Paths for what is not installed: the planner of the walking robot, a script in the scenario's folder, and the benchmarks."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "scenarios" / "mosar"), str(ROOT)]
