"use strict";
/* What the page holds: arrays in one packed block, poses as second differences of whole numbers. See viewer/packing.py. */

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

const ARRAYS = { d: Float64Array, f: Float32Array, i: Int32Array, I: Uint32Array, H: Uint16Array, h: Int16Array };
const ANGLE = 32767;

/* Places of arrays, wherever they stand in the head, become the arrays. */
async function load(head, text) {
  const buffer = await unpack(text);
  const array = place => new ARRAYS[place[0]](buffer, place[1], place[2]);
  head.time = array(head.time);
  for (const signal of head.signals) { signal.time = array(signal.time); signal.values = array(signal.values); }
  for (const geometry of head.geometries) for (const name of Object.keys(geometry)) geometry[name] = array(geometry[name]);
  for (const body of head.bodies) Object.assign(body, motion(body, array(body.keys), array(body.values), head));
  return head;
}

/* times: instants of the body's key frames. at(t): [x, y, z, qx, qy, qz, qw, and sx, sy, sz where the body is scaled], or null where
   the body does not exist. Two key frames of one instant are before and after a change: the last one counts, nothing is between. */
function motion(body, keys, raw, head) {
  const n = keys.length, columns = body.columns, values = new Float64Array(columns * n);
  const times = Float64Array.from(keys, k => head.time[k]), gone = new Set(body.gone);
  for (let c = 0; c < columns; c++) {
    const unit = c > 2 && c < 7 ? 1 / ANGLE : head.step;
    for (let k = 0, value = 0, slope = 0; k < n; k++) {
      slope += raw[c * n + k];
      value += slope;
      values[columns * k + c] = value * unit;
    }
  }
  const row = k => values.subarray(columns * k, columns * (k + 1));
  function at(t) {
    const k = before(times, t);
    if (gone.has(k)) return null;
    const a = row(k);
    if (k + 1 >= n || gone.has(k + 1)) return a;
    const w = Math.min(1, Math.max(0, (t - times[k]) / (times[k + 1] - times[k])));
    return w === 0 || Number.isNaN(w) ? a : between(a, row(k + 1), w);
  }
  return { times, at };
}

/* The last place in an ascending array whose value is not greater than t; 0 if there is none. */
function before(times, t) {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle; else high = middle - 1;
  }
  return low;
}

/* A pose between two: the shorter way of the quaternion, normalised. */
function between(a, b, w) {
  const dot = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6], sign = dot < 0 ? -1 : 1;
  const pose = Array.from(a, (value, i) => value * (1 - w) + b[i] * w * (i > 2 && i < 7 ? sign : 1));
  const norm = Math.hypot(pose[3], pose[4], pose[5], pose[6]) || 1;
  for (let i = 3; i < 7; i++) pose[i] /= norm;
  return pose;
}
