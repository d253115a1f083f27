"""Where a trial's store is: in memory, on one machine, or in AWS as moto simulates it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from cairn.aws.blobs import S3Blobs
from cairn.aws.clients import Clients
from cairn.aws.expressions import decoded
from cairn.aws.table import DynamoTable
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.table import SqliteTable
from cairn.ground.ids import Digest, Tenant
from cairn.ground.ports import Blobs, Table
from cairn.ground.table import Attributes, Key, Page, Query
from cairn.local.invoke.mocked import create_store, declared
from support.memory_store import MemoryBlobs, MemoryTable
from support.template import TEMPLATE


class Home(Protocol):
    """An empty store, and all that it holds after a trial."""

    @property
    def table(self) -> Table: ...

    @property
    def blobs(self) -> Blobs: ...

    def items(self) -> Iterator[Attributes]:
        """Yield every item of the table, read past the adapter."""
        ...

    def blob_paths(self) -> Iterator[str]:
        """Yield where each blob is, its tenant first."""
        ...


class InMemory:
    """A dict per partition."""

    def __init__(self) -> None:
        self.table = MemoryTable()
        self.blobs = MemoryBlobs()

    def items(self) -> Iterator[Attributes]:
        return self.table.items()

    def blob_paths(self) -> Iterator[str]:
        return (f"{tenant}/{digest}" for tenant, digest in self.blobs.blobs)


class OneMachine:
    """A SQLite table and a directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        directory.mkdir()
        self.table = SqliteTable(directory / "table.sqlite3")
        self.blobs = DirectoryBlobs(directory / "blobs")

    def items(self) -> Iterator[Attributes]:
        connection = sqlite3.connect(self._directory / "table.sqlite3")
        keys = connection.execute("SELECT pk, sk FROM items").fetchall()
        connection.close()
        for pk, sk in keys:
            item = self.table.get(Key(pk, sk))
            assert item is not None
            yield item

    def blob_paths(self) -> Iterator[str]:
        root = self._directory / "blobs"
        paths = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
        return (re.sub(r"\+(.)", lambda capital: capital[1].upper(), path) for path in paths)


class InAws:
    """A DynamoDB table and an S3 bucket of this name; moto has to be on."""

    def __init__(self, name: str) -> None:
        self._clients = Clients()
        self._name = name
        create_store(self._clients, name, declared(TEMPLATE))
        self.table = DynamoTable(lambda: self._clients.dynamodb, name)
        self.blobs = S3Blobs(lambda: self._clients.s3, name)

    def items(self) -> Iterator[Attributes]:
        pages = self._clients.dynamodb.get_paginator("scan").paginate(TableName=self._name)
        return (decoded(item) for page in pages for item in page["Items"])

    def blob_paths(self) -> Iterator[str]:
        objects = self._clients.s3.list_objects_v2(Bucket=self._name).get("Contents", [])
        return (str(each.get("Key")).removeprefix("blobs/") for each in objects)


def owners(home: Home) -> Iterator[str]:
    """Yield whose each item and blob is, as its key says."""
    yield from (str(item["pk"]).partition("#")[0] for item in home.items())
    yield from (path.partition("/")[0] for path in home.blob_paths())


def kept(home: Home, tenant: Tenant) -> Mapping[str, str]:
    """Return all that a tenant has in the store: items by key with their attributes, and blobs."""
    items = {
        f"{item['pk']} {item['sk']}": str(sorted(item.items()))
        for item in home.items()
        if str(item["pk"]).startswith(f"{tenant}#")
    }
    return items | {path: "" for path in home.blob_paths() if path.startswith(f"{tenant}/")}


@dataclass(frozen=True, slots=True)
class Walk:
    """The inventory of a home: it notes what it finds of whom, and reads single items as a table does."""

    home: Home
    table: Table
    note: Callable[[Tenant, int], None]
    stored_at: datetime
    """When each blob is said to have been stored."""

    def items(self, tenant: Tenant) -> Iterator[Attributes]:
        found = (item for item in self.home.items() if str(item["pk"]).startswith(f"{tenant}#"))
        listed = sorted(found, key=lambda item: (str(item["pk"]), str(item["sk"])))
        self.note(tenant, len(listed))
        yield from listed

    @contextmanager
    def snapshot(self) -> Generator[Walk]:
        yield self

    def get(self, key: Key) -> Attributes | None:
        return self.table.get(key)

    def query(self, query: Query) -> Page:
        return self.table.query(query)

    def blobs(self, tenant: Tenant) -> Iterator[Digest]:
        yield from (digest for digest, _ in self.dated_blobs(tenant))

    def dated_blobs(self, tenant: Tenant) -> Iterator[tuple[Digest, datetime]]:
        paths = sorted(path for path in self.home.blob_paths() if path.startswith(f"{tenant}/"))
        self.note(tenant, len(paths))
        yield from ((Digest(path.rpartition("/")[2]), self.stored_at) for path in paths)

    def scrub(self) -> None:
        """Leave nothing to overwrite."""
