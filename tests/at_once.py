"""Results compared bit by bit, and functions called in several threads at once."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np

from modiapy.simulation.results.signals import relative_name


def bits(result):
    """Hash of all points, segments and steps of a result; of what components compute from them the positions."""
    hasher = hashlib.sha256()
    for record in result.segments:
        segment = result.segment(record.index)
        hasher.update(f"{record.index} {record.start!r} {record.cause} {record.steps} {record.events}".encode())
        own = {relative_name(path, name) for path, layout in segment.layouts.items() for name in layout.signals}
        names = [name for name in segment.signals() if name not in own or name.endswith(".r_abs")]
        for values in (segment.time, segment.x, *(segment[name] for name in names)):
            hasher.update(np.ascontiguousarray(values).tobytes())
    hasher.update(repr(result.program_log).encode())
    return hasher.hexdigest()


def at_once(calls):
    """What the calls return that begin at the same moment, each in a thread of its own, in their order."""
    begin = Barrier(len(calls))

    def run(call):
        begin.wait(timeout=60.0)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))
