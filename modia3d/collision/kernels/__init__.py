"""Machine code for distances between shapes, for their bounding boxes and for contact points."""
