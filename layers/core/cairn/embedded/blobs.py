"""Store blobs as files: `<tenant>/<first two hex>/<sha256>`, with the tenant as directory_name() spells it."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from cairn.embedded.files import create_once, discard_abandoned, fsync_directory, make_directory
from cairn.ground import ids
from cairn.ground.adapters import NoMeter
from cairn.ground.errors import CorruptData, NotFound, Unavailable
from cairn.ground.ids import Digest, Tenant

if TYPE_CHECKING:
    from cairn.ground.ports import Meter


class DirectoryBlobs:
    """Stores immutable files; a name exists only once its bytes are on disk, whatever kills the writer."""

    def __init__(self, root: Path, meter: Meter | None = None) -> None:
        """Use this directory, made if absent; count calls as the requests to S3 that they would be."""
        self._root = root
        self._meter = meter or NoMeter()
        with file_errors():
            make_directory(root)
            discard_abandoned(root)

    def put(self, tenant: Tenant, data: bytes) -> Digest:
        """Store the bytes if they are not there and return their digest."""
        self._meter.used(tenant, blob_writes=1)
        digest = Digest(sha256(data).hexdigest())
        path = self._path(tenant, digest)
        with file_errors():
            make_directory(path.parent)
            create_once(path, data)
        return digest

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        """Return the bytes; NotFound if absent, CorruptData if they no longer match the digest."""
        data = self._read(tenant, digest, Path.read_bytes)
        if sha256(data).hexdigest() != digest:
            raise CorruptData("a blob does not match its digest")
        return data

    def get_part(self, tenant: Tenant, digest: Digest, start: int, length: int) -> bytes:
        """Return up to `length` of the bytes from `start` on; NotFound if the blob is absent."""

        def part(path: Path) -> bytes:
            descriptor = os.open(path, os.O_RDONLY)
            try:
                return os.pread(descriptor, length, start)
            finally:
                os.close(descriptor)

        return self._read(tenant, digest, part)

    def delete(self, tenant: Tenant, digest: Digest) -> None:
        """Remove the bytes, but for who holds them; absent ones count as removed."""
        from cairn.embedded.holds import set_aside  # noqa: PLC0415

        self._meter.used(tenant, blob_deletes=1)
        path = self._path(tenant, digest)
        with file_errors():
            set_aside(self._root, path)
            path.unlink(missing_ok=True)
            if path.parent.is_dir():
                fsync_directory(path.parent)

    def _read(self, tenant: Tenant, digest: Digest, read: Callable[[Path], bytes]) -> bytes:
        """Return what `read` makes of a blob's file, or of one that is held though it was deleted."""
        self._meter.used(tenant, blob_reads=1)
        with file_errors():
            path = self._path(tenant, digest)
            try:
                return read(path)
            except FileNotFoundError:
                from cairn.embedded.holds import held  # noqa: PLC0415 - few processes read what is gone, or delete

                data = held(self._root, path, read)
        if data is None:
            raise NotFound("no such blob")
        return data

    def _path(self, tenant: Tenant, digest: Digest) -> Path:
        # 256 directories a tenant, since file systems slow down with very many names in one.
        return self._root / f"{directory_name(tenant)}/{digest[:2]}/{ids.digest(digest)}"


def directory_name(tenant: Tenant) -> str:
    """Return the name of a tenant's directory: a `+` before each upper-case letter, which becomes a lower-case one.

    So no two tenants share a directory where a file system takes `A` and `a` for one name.
    """
    return "".join(f"+{letter.lower()}" if letter.isupper() else letter for letter in ids.tenant(tenant))


@contextmanager
def file_errors(where: str = "the blob directory") -> Generator[None]:
    """Raise what the file system raises as Unavailable, which says where."""
    try:
        yield
    except OSError as error:
        raise Unavailable(f"{where} failed: {error.strerror}") from error
