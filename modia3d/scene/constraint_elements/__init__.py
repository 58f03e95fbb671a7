"""What restricts the relative motion of two frames and is no joint: it has no coordinates and is never in a spanning forest."""
