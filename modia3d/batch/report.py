"""A study as one HTML file: quantities over factors, runs that went wrong; animations of chosen runs beside it."""

from __future__ import annotations

import html
import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from modiapy.acausal.disk.whole_file import written_whole
from modiapy.model.errors import ModiaError

from .dataset import Dataset, well
from .execution import Execution, Task, job_of
from .study import Study
from .table import figures, told

MOST_POINTS = 4000
"""Points of a diagram; of a larger study every so many-th run."""

_LISTED = 500
"""Runs that went wrong in the report."""

_PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 14px sans-serif; margin: 2em auto; max-width: 70em; color: #222; }}
table {{ border-collapse: collapse; margin: 1em 0; }}
td, th {{ padding: 0.25em 0.8em; text-align: right; border-bottom: 1px solid #ddd; }}
td:first-child, th:first-child, td.text {{ text-align: left; }}
td.text {{ white-space: pre-wrap; font-family: monospace; font-size: 12px; }}
.diagrams {{ display: flex; flex-wrap: wrap; }} svg {{ margin: 0.3em; background: #fafafa; }} svg text {{ font-size: 11px; }}
select {{ margin-right: 2em; }} .bad {{ color: #b00; }}
</style></head><body>
<h1>{title}</h1><p>{description}</p><p>{summary}</p>
{animations}
<h2>Quantities</h2>{statistics}
<p>quantity: <select id="y"></select> run: <span id="at">-</span></p><div class="diagrams" id="diagrams"></div>
<h2>Runs that went wrong</h2>{wrong}
<script>
const data = {data};
const select = document.getElementById("y"), place = document.getElementById("diagrams"), at = document.getElementById("at");
const space = "http://www.w3.org/2000/svg";
for (const name of data.quantities) select.add(new Option(name));
function node(kind, attributes, text) {{
  const made = document.createElementNS(space, kind);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  return made;
}}
function diagram(factor, quantity) {{
  const W = 320, H = 230, L = 58, B = 34, T = 8, R = 10;
  const xs = data.values[factor], ys = data.values[quantity], points = [];
  for (let k = 0; k < xs.length; k++) if (xs[k] !== null && ys[k] !== null) points.push([xs[k], ys[k], k]);
  const svg = node("svg", {{width: W, height: H}});
  if (!points.length) return svg;
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of points) {{ x0 = Math.min(x0, x); x1 = Math.max(x1, x); y0 = Math.min(y0, y); y1 = Math.max(y1, y); }}
  if (x1 === x0) {{ x0 -= 0.5; x1 += 0.5; }}
  if (y1 === y0) {{ y0 -= 0.5; y1 += 0.5; }}
  const X = x => L + (x - x0) / (x1 - x0) * (W - L - R), Y = y => H - B - (y - y0) / (y1 - y0) * (H - B - T);
  svg.append(node("path", {{d: `M${{L}} ${{T}}V${{H - B}}H${{W - R}}`, fill: "none", stroke: "#888"}}));
  for (const [v, anchor] of [[x0, "start"], [x1, "end"]])
    svg.append(node("text", {{x: X(v), y: H - B + 13, "text-anchor": anchor}}, v.toPrecision(4)));
  for (const v of [y0, y1]) svg.append(node("text", {{x: L - 4, y: Y(v) + 4, "text-anchor": "end"}}, v.toPrecision(4)));
  svg.append(node("text", {{x: (L + W) / 2, y: H - 5, "text-anchor": "middle"}}, factor));
  for (const [x, y, k] of points) {{
    const dot = node("circle", {{cx: X(x), cy: Y(y), r: 2, fill: data.well[k] ? "#26c" : "#b00", "fill-opacity": 0.6}});
    const text = `${{data.run[k]}} (${{factor}} = ${{x}}, ${{quantity}} = ${{y}})`;
    dot.addEventListener("mouseenter", () => {{ at.textContent = text; }});
    svg.append(dot);
  }}
  return svg;
}}
function draw() {{ place.replaceChildren(...data.factors.map(factor => diagram(factor, select.value))); }}
select.addEventListener("change", draw);
if (data.quantities.length) draw();
</script></body></html>
"""


def write_report(dataset: Dataset, file: str | os.PathLike[str], animations: Mapping[int, str] | None = None) -> Path:
    """Write the report.

    Args:
        dataset: of the study.
        file: HTML.
        animations: files of animations by run, as links.

    Raises:
        OSError: it cannot be written.
    """
    found = figures(dataset)
    rows = dataset.rows()
    summary = f"{found['done']} of {found['runs']} runs, {found['finished']} finished, {found['failed']} failed, "
    summary += f"{found['unmet']} not as expected; {found['cpu_s']:.3g} s of computation"
    links = "".join(f'<li><a href="{html.escape(name)}">run {run}</a></li>' for run, name in sorted((animations or {}).items()))
    page = _PAGE.format(
        title=html.escape(str(found["name"])),
        description=html.escape(str(dataset.about["description"])),
        summary=summary,
        animations=f"<h2>Animations</h2><ul>{links}</ul>" if links else "",
        statistics=_statistics(found["quantities"], dataset.about["texts"]),
        wrong=_wrong([row for row in rows if not well(row)], dataset.factors),
        data=_data(dataset, rows),
    )
    path = Path(file)
    with written_whole(path) as stream:
        stream.write(page.encode())
    return path


def _statistics(quantities: Mapping[str, Mapping[str, float]], texts: Mapping[str, str]) -> str:
    keys = ("mean", "deviation", "least", "q05", "median", "q95", "largest")
    head = "".join(f"<th>{title}</th>" for title in ("quantity", *keys))
    body = "".join(
        f'<tr><td title="{html.escape(texts.get(name, ""))}">{html.escape(name)}</td>'
        + "".join(f"<td>{q[key]:.6g}</td>" for key in keys)
        + "</tr>"
        for name, q in quantities.items()
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def _wrong(rows: Sequence[Mapping[str, Any]], factors: Mapping[str, str]) -> str:
    if not rows:
        return "<p>none</p>"
    head = "".join(f"<th>{html.escape(title)}</th>" for title in ("run", "model", *factors, "what"))
    body = ""
    for row in rows[:_LISTED]:
        values = "".join(f"<td>{_shown(row[name])}</td>" for name in factors)
        log = f"<details><summary>log</summary>{html.escape(row['log'])}</details>" if row["log"] else ""
        said = html.escape(row["message"] if row["status"] == "failed" else told(row))
        what = f'<td class="text"><span class="bad">{html.escape(row["cause"] or "expectation")}</span> {said}{log}</td>'
        body += f"<tr><td>{row['run']}</td><td>{html.escape(row['model'])}</td>{values}{what}</tr>"
    more = f"<p>and {len(rows) - _LISTED} more</p>" if len(rows) > _LISTED else ""
    return f"<table><tr>{head}</tr>{body}</table>{more}"


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else html.escape(str(value))


def _data(dataset: Dataset, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the data of the diagrams, as JSON that may be embedded in a script."""
    shown = rows[:: max(1, math.ceil(len(rows) / MOST_POINTS))]
    factors = [name for name, kind in dataset.factors.items() if kind == "float64"]
    quantities = [name for name, kind in dataset.quantities.items() if kind == "float64"]
    values: dict[str, list[Any]] = {name: [_finite(row[name]) for row in shown] for name in (*factors, *quantities)}
    if not factors:
        factors, values = ["run"], values | {"run": [row["run"] for row in shown]}
    data: dict[str, Any] = {"factors": factors, "quantities": quantities, "values": values}
    data |= {"run": [row["run"] for row in shown], "well": [well(row) for row in shown]}
    return json.dumps(data).replace("<", "\\u003c")


def _finite(value: Any) -> Any:
    return value if isinstance(value, float) and math.isfinite(value) else None


def write_animations(study: Study, dataset: Dataset, runs: Sequence[int]) -> dict[int, str]:
    """Simulate finished runs once more and write their animations beside the rows.

    Returns:
        Files by run, relative to the folder of the study. Runs that failed, or have nothing to be seen, have none.
    """
    from ..viewer.animation import animate
    from ..viewer.html import write_html

    finished = {row["run"] for row in dataset.table(["status"]).to_pylist() if row["status"] == "finished"}
    execution = Execution(job_of(study))
    written = {}
    for run in runs:
        if run not in finished:
            continue
        design = study.design
        model, result = execution.result(Task(run, design.model(run), design.values(run)))
        try:
            animation = animate(result, model.flat.components.items(), title=f"{study.name}, run {run}")
        except ModiaError:
            continue
        name = f"animation-{run:07d}.html"
        write_html(animation, dataset.folder / name)
        written[run] = name
    return written
