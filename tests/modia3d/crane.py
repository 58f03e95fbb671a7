"""A small complete scenario for tests: an arm with one driven joint that locks its foot to a dock, and a box beside it."""

from pathlib import Path

CRANE = """\
modia3d: 1
description: a crane with one joint
definitions:
  Part:
    Solid:
      shape: {Box: [0.2, 0.1, 0.1]}
      mass_properties: {MassPropertiesFromShapeAndMass: {mass: 2.0}}
model:
  phi0: 0.1
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: {}}}}}}
  dock: {Object3D: {parent: world, lockable: true}}
  post: {Object3D: {parent: world, translation: [0, 1, 0], lockable: true}}
  base: {Object3D: {fixed_to_parent: false, assembly_root: true, translation: [0, 0, 0.2], feature: {Part: {}}}}
  foot: {Object3D: {parent: base, translation: [0, 0, -0.2], rotation: [pi, 0, 0], lockable: true}}
  arm: {Object3D: {}}
  beam: {Object3D: {parent: arm, translation: [0.3, 0, 0], feature: {Part: {}}}}
  hand: {Object3D: {parent: arm, translation: [0.4, 0, 0], rotation: [0, pi/2, 0], lockable: true}}
  joint: {RevoluteWithFlange: {obj1: base, obj2: arm, axis: z, phi: {Var: {init: phi0}}}}
  drive: {ElasticDrive: {ratio: 50, phi0: phi0}}
  box: {Object3D: {fixed_to_parent: false, translation: [1.0, 0, 0.2], feature: {Part: {}}}}
  handle: {Object3D: {parent: box, translation: [-0.1, 0, 0], rotation: [0, -pi/2, 0], lockable: true}}
  connect:
    - [drive.flange, joint.flange]
    - [actions.joint.position, drive.phi_ref]
    - [actions.joint.velocity, drive.w_ref]
actions:
  - ActionAttach: [foot, dock]
  - addReferencePath: {names: [joint], position: [0.1], v_max: [2.0], a_max: [8.0]}
  - ptpJointSpace: [[0.6]]
  - EventAfterPeriod: 1.0
simulation: {stop_time: 2.0, interval: 0.05}
"""


def write_crane(folder: Path, *changes: tuple[str, str], name: str = "crane.yaml") -> Path:
    """The scenario in a file, with pieces of its text replaced; each piece must be there."""
    text = CRANE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = folder / name
    file.write_text(text)
    return file


def line_of(file: Path, piece: str) -> int:
    """Number of the first line that contains a piece of text."""
    return next(n for n, line in enumerate(file.read_text().splitlines(), 1) if piece in line)
