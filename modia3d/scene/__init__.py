"""What a user writes about a scene: frames, solids, shapes, materials, joints: dataclasses, a file for each concept."""
