"use strict";
/* Time bar, speed, pause, single frames, keys. show(t) is called for each instant that is shown. */

function Player(times, show, next) {
  const $ = id => document.getElementById(id), span = [times[0], times[times.length - 1]];
  const self = { time: span[0], speed: 1, playing: false, seek, play, pause, frame, span };
  const slider = $("slider"), speed = $("speed"), digits = Math.max(2, Math.min(6, 3 - Math.floor(Math.log10((span[1] - span[0]) || 1))));
  slider.min = span[0];
  slider.max = span[1];

  function seek(t) {
    self.time = Math.min(span[1], Math.max(span[0], t));
    slider.value = self.time;
    $("clock").textContent = `${self.time.toFixed(digits)} / ${span[1].toFixed(digits)} s`;
    show(self.time);
  }
  function play() {
    if (self.time >= span[1]) seek(span[0]);
    self.playing = true;
    $("play").textContent = "❚❚";
    last = performance.now();
    requestAnimationFrame(tick);
  }
  function pause() {
    self.playing = false;
    $("play").textContent = "▶";
  }
  /* One key frame forward or back. */
  function frame(direction) {
    pause();
    let k = before(times, self.time);
    if (direction > 0) while (k < times.length - 1 && times[k] <= self.time) k++;
    else while (k > 0 && times[k] >= self.time) k--;
    seek(times[k]);
  }
  function jump(direction) {
    const t = next(self.time, direction);
    seek(t === undefined ? span[direction > 0 ? 1 : 0] : t);
  }
  let last = 0;
  function tick(now) {
    if (!self.playing) return;
    const t = self.time + self.speed * Math.max(0, now - last) / 1000;
    last = now;
    seek(t);
    if (t >= span[1]) pause(); else requestAnimationFrame(tick);
  }

  const speeds = [0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000], length = span[1] - span[0];
  self.speed = length < 2 ? speeds.filter(s => s <= length / 2).pop() || speeds[0] : length > 300 ? speeds.filter(s => s <= length / 60).pop() : 1;
  for (const s of speeds) speed.append(new Option(`${s}×`, s));
  speed.value = self.speed;
  speed.onchange = () => { self.speed = +speed.value; };
  $("play").onclick = () => self.playing ? pause() : play();
  $("back").onclick = () => frame(-1);
  $("forward").onclick = () => frame(1);
  slider.oninput = () => seek(+slider.value);
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT") return;
    const act = {
      " ": () => $("play").onclick(), ArrowRight: () => frame(1), ArrowLeft: () => frame(-1), "]": () => jump(1), "[": () => jump(-1),
      Home: () => seek(span[0]), End: () => seek(span[1]),
    }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  return self;
}
