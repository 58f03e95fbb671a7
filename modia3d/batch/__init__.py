"""Many simulations of one or several models: studies (docs/batch.md).

``factors.py`` says which values a factor takes, ``design.py`` the values of each run; ``study.py`` puts them together with
models, quantities and limits, ``study_file.py`` reads that from YAML. ``execution.py`` carries out one run: merge, simulate,
evaluate; it knows nothing of processes. ``dataset.py`` keeps the rows of finished runs on disk. ``serial.py`` is the
reference: one run after the other in this process. ``engine.py`` does the same by Dask: tasks of several runs go to workers
(``worker.py``), each of which has a process of its own for the runs (``runner.py``, watched by ``guard.py``), so that what
crashes, hangs or eats memory costs one run. The rest is what people see: ``progress``, ``table``, ``report``, ``junit``,
``compare``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .factors import Factor
    from .function import StudyFunction
    from .study import Limits, Sampling, Study
    from .study_file import read_study

_EXPORTS = {
    "Factor": "factors",
    "Limits": "study",
    "Sampling": "study",
    "Study": "study",
    "StudyFunction": "function",
    "read_study": "study_file",
}

__all__ = ["Factor", "Limits", "Sampling", "Study", "StudyFunction", "read_study"]

if not TYPE_CHECKING:  # to a type checker any name would be there

    def __getattr__(name: str) -> Any:
        if name not in _EXPORTS:
            raise AttributeError(f"module 'modia3d.batch' has no attribute '{name}'")
        return getattr(importlib.import_module(f"modia3d.batch.{_EXPORTS[name]}"), name)
