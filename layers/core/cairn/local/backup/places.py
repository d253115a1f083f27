"""Read where backups are: a directory, or a prefix of a bucket."""

from __future__ import annotations

import re
from pathlib import Path

from cairn.embedded.storage import DirectoryStorage
from cairn.ground.errors import InvalidArgument
from cairn.ground.ports import Storage

_BUCKET = re.compile(r"s3://([a-z0-9][a-z0-9.-]+)/?(.*)")


def storage_of(place: str) -> Storage:
    """Return the directory or the bucket of this name; InvalidArgument where it is neither."""
    if not place.startswith("s3:"):
        return DirectoryStorage(Path(place).expanduser().absolute())
    found = _BUCKET.fullmatch(place)
    if found is None:
        raise InvalidArgument("s3://", "must be followed by a bucket and, if you like, a prefix")
    from cairn.aws.clients import OperatorClients  # noqa: PLC0415 - a directory needs none
    from cairn.aws.storage import S3Storage  # noqa: PLC0415

    clients = OperatorClients()
    return S3Storage(lambda: clients.s3, found[1], found[2])
