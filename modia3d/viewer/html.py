"""The animation as one self-contained HTML file: meshcat's viewer and the scene inside, no network needed."""

from __future__ import annotations

import base64
import html
import os
from pathlib import Path

from modiapy.acausal.whole_file import written_whole
from modiapy.model.errors import ModiaError

from .animation import Animation
from .meshcat_scene import commands

_PAGE = """<!DOCTYPE html>
<html>
<head><meta charset="utf-8"><title>{title}</title>
<style>body {{ margin: 0; }} #meshcat-pane {{ width: 100vw; height: 100vh; overflow: hidden; }}</style></head>
<body>
<div id="meshcat-pane"></div>
<script>{viewer}</script>
<script>
const viewer = new MeshCat.Viewer(document.getElementById("meshcat-pane"));
const scene = "{scene}";
const bytes = Uint8Array.from(atob(scene), c => c.charCodeAt(0));
const view = new DataView(bytes.buffer);
for (let at = 0; at < bytes.length;) {{
  const size = view.getUint32(at);
  viewer.handle_command_bytearray(bytes.slice(at + 4, at + 4 + size));
  at += 4 + size;
}}
</script>
</body>
</html>
"""


def write_html(animation: Animation, file: str | os.PathLike[str]) -> Path:
    """Write the animation into one file that any browser opens.

    Returns:
        The path of the file. It is replaced only when the new one is complete.

    Raises:
        ModiaError: the file cannot be written.
    """
    import meshcat
    import umsgpack

    script = Path(meshcat.__file__).parent / "viewer" / "dist" / "main.min.js"
    packed = bytearray()
    for command in commands(animation):
        message = umsgpack.packb(command)
        packed += len(message).to_bytes(4, "big") + message
    viewer = script.read_text(encoding="utf-8").replace("</script", "<\\/script")
    page = _PAGE.format(title=html.escape(animation.title), viewer=viewer, scene=base64.b64encode(packed).decode("ascii"))
    target = Path(file)
    try:
        with written_whole(target) as stream:
            stream.write(page.encode())
    except OSError as error:
        raise ModiaError("the animation cannot be written", path=str(target), found=error.strerror or str(error)) from None
    return target
