"""Texts of numbers with units."""

import re

QUANTITY = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[ ]+([A-Za-zµμΩ°%][\w°%*/^.()²³⁻-]*)$")
"""A number, a blank and a unit without blanks: no expression of the language looks like this."""
GLUED = re.compile(QUANTITY.pattern.replace("[ ]+", ""))
"""The same without the blank, a mistake; ``1e3`` looks like it."""
