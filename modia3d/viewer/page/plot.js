"use strict";
/* Chosen signals over time, a diagram for each unit, with the marks of segments and the present instant. Its left and right edges are those of the time bar. */

const COLORS = ["#1565c0", "#d84315", "#2e7d32", "#8e24aa", "#00838f", "#f9a825", "#5d4037", "#c2185b"];
const DASHES = [[], [7, 3], [2, 2]]; // of the first eight signals, the next eight, ...

const MARGIN = 40; // of the numbers on the left; the canvas begins so much farther to the left than the time bar

function Plot(signals, chosen, span, marks, seek) {
  const canvas = document.getElementById("plot"), pen = canvas.getContext("2d"), shown = new Set(chosen);
  const legend = document.getElementById("legend"), list = document.getElementById("signals");
  const color = signal => COLORS[signals.indexOf(signal) % COLORS.length];
  const dash = signal => DASHES[Math.floor(signals.indexOf(signal) / COLORS.length) % DASHES.length];
  const plotted = () => signals.filter(signal => shown.has(signal.name));
  let now = span[0];

  for (const signal of signals) {
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox";
    box.checked = shown.has(signal.name);
    box.onchange = () => { if (box.checked) shown.add(signal.name); else shown.delete(signal.name); arrange(); };
    label.append(box, ` ${[signal.name, ...(signal.aliases || [])].join(" = ")}${signal.unit ? ` [${signal.unit}]` : ""}`);
    list.append(label);
  }

  /* Value at an instant, on the line between two points; NaN where the signal does not exist. */
  function value(signal, t) {
    const k = before(signal.time, t), a = signal.values[k], b = signal.values[k + 1], length = signal.time[k + 1] - signal.time[k];
    return length > 0 && t > signal.time[k] ? a + (b - a) * (t - signal.time[k]) / length : a;
  }

  /* The diagrams, one below the other: those of the signals with one unit share an axis. */
  const units = () => [...new Set(plotted().map(signal => signal.unit))];
  function area(k = 0, n = 1) {
    const height = (canvas.clientHeight - 16) / n;
    return { left: MARGIN, right: canvas.clientWidth, top: k * height + 6, bottom: (k + 1) * height - (n > 1 ? 4 : 0) };
  }
  const x = t => { const a = area(); return a.left + (a.right - a.left) * (t - span[0]) / (span[1] - span[0] || 1); };

  function limits(unit) {
    let low = Infinity, high = -Infinity;
    for (const signal of plotted()) if (signal.unit === unit) for (const v of signal.values) if (v === v) { if (v < low) low = v; if (v > high) high = v; }
    if (low > high) return [0, 1];
    const middle = Math.max(Math.abs(low), Math.abs(high)), room = 0.05 * (high - low) || 0.1 * middle || 1;
    return [low - room, high + room];
  }
  let ranges = new Map();

  function arrange() {
    const empty = plotted().length === 0;
    document.getElementById("figure").classList.toggle("empty", empty);
    document.getElementById("figure").style.height = empty ? "" : `${Math.max(150, 30 + 90 * units().length)}px`;
    legend.replaceChildren(...plotted().map(signal => {
      const entry = document.createElement("span");
      entry.dataset.name = signal.name;
      entry.title = [signal.name, ...(signal.aliases || [])].join(" = ");
      entry.style.color = color(signal);
      entry.style.textDecoration = dash(signal).length ? `underline ${dash(signal)[0] > 2 ? "dashed" : "dotted"}` : "";
      return entry;
    }));
    ranges = new Map(units().map(unit => [unit, limits(unit)]));
    draw();
  }

  function draw() {
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight, a = area();
    if (!width || !height) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const every = units();
    every.forEach((unit, k) => diagram(unit, area(k, every.length), k === every.length - 1));
    stroke("#123", 1.2, [], () => { pen.moveTo(x(now), a.top); pen.lineTo(x(now), height - 16); });
  }

  function diagram(unit, a, last) {
    const range = ranges.get(unit), y = v => a.bottom - (a.bottom - a.top) * (v - range[0]) / (range[1] - range[0]);
    const drawn = plotted().filter(signal => signal.unit === unit);
    grid(y, a, range, last);
    stroke("#c2222260", 1, [4, 4], () => { for (const mark of marks) { pen.moveTo(x(mark.time), a.top); pen.lineTo(x(mark.time), a.bottom); } });
    for (const signal of drawn) stroke(color(signal), 1.5, dash(signal), () => {
      let on = false;
      for (let k = 0; k < signal.time.length; k++) {
        const v = signal.values[k];
        if (v !== v) { on = false; continue; }
        if (on) pen.lineTo(x(signal.time[k]), y(v)); else pen.moveTo(x(signal.time[k]), y(v));
        on = true;
      }
    });
    for (const signal of drawn) {
      const v = value(signal, now);
      if (v === v) { pen.fillStyle = color(signal); pen.beginPath(); pen.arc(x(now), y(v), 3, 0, 7); pen.fill(); }
    }
    if (!unit) return;
    pen.textAlign = "left";
    pen.fillStyle = "#556";
    pen.setLineDash([]);
    pen.strokeStyle = "#fffc"; // a rim, so that it can be read above curves
    pen.lineWidth = 4;
    pen.strokeText(`[${unit}]`, a.left + 4, a.top + 11);
    pen.fillText(`[${unit}]`, a.left + 4, a.top + 11);
  }

  function stroke(style, width, dash, line) {
    pen.strokeStyle = style;
    pen.lineWidth = width;
    pen.setLineDash(dash);
    pen.beginPath();
    line();
    pen.stroke();
  }

  function grid(y, a, range, last) {
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = "#556";
    const rows = ticks(range[0], range[1], Math.max(2, (a.bottom - a.top) / 32)), columns = ticks(span[0], span[1], Math.max(2, (a.right - a.left) / 90));
    stroke("#0001", 1, [], () => {
      for (const v of rows) { pen.moveTo(a.left, y(v)); pen.lineTo(a.right, y(v)); }
      for (const t of columns) { pen.moveTo(x(t), a.top); pen.lineTo(x(t), a.bottom); }
    });
    pen.textAlign = "right";
    for (const v of rows) pen.fillText(number(v), a.left - 4, y(v) + 4);
    pen.textAlign = "left";
    for (const t of last ? columns : []) {
      pen.textAlign = x(t) > a.right - 20 ? "right" : "center";
      pen.fillText(number(t), x(t), a.bottom + 12);
    }
  }

  function at(t) {
    now = t;
    for (const entry of legend.children) {
      const signal = signals.find(s => s.name === entry.dataset.name), v = value(signal, t);
      entry.textContent = `${signal.name} ${v === v ? number(v) : "–"}${signal.unit ? " " + signal.unit : ""}`;
    }
    draw();
  }

  let held = false;
  const pointed = event => seek(span[0] + (span[1] - span[0]) * (event.offsetX - MARGIN) / (canvas.clientWidth - MARGIN));
  canvas.onpointerdown = event => { held = true; canvas.setPointerCapture(event.pointerId); pointed(event); };
  canvas.onpointermove = event => { if (held) pointed(event); };
  canvas.onpointerup = () => { held = false; };
  new ResizeObserver(draw).observe(canvas);
  if (!signals.length) document.getElementById("figure").remove();
  else arrange();
  return { at: signals.length ? at : () => {}, value: name => value(signals.find(s => s.name === name), now), shown, units };
}

/* Round numbers in an interval, about so many, and two at least. */
function ticks(low, high, count) {
  const raw = (high - low) / count, decade = 10 ** Math.floor(Math.log10(raw || 1)), steps = [0.1, 0.2, 0.5, 1, 2, 5, 10].map(f => f * decade);
  const multiples = step => {
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && found.length < 100; k++) found.push(k * step);
    return found;
  };
  let k = Math.max(steps.findIndex(s => s >= raw), 0), found = multiples(steps[k]);
  while (found.length < 2 && k > 0) found = multiples(steps[--k]);
  return found;
}

const number = v => String(+v.toPrecision(5));
