"""after_turn stores a turn once, in every place at once, and says what it wrote."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from cairn.conversation.events import EventType
from cairn.conversation.items import message, text_of
from cairn.conversation.turns import Completion
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, Conflict, CorruptData
from cairn.ground.ids import TurnId, UserId
from cairn.ground.session import ResponseItem, Session
from cairn.ground.table import Key, Query
from cairn.log.layout import log_pk as log_pk_of
from cairn.services import Services
from cairn.sessions.layout import FIRST_EVENT, LAST_EVENT, event_sk
from cairn.sessions.layout import session_pk as session_pk_of
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from support.turns import OWNER, SESSION, cold, facts, head, partition, turn


def texts(services: Services, session: Session = SESSION) -> list[str]:
    return [text_of(event.item) for _, events in services.sessions.history(session) for event in events]


def context(services: Services, said: str) -> list[ResponseItem]:
    return list(prepare(services, SESSION, Preparation(current=(message("user", said),))).items)


@pytest.mark.req("R036")
def test_a_stored_turn_is_in_the_events_the_context_the_facts_and_the_head(services: Services) -> None:
    result = commit(services, SESSION, turn("t1", "My name is Ada."))
    assert (result.events_written, result.facts_written, result.replayed) == (2, 1, False)
    assert texts(services) == ["My name is Ada.", "Noted."]
    assert "My name is Ada." in [text_of(item) for item in context(services, "Hello")]
    assert facts(services)["user_name"].value == "Ada"
    assert {name: head(services)[name] for name in ("seq", "turn_id", "version", "events", "facts_written")} == {
        "seq": 1,
        "turn_id": "t1",
        "version": 1,
        "events": 2,
        "facts_written": 1,
    }


@pytest.mark.req("R037")
def test_a_turn_without_items_is_stored_and_known_afterwards(services: Services) -> None:
    empty = Completion(turn_id=TurnId("t1"), inputs=(), outputs=())
    assert commit(services, SESSION, empty).events_written == 0
    assert commit(services, SESSION, empty).replayed
    assert head(services)["seq"] == 1


@pytest.mark.req("R038")
@pytest.mark.req("R043")
def test_a_replayed_turn_writes_nothing(services: Services, store: Any) -> None:
    commit(services, SESSION, turn("t1", "I like tea."))
    rows, before, said = store.rows(), head(services), texts(services)
    result = commit(services, SESSION, turn("t1", "I like tea."))
    assert result.replayed
    assert (result.events_written, result.facts_written) == (0, 0)
    assert (store.rows(), texts(services)) == (rows, said)
    assert {**head(services), "fence": 0} == {**before, "fence": 0}


@pytest.mark.req("R265")
def test_another_payload_under_a_stored_turn_id_is_a_conflict_and_writes_nothing(
    services: Services, store: Any
) -> None:
    commit(services, SESSION, turn("t1", "I like tea."))
    rows, before, said = store.rows(), head(services), texts(services)
    with pytest.raises(Conflict) as refused:
        commit(services, SESSION, turn("t1", "I like coffee."))
    assert not refused.value.retryable
    assert (store.rows(), texts(services)) == (rows, said)
    assert {**head(services), "fence": 0} == {**before, "fence": 0}


@pytest.mark.req("R265")
@pytest.mark.parametrize("change", ["inputs", "outputs", "user_id"])
def test_every_part_of_a_payload_counts(services: Services, change: str) -> None:
    first = turn("t1", "I like tea.")
    commit(services, SESSION, first)
    other = {"inputs": (), "outputs": (), "user_id": UserId("bob")}[change]
    with pytest.raises(Conflict):
        commit(services, SESSION, replace(first, **{change: other}))


@pytest.mark.req("R038")
def test_a_payload_may_come_with_its_fields_in_another_order(services: Services) -> None:
    first = turn("t1", "I like tea.")
    commit(services, SESSION, first)
    reordered = tuple(dict(reversed(list(item.items()))) for item in first.inputs)
    assert commit(services, SESSION, replace(first, inputs=reordered)).replayed


@pytest.mark.req("R053")
def test_a_turn_older_than_the_processed_history_is_still_a_replay(adapters: Adapters) -> None:
    services = cold(adapters, max_processed_turns=2)
    for number in range(5):
        commit(services, SESSION, turn(f"t{number}", f"Number {number}."))
    assert commit(services, SESSION, turn("t0", "Number 0.")).replayed
    assert len(texts(services)) == 10


@pytest.mark.req("R052")
def test_a_turn_of_the_processed_history_is_a_replay_though_its_guard_is_gone(adapters: Adapters, clock: Any) -> None:
    services = cold(adapters, max_processed_turns=2)
    for number in range(3):
        commit(services, SESSION, turn(f"t{number}", f"Number {number}."))
    clock.advance(days=31)
    before = head(services)
    assert commit(services, SESSION, turn("t1", "Number 1.")).replayed
    assert head(services)["seq"] == before["seq"]
    assert len(texts(services)) == 6


@pytest.mark.req("R052")
def test_the_processed_history_keeps_only_its_newest_turns(adapters: Adapters, clock: Any) -> None:
    services = cold(adapters, max_processed_turns=2)
    for number in range(3):
        commit(services, SESSION, turn(f"t{number}", f"Number {number}."))
    clock.advance(days=31)
    assert not commit(services, SESSION, turn("t0", "Number 0.")).replayed


@pytest.mark.req("R035")
def test_every_kind_of_item_comes_back_as_it_was_sent(services: Services) -> None:
    call = {
        "type": "function_call",
        "call_id": "c1",
        "name": "look",
        "arguments": '{"q": 1}',
        "x_own": [1, {"a": None}],
    }
    output = {"type": "function_call_output", "call_id": "c1", "output": "42 \u2028 é 🙂"}
    image = {"role": "user", "content": [{"type": "input_image", "image_url": "https://x/y.png", "detail": "low"}]}
    commit(services, SESSION, Completion(turn_id=TurnId("t1"), inputs=(image,), outputs=(call, output)))
    [(_, events)] = services.sessions.history(SESSION)
    assert [event.item for event in events] == [image, call, output]
    assert [event.type for event in events] == [EventType.INPUT_ITEM, EventType.TOOL_CALL, EventType.TOOL_RESULT]
    assert [event.id for event in events] == ["t1-in-0", "t1-out-0", "t1-out-1"]


@pytest.mark.req("R078")
def test_every_stored_time_is_utc_with_z(services: Services) -> None:
    commit(services, SESSION, turn("t1", "My name is Ada. Today I need to water the beans."))
    commit(services, SESSION, turn("t2", "My name is Grace."))
    session_pk = session_pk_of(SESSION)
    log_pk = log_pk_of(SESSION.tenant, SESSION.project, OWNER)
    stored = [*partition(services, session_pk), *partition(services, log_pk)]
    opened = [services.vault.unseal(SESSION.tenant, item) for item in stored if "data" in item]
    text = repr([{k: v for k, v in item.items() if not isinstance(v, bytes)} for item in stored]) + repr(opened)
    times = re.findall(r"\d{4}-\d\d-\d\dT[^'\"]*", text)
    assert len(times) > 10
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", time) for time in times)


@pytest.mark.slow
@pytest.mark.req("R251")
def test_a_turn_of_a_megabyte_is_stored_outside_its_items_and_comes_back_whole(services: Services, store: Any) -> None:
    noise = [services.adapters.entropy.token(99_000).hex() for _ in range(5)]
    inputs = tuple(message("user", text) for text in noise)
    commit(services, SESSION, Completion(turn_id=TurnId("t1"), inputs=inputs, outputs=()))
    [(_, events)] = services.sessions.history(SESSION)
    assert [text_of(event.item) for event in events] == noise
    item = services.adapters.table.get(Key(session_pk_of(SESSION), event_sk(1)))
    assert item is not None
    assert "blob" in item
    assert "data" not in item
    assert any((store.directory / "blobs").rglob(str(item["blob"])))


@pytest.mark.req("R251")
def test_a_turn_of_up_to_32_kb_stays_in_its_item(services: Services) -> None:
    commit(services, SESSION, turn("t1", services.adapters.entropy.token(20_000).hex()))
    item = services.adapters.table.get(Key(session_pk_of(SESSION), event_sk(1)))
    assert item is not None
    assert "blob" not in item
    assert isinstance(item["data"], bytes)
    assert 20_000 < len(item["data"]) <= 32 * 1024


@pytest.mark.slow
@pytest.mark.req("R251")
def test_a_history_of_several_pages_is_read_whole(services: Services) -> None:
    for number in range(40):
        commit(services, SESSION, turn(f"t{number}", services.adapters.entropy.token(28_000).hex()))
    pk = session_pk_of(SESSION)
    assert services.adapters.table.query(Query(pk, FIRST_EVENT, LAST_EVENT)).next is not None
    assert [seq for seq, _ in services.sessions.history(SESSION)] == list(range(1, 41))


@pytest.mark.req("R046")
@pytest.mark.req("R055")
def test_a_turn_that_cannot_be_merged_leaves_nothing_and_may_be_sent_again(services: Services, store: Any) -> None:
    commit(services, SESSION, turn("t1", services.adapters.entropy.token(60_000).hex()))
    [blob] = [path for path in (store.directory / "blobs").rglob("*") if path.is_file() and path.stat().st_size > 40000]
    hidden = blob.with_suffix(".away")
    blob.rename(hidden)
    second = replace(turn("t2", "Hello"), inputs=(message("user", "a"), message("user", "b")))
    with pytest.raises(CorruptData) as refused:
        commit(cold(services.adapters), SESSION, second)
    assert not refused.value.retryable
    hidden.rename(blob)
    assert commit(cold(services.adapters), SESSION, second).events_written == 3


def test_no_failure_tells_what_was_said(services: Services) -> None:
    commit(services, SESSION, turn("t1", "the secret is basalt"))
    with pytest.raises(CairnError) as refused:
        commit(services, SESSION, turn("t1", "the secret is granite"))
    told = f"{refused.value!r} {refused.value.details}"
    assert "basalt" not in told
    assert "granite" not in told
