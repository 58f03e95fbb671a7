"""Hash of a file and of all that it imports: the machine code of its kernels depends on no other file."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

_NUMBA = re.compile(rb"^\s*(?:from|import)\s+numba\b|^\s*from\s+\S*\bnative\s+import\b", re.MULTILINE)
_FROM = re.compile(rb"^from\s+(\.*)([\w.]*)\s+import\s+(\((?:[^)#]|#[^\n]*)*\)|[^\n#]*)", re.MULTILINE)
_IMPORT = re.compile(rb"^import\s+([^\n#]+)", re.MULTILINE)
_FOLDER = re.compile(rb"^# made of all files of ([\w/]+)$", re.MULTILINE)
"""What a file says that imports files of a folder by names that it finds out when it runs."""
_FILE = re.compile(rb"^# made of ([\w/]+\.py)$", re.MULTILINE)
"""What a file says that imports another one where numba is asked for."""
_COMMENT = re.compile(rb"#[^\n]*")


def packages() -> tuple[Path, ...]:
    """Return the folders of the packages whose kernels share the cache: this package and, where it is installed,
    ``modia3d``.
    """
    own = Path(__file__).resolve().parents[2]
    other = own.parent / "modia3d"
    return (own, other) if other.is_dir() else (own,)


class Sources:
    """Source files, each read once, when it is first asked for. Paths are text: thousands of them are compared.

    Imports are followed into the given packages, into the package of the file that imports, and to modules beside a file that
    belongs to no package.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = [os.fspath(folder) for folder in folders]
        self._known: dict[str, tuple[bytes, list[str]] | None] = {}
        self._kernels: str | None = None

    def hash_of(self, files: Iterable[str]) -> str:
        """Return the hash of these files and of all that they import, directly or through others."""
        first = sorted(files)
        digest = hashlib.sha256("".join(f"{self.name_of(path)}\n" for path in first).encode())
        for name, content in sorted(self.digests(first).items()):
            digest.update(f"{name}\n".encode() + bytes.fromhex(content))
        return digest.hexdigest()

    def digests(self, files: Iterable[str]) -> dict[str, str]:
        """Return the hashes of these files and of all that they import, by their names from the folder of their package on."""
        digests: dict[str, bytes] = {}
        pending = list(files)
        while pending:
            path = pending.pop()
            if path not in digests and (known := self._file(path)) is not None:
                digests[path], imported = known
                pending.extend(imported)
        return {self.name_of(path): content.hex() for path, content in digests.items()}

    def hash_of_kernels(self) -> str:
        """Return the hash of all files of the packages that define kernels, and of all that they import."""
        if self._kernels is None:
            files = (os.path.join(at, name) for root in self._folders for at, _, names in os.walk(root) for name in names)
            sources = (path for path in files if path.endswith(".py"))
            self._kernels = self.hash_of([path for path in sources if _NUMBA.search(Path(path).read_bytes())])
        return self._kernels

    def contains(self, path: str) -> bool:
        """Return whether a file lies in one of the packages."""
        return self._folder_of(path) is not None

    def read(self, path: str) -> bytes | None:
        """Return the content of a file; None where there is no such file."""
        try:
            with open(path, "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def marked(self, source: bytes) -> list[str]:
        """Return the files that a source says it is made of besides those that it imports."""
        found = []
        for file in _FILE.findall(source):
            package, _, rest = file.decode().partition("/")
            found += [os.path.join(root, *rest.split("/")) for root in self._folders if os.path.basename(root) == package]
        for folder in _FOLDER.findall(source):
            found += self._files_of(folder.decode())
        return found

    def module_file(self, path: str, dots: int, module: str) -> str | None:
        """Return the file of a module that a file imports; None where it is outside of what is followed.

        Args:
            path: of the file that imports.
            dots: number of dots before the module's name.
            module: its name, with dots between its parts.
        """
        parts = [part for part in module.split(".") if part]
        if (place := self._beginning(path, dots, parts)) is None:
            return None
        folder, rest = place
        whole = os.path.join(folder, *rest)
        files = [os.path.join(whole, "__init__.py"), *([f"{whole}.py"] if rest else [])]
        return next((file for file in files if os.path.isfile(file)), None)

    def _beginning(self, path: str, dots: int, parts: Sequence[str]) -> tuple[str, Sequence[str]] | None:
        """Return the folder in which an imported module's name begins, and the parts of the name from there on."""
        if dots:
            folder = path
            for _ in range(dots):
                folder = os.path.dirname(folder)
            return folder, parts
        package = self._folder_of(path) or _package_of(path)
        packages = {os.path.basename(known): known for known in (*self._folders, *([package] if package else []))}
        if parts and parts[0] in packages:
            return packages[parts[0]], parts[1:]
        return (os.path.dirname(path), parts) if parts and package is None else None

    def _folder_of(self, path: str) -> str | None:
        return next((folder for folder in self._folders if path.startswith(folder + os.sep)), None)

    def name_of(self, path: str) -> str:
        """Return the path of a file from the folder of its package on, which is the same wherever the package is installed."""
        folder = self._folder_of(path)
        return path if folder is None else os.path.relpath(path, os.path.dirname(folder)).replace(os.sep, "/")

    def _file(self, path: str) -> tuple[bytes, list[str]] | None:
        """Return the digest of a file and the files that it may import; None where there is no such file."""
        if path not in self._known:
            source = self.read(path)
            self._known[path] = None if source is None else (hashlib.sha256(source).digest(), self._imports(path, source))
        return self._known[path]

    def _imports(self, path: str, source: bytes) -> list[str]:
        """Return the files that a file may import, whether they exist or not."""
        found: list[str] = []
        for dots, module, names in _FROM.findall(source):
            imported = _COMMENT.sub(b"", names).decode().strip("() \r\n\t").split(",")
            found += self._modules(path, len(dots), module.decode(), [name.split()[0] for name in imported if name.strip()])
        found += self.marked(source)
        for modules in _IMPORT.findall(source):
            for module in modules.decode().split(","):
                found += self._modules(path, 0, module.split()[0] if module.strip() else "", [])
        return found

    def _files_of(self, folder: str) -> list[str]:
        """Return the Python files of a folder, which is named from its package on."""
        package, _, rest = folder.partition("/")
        roots = [root for root in self._folders if os.path.basename(root) == package]
        return sorted(str(file) for root in roots for file in Path(root, rest).glob("*.py"))

    def _modules(self, path: str, dots: int, module: str, names: Sequence[str]) -> list[str]:
        """Return the files of a module, of the packages around it, and of those of the names imported from it that may be
        modules.
        """
        if (place := self._beginning(path, dots, [part for part in module.split(".") if part])) is None:
            return []
        folder, parts = place
        found = [os.path.join(folder, "__init__.py")]
        for part in parts:
            found.append(os.path.join(folder, f"{part}.py"))
            folder = os.path.join(folder, part)
            found.append(os.path.join(folder, "__init__.py"))
        return found + [os.path.join(folder, f"{name}{end}") for name in names for end in (".py", f"{os.sep}__init__.py")]


def _package_of(path: str) -> str | None:
    """Return the folder of the outermost package that a file belongs to."""
    folder, package = os.path.dirname(path), None
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.dirname(folder), folder
    return package
