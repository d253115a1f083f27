"""What a call that fails is answered: one envelope, and never a raw exception."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any, NoReturn

import pytest
from pydantic import BaseModel

from cairn import wiring
from cairn.edge import problems
from cairn.edge.events import parse_json
from cairn.ground.adapters import Adapters
from cairn.ground.errors import (
    CairnError,
    InternalError,
    InvalidArgument,
    KeyUnusable,
    PayloadTooLarge,
    ResourceBusy,
    SettingsError,
    Unavailable,
)
from cairn.ground.ids import Tenant
from cairn.ground.settings import Limits
from cairn.ground.table import FORMAT, Key, Update
from cairn.telemetry import logs
from cairn.tool.call import Call, execute
from cairn.tool.tool import Tool, tool
from cairn.vault.data_key import DataKey
from cairn_tools.catalog import CATALOG
from cairn_tools.memory_after_turn import handler as after_handler
from support.services import changed
from support.telemetry import calls

AFTER = CATALOG[1]
CANARY = "canary-7f3a"
EventOf = Callable[..., dict[str, Any]]


class Anything(BaseModel):
    """No field."""


def leave_as_it_is(metrics: str | None) -> None:
    """Stand in for what sends the log to standard error."""
    assert metrics is None


def failing(error: Exception) -> Tool:
    """Return a tool that raises the error."""

    @tool(title="Fail", example={}, grants=())
    def fail(request: Anything, call: Call) -> Anything:
        """Fail."""
        assert request
        assert call
        raise error

    return fail


@pytest.mark.req("R103")
@pytest.mark.req("R102")
def test_an_unexpected_exception_becomes_an_internal_error_without_content(call: Call, log: io.StringIO) -> None:
    fail = failing(RuntimeError(CANARY))

    with pytest.raises(InternalError) as raised:
        execute([fail], "fail", {}, call)

    envelope = problems.envelope(raised.value)
    assert envelope["error"]["code"] == "INTERNAL_ERROR"
    assert envelope["error"]["retryable"] is True
    assert envelope["error"]["details"] == {"request_id": "request-1"}
    assert CANARY not in json.dumps(envelope)
    (line,) = calls(log)
    assert line["level"] == "ERROR"
    assert line["failure"] == "RuntimeError"
    assert line["failed_at"].startswith("test_http_failures.py:")
    assert CANARY not in log.getvalue()


@pytest.mark.req("R103")
@pytest.mark.usefixtures("services")
def test_the_http_door_never_raises(event_of: EventOf, log: io.StringIO) -> None:
    response = failing(KeyError(CANARY)).handler(event_of("/", {}), None)

    assert response["statusCode"] == 500
    assert json.loads(response["body"])["error"]["code"] == "INTERNAL_ERROR"
    assert CANARY not in response["body"]
    assert "Traceback" not in response["body"]
    assert len(calls(log)) == 1


def test_wrong_settings_answer_500_and_the_log_names_the_key(
    event_of: EventOf, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiring.provide(None)
    monkeypatch.setattr(logs, "configure", leave_as_it_is)
    monkeypatch.setenv("CAIRN_MEMORY_COMPACT_THRESHOLD", "7")

    response = AFTER.handler(event_of("/", {}), None)

    assert response["statusCode"] == 500
    assert "COMPACT" not in response["body"]
    assert "CAIRN_MEMORY_COMPACT_THRESHOLD" in calls(log)[0]["failure"]


def subclasses(kind: type[CairnError]) -> list[type[CairnError]]:
    return [kind, *(deeper for each in kind.__subclasses__() for deeper in subclasses(each))]


@pytest.mark.req("R102")
@pytest.mark.parametrize("kind", subclasses(CairnError))
def test_every_error_has_a_status_and_one_envelope(kind: type[CairnError]) -> None:
    error = InvalidArgument("field", "is wrong") if kind is InvalidArgument else kind("message", {"detail": 1})

    assert 400 <= problems.http_status(error) <= 503
    assert problems.envelope(error) == {
        "type": "error",
        "error": {
            "code": error.code,
            "message": error.message,
            "details": error.details,
            "retryable": error.retryable,
        },
    }


@pytest.mark.parametrize(("delay", "header"), [(1, "1"), (1000, "1"), (1001, "2"), (30_000, "30")])
@pytest.mark.usefixtures("services")
def test_an_error_that_says_when_to_come_back_says_so_in_the_header(delay: int, header: str, event_of: EventOf) -> None:
    response = failing(ResourceBusy("busy", {"retry_after_ms": delay})).handler(event_of("/", {}), None)

    assert response["statusCode"] == 409
    assert response["headers"]["retry-after"] == header


@pytest.mark.req("R102")
@pytest.mark.usefixtures("services")
def test_a_store_that_is_down_is_unavailable_and_retryable(event_of: EventOf) -> None:
    response = failing(Unavailable("the store does not answer")).handler(event_of("/", {}), None)

    assert response["statusCode"] == 503
    assert json.loads(response["body"])["error"]["retryable"] is True
    assert "retry-after" not in response["headers"]


@pytest.mark.req("R016")
def test_a_tool_s_module_offers_its_handler(event_of: EventOf, call: Call) -> None:
    assert call
    assert after_handler(event_of("/", AFTER.example), None)["statusCode"] == 200


def test_services_are_built_once_from_the_environment(
    tmp_path: Any, event_of: EventOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "configure", leave_as_it_is)
    monkeypatch.setenv("CAIRN_MEMORY_ENABLED", "true")
    monkeypatch.setenv("CAIRN_DATA", str(tmp_path))
    wiring.provide(None)
    try:
        assert AFTER.handler(event_of("/", AFTER.example), None)["statusCode"] == 200
        assert json.loads(AFTER.handler(event_of("/", AFTER.example), None)["body"])["replayed"] is True
        assert wiring.services() is wiring.services()
        assert wiring.services().settings.store is not None
    finally:
        wiring.provide(None)


def test_without_a_store_the_process_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "configure", leave_as_it_is)
    wiring.provide(None)

    with pytest.raises(SettingsError, match="CAIRN_DATA"):
        wiring.services()


def test_a_failing_service_stores_nothing_and_the_next_call_works(call: Call, event_of: EventOf) -> None:
    class Broken:
        def is_free(self, *_: object) -> NoReturn:
            raise OSError(CANARY)

        claim = is_free

    working = call.services
    wiring.provide(changed(working, guards=Broken()))
    assert AFTER.handler(event_of("/", AFTER.example), None)["statusCode"] == 500
    wiring.provide(working)

    assert json.loads(AFTER.handler(event_of("/", AFTER.example), None)["body"])["replayed"] is False


class OutOfReach:
    """A key ring whose key is disabled."""

    def generate(self, tenant: Tenant) -> DataKey:
        assert tenant
        raise KeyUnusable("The key cannot be used. Whoever runs it can enable it", {"reason": "DisabledException"})

    def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
        del wrapped
        return self.generate(tenant).secret


@pytest.mark.req("R193")
@pytest.mark.usefixtures("services")
@pytest.mark.parametrize("minutes", [0, 6])
def test_a_call_that_meets_a_disabled_key_says_what_to_do_and_the_log_says_why(
    minutes: int, event_of: EventOf, adapters: Adapters, log: io.StringIO, clock: Any
) -> None:
    """Also where it is met in the middle: by a process that has used the key, once that has left its memory."""
    if minutes:
        assert AFTER.handler(event_of("/", AFTER.example), None)["statusCode"] == 200
    ring: Any = adapters.keys
    ring.generate, ring.unwrap = OutOfReach().generate, OutOfReach().unwrap
    clock.advance(minutes=minutes)

    response = AFTER.handler(event_of("/", AFTER.example), None)

    error = json.loads(response["body"])["error"]
    assert (response["statusCode"], error["code"], error["retryable"]) == (503, "UNAVAILABLE", True)
    assert "enable" in error["message"]
    assert error["details"] == {"reason": "DisabledException"}
    line = calls(log)[-1]
    assert (line["level"], line["status"], line["failure"]) == (
        "ERROR",
        "UNAVAILABLE",
        "KeyUnusable: DisabledException",
    )


@pytest.mark.req("R304")
@pytest.mark.usefixtures("services")
def test_a_call_on_a_store_that_a_newer_program_wrote_says_what_to_do(
    event_of: EventOf, adapters: Adapters, log: io.StringIO, clock: Any
) -> None:
    """A process that had the tenant's key in memory notices as soon as it asks for it again."""
    assert AFTER.handler(event_of("/", AFTER.example), None)["statusCode"] == 200
    adapters.table.update(Update(Key("acme#keys", "data#000001"), set={"format": FORMAT + 1}))
    clock.advance(minutes=6)

    response = AFTER.handler(event_of("/", AFTER.example), None)

    error = json.loads(response["body"])["error"]
    assert (response["statusCode"], error["code"]) == (503, "UNAVAILABLE")
    assert error["details"] == {"reason": "NewerFormat", "format": FORMAT + 1, "known": FORMAT}
    assert "Start the newer one again, or import a bundle" in error["message"]
    assert calls(log)[-1]["failure"] == "NewerStore: NewerFormat"


DENSE = {
    "lists": b"[" + b",".join([b"[]"] * 2000) + b"]",
    "objects": b"[" + b",".join([b"{}"] * 2000) + b"]",
    "numbers": b"[" + b"1," * 2000 + b"1]",
    "names": b"{" + b",".join(b'"%d":1' % number for number in range(2000)) + b"}",
    "nothing closed": b"[" * 3000,
}


@pytest.mark.parametrize("body", DENSE.values(), ids=DENSE)
def test_a_body_of_too_many_values_is_refused_before_it_is_parsed(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def loads(*_: object, **__: object) -> NoReturn:
        pytest.fail("parsed")

    monkeypatch.setattr(json, "loads", loads)
    with pytest.raises(PayloadTooLarge) as refused:
        parse_json(body, Limits(json_values=1000))
    assert refused.value.details == {"field": "body", "limit": 1000}


def test_what_separates_inside_of_texts_is_not_counted() -> None:
    text = 'a, [b], {c} and \\"d, e\\" ' * 500

    assert parse_json(json.dumps({"text": text}).encode(), Limits(json_values=1000)) == {"text": text}
