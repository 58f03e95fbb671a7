"""Description of a scene: frames, solids, shapes, materials, joints; dataclasses, a file for each concept.

What a user writes, with all fields: docs/multibody.md, docs/joints.md, docs/forces.md,
docs/sensors.md. `Object3D = constructor(Frame)` and so on stand in `scene/constructors.py`,
`scene/sensors/constructors.py`, `forces/constructors.py`; joints with a flange, drive trains, force signals and
sensors are functions that return a `Model`.

- frames, the world, copies: `scene/frame.py`, `scene_feature.py`, `gravity.py`, `pool.py`: `Frame`; `SceneFeature`,
  `MatingTolerance`; `UniformGravity`, ...
- bodies: `scene/solid.py`, `mass_properties.py`, `shapes/`, `solid_materials.py`: `SolidFeature`; `MassProperties`,
  ...; `BoxShape`, ...; `SolidMaterial`
- what is seen: `scene/visual.py`, `shapes/marks.py`, `colors.py`: `VisualFeature`, `VisualMaterial`; `SpringShape`,
  ...
- joints; with flanges: `scene/joints/`; `flanges.py`: `RevoluteJoint`, ..., one file for each; `LimitedJoint`
  (`limits`, `at_limit`)
- initial poses: `scene/initial_pose.py`: `InitialPose`
- sensors: `scene/sensors/`: `Sensor`, `Quantity`
- forces, lines, drive trains: `forces/`: one for each element; `LineForce`, `RevoluteWithSupport` and so on are
  models (`line_force.py`, `drive_train.py`); `engine/housings.py` refuses reactions that count twice
- palettes, pairs in contact: `scene/palette.py`, `contact_pairs.py`, `materials/*.toml`: `ContactPair`
- checks of fields, formulas as text, rotations, permitted paths: `scene/basics/checks.py`, `formulas.py`,
  `rotations.py`, `paths.py`
- names and arguments of Modia3D.jl, each with its name here: `scene/modia3d_jl_names.py`

Shapes (`scene/shapes/`) know `volume`, `centroid`, `inertia_per_mass`, `products_per_mass`, `bounding_box` and
`support(direction)` (the farthest point of the convex hull; directions `(..., 3)`), all in the frame of the shape;
`viewer/surfaces.py` has the triangles.

Names of objects are paths relative to the `Model3D`; a reference (`parent`, `obj1`, `obj2`, a frame in an action) is
looked up in the model where it stands, then in the enclosing ones. A frame without parent that is the scene's is the
world.
"""
