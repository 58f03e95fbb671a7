"""Inputs over time: the forms in which users give them, and the memory from which machine code interpolates."""
