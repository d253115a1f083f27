"""Keep heads of audit chains as files of a directory, which should be on another disk: `<tenant>/<number>`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cairn.embedded.blobs import directory_name, file_errors
from cairn.embedded.files import create_once, make_directory
from cairn.ground.ids import Tenant


class DirectoryAnchors:
    """Adds a file for each head; what is there already is left as it is."""

    def __init__(self, root: Path) -> None:
        """Use this directory, made with the first head."""
        self._root = root

    def put(self, tenant: Tenant, number: int, head: str) -> None:
        """Keep the head of the chain at this place, unless one is kept; Unavailable where the directory fails."""
        directory = self._root / directory_name(tenant)
        with file_errors():
            make_directory(directory)
            create_once(directory / f"{number:09d}", head.encode())

    def heads(self, tenant: Tenant) -> Mapping[int, str]:
        """Return every head that is kept, by its place; Unavailable where the directory cannot be read."""
        with file_errors():
            if not self._root.is_dir():
                raise FileNotFoundError(2, "no such directory of anchors")
            files = [each for each in (self._root / directory_name(tenant)).glob("*") if each.name.isdigit()]
            return {int(each.name): each.read_text(encoding="ascii", errors="replace") for each in files}
