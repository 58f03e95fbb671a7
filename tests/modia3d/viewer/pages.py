"""What a page holds, decoded as its own script does it."""

import base64
import gzip
import json
import re
from typing import Any

import numpy as np

KINDS = {"d": "<f8", "f": "<f4", "i": "<i4", "I": "<u4", "H": "<u2", "h": "<i2"}


def head_of(page: str) -> dict[str, Any]:
    """The head of a page, with arrays in place of their places."""
    found, block = re.search(r"^const HEAD = (.*);$", page, re.M), re.search(r'^const BLOCK = "(.*)";$', page, re.M)
    assert found is not None
    assert block is not None
    data = gzip.decompress(base64.b64decode(block[1]))

    def resolved(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: resolved(entry) for key, entry in value.items()}
        if isinstance(value, list):
            if (
                len(value) == 3
                and isinstance(value[0], str)
                and value[0] in KINDS
                and all(isinstance(v, int) for v in value[1:])
            ):
                return np.frombuffer(data, KINDS[value[0]], value[2], value[1])
            return [resolved(entry) for entry in value]
        return value

    return resolved(json.loads(found[1]))


def motion(head: dict[str, Any], name: str) -> tuple[np.ndarray, np.ndarray]:
    """Instants of the key frames of the body that holds a frame, and its poses, shape (n, 7 or 10); NaN where it is gone."""
    (body,) = [body for body in head["bodies"] if any(frame["name"] == name for frame in body["frames"])]
    values = np.cumsum(np.cumsum(body["values"].reshape(body["columns"], -1).astype(float), axis=1), axis=1).T
    values[:, :3] *= head["step"]
    values[:, 3:7] /= 32767.0
    values[:, 7:] *= head["step"]
    values[body.get("gone", [])] = np.nan
    return head["time"][body["keys"]], values


def shown(head: dict[str, Any]) -> set[str]:
    """Names of the frames that have a shape."""
    return {frame["name"] for body in head["bodies"] for frame in body["frames"] if "parts" in frame}
