"""Machine code of distances between shapes, of their bounding boxes and of contact points."""
