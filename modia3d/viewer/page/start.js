"use strict";
/* Everything together. `page.ready` is a promise of a page that shows its first instant; #t=3 in the address begins at 3 s. */

let player = null;

const page = { ready: (async () => {
  const $ = id => document.getElementById(id), wanted = new URLSearchParams(location.hash.slice(1));
  if (wanted.has("bare")) document.body.classList.add("bare");
  const library = document.createElement("script");
  library.textContent = new TextDecoder().decode(await unpack(VIEWER));
  document.head.append(library);
  const head = await load(HEAD, BLOCK), scene = Scene(head, $("scene"));
  const seek = t => player.seek(t), span = [head.time[0], head.time[head.time.length - 1]];
  const marks = Marks(head.marks, span, seek), plot = Plot(head.signals, head.plotted, span, marks.segments, seek);
  player = Player(head.time, t => { scene.show(t); marks.at(t); plot.at(t); }, marks.next);
  Tree(scene, head);
  scene.home();
  $("home").onclick = scene.home;
  $("floor").checked = scene.floor.visible;
  $("floor").onchange = event => { scene.floor.visible = event.target.checked; scene.viewer.set_dirty(); };
  if (!scene.floor.children.length) $("floor").parentElement.remove();
  $("shadow").onchange = event => scene.shadow(event.target.checked);
  $("lost").textContent = head.lost.join("\n");
  if (head.live) watch(scene, head);
  seek(wanted.has("t") ? +wanted.get("t") : span[0]);
  /* The scene at an instant as a data URL. */
  function picture(t, kind) {
    seek(t);
    scene.viewer.render();
    return scene.viewer.renderer.domElement.toDataURL(kind, 0.95);
  }
  Object.assign(page, { head, scene, plot, marks, picture });
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
})() };

/* A simulation that runs: its server tells where the bodies are; at its end the page is another one. */
function watch(scene, head) {
  document.body.classList.add("live");
  const socket = new WebSocket(`ws://${location.host}/live`), end = head.time[1];
  socket.onmessage = message => {
    const told = JSON.parse(message.data);
    if (told === "reload") { location.reload(); return; }
    scene.show(told.time, told.poses);
    page.now = told.time;
    document.getElementById("cause").textContent = `simulating: ${told.time.toFixed(3)} of ${number(end)} s`;
  };
  socket.onclose = () => { document.getElementById("step").textContent = "the simulation has ended"; };
}
