"""An agent's own files: paths, writes, versions, listings and limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from cairn.edge.problems import HTTP_STATUS
from cairn.files.files import FileType, WriteMode
from cairn.files.service import Files
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, Conflict, InvalidArgument, PayloadTooLarge, PermissionDenied, QuotaExceeded
from cairn.ground.session import Session
from cairn.ground.settings import Limits
from support.files import APPEND, OVERWRITE, TRUNCATE, files_of, usage
from support.turns import SESSION

ROOT = "/memory/monday"


def names(files: Files, path: str = "", **arguments: Any) -> list[str]:
    return [each.path.removeprefix(ROOT) for each in files.list(SESSION, path, **arguments).entries]


def refused_field(error: CairnError) -> list[str]:
    return list(cast("dict[str, str]", error.details["fields"]))


@pytest.mark.req("R090")
def test_append_adds_overwrite_writes_at_an_offset_and_truncate_replaces(files: Files) -> None:
    files.write(SESSION, "notes.txt", "beans", APPEND)
    files.write(SESSION, "notes.txt", " and peas", APPEND)
    assert files.read(SESSION, "notes.txt") == b"beans and peas"
    files.write(SESSION, "notes.txt", "BEA", OVERWRITE)
    files.write(SESSION, "notes.txt", "corn, leek", OVERWRITE, offset=10)
    assert files.read(SESSION, "notes.txt") == b"BEAns and corn, leek"
    files.write(SESSION, "notes.txt", "kale", TRUNCATE)
    assert files.read(SESSION, "notes.txt") == b"kale"
    assert files.read(SESSION, "notes.txt", 1, 2) == b"al"
    assert files.read(SESSION, "notes.txt", 9) == b""


@pytest.mark.req("R090")
@pytest.mark.parametrize(
    ("mode", "offset"), [(OVERWRITE, 6), (OVERWRITE, -1), (APPEND, -1), (TRUNCATE, 1), (TRUNCATE, -1)]
)
def test_an_offset_that_cannot_be_is_refused_and_nothing_changes(mode: WriteMode, offset: int, files: Files) -> None:
    files.write(SESSION, "notes.txt", "beans", TRUNCATE)
    with pytest.raises(InvalidArgument) as refused:
        files.write(SESSION, "notes.txt", "x", mode, offset=offset)
    assert refused_field(refused.value) == ["offset"]
    assert files.read(SESSION, "notes.txt") == b"beans"


@pytest.mark.req("R089")
@pytest.mark.parametrize("size", [1, 20_000])
def test_text_of_many_bytes_a_character_comes_back_exactly(size: int, files: Files) -> None:
    text = "ä豆🌱\r\n\u2028e\u0301" * size
    files.write(SESSION, "notes.txt", text, TRUNCATE)
    files.write(SESSION, "notes.txt", "豆", APPEND)
    assert files.read(SESSION, "notes.txt").decode() == text + "豆"


@pytest.mark.req("R089")
@pytest.mark.parametrize(("offset", "text"), [(1, "x"), (2, "x"), (0, "x"), (3, "é")])
def test_a_write_that_would_cut_a_character_is_refused(offset: int, text: str, files: Files) -> None:
    files.write(SESSION, "notes.txt", "豆🌱", TRUNCATE)
    with pytest.raises(InvalidArgument) as refused:
        files.write(SESSION, "notes.txt", text, OVERWRITE, offset=offset)
    assert refused_field(refused.value) == ["offset"]
    files.write(SESSION, "notes.txt", "bee", OVERWRITE)
    assert files.read(SESSION, "notes.txt").decode() == "bee🌱"


@pytest.mark.req("R089")
def test_what_utf_8_cannot_hold_is_refused(files: Files) -> None:
    with pytest.raises(InvalidArgument) as refused:
        files.write(SESSION, "notes.txt", "\ud800", TRUNCATE)
    assert refused_field(refused.value) == ["content"]


@pytest.mark.req("R091")
@pytest.mark.parametrize(
    "path",
    [
        "..",
        ".",
        "a/../b",
        "a//b",
        "/a",
        "a/",
        "a/./b",
        "a b",
        "a\\b",
        "a\x00",
        "a\n",
        "ä",
        "a#b",
        "a*",
        "/memory/monday2/a",
        "/memory/other/a",
        "/etc/passwd",
        f"{ROOT}/../other/a",
        "a" * 513,
        "/".join("a" * 33),
    ],
)
@pytest.mark.parametrize("operation", ["read", "write", "stat", "list", "search", "delete"])
def test_a_path_that_leads_out_or_has_odd_characters_is_refused_by_its_name(
    path: str, operation: str, files: Files
) -> None:
    calls: dict[str, Callable[[], object]] = {
        "read": lambda: files.read(SESSION, path),
        "write": lambda: files.write(SESSION, path, "x", TRUNCATE),
        "stat": lambda: files.stat(SESSION, path),
        "list": lambda: files.list(SESSION, path),
        "search": lambda: files.search(SESSION, "x", path),
        "delete": lambda: files.delete(SESSION, path),
    }
    with pytest.raises(InvalidArgument) as refused:
        calls[operation]()
    assert refused_field(refused.value) == ["path"]


def test_a_path_may_be_relative_or_in_full(files: Files) -> None:
    files.write(SESSION, f"{ROOT}/a/b.txt", "x", TRUNCATE)
    assert files.read(SESSION, "a/b.txt") == b"x"
    assert names(files, ROOT, depth=2) == ["/a", "/a/b.txt"]


@pytest.mark.req("R261")
def test_a_session_has_no_part_in_the_files_of_another(files: Files) -> None:
    other = Session(SESSION.tenant, SESSION.project, cast("Any", "monday2"))
    files.write(SESSION, "a.txt", "x", TRUNCATE)
    assert files.stat(other, "a.txt") is None
    assert files.list(other).entries == ()


@pytest.mark.req("R092")
def test_a_listing_is_sorted_and_goes_on_after_the_last_path_whatever_is_made_meanwhile(files: Files) -> None:
    for name in ("b/z.txt", "a.txt", "b/a/x.txt", "b.txt", "b-1/x", "B"):
        files.write(SESSION, name, "x", TRUNCATE)
    everything = ["/B", "/a.txt", "/b", "/b-1", "/b-1/x", "/b.txt", "/b/a", "/b/a/x.txt", "/b/z.txt"]
    assert names(files, depth=3) == everything == sorted(everything)
    assert names(files, depth=1) == ["/B", "/a.txt", "/b", "/b-1", "/b.txt"]
    assert names(files, "b", depth=1) == ["/b/a", "/b/z.txt"]
    assert names(files, "b", depth=0) == ["/b"]

    first = files.list(SESSION, depth=3, limit=4)
    assert first.next == f"{ROOT}/b-1"
    files.write(SESSION, "0.txt", "x", TRUNCATE)
    files.delete(SESSION, "a.txt")
    second = files.list(SESSION, depth=3, limit=50, after=first.next)
    assert [each.path.removeprefix(ROOT) for each in (*first.entries, *second.entries)] == everything
    assert second.next is None
    assert files.list(SESSION, depth=3, limit=9).next is None


def test_stat_tells_size_version_and_times(files: Files, clock: Any) -> None:
    start = clock.now()
    files.write(SESSION, "a/b.txt", "豆", TRUNCATE)
    clock.advance(minutes=1)
    files.write(SESSION, "a/b.txt", "!", APPEND)
    info, directory = files.stat(SESSION, "a/b.txt"), files.stat(SESSION, "a")
    assert info is not None
    assert directory is not None
    assert (info.size, info.version, info.created_at, info.updated_at) == (4, 2, start, clock.now())
    assert (directory.type, directory.size, directory.updated_at) == (FileType.DIRECTORY, 0, clock.now())
    assert files.stat(SESSION, "c") is None


def test_a_write_over_another_version_than_was_read_is_a_conflict(files: Files) -> None:
    first = files.write(SESSION, "a.txt", "x", TRUNCATE, if_version=0)
    files.write(SESSION, "a.txt", "y", APPEND, if_version=first.version)
    for version in (0, first.version):
        with pytest.raises(Conflict):
            files.write(SESSION, "a.txt", "z", APPEND, if_version=version)
        with pytest.raises(Conflict):
            files.delete(SESSION, "a.txt", if_version=version)
    assert files.read(SESSION, "a.txt") == b"xy"


def test_no_version_comes_back_when_a_file_is_deleted_and_made_again(files: Files) -> None:
    last = [files.write(SESSION, "a.txt", "x", APPEND) for _ in range(5)][-1]
    files.delete(SESSION, "a.txt")
    again = files.write(SESSION, "a.txt", "x", TRUNCATE)
    assert (again.version or 0) > (last.version or 0)


@pytest.mark.req("R104")
def test_every_file_error_is_an_error_of_the_memory_tools(files: Files) -> None:
    files.write(SESSION, "a/b.txt", "x", TRUNCATE)
    small = files_of(adapters_of(files), request_bytes=1024, file_bytes=1024, project_bytes=1024)
    told: dict[str, Callable[[], object]] = {
        "NOT_FOUND NOT_FOUND": lambda: files.read(SESSION, "none"),
        "NOT_FOUND NOT_FOUND list": lambda: files.list(SESSION, "none"),
        "NOT_FOUND NOT_FOUND delete": lambda: files.delete(SESSION, "none"),
        "IS_DIRECTORY INVALID_ARGUMENT": lambda: files.read(SESSION, "a"),
        "IS_DIRECTORY INVALID_ARGUMENT write": lambda: files.write(SESSION, "a", "x", TRUNCATE),
        "IS_DIRECTORY INVALID_ARGUMENT root": lambda: files.write(SESSION, "", "x", TRUNCATE),
        "NOT_DIRECTORY INVALID_ARGUMENT": lambda: files.write(SESSION, "a/b.txt/c", "x", TRUNCATE),
        "INVALID_PATH INVALID_ARGUMENT": lambda: files.read(SESSION, "a//b"),
        "INVALID_OFFSET INVALID_ARGUMENT": lambda: files.read(SESSION, "a/b.txt", -1),
        "INVALID_OFFSET INVALID_ARGUMENT length": lambda: files.read(SESSION, "a/b.txt", 0, -2),
        "INVALID_QUERY INVALID_ARGUMENT": lambda: files.search(SESSION, " "),
        "NOT_EMPTY INVALID_ARGUMENT": lambda: files.delete(SESSION, "a"),
        "PERMISSION_DENIED PERMISSION_DENIED": lambda: files.delete(SESSION, "", recursive=True),
        "PERMISSION_DENIED PERMISSION_DENIED view": lambda: files.write(SESSION, "meta/state.json", "x", TRUNCATE),
        "PAYLOAD_TOO_LARGE PAYLOAD_TOO_LARGE": lambda: small.write(SESSION, "c", "x" * 1025, TRUNCATE),
        "QUOTA_EXCEEDED QUOTA_EXCEEDED": lambda: small.write(SESSION, "c", "x" * 1024, TRUNCATE),
    }
    for case, call in told.items():
        with pytest.raises(CairnError) as refused:
            call()
        assert refused.value.code == case.split()[1], case
        assert refused.value.code in HTTP_STATUS
        assert not refused.value.retryable
    assert names(files, depth=9) == ["/a", "/a/b.txt"]


def adapters_of(files: Files) -> Adapters:
    inside: Any = files
    return inside._own._services.adapters


@pytest.mark.parametrize(
    "path", ["meta/state.json", "events/x", "runtime", "a/.abstract", "log.jsonl", "legacy-1.json"]
)
@pytest.mark.req("R104")
def test_nobody_writes_what_shows_the_memory(path: str, files: Files) -> None:
    with pytest.raises(PermissionDenied):
        files.write(SESSION, path, "x", TRUNCATE)
    with pytest.raises(PermissionDenied):
        files.delete(SESSION, path, recursive=True)


@pytest.mark.req("R268")
def test_a_payload_a_file_and_a_project_have_a_most_bytes(adapters: Adapters) -> None:
    files = files_of(adapters, request_bytes=2000, file_bytes=3000, project_bytes=5000)
    other = Session(SESSION.tenant, SESSION.project, cast("Any", "tuesday"))
    with pytest.raises(PayloadTooLarge) as payload:
        files.write(SESSION, "a", "é" * 1001, TRUNCATE)
    files.write(SESSION, "a", "x" * 2000, TRUNCATE)
    files.write(SESSION, "a", "x" * 1000, APPEND)
    with pytest.raises(PayloadTooLarge) as file:
        files.write(SESSION, "a", "x", APPEND)
    files.write(other, "b", "x" * 2000, TRUNCATE)
    with pytest.raises(QuotaExceeded) as quota:
        files.write(other, "b", "x", APPEND)
    assert [each.value.details["limit"] for each in (payload, file, quota)] == [
        "request_bytes",
        "file_bytes",
        "project_bytes",
    ]
    assert (len(files.read(SESSION, "a")), len(files.read(other, "b")), usage(adapters)) == (3000, 2000, 5000)
    files.delete(SESSION, "a")
    files.write(other, "b", "x", APPEND)
    assert usage(adapters) == 2001


@pytest.mark.req("R268")
def test_the_limits_are_2_10_and_100_million_bytes_unless_told() -> None:
    limits = Limits()
    assert (limits.request_bytes, limits.file_bytes, limits.project_bytes) == (2_000_000, 10_000_000, 100_000_000)
