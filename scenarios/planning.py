"""What planners of scenarios have in common: smooth paths in joint space, and the parts of a scenario that are rewritten."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def control_points(through: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows between which `ptpJointSpace` with wide corners goes through the rows `through`, of the same shape.

    Lines whose corners meet in the middle are a quadratic B-spline with these rows as its control points.
    """
    n = len(through)
    matrix = np.eye(n)
    for k in range(1, n - 1):
        matrix[k, k - 1 : k + 2] = 0.125, 0.75, 0.125
    return np.asarray(np.linalg.solve(matrix, through))


def rewrite(file: Path, planned: Mapping[str, Sequence[str]]) -> None:
    """Replace what stands between the marks "# planned: NAME" and "# end of planned NAME" of a scenario.

    Args:
        file: the scenario.
        planned: lines by the name of the mark, without the two columns by which the marks are indented.

    Raises:
        ValueError: the file does not have such marks once.
    """
    text = file.read_text(encoding="utf-8")
    for mark, lines in planned.items():
        pattern = re.compile(rf"(# planned: {mark}\b[^\n]*\n).*?( *# end of planned {mark}\b)", re.DOTALL)
        body = "".join(f"  {line}\n" for line in lines)
        text, count = pattern.subn(lambda found, body=body: found[1] + body + found[2], text)
        if count != 1:
            raise ValueError(
                f'{file}: found the marks "# planned: {mark}" and "# end of planned {mark}" {count} times, expected once. '
                "Write them round what the planner may rewrite."
            )
    file.write_text(text, encoding="utf-8")
