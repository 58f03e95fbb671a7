"""What descriptions of scenes are checked and computed with: fields, rotations, permitted paths."""
