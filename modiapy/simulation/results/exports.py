"""Results for other programs: tables of pandas and xarray, CSV, Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...acausal.disk.whole_file import written_whole
from ...model.errors import ModelError
from ...symbolic.terms.arrays import element_name
from .segment_result import unknown_signal

if TYPE_CHECKING:
    import pandas
    import xarray


class Signals(Protocol):
    """Protocol of a `Result` that is exported."""

    name: str
    status: str

    @property
    def time(self) -> np.ndarray: ...
    @property
    def segment_numbers(self) -> np.ndarray: ...
    def unit(self, name: str) -> str: ...
    def signals(self) -> list[str]: ...
    def scalar_signals(self) -> list[str]: ...
    def __contains__(self, name: object) -> bool: ...
    def __getitem__(self, name: str) -> np.ndarray: ...


TABLES = (".csv", ".parquet")
"""Suffixes of files that are tables of signals."""


def chosen(result: Signals, names: Sequence[str] | None) -> list[str]:
    """Return the names of the chosen signals, with wildcards replaced; without names, variables of the equations and states.

    Raises:
        ModelError: an unknown name, or wildcards that no signal fits.
    """
    if names is None:
        return result.scalar_signals()
    if isinstance(names, str):
        names = [names]
    found: dict[str, None] = {}
    for name in names:
        found |= dict.fromkeys(matching(result, name))
    return list(found)


def chosen_names(given: Sequence[str | Sequence[str] | None]) -> list[str] | None:
    """Flatten names that are given one by one or in lists to one list; return None if none is given."""
    if all(name is None for name in given):
        return None
    return [one for name in given if name is not None for one in ([name] if isinstance(name, str) else name)]


def matching(result: Signals, pattern: str) -> list[str]:
    """Return the signals of this name or pattern (``*``, ``?``); an element of an array too.

    Raises ModelError if there are none.
    """
    if "*" not in pattern and "?" not in pattern:
        if pattern not in result:
            raise unknown_signal(pattern, result.signals())
        return [pattern]
    found = [name for name in result.signals() if fnmatchcase(name.replace("[", "("), pattern.replace("[", "("))]
    if not found:
        raise ModelError(f"no signal of the result fits '{pattern}'", expected="a name, in which * and ? stand for any text")
    return found


def columns(result: Signals, names: Sequence[str] | None) -> Iterator[tuple[str, str, np.ndarray]]:
    """Return the signal, the element and the values over time of each column, ``time`` excluded."""
    for name in chosen(result, names):
        values = result[name]
        if values.ndim == 1:
            yield name, name, values
        else:
            for place in np.ndindex(values.shape[1:]):
                yield name, element_name(name, place), values[(slice(None), *place)]


def to_pandas(result: Signals, names: Sequence[str] | None) -> pandas.DataFrame:
    """See `Result.to_pandas`."""
    pandas = _imported("pandas", "to_pandas")
    data: dict[str, np.ndarray] = {}
    units: dict[str, str] = {}
    for name, element, values in columns(result, names):
        data[element] = values
        if result.unit(name):
            units[element] = result.unit(name)
    frame = pandas.DataFrame(data, index=pandas.Index(result.time, name="time"))
    frame.attrs |= {"model": result.name, "units": units}
    return frame


def to_xarray(result: Signals, names: Sequence[str] | None) -> xarray.Dataset:
    """See `Result.to_xarray`."""
    xarray = _imported("xarray", "to_xarray")
    variables = {}
    for name in chosen(result, names):
        values = result[name]
        dims = ("time", *(f"{name}_{k}" for k in range(values.ndim - 1)))
        variables[name] = dims, values, {"units": result.unit(name)} if result.unit(name) else {}
    coordinates = {"time": ("time", result.time, {"units": "s"}), "segment": ("time", result.segment_numbers)}
    return xarray.Dataset(variables, coordinates, {"model": result.name, "status": result.status})


def _imported(package: str, what: str) -> Any:
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError:
        remedy = f"Install it with 'pip install {package}'."
        raise ModelError(f"{what} needs {package}, which is not installed", remedy=remedy) from None


def to_csv(result: Signals, path: str | PathLike[str], names: Sequence[str] | None) -> None:
    """See `Result.to_csv`."""
    import csv
    import io

    data = [("time", result.time), *((element, values) for _, element, values in columns(result, names))]
    try:
        with written_whole(path) as stream:
            text = io.TextIOWrapper(stream, "utf-8", newline="")
            writer = csv.writer(text)
            writer.writerow(name for name, _ in data)
            writer.writerows(zip(*(map(repr, values.tolist()) for _, values in data), strict=True))
            text.flush()
            text.detach()
    except OSError as error:
        raise ModelError("the table cannot be written", path=fspath(path), found=error.strerror or str(error)) from None


def _to_parquet(result: Signals, path: Path, names: Sequence[str] | None) -> None:
    """Write a column for each element; the metadata of a column have its unit."""
    pyarrow = _imported("pyarrow", "A Parquet file")
    parquet = _imported("pyarrow.parquet", "A Parquet file")
    fields, arrays = [pyarrow.field("time", pyarrow.float64(), metadata={"unit": "s"})], [result.time]
    for name, element, values in columns(result, names):
        unit = result.unit(name)
        fields.append(pyarrow.field(element, pyarrow.float64(), metadata={"unit": unit} if unit else None))
        arrays.append(values)
    schema = pyarrow.schema(fields, metadata={"model": result.name})
    try:
        with written_whole(path) as stream:
            parquet.write_table(pyarrow.table([pyarrow.array(array) for array in arrays], schema=schema), stream)
    except OSError as error:
        raise ModelError("the table cannot be written", path=fspath(path), found=error.strerror or str(error)) from None


def check_suffix(path: str | PathLike[str], whole: Sequence[str]) -> str:
    """Check the suffix of a result's file: one of ``whole`` or of `TABLES`. Return it. Raises ModelError."""
    suffix = Path(path).suffix
    if suffix not in (*whole, *TABLES):
        expected = f"{', '.join(whole)} (everything), {', '.join(TABLES)} (signals)"
        raise ModelError("the suffix of the file is not known", path=fspath(path), found=repr(suffix), expected=expected)
    return suffix


def save_table(result: Signals, path: str | PathLike[str], names: Sequence[str] | None) -> None:
    """Write a table of signals. Raises ModelError."""
    if Path(path).suffix == ".csv":
        to_csv(result, path, names)
    else:
        _to_parquet(result, Path(path), names)
