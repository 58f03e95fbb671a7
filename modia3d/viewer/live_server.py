"""Process behind a live window: a page and the moving scene, on one address. It answers requests by the name of this host only.

``python -m modia3d.viewer.live_server ADDRESS`` writes its address to stdout, reads what to show from stdin (`KINDS`), and ends
when stdin is closed. A page of another site cannot read the scene: the host of a request must be this server (a name that an
attacker's DNS directs here is refused), and the origin of a web socket must be the host.
"""

from __future__ import annotations

import asyncio
import re
import sys
import threading
from typing import IO

import tornado.web
import tornado.websocket

LOCAL = ("127.0.0.1", "localhost", "::1", "[::1]")
ANY = ("", "0.0.0.0", "::")  # names that a user may give

KINDS = {b"P": "a page, which those who look load anew", b"S": "a state, for those who look at the page"}
"""What comes from stdin: the kind, the number of bytes (8, most significant first), the bytes."""


WAITING = b"""<!DOCTYPE html><meta charset="utf-8"><title>modia3d</title><link rel="icon" href="data:,">
<p style="font: 14px system-ui">The simulation has not begun yet.</p>
<script>new WebSocket(`ws://${location.host}/live`).onmessage = () => location.reload();</script>
"""
"""The page before there is one."""


class Shown:
    """Content that is shown, and the browsers that show it."""

    def __init__(self) -> None:
        self.page, self.state = WAITING, b""
        self.watching: set[Socket] = set()

    def take(self, kind: bytes, content: bytes) -> None:
        """Send new content to all browsers."""
        if kind == b"P":
            self.page, self.state, content = content, b"", b'"reload"'
        else:
            self.state = content
        for socket in self.watching:
            socket.write_message(content)


class Page(tornado.web.RequestHandler):
    """Handler that serves the page."""

    def initialize(self, shown: Shown) -> None:
        """See tornado."""
        self.shown = shown

    def get(self) -> None:
        """See tornado."""
        self.set_header("Cache-Control", "no-store")
        self.set_header("Content-Security-Policy", "frame-ancestors 'none'")
        self.write(self.shown.page)


class Socket(tornado.websocket.WebSocketHandler):
    """Connection that sends the poses to a browser; tornado refuses another origin than the host."""

    def initialize(self, shown: Shown) -> None:
        """See tornado."""
        self.shown = shown

    def open(self, *args: str, **kwargs: str) -> None:
        """See tornado."""
        self.shown.watching.add(self)
        if self.shown.state:
            self.write_message(self.shown.state)

    def on_close(self) -> None:
        """See tornado."""
        self.shown.watching.discard(self)


def application(address: str, shown: Shown) -> tornado.web.Application:
    """Return the web application, which answers only requests that name this address as their host."""
    names = ".*" if address in ANY else "|".join(map(re.escape, dict.fromkeys((address, *LOCAL))))
    made = tornado.web.Application()
    made.add_handlers(f"({names})", [(r"/", Page, {"shown": shown}), (r"/live", Socket, {"shown": shown})])
    return made


async def serve(address: str, stream: IO[bytes]) -> None:
    """Serve until the stream is closed: the process that started this one has then ended."""
    import tornado.httpserver
    import tornado.netutil

    shown, ended, loop = Shown(), asyncio.Event(), asyncio.get_running_loop()
    sockets = tornado.netutil.bind_sockets(0, address or None)
    port = sockets[0].getsockname()[1]
    tornado.httpserver.HTTPServer(application(address, shown)).add_sockets(sockets[:1])
    host = "127.0.0.1" if address in ANY else f"[{address}]" if ":" in address else address
    print(f"http://{host}:{port}/", flush=True)

    def read() -> None:
        while len(head := stream.read(9)) == 9:
            content = stream.read(int.from_bytes(head[1:], "big"))
            loop.call_soon_threadsafe(shown.take, head[:1], content)
        loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=read, daemon=True).start()
    await ended.wait()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], sys.stdin.buffer))
