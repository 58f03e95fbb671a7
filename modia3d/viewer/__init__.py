"""Views of a simulation: bodies that move, marks in time, signals, in one HTML file, a live window, a notebook, or pictures.

`animate(result, components) -> Animation` (`animation.py`) gathers what is seen (`content.py`): poses at the key frames
(`instants.py`), contacts, signals, a camera, what Modelica models show (`visualizers.py`).
`html.py` packs it (`packing.py`, `objects.py`) into a page with meshcat's viewer
and the player of ``page/``: `data.js` unpacks, `scene.js` draws, `player.js` with `marks.js` is the time bar, `plot.js`,
`tree.js`. `live.py` shows the same page from a server of its own process (`live_server.py`) while a simulation runs;
`chromium.py` is a browser without a window.
"""
