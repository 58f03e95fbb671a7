"use strict";
/* Marks on the time bar: segments above, program steps below. What is at one instant, or too near to be told apart, shares a mark. */

function Marks(all, span, seek) {
  const track = document.getElementById("track"), length = span[1] - span[0] || 1;
  const kinds = { segment: [], step: [] };
  for (const [time, kind, text] of all) {
    const row = kinds[kind], last = row[row.length - 1];
    if (last && time - last.time < length / 2000) { last.texts.push(text); last.until = time; }
    else row.push({ time, until: time, texts: [text], kind });
  }
  for (const row of Object.values(kinds)) for (const mark of row) {
    const tick = document.createElement("i");
    tick.className = mark.kind;
    tick.dataset.time = mark.time;
    tick.style.left = `${100 * (mark.time - span[0]) / length}%`;
    tick.title = `${number(mark.time)} s: ${mark.texts.slice(0, 12).join("\n")}${mark.texts.length > 12 ? "\n…" : ""}`;
    tick.onclick = () => seek(mark.until);
    track.append(tick);
  }
  const segments = all.filter(mark => mark[1] === "segment"), steps = all.filter(mark => mark[1] === "step");
  const last = (list, t) => { let k = -1; while (k + 1 < list.length && list[k + 1][0] <= t) k++; return k; };
  function at(t) {
    const k = last(segments, t), s = last(steps, t);
    tell("cause", k < 0 ? "" : `Segment ${k + 1} of ${segments.length}: ${segments[k][2]}`);
    tell("step", s < 0 ? "" : `${number(steps[s][0])} s: ${steps[s][2]}`);
  }
  /* One line; all of it where the pointer rests on it. */
  function tell(id, text) {
    const banner = document.getElementById(id);
    banner.textContent = banner.title = text.replace(/\s+/g, " ");
  }
  /* The next, or the previous, change of structure. */
  function next(t, direction) {
    const times = kinds.segment.map(mark => mark.until);
    return direction > 0 ? times.find(time => time > t) : times.filter(time => time < t).pop();
  }
  return { at, next, segments: kinds.segment };
}
