"""The window that follows a simulation: for this machine only, quick, and in the end the whole animation."""

import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modia3d.viewer.animation import live_poses, live_scene
from modia3d.viewer.live import Follower, Window
from modiapy import instantiate

from .test_viewer import sliding_box

pytestmark = pytest.mark.white_box


@pytest.fixture
def window() -> Iterator[Window]:
    window = Window("127.0.0.1")
    yield window
    window.close()


def _request(port: int, host: str, more: str = "", address: str = "127.0.0.1") -> str:
    with socket.create_connection((address, port), timeout=20) as connection:
        connection.sendall(
            f"GET {'/live' if more else '/'} HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n".encode()
        )
        return connection.recv(200).decode().partition("\r\n")[0]


def test_the_live_window_is_for_this_machine_and_this_page_only(window: Window) -> None:
    """Other interfaces, pages of other sites (by DNS rebinding, by their origin) get nothing."""
    port = int(re.search(r":(\d+)/", window.url)[1])
    assert window.url.startswith("http://127.0.0.1:")
    listening = Path("/proc/net/tcp")
    if listening.exists():
        local = [line.split()[1] for line in listening.read_text().splitlines()[1:]]
        assert {place for place in local if place.endswith(f":{port:04X}")} >= {f"0100007F:{port:04X}"}
        assert f"00000000:{port:04X}" not in local
    assert "200" in _request(port, f"127.0.0.1:{port}")
    assert "200" in _request(port, f"localhost:{port}")
    assert "404" in _request(port, f"evil.example:{port}")
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    upgrade += f"Sec-WebSocket-Key: {22 * 'A'}==\r\n"
    host = f"127.0.0.1:{port}"
    assert "403" in _request(port, host, f"{upgrade}Origin: http://evil.example\r\n")
    assert "101" in _request(port, host, f"{upgrade}Origin: http://{host}\r\n")
    assert "404" in _request(port, "evil.example", f"{upgrade}Origin: http://evil.example\r\n")


def test_the_server_ends_with_the_window(window: Window) -> None:
    process = window._process
    window.close()
    assert process.poll() is not None


def test_it_shows_where_the_bodies_are_while_they_move() -> None:
    """The poses of the last point, whatever was stored before."""
    sim, shown = instantiate(sliding_box()), []

    def look(time: float) -> None:
        result = sim.last.result
        scene = live_scene(result, sim.flat.components.items(), title="box", stop_time=2.0)
        names = [body.frames[0].name for body in scene.bodies]
        pose = dict(zip(names, live_poses(result, scene), strict=True))["box"]
        shown.append((time, pose))

    sim.simulate(2.0, interval=0.01, progress=look)
    assert len(shown) > 1
    for time, pose in shown:
        np.testing.assert_allclose(pose, [0.0, 0.5 * time, 0.0, 0.0, 0.0, 0.0, 1.0], atol=1e-12)


def test_little_of_the_time_goes_into_what_is_seen() -> None:
    """After something was sent nothing is for a while, and for much longer than it took, on a clock that is handed in."""
    clock, sent = [100.0], []

    class Recorder:
        def show(self, animation: Any) -> None:
            clock[0] += 0.5

        def move(self, time: float, poses: Any) -> None:
            sent.append(clock[0])

    sim = instantiate(sliding_box())
    follower = Follower(Recorder(), sim, title="box", stop_time=2.0, clock=lambda: clock[0])  # type: ignore[arg-type]

    for time in sim.simulate(2.0, interval=0.002).time:
        clock[0] += 0.06
        follower.progress(float(time))
    assert len(sent) > 3
    assert sent[0] >= 101.0  # a short simulation is over before
    assert sent[1] - sent[0] > 0.5 / 0.05
    assert np.diff(sent[1:]).min() > 0.1
