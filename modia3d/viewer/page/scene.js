"use strict";
/* The scene in meshcat's viewer: bodies, light, floor, camera. World coordinates are turned such that z is up; the camera lives in
   meshcat's coordinates, where y is up: toCamera. */

function Scene(head, element) {
  const T = MeshCat.THREE, viewer = new MeshCat.Viewer(element), view = head.view;
  viewer.gui.domElement.style.display = "none"; // the page has a tree of its own
  viewer.set_3d_pane_size = () => Object.getPrototypeOf(viewer).set_3d_pane_size.call(viewer, element.clientWidth, element.clientHeight);
  for (const part of ["Lights", "Axes", "Grid"]) viewer.set_property([part], "visible", false);
  viewer.set_property(["Background"], "top_color", [0.93, 0.95, 0.98]);
  viewer.set_property(["Background"], "bottom_color", [0.75, 0.79, 0.85]);

  const vector = a => new T.Vector3(a[0], a[1], a[2]);
  const toCamera = p => new T.Vector3(p.x, p.z, -p.y);
  const low = vector(view.low), high = vector(view.high), size = low.distanceTo(high), middle = low.clone().add(high).multiplyScalar(0.5);

  // bodies
  const root = viewer.scene_tree.find(["meshcat", "modia3d"]).object;
  const m = view.turn, turn = new T.Matrix4().set(m[0], m[1], m[2], 0, m[3], m[4], m[5], 0, m[6], m[7], m[8], 0, 0, 0, 0, 1);
  root.quaternion.setFromRotationMatrix(turn);
  const geometries = head.geometries.map(g => geometry(T, g)), looks = head.looks.map(l => look(T, l, head.textures, viewer));
  const frames = new Map();
  const bodies = head.bodies.map((body, index) => {
    const node = viewer.scene_tree.find(["meshcat", "modia3d", `body${index}`]).object;
    body.frames.forEach(frame => {
      const at = new T.Group();
      at.name = frame.name;
      at.position.fromArray(frame.position);
      at.quaternion.fromArray(frame.quaternion);
      const shape = new T.Group();
      for (const [g, l] of frame.parts || []) shape.add(part(T, geometries[g], head.geometries[g], looks[l], head.looks[l]));
      shape.visible = !frame.hidden;
      at.add(shape);
      node.add(at);
      frames.set(frame.name, { at, shape, body, local: vector(frame.position), seen: Boolean(frame.parts), axes: null, path: null });
    });
    return { node, body };
  });

  // light: from above, with a shadow as far as is seen
  viewer.scene.add(new T.HemisphereLight(0xffffff, 0xa0a8b4, 0.8));
  viewer.scene_tree.find(["Lights"]).object.visible = true;
  for (const child of viewer.scene_tree.find(["Lights"]).object.children) child.visible = false;
  const sun = new T.DirectionalLight(0xffffff, 0.55), reach = 1.2 * size;
  sun.castShadow = true;
  Object.assign(sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.01 * size, far: 8 * size });
  sun.shadow.mapSize.set(2048, 2048);
  sun.shadow.bias = -5e-4;
  sun.shadow.normalBias = 1e-3 * size;
  viewer.scene.add(sun, sun.target);
  function shine(at) {
    sun.target.position.copy(at);
    sun.position.copy(at).add(new T.Vector3(0.5 * size, -0.35 * size, 1.8 * size));
  }
  shine(middle);

  const floor = new T.Group();
  viewer.scene.add(floor);
  if (view.floor !== null) floor.add(...floorParts(T, size, new T.Vector3(middle.x, middle.y, view.floor)));
  else floor.visible = false;

  const space = view.follow ? stars(T, size, middle) : null;
  if (space) viewer.scene.add(space.points);

  // camera
  const camera = viewer.camera, controls = viewer.controls;
  camera.fov = view.field_of_view * 180 / Math.PI;
  camera.near = size / 500;
  camera.far = 60 * size;
  function home() {
    viewer.set_3d_pane_size();
    const found = viewpoint(T, camera, view.points, view.target ? vector(view.target) : middle, view.target || view.position);
    const target = view.target ? vector(view.target) : found.target, position = view.position ? vector(view.position) : found.position;
    controls.target.copy(toCamera(target));
    camera.position.copy(toCamera(position));
    followed = null;
    controls.update();
    viewer.set_dirty();
  }
  let follow = view.follow, followed = null;

  /* A point of a frame at a time, in turned coordinates; null where it does not exist. */
  function place(name, t) {
    const frame = frames.get(name), pose = frame && frame.body.at(t);
    if (!pose) return null;
    const p = frame.local.clone().applyQuaternion(new T.Quaternion(pose[3], pose[4], pose[5], pose[6]));
    return p.add(new T.Vector3(pose[0], pose[1], pose[2])).applyMatrix4(turn);
  }

  function goAlong(t) {
    const now = follow && place(follow, t);
    if (!now) { followed = null; return; }
    const from = followed || start(follow) || now;
    const step = toCamera(now.clone().sub(from));
    camera.position.add(step);
    controls.target.add(step);
    sun.position.add(now.clone().sub(from));
    sun.target.position.add(now.clone().sub(from));
    followed = now;
    if (space) space.around(now);
  }
  const start = name => { const first = frames.get(name).body.times[0]; return place(name, first); };

  /* Bodies where they are at a time; poses: of all bodies, in place of those of the page. */
  function show(t, poses) {
    bodies.forEach(({ node, body }, index) => {
      const pose = poses ? poses[index] : body.at(t), there = pose !== null;
      if (node.visible !== there) node.visible = there;
      if (!there) return;
      node.position.set(pose[0], pose[1], pose[2]);
      node.quaternion.set(pose[3], pose[4], pose[5], pose[6]);
      if (pose.length > 7) node.scale.set(pose[7], pose[8], pose[9]);
    });
    if (!poses) goAlong(t);
    viewer.set_dirty();
  }

  function showAxes(name, on) {
    const frame = frames.get(name);
    if (on && !frame.axes) {
      frame.axes = new T.AxesHelper(0.06 * size);
      frame.axes.material.depthTest = false;
      frame.axes.renderOrder = 2;
      frame.at.add(frame.axes);
    }
    if (frame.axes) frame.axes.visible = on;
    viewer.set_dirty();
  }

  /* The way of a frame's origin over the whole simulation; it has gaps where the frame does not exist. */
  function showPath(name, on) {
    const frame = frames.get(name);
    if (on && !frame.path) {
      const points = [], times = frame.body.times.length > 1 ? head.time : frame.body.times;
      let last = null;
      for (const t of times) {
        const now = place(name, t);
        if (now && last) points.push(last, now);
        last = now;
      }
      frame.path = new T.LineSegments(new T.BufferGeometry().setFromPoints(points), new T.LineBasicMaterial({ color: 0xd0208a }));
      viewer.scene.add(frame.path);
    }
    if (frame.path) frame.path.visible = on;
    viewer.set_dirty();
  }

  function showShape(name, on) { frames.get(name).shape.visible = on; viewer.set_dirty(); }
  new ResizeObserver(() => viewer.set_3d_pane_size()).observe(element);
  return {
    viewer, frames, show, showAxes, showPath, showShape, home, floor, space,
    get follow() { return follow; },
    set follow(name) { follow = name; followed = null; if (name) { const p = place(name, player.time); if (p) followed = p; } },
    shadow(on) { sun.castShadow = on; viewer.set_dirty(); },
  };
}

function geometry(T, given) {
  const made = new T.BufferGeometry();
  made.setAttribute("position", new T.BufferAttribute(given.points, 3));
  if (given.triangles) made.setIndex(new T.BufferAttribute(given.triangles, 1));
  if (given.normals) made.setAttribute("normal", new T.BufferAttribute(given.normals, 3, true));
  if (given.colors) made.setAttribute("color", new T.BufferAttribute(given.colors, 3));
  if (given.coordinates) made.setAttribute("uv", new T.BufferAttribute(given.coordinates.map((v, i) => i % 2 ? 1 - v : v), 2));
  return made;
}

/* Options of a material; what is made of them depends on the geometry: lines, or colours of points. */
function look(T, given, textures, viewer) {
  const options = { color: new T.Color(...given.color), opacity: given.opacity, transparent: given.opacity < 1, side: T.DoubleSide };
  if (given.wireframe) options.wireframe = true;
  if (given.texture !== undefined) options.map = new T.TextureLoader().load(textures[given.texture], () => viewer.set_dirty());
  if (options.map) options.map.wrapS = options.map.wrapT = T.RepeatWrapping;
  if (given.opacity < 1) options.depthWrite = false;
  return options;
}

function part(T, geometry, arrays, options, given) {
  if (given.text) return plate(T, geometry, given);
  const colors = arrays.colors ? { vertexColors: true, color: 0xffffff } : {};
  if (!arrays.triangles) {
    const { side, ...plain } = options;
    return new T.LineSegments(geometry, new T.LineBasicMaterial({ ...plain, ...colors }));
  }
  const mesh = new T.Mesh(geometry, new T.MeshPhongMaterial({ ...options, ...colors, shininess: 25, specular: 0x222222 }));
  mesh.castShadow = given.opacity > 0.4 && !given.wireframe;
  mesh.receiveShadow = !given.wireframe;
  return mesh;
}

/* Text, black on a transparent plate, its base line in the middle. */
function plate(T, geometry, given) {
  const canvas = document.createElement("canvas"), pen = canvas.getContext("2d"), height = 96;
  canvas.width = Math.ceil(0.61 * height * given.text.length);
  canvas.height = 1.5 * height;
  pen.font = `${height}px monospace`;
  pen.textAlign = "center";
  pen.fillText(given.text, canvas.width / 2, canvas.height / 2, canvas.width);
  const map = new T.CanvasTexture(canvas);
  const material = new T.MeshBasicMaterial({ map, opacity: given.opacity, transparent: true, side: T.DoubleSide, depthWrite: false });
  return new T.Mesh(geometry, material);
}

/* A disc that fades out, with a grid whose lines are 1, 2 or 5 times a power of ten apart. */
function floorParts(T, size, at) {
  const radius = 3 * size, canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
  canvas.width = canvas.height = 256;
  const fade = pen.createRadialGradient(128, 128, 20, 128, 128, 128);
  fade.addColorStop(0, "#fff");
  fade.addColorStop(1, "#000");
  pen.fillStyle = fade;
  pen.fillRect(0, 0, 256, 256);
  const disc = new T.Mesh(new T.CircleGeometry(radius, 96),
    new T.MeshPhongMaterial({ color: 0xb9c0ca, transparent: true, alphaMap: new T.CanvasTexture(canvas), shininess: 0, depthWrite: false }));
  disc.receiveShadow = true;
  disc.renderOrder = -2;
  disc.position.copy(at).z -= 2e-3 * size;
  const decade = 10 ** Math.floor(Math.log10(size / 4)), step = [5, 2, 1].map(f => f * decade).find(s => s <= size / 4);
  const count = Math.floor(1.2 * size / step), points = [], colors = [];
  for (let i = -count; i <= count; i++) {
    const shift = i * step, half = count * step;
    for (const [a, b] of [[[shift, -half], [shift, half]], [[-half, shift], [half, shift]]]) points.push(...a, 0, ...b, 0);
  }
  const lines = new T.BufferGeometry();
  lines.setAttribute("position", new T.Float32BufferAttribute(points, 3));
  const grid = new T.LineSegments(lines, new T.LineBasicMaterial({ color: 0x9aa5b4, transparent: true, opacity: 0.45, depthWrite: false }));
  grid.renderOrder = -1;
  grid.position.set(Math.round(at.x / step) * step, Math.round(at.y / step) * step, at.z - 1e-3 * size);
  return [disc, grid];
}

/* Stars that rest in the world where nothing else does: what a camera that goes along passes by. They fill a cube that is moved by
   whole lengths of its period, so that each of them stays where it is as long as it is seen. */
function stars(T, size, middle) {
  const period = 12 * size, count = 220, places = [];
  let seed = 1;
  const random = () => { seed = seed * 16807 % 2147483647; return seed / 2147483647; }; // Park and Miller: the same page, the same stars
  for (let k = 0; k < count; k++) {
    const star = [random(), random(), random()];
    for (let copy = 0; copy < 27; copy++) places.push(star[0] + copy % 3 - 1.5, star[1] + Math.floor(copy / 3) % 3 - 1.5, star[2] + Math.floor(copy / 9) - 1.5);
  }
  const geometry = new T.BufferGeometry();
  geometry.setAttribute("position", new T.Float32BufferAttribute(places.map(p => p * period), 3));
  const points = new T.Points(geometry, new T.PointsMaterial({ color: 0x5b6b80, size: 2.5, sizeAttenuation: false, transparent: true, opacity: 0.8 }));
  points.frustumCulled = false;
  const around = at => points.position.copy(at).divideScalar(period).round().multiplyScalar(period);
  around(middle);
  return { points, around };
}

/* Where the camera stands and what it looks at, such that the points fill the picture; a given target stays. */
function viewpoint(T, camera, points, middle, given) {
  const back = new T.Vector3(0.42, -0.75, 0.5).normalize();
  const right = new T.Vector3(0, 0, 1).cross(back).normalize(), up = back.clone().cross(right);
  const vertical = Math.tan(camera.fov * Math.PI / 360), horizontal = vertical * (camera.aspect || 1), target = middle.clone();
  const rows = points.map(p => new T.Vector3(...p).sub(middle)).map(p => [p.dot(right), p.dot(up), p.dot(back)]);
  let x = 0, y = 0, distance = 0;
  const needed = () => Math.max(...rows.map(p => p[2] + Math.max(Math.abs(p[0] - x) / horizontal, Math.abs(p[1] - y) / vertical)));
  distance = needed();
  for (let step = 0; step < 20 && !given; step++) { // what is left and right, below and above, is balanced
    const side = k => rows.map(p => (p[k] - [x, y][k]) / (distance - p[2])), [h, v] = [side(0), side(1)];
    x += 0.5 * distance * (Math.max(...h) + Math.min(...h));
    y += 0.5 * distance * (Math.max(...v) + Math.min(...v));
    distance = needed();
  }
  target.addScaledVector(right, x).addScaledVector(up, y);
  return { target, position: target.clone().addScaledVector(back, 1.06 * distance) };
}
