"""What is archived of a session, what is refused, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from hashlib import sha256
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import Counted, cold
from cairn.domain import codec, layout
from cairn.domain.archive import KEPT_FIELDS, Deposit, Entry, kept, pack, pointer
from cairn.domain.detection import detector
from cairn.domain.errors import (
    CorruptData,
    DetectionFailed,
    InvalidArgument,
    NotFound,
    Refusal,
    SecretDetected,
    TransactionRefused,
    Unavailable,
)
from cairn.domain.ids import Digest, SessionId, Tenant
from cairn.domain.memory_card import SUMMARY_CHARACTERS, TITLE_CHARACTERS, card
from cairn.domain.table import Key, Put, Query
from cairn.service.archive import Archive
from cairn.service.paging import every
from cairn.service.world import World

ACME, OTHER = Tenant("acme"), Tenant("other")
SESSION = {
    "session_id": "monday",
    "timestamp": "2026-03-01T12:00:00Z",
    "tool_name": "planner",
    "success": True,
    "summary": "Planned the rows.\nRunner beans by the fence.",
    "tags": ["green", "long"],
}


def deposit(*tags: str, session_id: str = "monday", **fields: Any) -> Deposit:
    return Deposit(session_id=SessionId(session_id), tags=tags, session={**SESSION, "session_id": session_id, **fields})


def archive_of(world: World) -> Archive:
    """Return the archive of a process that has nothing in memory yet."""
    return Archive(cold(world))


def rows(world: World, tenant: Tenant = ACME) -> list[str]:
    found = every(world.table, Query(layout.archive_pk(tenant), "\x01", "\U0010ffff"))
    return [str(item["sk"]).partition("#")[0] for item in found]


def fields_of(error: pytest.ExceptionInfo[InvalidArgument]) -> list[str]:
    fields: Any = error.value.details["fields"]
    return list(fields)


@pytest.fixture
def archive(world: World) -> Archive:
    return archive_of(world)


@pytest.mark.req("R181")
@pytest.mark.req("R184")
@pytest.mark.req("R207")
def test_what_is_archived_is_found_and_comes_back_in_another_process(archive: Archive, world: World) -> None:
    receipt = archive.store(ACME, deposit("garden"))

    reader = archive_of(world)
    [found] = reader.query(ACME, "", ["garden"], 10)
    assert found.digest == receipt.digest
    assert reader.retrieve(ACME, found.digest) == SESSION


@pytest.mark.req("R189")
def test_only_six_fields_survive(archive: Archive) -> None:
    receipt = archive.store(ACME, deposit(transcript=["long"], cwd="/home", summary={"text": "kept", "deep": [1]}))

    session = archive.retrieve(ACME, receipt.digest)
    assert tuple(session) == tuple(sorted(KEPT_FIELDS))
    assert session["summary"] == {"text": "kept", "deep": [1]}


def test_a_session_that_says_it_is_another_one_is_refused_and_one_that_says_nothing_is_named(archive: Archive) -> None:
    monday = SessionId("monday")
    with pytest.raises(InvalidArgument) as refusal:
        archive.store(ACME, Deposit(session_id=monday, session={"session_id": "tuesday"}))
    assert fields_of(refusal) == ["session.session_id"]

    receipt = archive.store(ACME, Deposit(session_id=monday, session={}))
    assert archive.retrieve(ACME, receipt.digest) == {"session_id": "monday"}


SECRETS = {
    "aws_access_key_id": "AKIAIOSFODNN7EXAMPLE",
    "high_entropy_key": "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z",
    "private_key": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA",
    "email": "ada.lovelace@garden.org",
    "card_number": "4111 1111 1111 1111",
    "exported_secret": "export DEPLOY_PASSPHRASE=tulips-and-roses-9",
}
PLACES: dict[str, Callable[[str], Deposit]] = {
    "a kept field": lambda secret: deposit(summary=f"It said {secret} to me"),
    "a field that would be dropped": lambda secret: deposit(notes=secret),
    "a nested value": lambda secret: deposit(notes={"a": [{"b": secret}]}),
    "an entry of a list": lambda secret: deposit(tags=["x", secret]),
    "a key": lambda secret: deposit(notes={secret: 1}),
}


@pytest.mark.req("R186")
@pytest.mark.req("R187")
@pytest.mark.req("R188")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("rule", SECRETS)
def test_a_secret_anywhere_is_refused_by_the_name_of_its_rule_and_nothing_is_written(
    archive: Archive, store: Any, place: str, rule: str
) -> None:
    before = store.rows()
    for attempt in (archive.store, archive.preview):
        with pytest.raises(SecretDetected) as refusal:
            attempt(ACME, PLACES[place](SECRETS[rule]))
        assert refusal.value.details == {"rules": [rule]}
        assert SECRETS[rule] not in str(refusal.value)
    assert store.rows() == before


@pytest.mark.req("R188")
def test_a_secret_in_a_tag_is_refused(archive: Archive, store: Any) -> None:
    with pytest.raises(SecretDetected) as refusal:
        archive.store(ACME, deposit("garden", SECRETS["aws_access_key_id"]))

    assert refusal.value.details == {"rules": ["aws_access_key_id"]}
    assert store.rows() == 0


def test_a_session_id_may_look_like_a_key_since_it_is_an_id(archive: Archive) -> None:
    receipt = archive.store(ACME, deposit(session_id=SECRETS["high_entropy_key"]))

    assert archive.retrieve(ACME, receipt.digest)["session_id"] == SECRETS["high_entropy_key"]


@pytest.mark.req("R190")
def test_a_detector_that_fails_leaves_nothing_stored(
    archive: Archive, store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise DetectionFailed("cannot be looked through")

    monkeypatch.setattr(detector, "scan", fails)
    with pytest.raises(DetectionFailed):
        archive.store(ACME, deposit())
    monkeypatch.undo()
    deep: Any = "bottom"
    for _ in range(200):
        deep = [deep]
    with pytest.raises(DetectionFailed):
        archive.store(ACME, deposit(notes=deep))
    assert store.rows() == 0


@pytest.mark.req("R275")
def test_a_preview_shows_the_card_that_storing_gives_and_writes_nothing(archive: Archive, store: Any) -> None:
    shown = archive.preview(ACME, deposit("garden"))

    assert store.rows() == 0
    assert archive.store(ACME, deposit("garden")).card == shown


def test_a_card_is_made_of_what_is_kept_alone() -> None:
    secret = "dropped on the way"
    session = kept({**SESSION, "title": secret, "notes": secret}, SessionId("monday"))

    made = card(session, ("garden",))

    assert (made.title, made.summary) == ("Planned the rows.", "Planned the rows. Runner beans by the fence.")
    assert (made.tags, made.tool_name, made.success) == (("garden",), "planner", True)
    assert secret not in str(made)
    assert made == card(dict(reversed(session.items())), ("garden",))


@settings(max_examples=40)
@given(st.text(), st.none() | st.text() | st.integers() | st.lists(st.text()))
def test_a_card_has_a_title_and_an_end_whatever_the_summary_is(name: str, summary: object) -> None:
    made = card({"session_id": f"s{name}", "summary": summary, "success": summary, "timestamp": summary}, ())

    assert made.title
    assert len(made.title) <= TITLE_CHARACTERS
    assert len(made.summary) <= SUMMARY_CHARACTERS
    assert made.success is None


@pytest.mark.req("R191")
@pytest.mark.req("R181")
def test_a_blob_is_a_nonce_of_12_bytes_the_ciphertext_and_a_tag_of_16(archive: Archive, store: Any) -> None:
    receipt = archive.store(ACME, deposit())

    [path] = (store.directory / "blobs").rglob(str(receipt.digest))
    data = path.read_bytes()
    assert sha256(data).hexdigest() == receipt.digest
    assert len(data) == 12 + len(pack(SESSION)) + 16
    assert b"Runner beans" in pack(SESSION)
    assert b"Runner beans" not in store.contents()


@pytest.mark.req("R191")
def test_different_sessions_never_share_a_nonce(archive: Archive, store: Any) -> None:
    receipts = [archive.store(ACME, deposit(summary=f"Row {number}")) for number in range(12)]

    blobs = [next((store.directory / "blobs").rglob(each.digest)).read_bytes() for each in receipts]
    assert len({blob[:12] for blob in blobs}) == 12


@pytest.mark.req("R196")
@pytest.mark.req("R200")
def test_the_same_session_is_one_pointer_one_object_and_one_entry_inside_a_tenant_and_nowhere_else(
    archive: Archive, world: World, store: Any
) -> None:
    first = archive.store(ACME, deposit("garden"))
    size = store.rows()
    turned = Deposit(session_id=SessionId("monday"), tags=("garden",), session=dict(reversed(SESSION.items())))

    assert archive_of(world).store(ACME, turned).digest == first.digest
    assert store.rows() == size
    assert archive.store(OTHER, deposit("garden")).digest != first.digest
    with pytest.raises(NotFound):
        archive.retrieve(OTHER, first.digest)


@pytest.mark.req("R195")
@pytest.mark.req("R277")
def test_another_tenants_pointer_is_as_unknown_as_one_that_never_was(archive: Archive) -> None:
    archive.store(OTHER, deposit())
    theirs = archive.store(ACME, deposit()).digest
    for digest in (theirs, Digest("0" * 64)):
        for call in (archive.retrieve, archive.delete):
            with pytest.raises(NotFound) as refusal:
                call(OTHER, digest)
            assert (str(refusal.value), refusal.value.details) == ("No such session in the archive", {})
    assert archive.retrieve(ACME, theirs) == SESSION


def test_a_blob_that_is_no_archived_session_is_neither_shown_nor_deleted(archive: Archive, world: World) -> None:
    archive.store(ACME, deposit())
    other = world.blobs.put(ACME, b"a blob of a turn")
    for call in (archive.retrieve, archive.delete):
        with pytest.raises(NotFound):
            call(ACME, other)
    assert world.blobs.get(ACME, other) == b"a blob of a turn"


@pytest.mark.req("R192")
@pytest.mark.req("R197")
@pytest.mark.parametrize("position", [0, 11, 12, -17, -16, -1])
def test_a_flipped_bit_anywhere_is_refused_by_its_hash(archive: Archive, store: Any, position: int) -> None:
    digest = archive.store(ACME, deposit()).digest
    [path] = (store.directory / "blobs").rglob(str(digest))
    data = bytearray(path.read_bytes())
    data[position] ^= 1
    path.chmod(0o600)
    path.write_bytes(data)
    with pytest.raises(CorruptData, match="digest"):
        archive.retrieve(ACME, digest)


@pytest.mark.req("R192")
@pytest.mark.parametrize("position", [0, 11, 12, -17, -16, -1])
def test_a_flipped_bit_under_a_hash_that_was_made_to_fit_is_refused_by_its_tag(
    archive: Archive, world: World, position: int
) -> None:
    digest = archive.store(ACME, deposit()).digest
    data = bytearray(world.blobs.get(ACME, digest))
    data[position] ^= 1
    forged = world.blobs.put(ACME, bytes(data))
    item = world.table.get(Key(layout.archive_pk(ACME), layout.pointer_sk(digest)))
    assert item is not None
    world.table.put(Put({**item, "sk": layout.pointer_sk(forged), "content_hash": forged}))
    with pytest.raises(CorruptData, match="tag"):
        archive.retrieve(ACME, forged)


@pytest.mark.req("R192")
def test_a_blob_and_its_entry_moved_to_another_tenant_do_not_open_there(archive: Archive, world: World) -> None:
    archive.store(OTHER, deposit())
    digest = archive.store(ACME, deposit()).digest
    item = world.table.get(Key(layout.archive_pk(ACME), layout.pointer_sk(digest)))
    assert item is not None
    world.blobs.put(OTHER, world.blobs.get(ACME, digest))
    world.table.put(Put({**item, "pk": layout.archive_pk(OTHER)}))
    with pytest.raises(CorruptData):
        archive.retrieve(OTHER, digest)


@pytest.mark.req("R203")
def test_the_schema_version_is_in_index_and_blob_and_an_older_one_is_read(archive: Archive, world: World) -> None:
    digest = archive.store(ACME, deposit()).digest
    item = world.table.get(Key(layout.archive_pk(ACME), layout.pointer_sk(digest)))
    assert item is not None
    assert item["schema_version"] == "0.1.0"
    assert json.loads(pack(SESSION))["schema_version"] == "0.1.0"

    old = codec.canonical({"schema_version": "0.0.9", "session": {"session_id": "old", "note": "dropped since"}})
    number, sealed = cold(world).vault.seal_alike(ACME, "archive", old)
    older = world.blobs.put(ACME, sealed)
    entry = replace(Entry.from_attributes(item), digest=older, key_number=number, schema_version="0.0.9")
    where = {"pk": layout.archive_pk(ACME), "sk": layout.pointer_sk(older)}
    world.table.put(Put({**where, **entry.to_attributes()}))
    assert archive.retrieve(ACME, older) == {"session_id": "old", "note": "dropped since"}


@pytest.mark.req("R201")
def test_an_entry_says_what_an_index_record_holds(archive: Archive, world: World) -> None:
    digest = archive.store(ACME, deposit("garden", "beans")).digest
    item = world.table.get(Key(layout.archive_pk(ACME), layout.pointer_sk(digest)))
    assert item is not None
    assert len(str(item["id"])) == 26
    assert {name: item[name] for name in item if name not in {"pk", "sk", "id"}} == {
        "content_hash": digest,
        "blob_kid": 1,
        "tags": "garden,beans",
        "created_at": codec.rfc3339(world.clock.now()),
        "schema_version": "0.1.0",
        "source_session_id": "monday",
        "source_tool": "planner",
    }


@pytest.mark.parametrize("name", ["has spaces in it", "x" * 65, "", 7, None])
def test_a_tool_name_that_is_no_name_is_not_in_the_index(archive: Archive, store: Any, name: object) -> None:
    [found] = [archive.store(ACME, deposit(tool_name=name)).digest]

    assert b"has spaces in it" not in store.contents()
    assert [entry.tool_name for entry in archive.query(ACME, "", [], 9)] == [None]
    assert archive.retrieve(ACME, found)["tool_name"] == name


def test_a_session_archived_again_gets_the_tags_it_lacks_and_keeps_its_time(
    archive: Archive, clock: Any, world: World
) -> None:
    archive.store(ACME, deposit("garden", "beans"))
    first = archive.query(ACME, "", [], 9)
    clock.advance(days=1)
    archive.store(ACME, deposit("fence", "beans"))

    [entry] = archive.query(ACME, "", [], 9)
    assert entry == replace(first[0], tags=("garden", "beans", "fence"))
    for tag in entry.tags:
        assert archive.query(ACME, "", [tag], 9) == (entry,)
    assert archive.query(ACME, "monday", [], 9) == (entry,)
    assert sorted(rows(world)) == ["at", "ptr", "ses", "tag", "tag", "tag"]


def test_more_tags_than_an_entry_holds_are_refused_and_change_nothing(archive: Archive, world: World) -> None:
    archive.store(ACME, deposit(*(f"t{number}" for number in range(30))))
    before = rows(world)
    with pytest.raises(InvalidArgument) as refusal:
        archive.store(ACME, deposit("a", "b", "c"))
    assert fields_of(refusal) == ["tags"]
    assert rows(world) == before


@pytest.mark.req("R277")
def test_a_deleted_session_is_gone_from_index_and_blobs_and_others_stay(archive: Archive, store: Any) -> None:
    archive.store(ACME, deposit(session_id="other"))
    before = store.rows()
    digest = archive.store(ACME, deposit("garden", "beans")).digest

    archive.delete(ACME, digest)

    assert store.rows() == before
    with pytest.raises(NotFound):
        archive.retrieve(ACME, digest)
    with pytest.raises(NotFound):
        archive.delete(ACME, digest)
    assert len(archive.query(ACME, "", [], 9)) == 1
    assert archive.store(ACME, deposit("garden", "beans")).digest == digest


class Failing:
    """An adapter whose named call fails the first times, before or after it is made."""

    def __init__(
        self, adapter: Any, name: str, times: int, *, after: bool = False, error: Exception | None = None
    ) -> None:
        self.adapter, self.name, self.times, self.after = adapter, name, times, after
        self.error = error or Unavailable("throttled")
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        call = getattr(self.adapter, name)
        return self.failing(call) if name == self.name else call

    def failing(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def fails(*given: Any) -> Any:
            self.calls += 1
            answer = call(*given) if self.after or self.calls > self.times else None
            if self.calls <= self.times:
                raise self.error
            return answer

        return fails


@pytest.mark.req("R199")
@pytest.mark.parametrize("after", [False, True])
def test_a_blob_store_that_fails_once_is_asked_again(world: World, *, after: bool) -> None:
    blobs: Any = Failing(world.blobs, "put", 1, after=after)
    archive = archive_of(replace(world, blobs=blobs))

    digest = archive.store(ACME, deposit()).digest

    assert blobs.calls == 2
    assert archive.retrieve(ACME, digest) == SESSION


@pytest.mark.req("R199")
def test_a_blob_store_that_fails_twice_is_not_asked_a_third_time_and_nothing_is_indexed(world: World) -> None:
    blobs: Any = Failing(world.blobs, "put", 9)
    with pytest.raises(Unavailable) as failure:
        archive_of(replace(world, blobs=blobs)).store(ACME, deposit())

    assert blobs.calls == 2
    assert failure.value.details == {"stage": "store"}
    assert failure.value.retryable
    assert rows(world) == []


@pytest.mark.req("R200")
def test_where_indexing_fails_the_error_says_so_and_a_retry_completes_without_a_second_entry(world: World) -> None:
    table: Any = Failing(world.table, "transact", 2)
    with pytest.raises(Unavailable) as failure:
        archive_of(replace(world, table=table)).store(ACME, deposit("garden"))
    assert table.calls == 2

    receipt = archive_of(world).store(ACME, deposit("garden"))

    assert failure.value.details == {"stage": "index", "pointer": pointer(receipt.digest), "indexed": False}
    assert sorted(rows(world)) == ["at", "ptr", "ses", "tag"]
    assert archive_of(world).retrieve(ACME, receipt.digest) == SESSION


@pytest.mark.req("R200")
def test_an_index_whose_answer_is_lost_is_asked_again_and_has_one_entry(world: World) -> None:
    table: Any = Failing(world.table, "transact", 1, after=True)
    archive = archive_of(replace(world, table=table))

    assert archive.retrieve(ACME, archive.store(ACME, deposit("garden")).digest) == SESSION
    assert table.calls == 2
    assert sorted(rows(world)) == ["at", "ptr", "ses", "tag"]


@pytest.mark.req("R199")
@pytest.mark.parametrize("reasons", [(Refusal("throttled"), None), (None, Refusal("conflict"))])
@pytest.mark.parametrize("times", [1, 2])
def test_a_transaction_that_is_refused_for_no_condition_is_tried_twice(
    world: World, times: int, reasons: tuple[Refusal | None, ...]
) -> None:
    table: Any = Failing(world.table, "transact", times, error=TransactionRefused(reasons))
    archive = archive_of(replace(world, table=table))
    with nullcontext() if times == 1 else pytest.raises(Unavailable):
        archive.store(ACME, deposit())

    assert table.calls == 2
    assert len(rows(world)) == (3 if times == 1 else 0)


@pytest.mark.req("R194")
@pytest.mark.parametrize("part", ["generate", "unwrap"])
def test_without_a_key_nothing_is_stored_and_nothing_indexed(world: World, store: Any, part: str) -> None:
    if part == "unwrap":
        archive_of(world).store(ACME, deposit(session_id="earlier"))
    before = store.rows()
    keys: Any = Failing(world.keys, part, 99)
    with pytest.raises(Unavailable):
        archive_of(replace(world, keys=keys)).store(ACME, deposit())
    assert store.rows() == before


@pytest.mark.req("R183")
def test_storing_takes_two_round_trips_a_query_one_without_blobs_and_reading_one(world: World) -> None:
    calls: list[str] = []
    rounds: list[int] = []

    def parallel(given: Any) -> list[object]:
        before = len(calls)
        results = [call() for call in given]
        rounds.append(len(calls) - before)
        return results

    table: Any = Counted(world.table, calls)
    blobs: Any = Counted(world.blobs, calls)
    archive = archive_of(replace(world, table=table, blobs=blobs, parallel=parallel))
    archive.store(ACME, deposit(session_id="earlier"))
    calls.clear()

    digest = archive.store(ACME, deposit("garden")).digest
    assert calls == ["put", "transact"]
    calls.clear()
    for text, tags in (("", []), ("", ["garden"]), ("monday", []), ("mon", ["gard"])):
        rounds.clear()
        calls.clear()
        assert archive.query(ACME, text, tags, 10)
        assert rounds == [len(calls)]
        assert set(calls) == {"query"}
    rounds.clear()
    calls.clear()
    archive.retrieve(ACME, digest)
    assert (rounds, calls) == ([2], ["get", "get"])


@pytest.mark.req("R206")
@pytest.mark.req("R207")
@pytest.mark.slow
def test_with_hundreds_of_sessions_there_all_three_are_fast(world: World, clock: Any) -> None:
    """The bounds are the contract's; as a rule it takes hundredths of them."""
    archive = archive_of(world)
    for number in range(200):
        clock.advance(seconds=1)
        archive.store(ACME, deposit(f"t{number % 7}", session_id=f"s{number}"))

    started = perf_counter()
    digest = archive.store(ACME, deposit("last")).digest
    stored = perf_counter()
    assert len(archive.query(ACME, "s19", ["t3"], 100)) > 0
    queried = perf_counter()
    assert archive.retrieve(ACME, digest) == SESSION
    retrieved = perf_counter()

    assert stored - started < 5
    assert queried - stored < 0.1
    assert retrieved - queried < 1
