"""The storage adapter beside a file service on a plain directory: the same calls give the same results."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.files.files import WriteMode
from cairn.files.service import Files
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError
from support.services import services_over
from support.turns import SESSION

ROOT = "/memory/monday"


class RefusedByService(Exception):
    """The code that a call was refused with."""


class FileService:
    """What the six operations mean, on a directory of this machine."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, path: str, offset: int, length: int) -> bytes:
        if offset < 0 or length < -1:
            raise RefusedByService("INVALID_ARGUMENT")
        at = self.root / path
        if at.is_dir():
            raise RefusedByService("INVALID_ARGUMENT")
        if not at.is_file():
            raise RefusedByService("NOT_FOUND")
        content = at.read_bytes()
        return content[offset:] if length < 0 else content[offset : offset + length]

    def write(self, path: str, text: str, mode: WriteMode, offset: int) -> int:
        at, new = self.root / path, text.encode()
        old = at.read_bytes() if at.is_file() else b""
        through_a_file = any(each.is_file() for each in at.parents)
        beyond = mode is WriteMode.OVERWRITE and offset > len(old)
        if at.is_dir() or through_a_file or beyond or (mode is WriteMode.TRUNCATE and offset):
            raise RefusedByService("INVALID_ARGUMENT")
        match mode:
            case WriteMode.APPEND:
                content = old + new
            case WriteMode.TRUNCATE:
                content = new
            case WriteMode.OVERWRITE:
                content = old[:offset] + new + old[offset + len(new) :]
        try:
            content.decode()
        except UnicodeDecodeError:
            raise RefusedByService("INVALID_ARGUMENT") from None
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_bytes(content)
        return len(content)

    def stat(self, path: str) -> tuple[str, int] | None:
        at = self.root / path
        if at.is_file():
            return "FILE", at.stat().st_size
        return ("DIRECTORY", 0) if at.is_dir() and any(at.iterdir()) else None

    def list(self, path: str, depth: int, limit: int) -> tuple[list[tuple[str, str]], bool]:
        at = self.root / path
        below = [each for each in at.rglob("*") if len(each.relative_to(at).parts) <= depth] if at.is_dir() else []
        found = below if depth else [at] if at.exists() and (at != self.root or any(at.iterdir())) else []
        if not found and path:
            raise RefusedByService("NOT_FOUND")
        entries = sorted((self.shown(each), "DIRECTORY" if each.is_dir() else "FILE") for each in found)
        return entries[:limit], len(entries) > limit

    def delete(self, path: str, *, recursive: bool) -> int:
        at = self.root / path
        if not path:
            raise RefusedByService("PERMISSION_DENIED")
        if not at.exists():
            raise RefusedByService("NOT_FOUND")
        if at.is_dir() and not recursive:
            raise RefusedByService("INVALID_ARGUMENT")
        count = sum(each.is_file() for each in [at, *at.rglob("*")])
        if at.is_dir():
            shutil.rmtree(at)
        else:
            at.unlink()
        self._forget_empty_directories(at)
        return count

    def search(self, word: str) -> set[str]:
        files = [each for each in self.root.rglob("*") if each.is_file()]
        return {self.shown(each) for each in files if word in each.read_text(encoding="utf-8").split()}

    def shown(self, at: Path) -> str:
        return ROOT if at == self.root else f"{ROOT}/{at.relative_to(self.root).as_posix()}"

    def _forget_empty_directories(self, at: Path) -> None:
        for parent in at.parents:
            if parent == self.root or any(parent.iterdir()):
                return
            parent.rmdir()


class Adapter:
    """Cairn's files with the file service's answers."""

    def __init__(self, files: Files) -> None:
        self.files = files

    def read(self, path: str, offset: int, length: int) -> bytes:
        return self.files.read(SESSION, path, offset, length)

    def write(self, path: str, text: str, mode: WriteMode, offset: int) -> int:
        return self.files.write(SESSION, path, text, mode, offset=offset).size

    def stat(self, path: str) -> tuple[str, int] | None:
        info = self.files.stat(SESSION, path)
        return None if info is None else (info.type.value, info.size)

    def list(self, path: str, depth: int, limit: int) -> tuple[list[tuple[str, str]], bool]:
        found = self.files.list(SESSION, path, depth=depth, limit=limit)
        return [(each.path, each.type.value) for each in found.entries], found.next is not None

    def delete(self, path: str, *, recursive: bool) -> int:
        return self.files.delete(SESSION, path, recursive=recursive)

    def search(self, word: str) -> set[str]:
        return {each.path for each in self.files.search(SESSION, word, limit=50)}


PATHS = st.sampled_from(["a", "a/b", "a/b/c", "a.b", "a-b/c", "b"])
DIRECTORIES = st.sampled_from(["", "a", "a/b", "a-b", "c"])
WORDS = st.one_of(st.text(alphabet="ab豆🌱é\n ", max_size=6), st.sampled_from(["leek ", "maize\n"]))
SMALL = st.tuples(WORDS, st.just(1))
LARGE = st.sampled_from([("x ", 20_000), ("豆 ", 22_500), ("y ", 150_000)])
TEXTS = st.one_of(SMALL, LARGE)  # a text and how often: examples stay short
OFFSETS = st.one_of(st.integers(0, 9), st.sampled_from([39_999, 40_000, 90_000, 300_001]))
CALLS = st.one_of(
    st.tuples(st.just("read"), PATHS, OFFSETS, st.sampled_from([-2, -1, 0, 3, 70_000])),
    st.tuples(st.just("write"), PATHS, TEXTS, st.sampled_from(WriteMode), OFFSETS),
    st.tuples(st.just("write"), st.just("a"), TEXTS, st.sampled_from(WriteMode), st.just(0)),
    st.tuples(st.just("stat"), st.one_of(PATHS, DIRECTORIES)),
    st.tuples(st.just("list"), st.one_of(PATHS, DIRECTORIES), st.integers(0, 3), st.integers(1, 4)),
    st.tuples(st.just("delete"), st.one_of(PATHS, DIRECTORIES), st.booleans()),
    st.tuples(st.just("search"), st.sampled_from(["leek", "maize"])),
)


def answer(service: FileService | Adapter, call: tuple[Any, ...]) -> object:
    name, *arguments = call
    try:
        if name == "write":
            path, (text, times), *how = arguments
            return service.write(path, text * times, *how)
        if name == "delete":
            return service.delete(arguments[0], recursive=arguments[1])
        return getattr(service, name)(*arguments)
    except CairnError as refused:
        return refused.code
    except RefusedByService as refused:
        return str(refused)


@pytest.fixture
def new_pair(adapters_in_memory: Callable[[], Adapters], tmp_path: Path) -> Callable[[], tuple[FileService, Adapter]]:
    made: list[Path] = []

    def make() -> tuple[FileService, Adapter]:
        made.append(tmp_path / f"service-{len(made)}")
        made[-1].mkdir()
        return FileService(made[-1]), Adapter(services_over(adapters_in_memory()).files)

    return make


@pytest.mark.slow
@pytest.mark.req("R088")
@pytest.mark.req("R133")
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=st.lists(CALLS, min_size=4, max_size=14))
def test_any_calls_are_answered_as_by_a_file_service_on_a_directory(
    calls: list[tuple[Any, ...]], new_pair: Callable[[], tuple[FileService, Adapter]]
) -> None:
    service, adapter = new_pair()
    for call in calls:
        assert answer(adapter, call) == answer(service, call), call[:1]
    left = [each for each in service.root.rglob("*") if each.is_file()]
    for each in left:
        assert adapter.read(each.relative_to(service.root).as_posix(), 0, -1) == each.read_bytes()
