"""Files of inputs over time: CSV, the first column is the time, each other one an input by its name.

The first line has the names, with a unit behind them where it is another one than that of the input: ``time [ms]``,
``motor.u [V]``. Elements of an input that is an array are columns of their own, ``u[0]``, ``u[1]``, as in the tables that
results are written to. Lines that are empty or begin with ``#`` say nothing.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError, nearest
from modiapy.simulation.inputs.given import input_named, series_of
from modiapy.simulation.inputs.time_series import TimeSeries
from modiapy.symbolic.flat.flat_model import FlatModel
from modiapy.symbolic.terms.arrays import element_name

from .quantities import converted

_TITLE = re.compile(r"\s*(?P<name>.*?)\s*(?:(?<=\s)\[(?P<unit>[^\[\]]*)\])?\s*$", re.DOTALL)
_TRUTH = {"true": 1.0, "false": 0.0}
MAX_BYTES = 500_000_000


@dataclass(frozen=True, eq=False)
class InputFile:
    """Content of a file of inputs.

    Attributes:
        file: where it was read.
        title: number of the line with the names.
        lines: number of the line of each row.
        times: [s], shape (nt,), increasing; one may come twice.
        units: of each input that is there, by name; "" where none is said.
        values: by name, shape (nt,).
    """

    file: str
    title: int
    lines: Sequence[int]
    times: np.ndarray
    units: dict[str, str]
    values: dict[str, np.ndarray]

    def series(
        self, flat: FlatModel, name: str = "", interpolation: str = "", extrapolation: str = "hold"
    ) -> dict[str, TimeSeries]:
        """Return the time series of inputs of a model.

        Args:
            flat: the model.
            name: of the only input that is asked for; "" means that each column is one.
            interpolation, extrapolation: see `TimeSeries`; "" means linear, and jumps where the input is no real number.

        Raises:
            ModelError: with file and line: no such input, or column; a unit that is none of the input; a value that does not
                fit.
        """
        found: dict[str, TimeSeries] = {}
        names = {name: None} if name else dict.fromkeys(self._input(column, flat) for column in self.values)
        for each in names:
            try:
                columns = self._columns(each, flat)
                kind = interpolation or kind_of(each, flat)
                self._check_times(kind)
                unit = flat.variables[each].unit
                values = np.stack([_in_unit(self.values[one], self.units[one], unit, "the column") for one in columns], axis=-1)
                shape = flat.shapes.get(each, ())
                made = TimeSeries(self.times, values.reshape(-1, *shape), kind, extrapolation)  # type: ignore[arg-type]
                found |= series_of({each: made}, flat)
            except ModelError as error:
                if not error.file:
                    error.file, error.line, error.path = self.file, self.title, error.path or each
                raise
        return found

    def _input(self, column: str, flat: FlatModel) -> str:
        """Return the input that a column is one of, or an element of one."""
        base, bracket, _ = column.rpartition("[")
        whole = base if bracket and column not in flat.variables and flat.shapes.get(base) else column
        try:
            return input_named(whole, flat).name
        except ModelError as error:
            error.file, error.line = self.file, self.title
            raise

    def _columns(self, name: str, flat: FlatModel) -> list[str]:
        """Return the columns of an input, in the order of its elements."""
        shape = flat.shapes.get(input_named(name, flat).name, ())
        wanted = [element_name(name, place) for place in np.ndindex(shape)] if shape else [name]
        for column in wanted:
            if column not in self.values:
                raise ModelError(
                    f"there is no column '{column}'",
                    path=name,
                    expected=f"one of {', '.join(self.values)}",
                    remedy=nearest(column, self.values),
                )
        return wanted

    def _check_times(self, kind: str) -> None:
        """Refuse a time that comes more often than an interpolation allows."""
        same = np.diff(self.times) == 0.0
        if kind in ("linear", "constant"):
            same = same[1:] & same[:-1]
        if same.any():
            last = int(np.flatnonzero(same)[0]) + (2 if kind in ("linear", "constant") else 1)
            often = "at most twice, which is a jump" if kind in ("linear", "constant") else f"once with '{kind}'"
            found = f"{float(self.times[last])!r} s again"
            raise ModelError(
                "the same time stands in too many lines", file=self.file, line=self.lines[last], found=found, expected=often
            )


def kind_of(name: str, flat: FlatModel) -> str:
    """Return how an input is interpolated where nobody says it. Raises ModelError where there is none of this name."""
    return "linear" if input_named(name, flat).type == "Real" else "constant"


def read_input_file(file: str | PathLike[str]) -> InputFile:
    """Read a file of inputs over time.

    Raises:
        ModelError: with file, line and column: it cannot be read, a cell is no finite number, a time does not increase.
    """
    where = fspath(file)
    try:
        if Path(file).stat().st_size > MAX_BYTES:
            raise ModelError("the file of inputs is too large", file=where, expected=f"at most {MAX_BYTES} bytes")
        with open(file, encoding="utf-8-sig", newline="") as stream:
            return _read(where, _rows(csv.reader(stream, strict=True)))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ModelError(
            "the file of inputs cannot be read",
            file=where,
            found=getattr(error, "strerror", None) or str(error),
            expected="CSV, in UTF-8",
        ) from None


def _in_unit(values: np.ndarray, given: str, unit: str, what: str) -> np.ndarray:
    """Return the values of a column in the unit of its input. Raises ModelError where it measures something else."""
    if given in ("", unit):
        return values
    return np.asarray(converted(values, given, (unit,) if unit else (), what), dtype=float)


def _rows(reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Generate the cells of each line that says something, with its number."""
    for row in reader:
        if any(cell.strip() for cell in row) and not row[0].lstrip().startswith("#"):
            yield reader.line_num, row


def _read(file: str, rows: Iterator[tuple[int, list[str]]]) -> InputFile:
    title, cells = next(rows, (1, []))
    expected = "names: time, then inputs, with commas between"
    names, units = _titles(partial(ModelError, file=file, line=title, expected=expected), cells)
    lines: list[int] = []
    numbers: list[list[float]] = []
    for line, row in rows:
        wrong = partial(ModelError, file=file, line=line)
        if len(row) != len(names):
            raise wrong(
                "the line has another number of cells than the first one",
                found=str(len(row)),
                expected=f"{len(names)}, as in line {title}",
            )
        numbers.append([_number(partial(wrong, path=name), cell) for name, cell in zip(names, row, strict=True)])
        lines.append(line)
    if not lines:
        raise ModelError("the file of inputs has no values", file=file, expected="a line with a time and its values")
    table = np.array(numbers)
    try:
        times = _in_unit(table[:, 0].copy(), units[0], "s", "the time")
    except ModelError as error:
        error.file, error.line = file, title
        raise
    back = np.flatnonzero(np.diff(times) < 0.0)
    if back.size:
        k = int(back[0])
        found, expected = f"{float(times[k + 1])!r} s after {float(times[k])!r} s", "times that rise from line to line"
        raise ModelError(
            "the time goes back", file=file, line=lines[k + 1], found=found, expected=expected, remedy="Sort the lines by time."
        )
    columns = {name: table[:, k].copy() for k, name in enumerate(names) if k}
    return InputFile(file, title, lines, times, dict(zip(names[1:], units[1:], strict=True)), columns)


def _titles(wrong: Callable[..., ModelError], cells: list[str]) -> tuple[list[str], list[str]]:
    """Return the names and units of all columns."""
    matches = [_TITLE.match(cell) for cell in cells]
    names = [match["name"] for match in matches if match]
    units = [match["unit"] or "" for match in matches if match]
    if len(names) < 2 or names[0] != "time":
        divided = len(names) == 1 and (";" in names[0] or "\t" in names[0])
        raise wrong(
            "the first line does not name the columns",
            found=repr(cells[0]) if cells else "nothing",
            remedy="Cells are divided by commas, and a number has a point." if divided else "",
        )
    for k, name in enumerate(names):
        if not name or name in names[:k]:
            raise wrong(f"there are two columns '{name}'" if name else f"column {k + 1} has no name")
    return names, units


def _number(wrong: Callable[..., ModelError], cell: str) -> float:
    text = cell.strip()
    try:
        value = _TRUTH[text.lower()] if text.lower() in _TRUTH else float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise wrong(
            "this is no number",
            found=f"'{text}'" if text else "nothing",
            expected="a finite number",
            remedy="Leave out the line: what is between the others is interpolated." if text.lower() in ("", "nan") else "",
        )
    return float(value)
