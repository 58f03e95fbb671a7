"""The tables of Modelica.Blocks as far as tests need them: equations, functions, external objects by their names there.

And what their results must be, from the definitions in the papers that the library's documentation names: point by point, with
nothing of the package.
"""

from collections.abc import Callable, Sequence

import numpy as np

SMOOTHNESS = (
    "LinearSegments",
    "ContinuousDerivative",
    "ConstantSegments",
    "MonotoneContinuousDerivative1",
    "MonotoneContinuousDerivative2",
    "ModifiedContinuousDerivative",
)
EXTRAPOLATION = ("HoldLastPoint", "LastTwoPoints", "Periodic", "NoExtrapolation")


def _object(kind: str, before: str, columns: str, after: str) -> str:
    c = f"ModelicaStandardTables_CombiT{kind}"
    return f"""
      class ExternalCombiT{kind}
        extends ExternalObject;
        function constructor
          input String tableName;
          input String fileName;
          input Real table[:, :];
          {before} {columns}
          input Smoothness smoothness;
          input Extrapolation extrapolation = Extrapolation.LastTwoPoints;
          {after}
          output ExternalCombiT{kind} result;
        external "C" result = {c}_init(tableName, fileName, table, size(table, 1), size(table, 2), smoothness, extrapolation)
          annotation(Library = "ModelicaStandardTables");
        end constructor;
        function destructor
          input ExternalCombiT{kind} object;
        external "C" {c}_close(object) annotation(Library = "ModelicaStandardTables");
        end destructor;
      end ExternalCombiT{kind};"""


def _function(name: str, kind: str, inputs: str, result: str = "Real y") -> str:
    names = [part.split()[-1] for part in inputs.split(";") if part.strip()]
    value = result.split()[-1].partition("[")[0]
    call = "" if "[" in result else f"{value} = "
    arguments = ", ".join(["tableID", *names, *([value] if not call else [])])
    return f"""
        function {name}
          input Modelica.Blocks.Types.ExternalCombiT{kind} tableID;
          {inputs}
          output {result};
        external "C" {call}ModelicaStandardTables_CombiT{kind}_{name}({arguments})
          annotation(Library = "ModelicaStandardTables");
        end {name};"""


_COLUMNS = "input Integer columns[:];"
_OF_TIME = "input Integer icol; input Real timeIn; input Real nextTimeEvent; input Real pre_nextTimeEvent;"
_BLOCK = """
        parameter Real table[:, :];
        parameter Modelica.Blocks.Types.Smoothness smoothness = Modelica.Blocks.Types.Smoothness.LinearSegments;
        parameter Modelica.Blocks.Types.Extrapolation extrapolation = Modelica.Blocks.Types.Extrapolation.LastTwoPoints;"""
LIBRARY = f"""
package Modelica
  package Constants
    final constant Real inf = 1.7976931348623157e308;
  end Constants;
  package Blocks
    package Types
      type Smoothness = enumeration({", ".join(SMOOTHNESS)});
      type Extrapolation = enumeration({", ".join(EXTRAPOLATION)});
      {_object("imeTable", "input Real startTime;", _COLUMNS, "input Real shiftTime = 0;")}
      {_object("able1D", "", _COLUMNS, "")}
      {_object("able2D", "", "", "")}
    end Types;
    package Tables
      package Internal
        {_function("getTable1DValue", "able1D", "input Integer icol; input Real u;")}
        {_function("getTable2DValue", "able2D", "input Real u1; input Real u2;")}
        {_function("getTable2DAbscissaUmin", "able2D", "", "Real uMin[2]")}
        {_function("getTable2DAbscissaUmax", "able2D", "", "Real uMax[2]")}
        {_function("getTimeTableValue", "imeTable", _OF_TIME)}
        {_function("getNextTimeEvent", "imeTable", "input Real timeIn;", "Real nextTimeEvent")}
        partial block CombiTable2DBase
          {_BLOCK}
          final parameter Real u_min[2] = getTable2DAbscissaUmin(tableID);
          final parameter Real u_max[2] = getTable2DAbscissaUmax(tableID);
        protected
          parameter Modelica.Blocks.Types.ExternalCombiTable2D tableID = Modelica.Blocks.Types.ExternalCombiTable2D(
            "NoName", "NoName", table, smoothness, extrapolation);
        end CombiTable2DBase;
      end Internal;
      block CombiTable1Dv
        {_BLOCK}
        parameter Integer columns[:] = 2:size(table, 2);
        input Real u[size(columns, 1)];
        output Real y[size(columns, 1)];
      protected
        parameter Modelica.Blocks.Types.ExternalCombiTable1D tableID = Modelica.Blocks.Types.ExternalCombiTable1D(
          "NoName", "NoName", table, columns, smoothness, extrapolation);
      equation
        for i in 1:size(columns, 1) loop
          y[i] = Internal.getTable1DValue(tableID, i, u[i]);
        end for;
      end CombiTable1Dv;
      block CombiTable2Ds
        extends Internal.CombiTable2DBase;
        input Real u1;
        input Real u2;
        output Real y;
      equation
        y = Internal.getTable2DValue(tableID, u1, u2);
      end CombiTable2Ds;
    end Tables;
    package Sources
      block CombiTimeTable
        {_BLOCK}
        parameter Integer columns[:] = 2:size(table, 2);
        parameter Real timeScale = 1 annotation(Evaluate = true);
        parameter Real offset[:] = {{0}};
        parameter Real startTime = 0;
        parameter Real shiftTime = startTime;
        output Real y[size(columns, 1)];
        discrete Real nextTimeEvent(start = 0, fixed = true);
      protected
        parameter Modelica.Blocks.Types.ExternalCombiTimeTable tableID = Modelica.Blocks.Types.ExternalCombiTimeTable(
          "NoName", "NoName", table, startTime/timeScale, columns, smoothness, extrapolation, shiftTime/timeScale);
        discrete Real nextTimeEventScaled(start = 0, fixed = true);
        Real timeScaled;
      equation
        timeScaled = time/timeScale;
        when {{time >= pre(nextTimeEvent), initial()}} then
          nextTimeEventScaled = Modelica.Blocks.Tables.Internal.getNextTimeEvent(tableID, timeScaled);
          nextTimeEvent = if nextTimeEventScaled < Modelica.Constants.inf then nextTimeEventScaled*timeScale
                          else Modelica.Constants.inf;
        end when;
        for i in 1:size(columns, 1) loop
          y[i] = offset[1] + Modelica.Blocks.Tables.Internal.getTimeTableValue(tableID, i, timeScaled, nextTimeEventScaled,
            pre(nextTimeEventScaled));
        end for;
      end CombiTimeTable;
    end Sources;
  end Blocks;
end Modelica;
"""


def enumerated(smoothness: str, extrapolation: str) -> str:
    """The modifications of a block."""
    types = "Modelica.Blocks.Types"
    return f"smoothness={types}.Smoothness.{smoothness}, extrapolation={types}.Extrapolation.{extrapolation}"


def matrix(table: Sequence[Sequence[float]]) -> str:
    """A table as Modelica writes it."""
    return f"[{'; '.join(', '.join(map(repr, map(float, row))) for row in table)}]"


# -- what is right ------------------------------------------------------------------------------------------------------


def _neighbours(m: list[float]) -> list[float]:
    """Akima's secants: two more at each end, in arithmetic progression with the last two."""
    return [3 * m[0] - 2 * m[1], 2 * m[0] - m[1], *m, 2 * m[-1] - m[-2], 3 * m[-1] - 2 * m[-2]]


def _slope(kind: str, h: list[float], m: list[float], i: int) -> float:
    """The slope at the i-th point, by the secants m between points that lie h apart."""
    if kind in ("ContinuousDerivative", "ModifiedContinuousDerivative"):
        a, b, c, d = _neighbours(m)[i : i + 4]
        left, right = abs(d - c), abs(b - a)
        if kind == "ModifiedContinuousDerivative":
            left, right = left + abs(d + c) / 2, right + abs(b + a) / 2
            return 0.0 if left + right == 0 else (left * b + right * c) / (left + right)
        return (b + c) / 2 if left + right == 0 else (left * b + right * c) / (left + right)
    if i in (0, len(m)):
        return m[min(i, len(m) - 1)]
    before, after, h0, h1 = m[i - 1], m[i], h[i - 1], h[i]
    if before * after <= 0:
        return 0.0
    if kind == "MonotoneContinuousDerivative1":  # Fritsch and Butland: Brodlie's weighted harmonic mean
        alpha = (1 + h1 / (h0 + h1)) / 3
        return before * after / (alpha * after + (1 - alpha) * before)
    parabola = (before * h1 + after * h0) / (h0 + h1)  # Steffen
    return float(np.copysign(min(abs(parabola), 2 * abs(before), 2 * abs(after)), before))


def _in_table(kind: str, x: list[float], y: list[float], u: float) -> float:
    i = max(k for k in range(len(x)) if x[k] <= u)
    if kind == "ConstantSegments" or i == len(x) - 1:
        return y[i]
    h = [float(d) for d in np.diff(x)]
    m = [(y[k + 1] - y[k]) / h[k] if h[k] else 0.0 for k in range(len(h))]
    s = (u - x[i]) / h[i]
    if kind == "LinearSegments" or len(x) == 2:
        return y[i] + s * (y[i + 1] - y[i])
    p, q = _slope(kind, h, m, i), _slope(kind, h, m, i + 1)  # in the basis of Hermite
    return y[i] * (1 + 2 * s) * (1 - s) ** 2 + y[i + 1] * s**2 * (3 - 2 * s) + h[i] * s * (1 - s) * (p * (1 - s) - q * s)


def _within_a_period(u: float, x: Sequence[float]) -> float:
    """An argument by whole periods in the range, both ends of which stay where they are: so the library's C code does it."""
    while u < x[0]:
        u += x[-1] - x[0]
    while u > x[-1]:
        u -= x[-1] - x[0]
    return u


def looked_up(kind: str, beyond: str, table: Sequence[Sequence[float]], u: float, column: int = 1) -> float:
    """A table of one input."""
    x, y = [float(row[0]) for row in table], [float(row[column]) for row in table]
    if len(x) == 1:
        return y[0]
    if beyond == "Periodic":
        u = _within_a_period(u, x)
    if x[0] <= u <= x[-1]:
        return _in_table(kind, x, y, u)
    assert beyond != "NoExtrapolation"
    end, next_to = (0, 1) if u < x[0] else (-1, -2)
    if beyond == "HoldLastPoint":
        return y[end]
    if kind in ("LinearSegments", "ConstantSegments") or len(x) == 2:
        rise = x[next_to] - x[end]
        return y[end] + (u - x[end]) * (0.0 if rise == 0 else (y[next_to] - y[end]) / rise)
    h = [float(d) for d in np.diff(x)]
    m = [(y[k + 1] - y[k]) / h[k] for k in range(len(h))]
    return y[end] + (u - x[end]) * _slope(kind, h, m, 0 if end == 0 else len(m))


def _surface(kind: str, x: list[float], y: list[float], z: np.ndarray) -> Callable[[float, float], float]:
    """Within a grid, and beyond with the polynomial of the last cell's border (`clamp`)."""

    def column(k: int, u: float) -> float:
        return looked_up(kind, "NoExtrapolation", [[a, b] for a, b in zip(x, z[:, k], strict=True)], u)

    def row(i: int, v: float) -> float:
        return looked_up(kind, "NoExtrapolation", [[a, b] for a, b in zip(y, z[i], strict=True)], v)

    if kind != "ContinuousDerivative":

        def value(u: float, v: float) -> float:
            one = [[b, column(k, u)] for k, b in enumerate(y)]
            return looked_up(kind, "NoExtrapolation", one, v)

        return value

    def bicubic(u: float, v: float) -> float:
        i = min(max(k for k in range(len(x)) if x[k] <= u), len(x) - 2)
        j = min(max(k for k in range(len(y)) if y[k] <= v), len(y) - 2)
        h, g = x[i + 1] - x[i], y[j + 1] - y[j]
        s, t = (u - x[i]) / h, (v - y[j]) / g

        def basis(r: float, d: float) -> tuple[tuple[float, float], tuple[float, float]]:
            return ((1 + 2 * r) * (1 - r) ** 2, d * r * (1 - r) ** 2), (r * r * (3 - 2 * r), d * r * r * (r - 1))

        total = 0.0
        for a in (0, 1):
            for b in (0, 1):
                f, f_x, f_y, f_xy = akima_1974(x, y, z, i + a, j + b)
                (px, qx), (py, qy) = basis(s, h)[a], basis(t, g)[b]
                total += f * px * py + f_x * qx * py + f_y * px * qy + f_xy * qx * qy
        return total

    return bicubic


def akima_1974(x: list[float], y: list[float], z: np.ndarray, i: int, j: int) -> tuple[float, float, float, float]:
    """Value, derivatives and mixed derivative at a point of a grid (Communications of the ACM 17, page 18)."""

    def wide(points: list[float], values: np.ndarray) -> tuple[list[float], np.ndarray]:
        h = list(np.diff(points))
        if len(h) == 1:
            h = [h[0]] * 2
            m = [(values[1] - values[0]) / h[0]] * 2
            secants = [m[0]] * 2 + [m[0]] + [m[0]] * 2
        else:
            m = [(values[k + 1] - values[k]) / h[k] for k in range(len(points) - 1)]
            secants = list(
                map(np.asarray, [3 * m[0] - 2 * m[1], 2 * m[0] - m[1], *m, 2 * m[-1] - m[-2], 3 * m[-1] - 2 * m[-2]])
            )
        first, last = points[0], points[-1]
        where = [first - h[0] - h[1], first - h[1], *points, last + h[-2], last + h[-2] + h[-1]]
        below1 = values[0] - secants[1] * (first - where[1])
        above1 = values[-1] + secants[-2] * (where[-2] - last)
        below0, above0 = below1 - secants[0] * (where[1] - where[0]), above1 + secants[-1] * (where[-1] - where[-2])
        return where, np.array([below0, below1, *values, above1, above0])

    ys, rows = wide(y, z.T)
    xs, grid = wide(x, rows.T)
    i, j = i + 2, j + 2
    a = [(grid[k + 1, j] - grid[k, j]) / (xs[k + 1] - xs[k]) for k in range(i - 2, i + 2)]
    b = [(grid[i, k + 1] - grid[i, k]) / (ys[k + 1] - ys[k]) for k in range(j - 2, j + 2)]

    def weights(c: list[float]) -> tuple[float, float]:
        found = abs(c[3] - c[2]), abs(c[1] - c[0])
        return found if sum(found) > 1e-12 else (1.0, 1.0)

    def twist(k: int, n: int) -> float:
        corner = grid[k + 1, n + 1] - grid[k + 1, n] - grid[k, n + 1] + grid[k, n]
        return float(corner / ((xs[k + 1] - xs[k]) * (ys[n + 1] - ys[n])))

    (w2, w3), (v2, v3) = weights(a), weights(b)
    mixed = w2 * (v2 * twist(i - 1, j - 1) + v3 * twist(i - 1, j)) + w3 * (v2 * twist(i, j - 1) + v3 * twist(i, j))
    f_x, f_y = (w2 * a[1] + w3 * a[2]) / (w2 + w3), (v2 * b[1] + v3 * b[2]) / (v2 + v3)
    return float(grid[i, j]), float(f_x), float(f_y), mixed / ((w2 + w3) * (v2 + v3))


def looked_up_2d(kind: str, beyond: str, table: Sequence[Sequence[float]], u: float, v: float) -> float:
    """A table of two inputs."""
    data = np.array(table, dtype=float)
    x, y, z = list(data[1:, 0]), list(data[0, 1:]), data[1:, 1:]
    if len(x) == 1 or len(y) == 1:
        one = [[a, float(b)] for a, b in (zip(y, z[0], strict=True) if len(x) == 1 else zip(x, z[:, 0], strict=True))]
        return looked_up(kind, beyond, one, v if len(x) == 1 else u)
    if beyond == "Periodic":
        u, v = _within_a_period(u, x), _within_a_period(v, y)
    at, bt = float(np.clip(u, x[0], x[-1])), float(np.clip(v, y[0], y[-1]))
    if beyond == "LastTwoPoints" and (at, bt) != (u, v):
        if kind != "ContinuousDerivative":  # bilinear beyond, whatever is within
            i = min(max(k for k in range(len(x)) if x[k] <= at), len(x) - 2)
            j = min(max(k for k in range(len(y)) if y[k] <= bt), len(y) - 2)
            s, t = (u - x[i]) / (x[i + 1] - x[i]), (v - y[j]) / (y[j + 1] - y[j])
            return float((1 - s) * ((1 - t) * z[i, j] + t * z[i, j + 1]) + s * ((1 - t) * z[i + 1, j] + t * z[i + 1, j + 1]))
        return _straight_beyond(x, y, z, u, v, at, bt)
    return _surface(kind, x, y, z)(at, bt)


def _straight_beyond(x: list[float], y: list[float], z: np.ndarray, u: float, v: float, at: float, bt: float) -> float:
    """A smooth surface, straight on from its border: by differences of its cubic polynomials, which are exact enough."""
    f = _surface("ContinuousDerivative", x, y, z)
    if at != u and bt != v:
        i, j = (0 if at == x[0] else len(x) - 1), (0 if bt == y[0] else len(y) - 1)
        value, f_x, f_y, f_xy = akima_1974(x, y, z, i, j)
        return value + f_x * (u - at) + f_y * (v - bt) + f_xy * (u - at) * (v - bt)
    if at != u:
        inward = np.sign(at - u) * 1e-3 * (x[-1] - x[0])
        values = [f(at + k * inward, bt) for k in range(4)]
        return f(at, bt) + (u - at) * (-11 * values[0] + 18 * values[1] - 9 * values[2] + 2 * values[3]) / (6 * inward)
    inward = np.sign(bt - v) * 1e-3 * (y[-1] - y[0])
    values = [f(at, bt + k * inward) for k in range(4)]
    return f(at, bt) + (v - bt) * (-11 * values[0] + 18 * values[1] - 9 * values[2] + 2 * values[3]) / (6 * inward)
