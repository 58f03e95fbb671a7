"""Inputs over time: what a user gives, and the memory from which machine code interpolates."""
