"""All that results tell, in two parts: texts and numbers that are exact, and signals over time; to compare two simulations."""

import json
import re

import numpy as np
import pytest

CLOCK = ("simulation_s", "translation_s", "compilations_after_start")
"""Statistics that are not the same twice."""


def told(result, without=()):
    """All that a result tells besides signals, as plain data, without these statistics and what the clock on the wall says."""
    of_wall = {"wall_s": 0.0, "change_ms": 0.0}
    return json.loads(
        json.dumps(
            {
                "end": {name: getattr(result, name) for name in ("status", "terminated", "verdict", "success", "stop_time")},
                "segments": [vars(record) | of_wall for record in result.segments],
                "points": [result.segment(record.index).time.size for record in result.segments],
                "log": result.program_log,
                "tables": result.tables,
                "notes": result.notes,
                "statistics": {name: value for name, value in result.statistics.items() if name not in (*CLOCK, *without)},
            }
        )
    )


def values(result):
    """All signals over time, by name."""
    return {name: result[name] for name in result.signals()}


def units(result):
    """Units of all signals, by name."""
    return {name: result.unit(name) for name in result.signals()}


def changed(data, text, number=lambda key, x: x, key=""):
    """The same plain data with other texts, and other numbers by the key they have; keys of mappings are texts, too."""
    if isinstance(data, str):
        return text(data)
    if isinstance(data, dict):
        return {text(k) if isinstance(k, str) else k: changed(v, text, number, k) for k, v in data.items()}
    if isinstance(data, list | tuple):
        return type(data)(changed(v, text, number, key) for v in data)
    return number(key, data) if isinstance(data, float | int) and not isinstance(data, bool) else data


def assert_same_values(one, other):
    """Bit by bit, by names."""
    assert one.keys() == other.keys()
    for name, expected in one.items():
        np.testing.assert_array_equal(expected, other[name], err_msg=name, strict=True)


_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def assert_close(one, other, rel=1e-6, at=""):
    """The same plain data, but for rounding of numbers; those within texts are numbers, too."""
    if isinstance(one, str) and isinstance(other, str):
        assert _NUMBER.split(one) == _NUMBER.split(other), at
        assert [*map(float, _NUMBER.findall(one))] == pytest.approx([*map(float, _NUMBER.findall(other))], rel=rel, abs=rel), at
    elif isinstance(one, dict):
        assert list(one) == list(other), at
        for key, value in one.items():
            assert_close(value, other[key], rel, f"{at}.{key}")
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), at
        for k, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_close(a, b, rel, f"{at}[{k}]")
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=rel, abs=rel, nan_ok=True), at
    else:
        assert one == other, at
