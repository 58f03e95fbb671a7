"""Pictures and videos of an animation, drawn by its page in a browser without a window."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from modiapy.acausal.disk.whole_file import written_whole
from modiapy.model.errors import ModelError, ModiaError

from .chromium import Chromium
from .content import Content
from .html import page

ENCODERS = {
    ".mp4": ("-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart"),
    ".webm": ("-c:v", "libvpx-vp9", "-crf", "32", "-b:v", "0"),
    ".gif": ("-filter_complex", "split[a][b];[a]palettegen[p];[b][p]paletteuse"),
}
"""Options of ffmpeg by the suffix of the video."""

MAX_PICTURES = 20_000


def write_png(
    animation: Content, file: str | os.PathLike[str], *, time: float | None = None, width: int = 1280, height: int = 720
) -> Path:
    """Draw one instant.

    Args:
        animation: what is drawn, without the time bar.
        file: that is written, whole or not at all.
        time: which instant [s]; None: the first one.
        width, height: of the picture [pixels].

    Raises:
        ModiaError: the animation has no such instant, there is no browser, or the file cannot be written.
    """
    target = _checked(file, (".png",))
    begin, end = float(animation.time[0]), float(animation.time[-1])
    if time is not None and not begin <= time <= end:
        raise ModelError(
            "the instant of a picture is outside the simulated time",
            found=f"{time:g} s",
            expected=f"a time from {begin:g} s to {end:g} s",
        )
    with _drawn(animation, width, height) as browser:
        picture = _picture(browser, begin if time is None else time, "image/png")
    return _write(target, picture)


def write_video(animation: Content, file: str | os.PathLike[str], fps: float, speed: float, width: int, height: int) -> Path:
    """Draw the whole animation, without the time bar. See `Animation.write_video`.

    The file is written as a whole or not at all.
    """
    target = _checked(file, tuple(ENCODERS))
    if not (fps > 0.0 and speed > 0.0 and width > 0 and height > 0 and width % 2 == height % 2 == 0):
        found = f"fps={fps:g}, speed={speed:g}, {width} x {height}"
        raise ModelError(
            "the size or rate of the video is wrong", found=found, expected="positive numbers, an even width and height"
        )
    begin, end = float(animation.time[0]), float(animation.time[-1])
    count = int(np.floor((end - begin) / speed * fps + 1e-9)) + 1
    if count > MAX_PICTURES:
        raise ModelError(
            "the video is too long", found=f"{count} pictures", expected=f"at most {MAX_PICTURES}", remedy="Give a speed."
        )
    with tempfile.TemporaryDirectory(prefix="modia3d-video-") as folder, _drawn(animation, width, height) as browser:
        made = Path(folder) / f"video{target.suffix.lower()}"
        source = ("-f", "image2pipe", "-c:v", "mjpeg", "-framerate", f"{fps:g}", "-i", "-")
        command = [_ffmpeg(), "-loglevel", "error", "-y", *source, *ENCODERS[target.suffix.lower()], os.fspath(made)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as encoder:
            assert encoder.stdin is not None
            assert encoder.stderr is not None
            try:
                for k in range(count):
                    encoder.stdin.write(_picture(browser, min(begin + k * speed / fps, end), "image/jpeg"))
                encoder.stdin.close()
            except OSError:
                pass  # it tells why it has ended
            told = encoder.stderr.read().decode(errors="replace").strip()
        if encoder.returncode != 0:
            raise ModiaError(
                "the video cannot be made", path=os.fspath(target), found=told or f"exit status {encoder.returncode}"
            )
        return _write(target, made.read_bytes())


def _checked(file: str | os.PathLike[str], suffixes: tuple[str, ...]) -> Path:
    target = Path(file)
    if target.suffix.lower() not in suffixes:
        raise ModelError(
            "the suffix of a picture's file is not known",
            path=os.fspath(target),
            found=repr(target.suffix),
            expected=" or ".join(suffixes),
        )
    return target


def _ffmpeg() -> str:
    """Return the path of ffmpeg: an installed one, or the one of the package imageio-ffmpeg."""
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    try:
        import imageio_ffmpeg
    except ImportError:
        remedy = "pip install modia3d[video], or install ffmpeg."
        raise ModiaError("videos need ffmpeg", found="it is not installed", remedy=remedy) from None
    return str(imageio_ffmpeg.get_ffmpeg_exe())


@contextmanager
def _drawn(animation: Content, width: int, height: int) -> Iterator[Chromium]:
    """Open the page in a browser, with nothing but the scene."""
    with tempfile.TemporaryDirectory(prefix="modia3d-page-") as folder, Chromium(width, height) as browser:
        file = Path(folder) / "page.html"
        file.write_text(page(animation), encoding="utf-8")
        browser.open(f"{file.as_uri()}#bare")
        browser.evaluate("page.ready")
        yield browser


def _picture(browser: Chromium, time: float, kind: str) -> bytes:
    return base64.b64decode(str(browser.evaluate(f"page.picture({time!r}, '{kind}')")).partition(",")[2])


def _write(target: Path, content: bytes) -> Path:
    try:
        with written_whole(target) as stream:
            stream.write(content)
    except OSError as error:
        raise ModiaError("the picture cannot be written", path=os.fspath(target), found=error.strerror or str(error)) from None
    return target
