"use strict";
/* The objects by their paths: what is seen, whose axes and paths are shown, what the camera follows. */

function Tree(scene, head) {
  const top = branches([...scene.frames.keys()]), list = document.getElementById("objects");
  const on = { axes: new Set(head.axes), path: new Set(head.paths) };

  function branches(names) {
    const root = { name: "", label: "", children: new Map() };
    for (const name of names) {
      let node = root;
      for (const part of parts(name)) {
        if (!node.children.has(part)) node.children.set(part, { name: "", label: part, children: new Map() });
        node = node.children.get(part);
      }
      node.name = name;
    }
    return root;
  }

  /* Parts of a path; what stands in brackets, as names of two solids that touch, is one of them. */
  function parts(name) { return name.match(/(?:[^.[]|\[[^\]]*\])+/g) || [name]; }

  function seen(node) {
    const own = node.name && scene.frames.get(node.name).seen ? [node.name] : [];
    return [...own, ...[...node.children.values()].flatMap(seen)];
  }

  function row(node) {
    const line = document.createElement("span"), shapes = seen(node);
    line.className = "row";
    if (shapes.length) {
      const box = document.createElement("input");
      box.type = "checkbox";
      box.title = "visible";
      box.dataset.name = node.name;
      box.onclick = event => event.stopPropagation();
      box.onchange = () => { shapes.forEach(name => scene.showShape(name, box.checked)); refresh(); };
      box.refresh = () => {
        const count = shapes.filter(name => scene.frames.get(name).shape.visible).length;
        box.checked = count > 0;
        box.indeterminate = count > 0 && count < shapes.length;
      };
      box.refresh();
      line.append(box);
    } else line.append(Object.assign(document.createElement("i"), { className: "none" }));
    line.append(Object.assign(document.createElement("b"), { textContent: node.label, title: node.name || node.label }));
    if (node.name) line.append(button(node.name, "axes", "⊹", scene.showAxes), button(node.name, "path", "∿", scene.showPath), follower(node.name));
    return line;
  }

  function button(name, kind, sign, show) {
    const made = Object.assign(document.createElement("button"), { textContent: sign, title: `${kind} of ${name}`, className: "toggle" });
    made.classList.toggle("on", on[kind].has(name));
    made.onclick = event => {
      event.preventDefault();
      if (on[kind].has(name)) on[kind].delete(name); else on[kind].add(name);
      made.classList.toggle("on", on[kind].has(name));
      show(name, on[kind].has(name));
    };
    return made;
  }

  function follower(name) {
    const made = Object.assign(document.createElement("button"), { textContent: "◎", title: `the camera follows ${name}`, className: "toggle follow" });
    made.refresh = () => made.classList.toggle("on", scene.follow === name);
    made.onclick = event => { event.preventDefault(); scene.follow = scene.follow === name ? "" : name; refresh(); };
    made.refresh();
    return made;
  }

  /* Branches are filled when they are opened: a scene may have thousands of objects. */
  function fill(node, into) {
    for (const child of node.children.values()) {
      if (!child.children.size) { into.append(row(child)); continue; }
      const branch = document.createElement("details"), head = document.createElement("summary");
      head.append(row(child));
      branch.append(head);
      branch.ontoggle = () => { if (branch.open && branch.children.length === 1) { fill(child, branch); refresh(); } };
      into.append(branch);
    }
  }

  function refresh() { for (const part of list.querySelectorAll("input, .follow")) if (part.refresh) part.refresh(); }

  fill(top, list);
  on.axes.forEach(name => scene.showAxes(name, true));
  on.path.forEach(name => scene.showPath(name, true));
}
