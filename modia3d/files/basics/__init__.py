"""Common part of all readers of files: their content, docstrings as texts, numbers with units."""
