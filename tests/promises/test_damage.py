"""A store of which any one item or blob is damaged: reads go round it, a check finds it, a repair mends the store."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import pytest

from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.custody.bundles import DataScope
from cairn.custody.check import Check
from cairn.custody.erase_user import EraseUser
from cairn.custody.opening import kind_of
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.inventory import EmbeddedInventory
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.ground.codec import zstd
from cairn.ground.errors import CorruptData, NotFound
from cairn.ground.ids import Project, SessionId, Tenant, UserId
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn.tool.call import Call
from cairn.tool.tool import Tool
from cairn_tools.getContext import getContext
from cairn_tools.getMemory import getMemory
from cairn_tools.listMemory import listMemory
from cairn_tools.memory_after_turn import memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from cairn_tools.memory_list_dir_with_abstract import memory_list_dir_with_abstract
from cairn_tools.putMemory import putMemory
from cairn_tools.query_cascade_memories import query_cascade_memories
from cairn_tools.recall import recall
from cairn_tools.remember import remember
from cairn_tools.retrieve_session_from_cascade import retrieve_session_from_cascade
from cairn_tools.store_session_to_cascade import store_session_to_cascade
from support.receipts import without_call
from support.services import services_over

ACME = Tenant("acme")
LONG = "".join(sha256(str(number).encode()).hexdigest() for number in range(1200)).translate(
    str.maketrans("0123456789abcdef", "bcdfghjklmnpqrst")
)
"""A text that stays over 32 KB when it is sealed."""
HOW = ("changed", "torn", "deleted")
OTHER = {"project": "garden", "session_id": "other", "user_id": "bob"}
READS: tuple[tuple[Tool, dict[str, Any]], ...] = (
    (memory_before_turn, {"project": "garden", "session_id": "monday", "user_id": "ada", "current_input": "Beans?"}),
    (recall, {"project": "garden", "session_id": "monday", "user_id": "ada", "query": "beans"}),
    (memory_list_dir_with_abstract, {"project": "garden", "session_id": "monday", "path": "", "depth": 8}),
    (getContext, dict(getContext.example)),
    (listMemory, {"namespace": "session.monday"}),
    (query_cascade_memories, {"query": "", "limit": 10}),
    (memory_before_turn, {**OTHER, "current_input": "Roses?"}),
    (recall, {**OTHER, "query": "roses"}),
)
"""What goes round any damage but that of a data key."""
OWN: tuple[tuple[Tool, dict[str, Any]], ...] = (
    (getMemory, {"namespace": "session.monday", "key": "small"}),
    (getMemory, {"namespace": "session.monday", "key": "large"}),
)
"""What has nothing to answer with where it is damaged itself."""


@dataclass(frozen=True)
class Opened:
    """A process that has nothing in memory yet over a copy of the store."""

    directory: Path
    table: SqliteTable
    services: Services
    call: Call

    @property
    def check(self) -> Check:
        inventory = EmbeddedInventory(self.table, self.directory / "blobs")
        return Check(self.services, inventory, self.services.audit)

    def answers(self) -> list[str]:
        """Return what reads say, and let through only errors that say that what was asked for is damaged or gone."""
        found = [json.dumps(without_call(tool.execute(arguments, self.call))) for tool, arguments in READS]
        pointer = {"pointer": (self.directory / "pointer").read_text()}
        for tool, arguments in (*OWN, (retrieve_session_from_cascade, pointer)):
            with suppress(CorruptData, NotFound):
                found.append(json.dumps(tool.execute(arguments, self.call)))
        return found


Open = Callable[[], Opened]


@pytest.fixture
def opened(tmp_path: Path, adapters: Adapters) -> Iterator[Open]:
    """Return a function that opens a fresh copy of one store with a bit of everything in it."""
    first = _over(tmp_path / "first", adapters)
    _fill(first)
    first.table.close()
    copies: list[Opened] = []

    def open_copy() -> Opened:
        directory = tmp_path / f"copy-{len(copies)}"
        shutil.copytree(first.directory, directory)
        copies.append(_over(directory, adapters))
        return copies[-1]

    yield open_copy
    for each in copies:
        each.table.close()


def _over(directory: Path, adapters: Adapters) -> Opened:
    directory.mkdir(exist_ok=True)
    table = SqliteTable(directory / "table.sqlite3")
    there = replace(adapters, table=table, blobs=DirectoryBlobs(directory / "blobs"))
    settings = Settings(
        memory_enabled=True, memory=MemorySettings(recent_context_items=4), tool_switches={"getContext": True}
    )
    services = services_over(there, settings)
    caller = Caller(ACME, frozenset({"read", "write"}), "request", (ALL_PROJECTS,))
    return Opened(directory, table, services, Call(caller, services))


def _fill(opened: Opened) -> None:
    def does(tool: Tool, **arguments: Any) -> Any:
        opened.services.adapters.clock.sleep(61)
        return tool.execute(arguments, opened.call)

    for number, said in enumerate(("I live in Oslo.", "I like beans.", "Keep this.", "The beans need sun.")):
        reply = LONG if said == "Keep this." else "Noted."
        turn = {
            "input_items": [{"role": "user", "content": said}],
            "output_items": [{"role": "assistant", "content": reply}],
        }
        does(
            memory_after_turn,
            project="garden",
            session_id="monday",
            user_id="ada",
            turn_id=f"t{number}",
            **turn,
        )
        does(memory_after_turn, **OTHER, turn_id=f"o{number}", **{**turn, "output_items": turn["input_items"][:1]})
    does(remember, project="garden", session_id="monday", user_id="ada", content="Beans climb.", scope="session")
    does(remember, project="garden", session_id="monday", user_id="ada", content="Ada grows beans.", scope="user")
    does(putMemory, namespace="session.monday", key="small", value={"n": 1}, ttl_seconds=3600)
    does(putMemory, namespace="session.monday", key="large", value={"n": LONG})
    kept = does(store_session_to_cascade, **store_session_to_cascade.example)
    (opened.directory / "pointer").write_text(kept["pointer"])
    opened.services.maintenance.run(_monday())
    opened.services.indexer.rebuild(ACME, _monday().project, "u:ada")
    opened.services.adapters.clock.sleep(600)
    opened.services.sealer.seal(ACME, timedelta(hours=1))


def _monday() -> Session:
    return Session(ACME, Project("garden"), SessionId("monday"))


def _rows(opened: Opened) -> list[tuple[str, str]]:
    with opened.table.database.reading() as connection:
        return list(connection.execute("SELECT pk, sk FROM items WHERE pk LIKE 'acme#%' ORDER BY pk, sk"))


def _harm_row(opened: Opened, pk: str, sk: str, how: str) -> bool:
    """Damage a row on disk: change what it holds and leave it JSON, tear it, or delete it; tell whether that did."""
    with opened.table.database.writing() as connection:
        (body,) = connection.execute("SELECT body FROM items WHERE pk = ? AND sk = ?", (pk, sk)).fetchone()
        match how:
            case "deleted":
                connection.execute("DELETE FROM items WHERE pk = ? AND sk = ?", (pk, sk))
                return True
            case "torn":
                harmed = body[: len(body) // 2]
            case _:
                harmed = json.dumps(
                    {name: _changed(name, value, json.loads(body)) for name, value in json.loads(body).items()}
                )
        connection.execute("UPDATE items SET body = ? WHERE pk = ? AND sk = ?", (harmed, pk, sk))
        return json.loads(body) != _parsed(harmed)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _changed(name: str, value: Any, body: dict[str, Any]) -> Any:
    """Return another value: of what is sealed another byte, where nothing is something of another type."""
    if isinstance(value, dict):
        sealed = cast("dict[str, str]", value)["b"]
        middle = len(sealed) // 2
        return {"b": sealed[:middle] + ("A" if sealed[middle] != "A" else "B") + sealed[middle + 1 :]}
    if "data" in body or name in {"pk", "sk", "ipk", "isk", "expires_at"}:
        return value
    return 7 if isinstance(value, str) else "seven"


def _harm_blob(path: Path, how: str) -> None:
    match how:
        case "deleted":
            path.unlink()
        case "torn":
            path.write_bytes(path.read_bytes()[:100])
        case _:
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)


def _held(opened: Opened, where: str, how: str, sound: list[str]) -> list[str]:
    """Return what does not hold of a store that was damaged at this place."""
    wrong: list[str] = []
    found = opened.check.run(ACME).findings
    if not found and not _may_go_unseen(where, how):
        wrong.append(f"{how} {where}: the check finds nothing")
    reading = _over(opened.directory, opened.services.adapters)
    try:
        answers = reading.answers()
    except Exception as error:  # noqa: BLE001 - each is told, with where
        return [f"{how} {where}: a read fails: {error!r}"]
    finally:
        reading.table.close()
    is_of_other = "other" in where
    if not is_of_other and answers[6:8] != sound[6:8]:
        wrong.append(f"{how} {where}: another session's answers differ")
    mended = list(opened.check.repair(ACME))
    left = opened.check.run(ACME).findings
    if left:
        wrong.append(f"{how} {where}: after {len(mended)} are mended there is left: {left[:3]}")
    fresh = _over(opened.directory, opened.services.adapters)
    try:
        after = fresh.answers()
        if any('"damaged"' in each for each in after):
            wrong.append(f"{how} {where}: after the repair answers are still made without something")
        if not is_of_other and after[6:8] != sound[6:8]:
            wrong.append(f"{how} {where}: after the repair another session's answers differ")
        _speak(fresh, "monday", "ada")
    except Exception as error:  # noqa: BLE001
        wrong.append(f"{how} {where}: after the repair a call fails: {error!r}")
    finally:
        fresh.table.close()
    return wrong


def _speak(opened: Opened, session: str, user: str) -> None:
    memory_after_turn.execute(
        {
            "project": "garden",
            "session_id": session,
            "user_id": user,
            "turn_id": "later",
            "input_items": [{"role": "user", "content": "And peas."}],
            "output_items": [{"role": "assistant", "content": "Peas too."}],
        },
        opened.call,
    )


def _may_go_unseen(where: str, how: str) -> bool:
    """Tell whether nothing else in the store says that a thing was there, or what it was."""
    pk, _, sk = where.partition(" ")
    kind = kind_of(pk) if pk.startswith("acme#") else ""
    passing = {"rates"}
    return how == "deleted" and (
        kind in passing
        or sk.startswith(("turn#", "cmp#", "e#|", "m~segments", "abstracts", "gone#", "drop#", "r#", "v#", "digest#"))
    )


def _sweep(open_copy: Open, how: str, wanted: Callable[[str, str], bool]) -> list[str]:
    first = open_copy()
    sound = first.answers()
    assert first.check.run(ACME).findings == []
    wrong: list[str] = []
    for pk, sk in _rows(open_copy()):
        if wanted(pk, sk):
            opened = open_copy()
            if _harm_row(opened, pk, sk, how):
                wrong += _held(opened, f"{pk} {sk}", how, sound)
            opened.table.close()
    return wrong


@pytest.mark.req("R302")
@pytest.mark.parametrize("how", HOW)
def test_a_damaged_item_of_any_kind_is_gone_round_found_and_mended(how: str, opened: Open) -> None:
    seen: set[tuple[str, str]] = set()

    def is_first_of_its_kind(pk: str, sk: str) -> bool:
        kind = kind_of(pk), sk if sk.startswith("e#") and sk[2:3] in "~}|" else sk.partition("#")[0]
        is_new = kind not in seen and kind[0] != "keys"
        seen.add(kind)
        return is_new and (how == "changed" or len(seen) % 3 == HOW.index(how))

    wrong = _sweep(opened, how, is_first_of_its_kind)

    assert len(seen) > 20
    assert not wrong, "\n".join(wrong)


@pytest.mark.req("R302")
@pytest.mark.parametrize("how", HOW)
def test_a_damaged_blob_is_gone_round_found_and_mended(how: str, opened: Open) -> None:
    first = opened()
    sound = first.answers()
    wrong: list[str] = []
    blobs = sorted(
        path.relative_to(first.directory) for path in (first.directory / "blobs").rglob("*") if path.is_file()
    )
    for blob in blobs:
        harmed = opened()
        _harm_blob(harmed.directory / blob, how)
        wrong += _held(harmed, str(blob), how, sound)
        harmed.table.close()

    assert len(blobs) > 3
    assert not wrong, "\n".join(wrong)


@pytest.mark.req("R302")
@pytest.mark.parametrize("how", HOW)
def test_no_turn_is_written_on_a_damaged_head_and_the_refusal_asks_for_no_second_try(how: str, opened: Open) -> None:
    harmed = opened()
    pk = "acme#s#garden#monday"
    _harm_row(harmed, pk, "e#~", how)

    for _ in range(2):
        with pytest.raises(CorruptData, match="cairn check --repair") as refused:
            _speak(harmed, "monday", "ada")
        assert not refused.value.retryable
        assert refused.value.details == {"reason": "damaged"}

    list(harmed.check.repair(ACME))
    _speak(_over(harmed.directory, harmed.services.adapters), "monday", "ada")
    told = memory_before_turn.execute(READS[0][1], _over(harmed.directory, harmed.services.adapters).call)
    assert "damaged" not in told
    assert "beans" in json.dumps(told)


@pytest.mark.req("R302")
@pytest.mark.parametrize("how", ["changed", "deleted"])
def test_without_its_data_key_a_tenant_is_told_so_and_nothing_is_moved(how: str, opened: Open) -> None:
    harmed = opened()
    before = len(_rows(harmed))
    _harm_row(harmed, "acme#keys", "data#000001", how)

    reading = _over(harmed.directory, harmed.services.adapters)
    found = reading.check.run(ACME).findings
    assert {"key"} <= {each.kind for each in found}
    assert list(reading.check.repair(ACME)) == []
    assert len(_rows(harmed)) == before - (how == "deleted")
    if how == "changed":
        with pytest.raises(CorruptData) as refused:
            recall.execute(READS[1][1], reading.call)
        assert not refused.value.retryable


@pytest.mark.req("R302")
def test_what_reads_go_round_is_told_in_the_answer_the_log_and_health(opened: Open, log: io.StringIO) -> None:
    harmed = opened()
    _harm_row(harmed, "acme#m#garden#s:monday", _entry_of(harmed, "acme#m#garden#s:monday"), "changed")

    told = recall.execute(READS[1][1], harmed.call)

    assert told["damaged"] == 1
    (line,) = [line for line in map(json.loads, log.getvalue().splitlines()) if "damaged_at" in line]
    assert (line["tool"], line["damaged"], line["damaged_at"]) == ("recall", 1, "m/m")
    assert harmed.services.health.reasons() == ["damage_met"]


@pytest.mark.req("R302")
def test_a_repair_keeps_what_it_moves(opened: Open) -> None:
    harmed = opened()
    _harm_row(harmed, "acme#s#garden#monday", "turn#t1", "torn")
    with harmed.table.database.reading() as connection:
        (torn,) = connection.execute("SELECT body FROM items WHERE sk = 'turn#t1' AND pk LIKE '%monday'").fetchone()

    list(harmed.check.repair(ACME))

    (kept,) = [item for item in harmed.table.owned("acme#q") if "from_pk" in item]
    assert (kept["from_pk"], kept["from_sk"]) == ("acme#s#garden#monday", "turn#t1")
    assert isinstance(kept["body"], bytes)
    assert zstd.decompress(kept["body"]) == torn.encode()


@pytest.mark.req("R302")
def test_an_old_blob_that_nothing_names_is_left_behind_and_deleted(opened: Open, clock: Any) -> None:
    harmed = opened()
    blobs = harmed.services.adapters.blobs
    digest = blobs.put(ACME, b"left behind")
    (path,) = (harmed.directory / "blobs").rglob(digest)
    clock.time = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    harmed = _over(harmed.directory, harmed.services.adapters)
    harmed.services.indexer.run(ACME, _monday().project, "u:ada")

    assert [each.where for each in harmed.check.run(ACME).findings if each.kind == "blob"] == []
    clock.advance(days=2)
    assert [each.where for each in harmed.check.run(ACME).findings if each.kind == "blob"] == [digest]
    list(harmed.check.repair(ACME))

    assert not path.exists()


def _entry_of(opened: Opened, pk: str) -> str:
    return next(sk for found, sk in _rows(opened) if found == pk and sk.startswith("m#"))


@pytest.mark.req("R302")
def test_a_user_who_is_erased_is_gone_from_the_quarantine_too(opened: Open) -> None:
    harmed = opened()
    _harm_row(harmed, "acme#s#garden#monday", "e#000000000002", "changed")
    list(harmed.check.repair(ACME))
    assert harmed.table.owned("acme#q")
    inventory = EmbeddedInventory(harmed.table, harmed.directory / "blobs")

    EraseUser(harmed.services, inventory).run(DataScope(ACME, user=UserId("ada")))

    assert harmed.table.owned("acme#q") == []
