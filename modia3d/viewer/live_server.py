"""The process behind a live window: meshcat's server, listening on one address and answering those who ask it by its name.

``python -m modia3d.viewer.live_server ADDRESS`` writes where it is reached to stdout and ends when its stdin is closed. A page
of another site cannot read the scene: the host of a request has to be this server (a name that an attacker's DNS leads here
is not), and the origin of a web socket has to be the host.
"""

from __future__ import annotations

import re
import sys
import threading
from typing import Any

import tornado.web
from meshcat.servers import zmqserver

LOCAL = ("127.0.0.1", "localhost", "::1", "[::1]")
ANY = ("", "0.0.0.0", "::")  # names that a user may give


class Application(tornado.web.Application):
    """meshcat's pages, on one address."""

    def __init__(self, address: str, bridge: Any) -> None:
        super().__init__()
        self._address = address
        static = {"path": zmqserver.VIEWER_ROOT, "default_filename": zmqserver.VIEWER_HTML}
        names = ".*" if address in ANY else "|".join(map(re.escape, dict.fromkeys((address, *LOCAL))))
        pages = [
            (r"/static/(.*)", zmqserver.StaticFileHandlerNoCache, static),
            (r"/", zmqserver.WebSocketHandler, {"bridge": bridge}),
        ]
        self.add_handlers(f"({names})", pages)

    def listen(self, port: int, address: str | None = None, **options: Any) -> Any:
        """See tornado; meshcat names no address, which would be all interfaces."""
        return super().listen(port, address=address or self._address, **options)


class Bridge(zmqserver.ZMQWebSocketBridge):  # type: ignore[misc]
    """meshcat's server; commands come from this machine only."""

    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__(host="127.0.0.1")
        shown = "127.0.0.1" if address in ANY else f"[{address}]" if ":" in address else address
        self.web_url = f"http://{shown}:{self.fileserver_port}/static/"

    def make_app(self) -> Application:
        """The application that meshcat lets listen."""
        return Application(self._address, self)


def main(address: str) -> None:
    """Serve until stdin is closed: whoever started this has ended then."""
    bridge = Bridge(address)
    print(bridge.zmq_url, bridge.web_url, flush=True)

    def wait() -> None:
        sys.stdin.read()
        bridge.ioloop.add_callback(bridge.ioloop.stop)

    threading.Thread(target=wait, daemon=True).start()
    bridge.run()


if __name__ == "__main__":
    main(sys.argv[1])
