"""Constraints between two frames that are no joints: they have no coordinates and are never in a spanning forest."""
