"""Result files taken apart and put together again."""

import hashlib

import h5py
import numpy as np


def taken_apart(path):
    """All datasets of a result file, texts as bytes."""
    with h5py.File(path, "r") as file:
        arrays = {name: file[name][:] for name in file}
    return {name: array.tobytes() if array.dtype == np.uint8 else array for name, array in arrays.items()}


def put_together(path, parts):
    """A file of these datasets."""
    path.unlink(missing_ok=True)  # who reads the earlier file keeps it
    with h5py.File(path, "w", libver="v110") as file:
        for name, part in parts.items():
            array = np.frombuffer(part, np.uint8) if isinstance(part, bytes) else part
            file.create_dataset(name, data=array, maxshape=(None, *array.shape[1:]), chunks=True)


def lines(parts):
    """The lines of the journal, without their checksums."""
    return [line.split(b"\t")[0] for line in parts["journal"].splitlines()]


def relinked(header, contents):
    """The journal of these lines with checksums that are right."""
    chain, journal = _link(b"", header), b""
    for line in contents:
        chain = _link(chain, line)
        journal += line + b"\t" + chain + b"\n"
    return journal


def _link(before, content):
    return hashlib.sha256(before + b"\n" + content).hexdigest()[:16].encode()
