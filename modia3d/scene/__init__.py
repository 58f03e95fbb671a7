"""What a user writes about a scene: frames, solids, shapes, materials, joints. Each concept is a dataclass in a file of its own."""
