"""Rows of a study on disk: a folder with ``study.json`` and ``rows/``, a Parquet dataset that pandas, polars, ... read.

Rows are written as soon as they exist, a few to a file, each file as a whole or not at all. From time to time many small files
become one, so that a million runs are not a million files. The new file names the files that it replaces, so that a program
that is killed in between leaves no row twice.
"""

from __future__ import annotations

import contextlib
import io
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from modiapy.acausal.disk.whole_file import written_whole
from modiapy.model.errors import ModelError
from modiapy.simulation.files.fingerprint import digest

from .execution import Row
from .factors import Factor
from .study import Study

HEADER, ROWS = "study.json", "rows"
SMALL = 64
"""So many small files become one."""
LARGE = 100_000
"""Rows of a large file."""
_REPLACES = b"modia3d.replaces"
FIXED = {
    "run": "int64",
    "model": "string",
    "status": "string",
    "cause": "string",
    "message": "string",
    "log": "string",
    "unmet": "string",
    "wall_s": "float64",
    "cpu_s": "float64",
    "attempts": "int64",
}
"""Columns of every study."""


def identity(study: Study) -> dict[str, str]:
    """Return the digests of everything that determines the rows of a study, by name."""
    return {
        "models": digest([(each.name, each.model) for each in study.models]),
        "settings": digest([each.settings for each in study.models]),
        "factors": digest(dict(study.factors)),
        "derived": digest(dict(study.derived)),
        "sampling": digest(study.sampling),
        "quantities": digest(study.quantities),
        "expect": digest([study.expectations(k) for k in range(len(study.models))]),
    }


class Dataset:
    """Rows of a study in its folder: the finished runs with their factors and quantities.

    Args:
        folder: with ``study.json``.

    Attributes:
        about: what ``study.json`` says: name, description, runs, columns of factors and quantities, identity.

    Raises:
        ModelError: there is no study.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.about: dict[str, Any] = json.loads((folder / HEADER).read_text("utf-8"))
            self.factors: dict[str, str] = dict(self.about["factors"])
            self.quantities: dict[str, str] = dict(self.about["quantities"])
            self.runs = int(self.about["runs"])
        except FileNotFoundError:
            raise ModelError("there is no study in this folder", path=str(folder), found=f"no {HEADER}") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError("the study in this folder is damaged", path=str(folder / HEADER), found=str(error)) from None
        self._small: list[Path] = []

    # -- writing ----------------------------------------------------------------------------------------------------------

    @staticmethod
    def create(folder: Path, study: Study) -> Dataset:
        """Create a study in a folder. Raises ModelError if there is one already."""
        if (folder / HEADER).exists():
            remedy = "Go on with --resume (resume=True), or name another folder."
            raise ModelError("there is a study in this folder already", path=str(folder), remedy=remedy)
        for name in (*study.factors, *study.quantities):
            if name in FIXED:
                raise ModelError("this name is reserved in tables", path=name, remedy="Choose another one.")
        (folder / ROWS).mkdir(parents=True, exist_ok=True)
        quantities = {name: "string" if q.is_text else "float64" for name, q in study.quantity_of.items()}
        about = {
            "modia3d_study_results": 1,
            "name": study.name,
            "description": study.description,
            "runs": study.design.runs,
            "models": [each.name for each in study.models],
            "factors": {name: _kind(factor) for name, factor in study.factors.items()},
            "quantities": quantities,
            "texts": study.quantities,
            "identity": identity(study),
        }
        with written_whole(folder / HEADER) as stream:
            stream.write(json.dumps(about, indent=1).encode())
        return Dataset(folder)

    @staticmethod
    def resume(folder: Path, study: Study) -> Dataset:
        """Continue the study in a folder, or begin it.

        Raises:
            ModelError: what is there is another study; names what differs.
        """
        if not (folder / HEADER).exists():
            return Dataset.create(folder, study)
        dataset = Dataset(folder)
        before, now = dict(dataset.about.get("identity", {})), identity(study)
        differs = [name for name, value in now.items() if before.get(name) != value]
        if differs:
            found, remedy = f"other {', '.join(differs)}", "Name another folder, or begin anew."
            raise ModelError("the folder holds a different study", path=str(folder), found=found, remedy=remedy)
        dataset._recover()
        return dataset

    def append(self, rows: Sequence[Row]) -> None:
        """Write rows to a file of their own. Raises OSError."""
        if not rows:
            return
        path = self.folder / ROWS / f"part-{rows[0].run:07d}-{secrets.token_hex(4)}.parquet"
        self._write(path, self._table(rows))
        self._small.append(path)
        if len(self._small) >= SMALL:
            self._join(self._small)
            self._small = []

    def compact(self) -> None:
        """Write all rows, sorted, to as few files as reasonable."""
        if len(files := self._files()) > max(1, self.runs // LARGE):
            self._join(files)
        self._small = []

    def _join(self, files: Sequence[Path]) -> None:
        table = _each_once(self._read(files))
        names = json.dumps([file.name for file in files]).encode()
        for first in range(0, max(table.num_rows, 1), LARGE):
            part = table.slice(first, LARGE).replace_schema_metadata({_REPLACES: names})
            self._write(self.folder / ROWS / f"rows-{secrets.token_hex(8)}.parquet", part)
        for file in files:
            file.unlink(missing_ok=True)

    def _recover(self) -> None:
        """Remove files that another file replaces, and incomplete ones."""
        import pyarrow.parquet as parquet

        for rest in (self.folder / ROWS).glob(".*.tmp"):
            rest.unlink(missing_ok=True)
        files = self._files()
        whole = sum(parquet.read_metadata(file).num_rows for file in files) <= len(self.done(files))
        if not whole:  # killed between writing and deleting
            for file in files:
                if file.exists():
                    self._remove_replaced(file, files)
        self._small = [file for file in self._files() if file.name.startswith("part-")]

    def _remove_replaced(self, file: Path, files: Sequence[Path]) -> None:
        import pyarrow.parquet as parquet

        metadata = parquet.read_schema(file).metadata or {}
        replaced = set(json.loads(metadata.get(_REPLACES, b"[]")))
        gone = [other for other in files if other.name in replaced and other.exists()]
        others = [other for other in files if other.exists() and other not in gone]
        if gone and self.done(gone) <= self.done(others):
            for other in gone:
                other.unlink()

    def _write(self, path: Path, table: Any) -> None:
        import pyarrow.parquet as parquet

        stream = io.BytesIO()
        parquet.write_table(table, stream, compression="zstd")
        with written_whole(path) as file:
            file.write(stream.getbuffer())

    def _table(self, rows: Sequence[Row]) -> Any:
        import pyarrow as pa

        columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in FIXED}
        columns |= {name: [_factor(row.factors[name], kind) for row in rows] for name, kind in self.factors.items()}
        columns |= {name: [row.quantities.get(name) for row in rows] for name in self.quantities}
        return pa.table(columns, schema=self._schema())

    def _schema(self) -> Any:
        import pyarrow as pa

        kinds = {"int64": pa.int64(), "float64": pa.float64(), "string": pa.string()}
        return pa.schema([(name, kinds[kind]) for name, kind in {**FIXED, **self.factors, **self.quantities}.items()])

    # -- reading ----------------------------------------------------------------------------------------------------------

    def done(self, files: Sequence[Path] | None = None) -> set[int]:
        """Return the numbers of the runs on disk."""
        return set(self._read(self._files() if files is None else files, ["run"])["run"].to_pylist())

    def table(self, columns: Iterable[str] | None = None) -> Any:
        """Return all rows as a ``pyarrow.Table``, sorted by run, each run once.

        Raises:
            ModelError: a file is damaged.
        """
        names = None if columns is None else list(dict.fromkeys(["run", *columns]))
        return _each_once(self._read(self._files(), names))

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows as mappings."""
        return list(self.table().to_pylist())

    def _files(self) -> list[Path]:
        return sorted((self.folder / ROWS).glob("*.parquet"))

    def _read(self, files: Sequence[Path], columns: list[str] | None = None) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as parquet

        schema = self._schema()
        tables = [pa.schema([schema.field(name) for name in columns or schema.names]).empty_table()]
        for file in files:
            with contextlib.suppress(FileNotFoundError):  # another process has joined it with others
                try:
                    tables.append(parquet.read_table(file, columns=columns, partitioning=None).replace_schema_metadata(None))
                except pa.ArrowException as error:
                    raise ModelError("a file of the study is damaged", path=str(file), found=str(error)) from None
        return pa.concat_tables(tables)


def _each_once(table: Any) -> Any:
    """Return the rows sorted by run, without duplicates.

    A process that was killed while it joined files may leave some rows twice.
    """
    table = table.sort_by("run")
    runs = table["run"].to_numpy()
    if len(runs) > 1 and (runs[1:] == runs[:-1]).any():
        import numpy as np

        table = table.take(np.unique(runs, return_index=True)[1])
    return table


def _kind(factor: Factor) -> str:
    values = factor.values
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return "float64" if numbers else "string"


def _factor(value: Any, kind: str) -> Any:
    return float(value) if kind == "float64" else value if isinstance(value, str) else json.dumps(value)


def open_study(folder: str | Path) -> Dataset:
    """Open the study in a folder, also while it runs. Raises ModelError if there is none."""
    return Dataset(Path(folder))


def well(row: Mapping[str, Any]) -> bool:
    """Return whether a run finished as expected."""
    return row["status"] == "finished" and not row["unmet"]
