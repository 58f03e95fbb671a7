"""Slow evaluation of sorted equations: the reference of the machine code, and what names the equation that failed."""
