"""A study as JUnit XML, which servers of continuous integration read. Each run is a test case."""

from __future__ import annotations

import os
import re
from pathlib import Path
from xml.etree import ElementTree

from modiapy.acausal.disk.whole_file import written_whole

from .dataset import Dataset, well
from .table import told

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd]")


def write_junit(dataset: Dataset, file: str | os.PathLike[str]) -> Path:
    """Write the file. Failed runs are errors, unexpected ones failures, missing ones skipped.

    Raises:
        OSError: it cannot be written.
    """
    rows = dataset.rows()
    errors = sum(row["status"] == "failed" for row in rows)
    unmet = sum(row["status"] == "finished" and not well(row) for row in rows)
    seconds = sum(row["wall_s"] for row in rows)
    name = str(dataset.about["name"])
    numbers = {"tests": dataset.runs, "errors": errors, "failures": unmet, "skipped": dataset.runs - len(rows)}
    about = {"name": name} | {key: str(number) for key, number in numbers.items()} | {"time": f"{seconds:.6f}"}
    root = ElementTree.Element("testsuites", about)
    suite = ElementTree.SubElement(root, "testsuite", about)
    missing = set(range(dataset.runs))
    for row in rows:
        missing.discard(row["run"])
        values = ", ".join(
            f"{key}={row[key]:.6g}" if isinstance(row[key], float) else f"{key}={row[key]}" for key in dataset.factors
        )
        title = f"run {row['run']}" + (f" ({values})" if values else "")
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": f"{name}.{row['model']}", "name": _clean(title), "time": f"{row['wall_s']:.6f}"}
        )
        if not well(row):
            kind = "error" if row["status"] == "failed" else "failure"
            said = {"message": _clean(told(row)), "type": row["cause"] or "expectation"}
            ElementTree.SubElement(case, kind, said).text = _clean(row["message"] or row["unmet"])
        if row["log"]:
            ElementTree.SubElement(case, "system-err").text = _clean(row["log"])
    for run in sorted(missing):
        case = ElementTree.SubElement(suite, "testcase", {"classname": name, "name": f"run {run}", "time": "0"})
        ElementTree.SubElement(case, "skipped", {"message": "not carried out"})
    path = Path(file)
    with written_whole(path) as stream:
        ElementTree.ElementTree(root).write(stream, encoding="utf-8", xml_declaration=True)
    return path


def _clean(text: str) -> str:
    """Return a text without characters that XML does not allow."""
    return _NOT_XML.sub("?", text)
