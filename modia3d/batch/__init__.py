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

from modiapy.model.lazy_exports import lazy_exports

HOMES = {
    "Expectation": "modiapy.simulation.results.expectations",
    "Factor": "modia3d.batch.factors",
    "Limits": "modia3d.batch.study",
    "Sampling": "modia3d.batch.study",
    "Study": "modia3d.batch.study",
    "StudyFunction": "modia3d.batch.function",
    "read_study": "modia3d.batch.study_file",
    "run_study": "modia3d.batch.campaign",
}
"""Module of each name."""

__all__, __getattr__, __dir__ = lazy_exports(__name__, HOMES)
