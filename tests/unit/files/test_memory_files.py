"""Versions, operations and owners of memory files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import pytest

from cairn.files import commands, owners
from cairn.files.commands import Create, Insert, Remove, Rename, StrReplace, View, Write
from cairn.files.files import WriteMode
from cairn.files.memory_files import Condition, MemoryFile, MemoryFiles
from cairn.files.receipts import KEPT_FOR, Operation
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, Conflict, InvalidArgument, NotFound, PayloadTooLarge, PermissionDenied
from cairn.ground.ids import Project, SessionId, Tenant, UserId
from cairn.ground.session import Session
from cairn.ground.settings import Limits
from cairn.ground.table import Query
from cairn.sessions.layout import session_pk
from support.custody import LARGE, Household
from support.doubles import FakeClock
from support.services import services_over

ACME, GARDEN = Tenant("acme"), Project("garden")
ADA = owners.of_user(ACME, GARDEN, UserId("ada"))
NOTES = "/memories/notes.md"


def files_of(adapters: Adapters, **limits: int) -> MemoryFiles:
    return MemoryFiles(services_over(adapters), Limits(**limits))


@pytest.fixture
def files(adapters: Adapters) -> MemoryFiles:
    return files_of(adapters)


def content(files: MemoryFiles, path: str = NOTES, owner: Session = ADA) -> str | None:
    found = files.read(owner, path)
    return None if found is None else found.content


def once(name: str, fingerprint: str = "f1", version: int | None = None) -> Condition:
    return Condition(version=version, operation=Operation(name, fingerprint))


def versions(files: MemoryFiles, path: str = NOTES) -> list[int]:
    return [each.version for each in files.versions(ADA, path)]


@pytest.mark.parametrize("text", ["beans", "", LARGE])
def test_each_change_makes_a_version_and_the_earlier_ones_can_be_read(text: str, files: MemoryFiles) -> None:
    files.run(ADA, Create(NOTES, f"{text}one\n"))
    files.run(ADA, StrReplace(NOTES, "one\n", "two\n"))
    files.run(ADA, Insert(NOTES, 0, "peas"))

    known = list(files.versions(ADA, NOTES))

    assert [each.version for each in known] == [1, 2, 3]
    held = [f"{text}one\n", f"{text}two\n", f"peas\n{text}two\n"]
    assert [(files.read(ADA, NOTES, each.version), each.size) for each in known] == [
        (replace(each, content=then), len(then)) for each, then in zip(known, held, strict=True)
    ]


def test_a_version_is_restored_as_a_new_one(files: MemoryFiles) -> None:
    files.run(ADA, Create(NOTES, "beans"))
    files.run(ADA, StrReplace(NOTES, "beans", "peas"))

    assert files.restore(ADA, NOTES, 1).version == 3

    assert (content(files), versions(files)) == ("beans", [1, 2, 3])


def test_a_deleted_file_is_restored_and_no_version_comes_twice(files: MemoryFiles) -> None:
    files.run(ADA, Create(NOTES, "beans"))
    files.run(ADA, Remove(NOTES))
    assert (content(files), versions(files)) == (None, [1])

    files.restore(ADA, NOTES, 1)

    assert (content(files), versions(files)) == ("beans", [1, 3])


def test_of_a_version_that_is_not_kept_it_is_said_so(files: MemoryFiles) -> None:
    files.run(ADA, Create(NOTES, "beans"))
    assert files.read(ADA, NOTES, 7) is None
    with pytest.raises(NotFound):
        files.restore(ADA, NOTES, 7)


@pytest.mark.parametrize("most", [0, 1, 3])
def test_so_many_earlier_versions_are_kept_the_newest(most: int, house: Household) -> None:
    files = files_of(house.adapters, file_versions=most)
    files.run(ADA, Create(NOTES, LARGE))
    for number in range(6):
        files.run(ADA, Write(NOTES, f"{number}{LARGE}"))

    assert versions(files) == [*range(7 - most, 7), 7]
    named = {str(item["blob"]) for item in _stored(house.adapters) if "blob" in item}
    assert len(named) == 1 + most  # a part of the file, and each version
    assert set(house.inventory.blobs(ACME)) == named


def test_a_stale_version_is_a_conflict_that_tells_the_one_there_is(files: MemoryFiles) -> None:
    files.run(ADA, Create(NOTES, "beans"))
    files.run(ADA, Write(NOTES, "peas"), Condition(version=1))

    for stale in (0, 1, 3):
        with pytest.raises(Conflict) as told:
            files.run(ADA, Write(NOTES, "kale"), Condition(version=stale))
        assert told.value.details == {"version": 2}
    with pytest.raises(Conflict):
        files.run(ADA, Remove(NOTES), Condition(version=1))
    with pytest.raises(Conflict):
        files.run(ADA, Rename(NOTES, "/memories/other"), Condition(version=1))
    assert content(files) == "peas"


def test_an_operation_is_done_once_and_answers_alike(files: MemoryFiles) -> None:
    first = files.run(ADA, Create(NOTES, "beans"), once("o1"))
    edited = files.run(ADA, StrReplace(NOTES, "beans", "beans beans"), once("o2"))

    assert files.run(ADA, Create(NOTES, "beans"), once("o1")) == replace(first, replayed=True)
    assert files.run(ADA, StrReplace(NOTES, "beans", "beans beans"), once("o2", version=9)) == replace(
        edited, replayed=True
    )
    assert (content(files), versions(files)) == ("beans beans", [1, 2])
    assert files.operation(ADA, Operation("o2", "f1")) == replace(edited, replayed=True)
    assert files.operation(ADA, Operation("o3", "f1")) is None


def test_an_operation_that_comes_back_with_other_arguments_is_a_conflict(files: MemoryFiles) -> None:
    files.run(ADA, Create(NOTES, "beans"), once("o1"))
    with pytest.raises(Conflict, match="other arguments"):
        files.run(ADA, Remove(NOTES), once("o1", "f2"))
    with pytest.raises(Conflict, match="other arguments"):
        files.operation(ADA, Operation("o1", "f2"))
    assert content(files) == "beans"


def test_an_operation_is_forgotten_after_its_time(files: MemoryFiles, clock: FakeClock) -> None:
    files.run(ADA, Write(NOTES, "beans"), once("o1"))
    clock.advance(seconds=KEPT_FOR.total_seconds())
    assert not files.run(ADA, Write(NOTES, "peas"), once("o1", "f2")).replayed
    assert content(files) == "peas"


def test_a_delete_of_nothing_is_done_and_known_again(files: MemoryFiles) -> None:
    assert not files.run(ADA, Write(NOTES, None), once("o1")).existed
    files.run(ADA, Write(NOTES, "beans"))
    assert files.run(ADA, Write(NOTES, None), once("o1")).replayed
    assert content(files) == "beans"


def test_a_file_keeps_its_versions_where_it_was_before_it_was_renamed(files: MemoryFiles) -> None:
    files.run(ADA, Create(NOTES, "beans"))
    files.run(ADA, Write(NOTES, "peas"))
    files.run(ADA, Rename(NOTES, "/memories/old/notes.md"))

    assert versions(files) == [1]
    assert (content(files), content(files, "/memories/old/notes.md")) == (None, "peas")


def test_a_large_directory_is_deleted_whole_and_its_operation_known(files: MemoryFiles) -> None:
    for number in range(2 * commands.AT_ONCE + 3):
        files.run(ADA, Create(f"/memories/many/{number}", "beans"))
    files.run(ADA, Create("/memories/many/deep/down", LARGE))

    files.run(ADA, Remove("/memories/many"), once("o1"))

    assert list(files.list(ADA)) == []
    assert files.view(ADA, View("/memories")).words.split("\n")[1:] == ["4K\t/memories"]
    assert files.run(ADA, Remove("/memories/many"), once("o1")).replayed


def test_a_directory_that_is_too_large_for_one_transaction_is_not_renamed_in_part(files: MemoryFiles) -> None:
    for number in range(49):
        files.run(ADA, Create(f"/memories/many/{number}", "beans"))
    files.run(ADA, Rename("/memories/many", "/memories/moved"))
    files.run(ADA, Create("/memories/moved/50", "beans"))

    with pytest.raises(PayloadTooLarge):
        files.run(ADA, Rename("/memories/moved", "/memories/again"))

    assert {each.path.rpartition("/")[0] for each in files.list(ADA)} == {"/memories/moved"}


def test_files_are_listed_by_prefix_and_from_a_path_on(files: MemoryFiles) -> None:
    for name in ("a.md", "dir/b.md", "dir/c ä.md"):
        files.run(ADA, Create(f"/memories/{name}", "beans"))

    def listed(**asked: str) -> list[str]:
        return [each.path for each in files.list(ADA, **asked)]

    assert listed() == ["/memories/a.md", "/memories/dir/b.md", "/memories/dir/c ä.md"]
    assert listed(prefix="/memories/dir/") == ["/memories/dir/b.md", "/memories/dir/c ä.md"]
    assert listed(after="/memories/dir/b.md") == ["/memories/dir/c ä.md"]


def test_a_listing_that_goes_on_page_by_page_comes_to_every_file_once_whatever_its_name(files: MemoryFiles) -> None:
    names = {f"/memories/{name}" for name in ("a", "ä", "~", "b c", "b", "%25", "B", "豆/x", "z")}
    for name in sorted(names):
        files.run(ADA, Create(name, "beans"))
    met: list[str] = []

    while page := list(islice(files.list(ADA, after=met[-1] if met else None), 2)):
        met += [each.path for each in page]

    assert sorted(met) == sorted(names)


def test_a_version_tells_the_operation_that_wrote_it_unless_none_or_a_client_s_own(files: MemoryFiles) -> None:
    files.run(ADA, Create(NOTES, LARGE), once("o1"))
    files.run(ADA, StrReplace(NOTES, LARGE, "peas"), once("retry:7"))
    files.run(ADA, Write(NOTES, "beans"))
    files.run(ADA, Insert(NOTES, 0, "kale"), once("o4"))
    files.run(ADA, Write(NOTES, LARGE), once("o1"))

    told = [files.read(ADA, NOTES, each.version) for each in files.versions(ADA, NOTES)]

    assert [each and each.operation_id for each in told] == ["o1", None, None, "o4"]
    assert [each and each.content for each in told] == [LARGE, "peas", "beans", "kale\nbeans\n"]


def test_a_renamed_file_tells_the_operation_that_renamed_it(files: MemoryFiles) -> None:
    files.run(ADA, Create(NOTES, "beans"), once("o1"))
    told: list[MemoryFile | None] = []

    files.run(ADA, Rename(NOTES, "/memories/other"), once("o2"))
    told.append(files.read(ADA, "/memories/other"))
    files.run(ADA, Rename("/memories/other", NOTES))
    told.append(files.read(ADA, NOTES))

    assert [each and each.operation_id for each in told] == ["o2", None]


def test_a_session_s_files_are_among_those_it_has_and_only_the_tool_writes_them(adapters: Adapters) -> None:
    services, monday = services_over(adapters), Session(ACME, GARDEN, SessionId("monday"))
    services.memory_files.run(monday, Create(NOTES, "beans"))

    assert services.files.read(monday, "memories/notes.md") == b"beans"
    for refused in (
        lambda: services.files.write(monday, "memories/notes.md", "x", WriteMode.TRUNCATE),
        lambda: services.files.delete(monday, "memories/notes.md"),
    ):
        with pytest.raises(PermissionDenied):
            refused()


OTHERS = [
    owners.of_project(ACME, GARDEN),
    owners.of_user(ACME, GARDEN, UserId("bob")),
    owners.of_user(ACME, GARDEN, UserId("ada#1")),
    owners.of_user(ACME, Project("kitchen"), UserId("ada")),
    owners.of_user(Tenant("globex"), GARDEN, UserId("ada")),
    Session(ACME, GARDEN, SessionId("ada")),
]


@pytest.mark.parametrize("other", OTHERS)
def test_nobody_else_finds_a_user_s_files_or_operations(other: Session, files: MemoryFiles) -> None:
    files.run(ADA, Create(NOTES, "beans"), once("o1"))

    assert (content(files, owner=other), list(files.list(other))) == (None, [])
    assert files.operation(other, Operation("o1", "f2")) is None
    files.run(other, Create(NOTES, "peas"), once("o1", "f2"))
    assert (content(files), content(files, owner=other)) == ("beans", "peas")


ATTACKS = [
    *("/etc/passwd", "memories/a", "", "/", "/memorie", "/memories/../x", "/memories/a/../../../x", "/Memories/a"),
    *("/memories/..", "/memories/../../memories/a", "\\memories\\a", "/memories/a\0b", "/memories/\0", "//memories/a"),
    *(
        "/memories/../memoriesx",
        "file:///memories/a",
        "\uff0fmemories/a",
        f"/memories/{'x' * 600}",
        "/memories" + "/a" * 40,
    ),
]


@pytest.mark.req("R314")
@pytest.mark.parametrize("path", ATTACKS)
@pytest.mark.parametrize("made", [Create, Write])
def test_a_path_that_leads_out_of_the_memories_is_refused(
    path: str, made: Callable[[str, str], commands.Command], files: MemoryFiles, adapters: Adapters
) -> None:
    with pytest.raises(InvalidArgument):
        files.run(ADA, made(path, "beans"))
    with pytest.raises(InvalidArgument):
        files.view(ADA, View(path))
    with pytest.raises(InvalidArgument):
        files.run(ADA, Rename("/memories/a", path))
    assert _stored(adapters) == []


@pytest.mark.parametrize(
    "name", ["%2e%2e", "%2E%2E%2Fx", "..%2fx", "\uff0e\uff0e", "\uff4eotes", "a\\..\\b", "~", "#", "a#b", "%", "-"]
)
def test_what_only_looks_like_a_way_out_is_a_name(name: str, files: MemoryFiles) -> None:
    path = f"/memories/{name}"
    files.run(ADA, Create(path, name))
    assert [each.path for each in files.list(ADA)] == [path]
    assert content(files, path) == name


def test_what_leads_through_a_file_is_refused_and_makes_nothing(files: MemoryFiles) -> None:
    files.run(ADA, Create(NOTES, "beans"))
    for command in (
        Create(f"{NOTES}/a", ""),
        Write(f"{NOTES}/a/b", ""),
        Rename(NOTES, f"{NOTES}/a"),
        Rename(f"{NOTES}/x", "/memories/y"),
        Write("/memories", "x"),
    ):
        with pytest.raises(CairnError):
            files.run(ADA, command)
    assert [each.path for each in files.list(ADA)] == [NOTES]


def _stored(adapters: Adapters) -> list[dict[str, object]]:
    """Return the items of Ada's files, and what they name of blobs."""
    return [dict(item) for item in adapters.table.query(Query(session_pk(ADA), "\x01", "\U0010ffff")).items]
