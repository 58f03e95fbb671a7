"""What is seen: poses at a fixed frame rate (`animation`), as meshcat's commands in one HTML file or to a page.

`animate(result, components) -> Animation` (`animation.py`): poses of everything that is seen, at a fixed frame rate.
`meshcat_scene.py` writes it as meshcat's commands, which `html.py` packs into one file and `live.py` sends to a
process of its own (`live_server.py`); `surfaces.py` has triangles of shapes that meshcat does not know. `cli/main.py`
has the arguments, `commands.py` what they do, `outputs.py` the files that a run writes, `terminal.py`, `table.py` the
tables.
"""
