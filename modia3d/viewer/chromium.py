"""A browser without a window that opens pages and takes pictures: Chromium or Chrome, driven by its DevTools protocol."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any

from modiapy.model.errors import ModiaError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
OPTIONS = (
    "--headless=new", "--remote-debugging-port=0", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--no-first-run", "--no-default-browser-check", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--mute-audio", "--hide-scrollbars", "--force-color-profile=srgb", "--disable-lcd-text",
)  # fmt: skip
START_S, ANSWER_S = 30.0, 120.0
"""How long its start, and one answer, is waited for [s]."""


def find_chromium() -> str | None:
    """Return the path of the browser: the one in the environment variable ``MODIA_CHROMIUM``, or an installed one."""
    asked = os.environ.get("MODIA_CHROMIUM")
    if asked:
        return shutil.which(asked)
    found = (shutil.which(name) for name in NAMES)
    return next((path for path in (*found, *filter(os.path.isfile, PLACES)) if path), None)


class Chromium:
    """One page in a browser of its own; to be used in a ``with`` statement.

    Args:
        width, height: of the page [pixels].

    Attributes:
        messages: what the page wrote to its console, and its errors.
        requests: addresses that it asked for.

    Raises:
        ModiaError: there is no such browser, or it does not start.
    """

    def __init__(self, width: int = 1280, height: int = 720) -> None:
        program = find_chromium()
        if program is None:
            raise ModiaError(
                "pictures and videos need a browser",
                found="neither Chromium nor Chrome",
                remedy="Install one (Debian: apt install chromium), or name its program in MODIA_CHROMIUM.",
            )
        self._program = program
        self.messages: list[str] = []
        self.requests: list[str] = []
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._count = 0
        self._loaded = asyncio.Event()
        self._profile = tempfile.TemporaryDirectory(prefix="modia3d-chromium-", ignore_cleanup_errors=True)
        options = [*OPTIONS, f"--user-data-dir={self._profile.name}", f"--window-size={width},{height}"]
        if sys.platform == "linux" and os.geteuid() == 0:
            options.append("--no-sandbox")  # it refuses to start as root with it
        nowhere = subprocess.DEVNULL
        self._process = subprocess.Popen([program, *options, "about:blank"], stdin=nowhere, stdout=nowhere, stderr=nowhere)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        try:
            self._run(self._connect(width, height))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the browser and its process."""
        self._process.terminate()
        try:
            self._process.wait(10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._profile.cleanup()

    def open(self, address: str) -> None:
        """Open a page and wait until it is loaded."""
        self._run(self._open(address))

    def evaluate(self, script: str) -> Any:
        """Evaluate an expression in the page and return its value; wait for a promise. Raises ModiaError if it fails."""
        arguments = {"expression": script, "awaitPromise": True, "returnByValue": True}
        answer = self._run(self._ask("Runtime.evaluate", arguments))
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            found = details.get("exception", {}).get("description") or details.get("text", "")
            raise ModiaError("the page has failed", found=str(found))
        return answer["result"].get("value")

    def picture(self) -> bytes:
        """Return a picture of the page, as a PNG file."""
        return base64.b64decode(self._run(self._ask("Page.captureScreenshot", {"format": "png"}))["data"])

    def call(self, method: str, **arguments: Any) -> Any:
        """Execute a command of the protocol and return its result, e.g.

        ``call("Input.dispatchKeyEvent", type="keyDown", key=" ")``.
        """
        return self._run(self._ask(method, arguments))

    # -- in the thread of the loop ----------------------------------------------------------------------------------------

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(ANSWER_S)

    async def _connect(self, width: int, height: int) -> None:
        from tornado.websocket import websocket_connect

        address = await self._address()
        self._socket = await websocket_connect(address, max_message_size=2**30, ping_interval=None)
        self._reader = asyncio.ensure_future(self._read())
        targets = (await self._ask("Target.getTargets", {}))["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session: str | None = None
        self._session = (await self._ask("Target.attachToTarget", {"targetId": page, "flatten": True}))["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            await self._ask(f"{domain}.enable", {})
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        await self._ask("Emulation.setDeviceMetricsOverride", size)

    async def _address(self) -> str:
        """Wait for the address that the browser writes into its profile, and return it."""
        file, until = Path(self._profile.name) / "DevToolsActivePort", time.monotonic() + START_S
        while time.monotonic() < until and self._process.poll() is None:
            lines = file.read_text().split() if file.exists() else []
            if len(lines) == 2:
                return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
            await asyncio.sleep(0.02)
        raise ModiaError("the browser does not start", path=self._program, found=f"exit status {self._process.poll()}")

    async def _open(self, address: str) -> None:
        self._loaded.clear()
        answer = await self._ask("Page.navigate", {"url": address})
        if answer.get("errorText"):
            raise ModiaError("the page cannot be opened", path=address, found=answer["errorText"])
        await asyncio.wait_for(self._loaded.wait(), ANSWER_S)

    async def _ask(self, method: str, arguments: dict[str, Any]) -> Any:
        self._count += 1
        message = {"id": self._count, "method": method, "params": arguments}
        if getattr(self, "_session", None):
            message["sessionId"] = self._session
        answer = self._answers[self._count] = asyncio.get_running_loop().create_future()
        await self._socket.write_message(json.dumps(message))
        return await answer

    async def _read(self) -> None:
        while (text := await self._socket.read_message()) is not None:
            message = json.loads(text)
            if "id" in message:
                answer = self._answers.pop(message["id"])
                if "error" in message:
                    answer.set_exception(ModiaError("the browser refuses", found=str(message["error"].get("message"))))
                else:
                    answer.set_result(message["result"])
            else:
                self._notice(message["method"], message["params"])
        for answer in self._answers.values():
            answer.set_exception(ModiaError("the browser has ended", found="an answer was waited for"))

    def _notice(self, method: str, told: dict[str, Any]) -> None:
        if method == "Page.loadEventFired":
            self._loaded.set()
        elif method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif method == "Runtime.consoleAPICalled":
            self.messages.append(" ".join(str(part.get("value", part.get("description"))) for part in told["args"]))
        elif method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.messages.append(str(details.get("exception", {}).get("description") or details.get("text")))
        elif method == "Log.entryAdded":
            self.messages.append(f"{told['entry']['level']}: {told['entry']['text']}")
