"""Names that hold a secret or personal data are masked wherever a call is put on record."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import Any, NoReturn

import pytest

from cairn.calls.names import MASKED, Names
from cairn.detection import detector
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, PersonalDataDetected, Unavailable
from cairn.ground.ids import SessionId, Tenant, TurnId, UserId
from cairn.ground.session import Subject
from cairn.settings.settings import Settings
from cairn.tool.call import Call
from cairn.tool.tool import Tool
from cairn_tools.deleteMemory import deleteMemory
from cairn_tools.getContext import getContext
from cairn_tools.getMemory import getMemory
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from cairn_tools.putMemory import putMemory
from support.calls import ACME, HOUR, log_of, stored
from support.services import services_over

SECRETS = ("AKIA" + "IOSFODNN7EXAMPLE", "ghp_" + "x9Kq2mVw7Lr4Tz8Bn3Yc6Hd1Pf5Js0AgUeXo", "4111-1111-1111-1111")
EMAIL = "alice@example.com"
KEY = SECRETS[0]


def everything(adapters: Adapters) -> str:
    return repr(stored(adapters))


def call_with(tool: Tool, call: Call, **fields: Any) -> None:
    try:
        tool.execute({**tool.example, **fields}, call)
    except CairnError:
        return


@pytest.mark.req("R163")
@pytest.mark.parametrize("key", SECRETS)
def test_a_key_that_holds_a_secret_is_masked_in_the_record_whether_refused_or_not(
    call: Call, adapters: Adapters, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "cairn")
    with pytest.raises(PersonalDataDetected):
        putMemory.execute({**putMemory.example, "key": key}, call)
    call_with(getMemory, call, key=key)
    call_with(deleteMemory, call, key=key)

    records = log_of(adapters).records(ACME, adapters.clock.now() - HOUR, adapters.clock.now())
    keys = {record.subject.key for record in records}
    assert len(keys) == 1
    assert (keys.pop() or "").startswith(f"{MASKED}:")
    assert key not in everything(adapters)
    assert key not in repr([vars(each).get("call") and vars(each)["call"].line() for each in caplog.records])


@pytest.mark.req("R163")
@pytest.mark.parametrize("field", ["session_id", "turn_id"])
def test_so_are_a_session_and_a_turn_in_the_record_the_index_and_the_log(
    call: Call, adapters: Adapters, field: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "cairn")
    memory_after_turn.execute({**EXAMPLE, field: KEY}, call)

    session = EXAMPLE["session_id"] if field == "turn_id" else KEY
    answer = getContext.execute({**getContext.example, "session_id": session, "context_type": "all"}, call)

    assert answer["session_id"] == session
    assert "memory_after_turn" in [each["tool_name"] for each in answer["tool_history"]]
    assert KEY not in everything(adapters)
    logged = [vars(each).get("event") for each in caplog.records]
    logged += [vars(each)["call"].line() for each in caplog.records if "call" in vars(each)]
    assert KEY not in json.dumps(logged, default=str)


def test_a_secret_that_is_cut_in_two_between_namespace_and_key_is_masked_as_it_is_refused(
    call: Call, adapters: Adapters
) -> None:
    cut = {"namespace": "session." + KEY[:10], "key": KEY[10:]}
    try:
        putMemory.execute({**putMemory.example, **cut}, call)
    except PersonalDataDetected:
        assert KEY[10:] not in everything(adapters)
    except CairnError:
        pytest.fail("refused for another reason")


def test_a_name_s_mask_is_the_same_in_every_process_of_a_tenant_and_another_in_another_tenant(call: Call) -> None:
    here, there = Names(call.services.vault), Names(call.services.vault)
    subject = Subject(user_id=UserId(EMAIL), turn_id=TurnId(EMAIL), session_id=SessionId("monday-12"))

    masked = here.subject(ACME, subject)

    assert masked == there.subject(ACME, subject)
    assert masked.session_id == "monday-12"
    assert masked.user_id == EMAIL
    assert masked.turn_id == here.mask(ACME, EMAIL)
    assert masked.turn_id != here.subject(Tenant("other"), subject).turn_id


def test_ordinary_names_are_left_alone_and_need_no_detector(monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    def scan(_: object) -> NoReturn:
        pytest.fail("looked through")

    monkeypatch.setattr("cairn.detection.detector.scan", scan)
    names = Names(call.services.vault)

    for plain in ("garden", "monday", "turn-1", "session.monday", "plan/beans", "0b7ad3c2-9c53-4b7e-8f1e-2d1f5f6a7b8c"):
        assert names.name(ACME, plain) == plain


def test_a_name_is_looked_through_once(monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    looked, scan = list[object](), detector.scan

    def counted(value: object) -> object:
        looked.append(value)
        return scan(value)

    monkeypatch.setattr(detector, "scan", counted)
    names = Names(call.services.vault)

    assert len({names.name(ACME, EMAIL) for _ in range(3)}) == len(looked) == 1


def test_where_no_digest_can_be_made_the_name_is_masked_without(adapters: Adapters) -> None:
    class NoTable:
        def __getattr__(self, name: str) -> Any:
            raise Unavailable("throttled")

    services = services_over(replace(adapters, table=NoTable()), Settings(memory_enabled=True))  # pyright: ignore[reportArgumentType]

    assert Names(services.vault).name(ACME, KEY) == MASKED
