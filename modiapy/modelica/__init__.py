"""Modelica source becomes models: a front end flattens it (`frontend/`), a reader makes models of what it says (`reader/`).

The package needs the extra ``modia3d[modelica]``; nothing of it is imported before a model is loaded.
"""
