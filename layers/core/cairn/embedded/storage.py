"""Keep a backup's files below a directory, which should be on another disk."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO

from cairn.embedded.blobs import file_errors
from cairn.embedded.files import create_once, discard_abandoned, files_below, make_directory
from cairn.ground.errors import NotFound


class DirectoryStorage:
    """Each file is there whole or not at all, and stays as it is."""

    def __init__(self, root: Path) -> None:
        """Use this directory, made with the first file."""
        self._root = root
        with file_errors(f"the directory {self}"):
            discard_abandoned(root)

    def __str__(self) -> str:
        """Return where it is, for people."""
        return str(self._root)

    def names(self, prefix: str = "") -> Iterator[str]:
        """Yield the name of each file that begins so, in order."""
        with file_errors(f"the directory {self}"):
            whole = (path for path in files_below(self._root) if not path.name.startswith("."))
            found = [path.relative_to(self._root).as_posix() for path in whole]
        yield from sorted(name for name in found if name.startswith(prefix))

    def fetch(self, name: str, into: BinaryIO) -> None:
        """Copy what is in a file; NotFound where it is not there."""
        with file_errors(f"the directory {self}"):
            try:
                with (self._root / name).open("rb") as file:
                    shutil.copyfileobj(file, into)
            except FileNotFoundError:
                raise NotFound(f"{name} is not in {self}") from None

    def put(self, name: str, file: BinaryIO) -> None:
        """Keep a file under a name that nothing has."""
        path = self._root / name
        with file_errors(f"the directory {self}"):
            make_directory(path.parent)
            create_once(path, file)

    def delete(self, name: str) -> None:
        """Remove a file, if it is there, and directories that it leaves empty."""
        path = self._root / name
        with file_errors(f"the directory {self}"):
            path.unlink(missing_ok=True)
        with suppress(OSError):  # the first that is not empty ends it
            for parent in takewhile(self._root.__ne__, path.parents):
                parent.rmdir()
