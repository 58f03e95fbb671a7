#!/usr/bin/env bash
# trimesh 5.2.0 with pycollada 0.9.3, and coal 3.0.3 (assimp): <unit meter="0.001"> of a COLLADA file is not applied. A cube of
# 100 units, which is 0.1 m wide, has a side of 100 in both. What they do with the unit differs from what the format says.
# Seen: extents 100 100 100 in trimesh (the unit is kept as a text), 100 in coal's hull of the same file.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet trimesh==5.2.0 pycollada==0.9.3 coal==3.0.3 numpy
cd "$work"
"$work/venv/bin/python" - <<'PY'
import itertools

import coal
import numpy as np
import trimesh

points = list(itertools.product((0, 100), repeat=3))
faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
numbers = " ".join(str(c) for p in points for c in p)
corners = " ".join(str(k) for f in faces for k in f)
open("cube.dae", "w").write(f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="24">{numbers}</float_array>
<technique_common><accessor source="#a" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="12"><input semantic="VERTEX" source="#v" offset="0"/><p>{corners}</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>""")
scene = trimesh.load_scene("cube.dae")
print("trimesh:", scene.extents, scene.units)
assert np.allclose(scene.extents, 100)
mesh = coal.MeshLoader().load("cube.dae", np.ones(3))
mesh.computeLocalAABB()
print("coal:", mesh.aabb_local.max_ - mesh.aabb_local.min_)
assert np.allclose(mesh.aabb_local.max_ - mesh.aabb_local.min_, 100)
PY
