"""No byte of what was said reaches the store in the clear, and nothing of it opens elsewhere."""

from __future__ import annotations

import base64
from dataclasses import replace
from hashlib import md5, sha1, sha256
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.adapters import Adapters
from cairn.ground.codec import canonical
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Project, SessionId, Tenant, TurnId
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Put, Query
from cairn.log.layout import log_owner, log_pk
from cairn.log.segments import Segments
from cairn.recall.indexing import FEWEST
from cairn.services import Services
from cairn.sessions.layout import FIRST_EVENT, LAST_EVENT, session_pk
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from support.custody import forms
from support.services import services_over

SESSION = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
CANARIES = [f"Canary{word}Sings" for word in ("User", "Answer", "Call", "Result", "Meta", "Unknown", "Name", "File")]


def turn() -> Completion:
    user, answer, call, result, meta, unknown, name, file = CANARIES
    said = {
        **message("user", f"My name is {name}. {user}"),
        "metadata": {"note": meta},
        "x_unknown": {"deep": [unknown]},
    }
    return Completion(
        turn_id=TurnId("t1"),
        inputs=({"role": "user", "content": [{"type": "input_file", "filename": file}]}, said),
        outputs=(
            {"type": "function_call", "call_id": "c1", "name": "look", "arguments": f'{{"q": "{call}"}}'},
            {"type": "function_call_output", "call_id": "c1", "output": result},
            message("assistant", answer, "output_text"),
        ),
    )


def process(adapters: Adapters) -> Services:
    settings = MemorySettings()
    return services_over(adapters, settings)


@pytest.mark.req("R252")
@pytest.mark.req("R010")
@pytest.mark.parametrize("size", ["inline", "blob"])
def test_nothing_that_was_said_is_readable_in_the_store(adapters: Adapters, store: Any, size: str) -> None:
    first = turn()
    padding = () if size == "inline" else (message("assistant", adapters.entropy.token(40_000).hex()),)
    stored = Completion(turn_id=first.turn_id, inputs=first.inputs, outputs=(*first.outputs, *padding))
    commit(process(adapters), SESSION, stored)
    prepare(process(adapters), SESSION, Preparation(current=(message("user", CANARIES[0]),)))
    raw = store.contents()
    assert b"monday" in raw
    assert [canary for canary in CANARIES for form in forms(canary) if form in raw] == []
    [(_, events)] = process(adapters).sessions.history(SESSION)
    assert all(any(canary in str(event.item) for event in events) for canary in CANARIES)


@pytest.mark.req("R252")
@pytest.mark.req("R010")
def test_nothing_that_was_said_is_readable_in_a_segment_nor_opens_elsewhere(
    adapters: Adapters, store: Any, clock: Any
) -> None:
    services = process(adapters)
    for number in range(FEWEST):
        commit(services, SESSION, replace(turn(), turn_id=TurnId(f"t{number}")))
        clock.advance(minutes=1)
    clock.advance(hours=1)
    owner = log_owner(None, SESSION.session_id)
    assert services.indexer.run(SESSION.tenant, SESSION.project, owner).entries == FEWEST
    raw = store.contents()
    assert [canary for canary in CANARIES for form in forms(canary) if form in raw] == []

    pk = log_pk(SESSION.tenant, SESSION.project, owner)
    segments = Segments(adapters, services.vault)
    [(low, ref)] = segments.manifest(pk).bounds()
    assert segments.load(SESSION.tenant, pk, low, ref).through == ref.through
    foreign = Tenant("other")
    services.vault.sign(foreign, "purpose", b"")
    assert adapters.blobs.put(foreign, adapters.blobs.get(SESSION.tenant, ref.digest)) == ref.digest
    for tenant, where in ((foreign, pk), (foreign, pk.replace("acme#", "other#")), (SESSION.tenant, pk + "2")):
        with pytest.raises(CorruptData):
            segments.load(tenant, where, low, ref)


@pytest.mark.req("R265")
@pytest.mark.req("R252")
def test_a_short_payload_cannot_be_guessed_from_its_hash(adapters: Adapters, store: Any) -> None:
    """A guard holds a keyed hash: whoever reads the store cannot try out what was said."""
    said = Completion(turn_id=TurnId("t1"), inputs=(message("user", "yes"),), outputs=())
    commit(process(adapters), SESSION, said)
    payload = canonical([said.user_id, list(said.inputs), list(said.outputs)])
    guesses = [payload, b"yes", canonical(list(said.inputs)), canonical(said.inputs[0])]
    raw = store.contents()
    for digest in (sha256, sha1, md5):
        for guess in guesses:
            assert digest(guess).hexdigest()[:16].encode() not in raw
            assert base64.b64encode(digest(guess).digest())[:16] not in raw


@pytest.mark.req("R252")
@pytest.mark.req("R010")
def test_no_sealed_item_opens_under_another_key_or_tenant(adapters: Adapters) -> None:
    services = process(adapters)
    commit(services, SESSION, turn())
    foreign = Session(Tenant("other"), SESSION.project, SESSION.session_id)
    commit(services, foreign, Completion(turn_id=TurnId("t1"), inputs=(), outputs=()))
    places = [session_pk(SESSION), log_pk(SESSION.tenant, SESSION.project, "s:monday")]
    sealed = [
        item for pk in places for item in every(adapters.table, Query(pk, "\x01", "\U0010ffff")) if "data" in item
    ]
    assert len(sealed) == 2
    for item in sealed:
        moved = {**item, "pk": str(item["pk"]).replace("acme#", "other#")}
        for tenant, candidate in ((SESSION.tenant, moved), (foreign.tenant, moved), (foreign.tenant, item)):
            with pytest.raises(CorruptData):
                services.vault.unseal(tenant, candidate)


@pytest.mark.req("R252")
@pytest.mark.req("R302")
def test_a_changed_item_is_passed_over_and_counted_and_shows_nothing(adapters: Adapters) -> None:
    commit(process(adapters), SESSION, turn())
    [item] = every(adapters.table, Query(session_pk(SESSION), FIRST_EVENT, LAST_EVENT))
    assert isinstance(item["data"], bytes)
    adapters.table.put(Put({**item, "data": item["data"][:-1] + bytes([item["data"][-1] ^ 1])}))
    with pytest.raises(CorruptData) as failure:
        process(adapters).sessions.events(SESSION, {**item, "data": bytes(60)})
    assert not [canary for canary in CANARIES if canary in f"{failure.value!r}{failure.value.details}"]

    services = process(adapters)
    prepare(services, SESSION, Preparation(current=(message("user", "Hello"),)))
    assert services.adapters.tally.damage_met == 1
    assert services.sessions.recent(SESSION, 10).turns == ()
    assert list(services.sessions.history(SESSION)) == []


@pytest.mark.req("R252")
def test_a_turn_put_in_the_place_of_another_does_not_open(adapters: Adapters) -> None:
    services = process(adapters)
    commit(services, SESSION, turn())
    commit(services, SESSION, Completion(turn_id=TurnId("t2"), inputs=(message("user", "second"),), outputs=()))
    one, two = every(adapters.table, Query(session_pk(SESSION), FIRST_EVENT, LAST_EVENT))
    adapters.table.put(Put({**one, "sk": two["sk"], "seq": two["seq"]}))
    with pytest.raises(CorruptData):
        services.sessions.events(SESSION, {**one, "sk": two["sk"], "seq": two["seq"]})
    assert [seq for seq, _ in process(adapters).sessions.history(SESSION)] == [1]
