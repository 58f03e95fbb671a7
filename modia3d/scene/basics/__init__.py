"""Checks and formulas for descriptions of scenes: fields, rotations, permitted paths."""
