"""The archive's tools as an agent calls them."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cairn.access.api_keys import ProjectPattern
from cairn.access.callers import Caller
from cairn.ground.adapters import Adapters
from cairn.ground.errors import (
    CairnError,
    DetectionFailed,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    SecretDetected,
    Unavailable,
)
from cairn.ground.settings import MemorySettings
from cairn.settings.settings import Settings
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG
from cairn_tools.estimate_storage_cost import estimate_storage_cost
from cairn_tools.retrieve_session_from_cascade import retrieve_session_from_cascade
from cairn_tools.store_session_to_cascade import EXAMPLE, store_session_to_cascade
from support.doubles import Counted
from support.services import changed, services_over

TURN = {
    "project": "garden",
    "session_id": "monday",
    "user_id": "ada",
    "turn_id": "t1",
    "input_items": [{"role": "user", "content": "I prefer raised beds. I need to order beans by Friday."}],
    "output_items": [{"role": "assistant", "content": "Raised beds suit beans well."}],
}


@pytest.fixture
def ask(call: Call) -> Callable[..., Any]:
    """Return a function that runs a tool of the catalog."""

    def run(tool: str, **arguments: object) -> dict[str, Any]:
        return execute(CATALOG, tool, arguments, call)

    return run


def fields(error: pytest.ExceptionInfo[InvalidArgument]) -> list[str]:
    named: Any = error.value.details["fields"]
    return list(named)


@pytest.mark.req("R181")
@pytest.mark.req("R182")
@pytest.mark.req("R184")
@pytest.mark.req("R207")
def test_a_session_is_stored_found_and_read(ask: Callable[..., Any]) -> None:
    stored = ask("store_session_to_cascade", **EXAMPLE)
    found = ask("query_cascade_memories", query="bea")
    read = ask("retrieve_session_from_cascade", pointer=stored["pointer"])

    assert stored["pointer"] == f"cascade://{stored['hash']}"
    assert (stored["content_hash"], stored["indexed"]) == (stored["hash"], True)
    assert stored["memory_card"]["title"] == "Planned the bean rows."
    assert stored["memory_card"]["tags"] == ["garden", "beans"]
    assert found == {
        "memories": [
            {"pointer": stored["pointer"], "tags": ["garden", "beans"], "created_at": "2026-03-01T12:00:00Z"},
        ]
    }
    session: Any = EXAMPLE["session"]
    assert read == {"session_data": {**session, "session_id": "monday"}}


@pytest.mark.req("R181")
@pytest.mark.req("R189")
def test_without_a_session_the_one_recorded_in_the_project_is_archived_as_a_summary(ask: Callable[..., Any]) -> None:
    ask("memory_after_turn", **TURN)

    stored = ask("store_session_to_cascade", session_id="monday", project="garden")

    data = ask("retrieve_session_from_cascade", pointer=stored["pointer"])["session_data"]
    assert set(data) == {"session_id", "summary", "timestamp", "tool_name"}
    assert "order beans by Friday" in data["summary"]
    assert (data["timestamp"], data["tool_name"]) == ("2026-03-01T12:00:00.000000Z", "cairn")
    assert ask("store_session_to_cascade", session_id="monday", project="garden")["pointer"] == stored["pointer"]


def test_a_session_whose_id_looks_like_a_key_is_archived_since_it_is_an_id(ask: Callable[..., Any]) -> None:
    name = "0123456789abcdef0123456789abcdef"
    ask("memory_after_turn", **{**TURN, "session_id": name})

    stored = ask("store_session_to_cascade", session_id=name, project="garden")

    data = ask("retrieve_session_from_cascade", pointer=stored["pointer"])["session_data"]
    assert data["session_id"] == name


@pytest.mark.req("R186")
def test_a_secret_in_any_recorded_turn_is_refused_though_no_turn_is_kept(ask: Callable[..., Any], store: Any) -> None:
    said = [{"role": "user", "content": "Use AKIAIOSFODNN7EXAMPLE."}]
    for number in range(8):
        ask("memory_after_turn", **{**TURN, "turn_id": f"t{number}", "input_items": said if number == 0 else []})
    before = store.rows()
    with pytest.raises(SecretDetected) as refusal:
        ask("store_session_to_cascade", session_id="monday", project="garden")
    assert refusal.value.details == {"rules": ["aws_access_key_id"]}
    assert store.rows() == before


def test_a_session_that_nobody_recorded_is_not_found_and_one_of_no_project_is_asked_for_it(
    ask: Callable[..., Any], call: Call
) -> None:
    with pytest.raises(NotFound):
        ask("store_session_to_cascade", session_id="monday", project="garden")
    with pytest.raises(InvalidArgument) as refusal:
        ask("store_session_to_cascade", session_id="monday")
    assert fields(refusal) == ["project"]
    lenient = replace(call.services.settings, memory=MemorySettings(lenient=True))
    with pytest.raises(NotFound):
        execute(
            CATALOG, "store_session_to_cascade", {}, replace(call, services=changed(call.services, settings=lenient))
        )


def test_a_key_of_one_project_archives_what_is_recorded_there_and_nothing_in_no_project_s_name(
    ask: Callable[..., Any], call: Call
) -> None:
    ask("memory_after_turn", **TURN)
    caller = Caller(call.caller.tenant, call.caller.scopes, "request-1", (ProjectPattern("garden"),))
    limited = replace(call, caller=caller)

    assert execute(CATALOG, "store_session_to_cascade", {"session_id": "monday", "project": "garden"}, limited)
    for tool, arguments in (
        ("store_session_to_cascade", dict(EXAMPLE)),
        ("store_session_to_cascade", {**EXAMPLE, "project": "other"}),
        ("query_cascade_memories", {}),
        ("retrieve_session_from_cascade", dict(retrieve_session_from_cascade.example)),
    ):
        with pytest.raises(PermissionDenied):
            execute(CATALOG, tool, arguments, limited)


@pytest.mark.req("R275")
def test_a_dry_run_answers_with_the_card_and_touches_no_store(
    adapters: Adapters, settings: Settings, caller: Caller
) -> None:
    calls: list[str] = []
    counted: dict[str, Any] = {part: Counted(getattr(adapters, part), calls) for part in ("table", "blobs", "keys")}
    call = Call(caller, services_over(replace(adapters, **counted), settings))

    trial = store_session_to_cascade.input.model_validate({**EXAMPLE, "dry_run": True})
    shown = store_session_to_cascade.run(trial, call).model_dump(mode="json")

    assert calls == []
    assert (shown["pointer"], shown["hash"], shown["content_hash"], shown["indexed"]) == (None, None, None, False)
    stored = execute(CATALOG, "store_session_to_cascade", dict(EXAMPLE), call)
    assert shown["memory_card"] == stored["memory_card"]
    assert calls[-2:] == ["put", "transact"]
    with pytest.raises(SecretDetected):
        execute(
            CATALOG, "store_session_to_cascade", {**EXAMPLE, "tags": ["AKIAIOSFODNN7EXAMPLE"], "dry_run": True}, call
        )


@pytest.mark.req("R195")
@pytest.mark.req("R208")
@pytest.mark.parametrize(
    "pointer",
    [
        "",
        "cascade://",
        f"cascade://{'0' * 63}",
        f"cascade://{'0' * 65}",
        f"cascade://{'A' * 64}",
        f"cascade://{'g' * 64}",
        f"cascade://../{'0' * 61}",
        f"Cascade://{'0' * 64}",
        "0" * 64,
        f"cascade://{'0' * 64}\n",
        f" cascade://{'0' * 64}",
        f"cascade://cascade://{'0' * 64}",
        7,
        None,
        ["x"],
    ],
)
def test_what_is_no_pointer_is_refused_by_its_field(ask: Callable[..., Any], pointer: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        ask("retrieve_session_from_cascade", pointer=pointer)
    assert fields(refusal) == ["pointer"]


@pytest.mark.req("R208")
@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("store_session_to_cascade", {"session": {}}, "session_id"),
        ("store_session_to_cascade", {**EXAMPLE, "session_id": "../x"}, "session_id"),
        ("store_session_to_cascade", {**EXAMPLE, "tags": ["a b"]}, "tags[0]"),
        ("store_session_to_cascade", {**EXAMPLE, "tags": ["a", "x" * 65]}, "tags[1]"),
        ("store_session_to_cascade", {**EXAMPLE, "tags": ["a\n"]}, "tags[0]"),
        ("store_session_to_cascade", {**EXAMPLE, "tags": ["a"] * 33}, "tags"),
        ("store_session_to_cascade", {**EXAMPLE, "tags": "garden"}, "tags"),
        ("store_session_to_cascade", {**EXAMPLE, "session": "text"}, "session"),
        ("store_session_to_cascade", {**EXAMPLE, "session": {"session_id": "x"}}, "session.session_id"),
        ("store_session_to_cascade", {**EXAMPLE, "dry_run": "yes"}, "dry_run"),
        ("query_cascade_memories", {"limit": 0}, "limit"),
        ("query_cascade_memories", {"limit": 101}, "limit"),
        ("query_cascade_memories", {"query": 7}, "query"),
        ("query_cascade_memories", {"tags": [""]}, "tags[0]"),
        ("estimate_storage_cost", {"bytes": -1}, "bytes"),
        ("estimate_storage_cost", {"bytes": 10**400}, "bytes"),
        ("estimate_storage_cost", {"bytes": 1.5}, "bytes"),
        ("estimate_storage_cost", {"bytes": 1, "redundancy": 0}, "redundancy"),
        ("estimate_storage_cost", {"bytes": 1, "redundancy": 11}, "redundancy"),
    ],
)
def test_bad_input_is_named_and_nothing_is_stored(
    ask: Callable[..., Any], store: Any, tool: str, arguments: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        ask(tool, **arguments)
    assert fields(refusal) == [field]
    assert store.rows() == 0


@pytest.mark.req("R185")
def test_the_estimate_asks_no_store_and_says_what_it_is_not(
    adapters: Adapters, settings: Settings, caller: Caller
) -> None:
    nothing: Any = None
    call = Call(caller, services_over(replace(adapters, table=nothing, blobs=nothing, keys=nothing), settings))

    asked = estimate_storage_cost.input.model_validate({"bytes": 2**30})
    estimate = estimate_storage_cost.run(asked, call).model_dump(mode="json")

    assert estimate["cost"]["monthly_storage_usd"] == 0.069
    assert estimate["cost"]["total_usd"] == sum(
        estimate["cost"][part] for part in ("monthly_storage_usd", "request_usd")
    )
    assert "not a quote" in estimate["disclaimer"]
    assert estimate["assumptions"]


@pytest.mark.req("R194")
@pytest.mark.req("R208")
@pytest.mark.parametrize("error", [Unavailable("the key service throttles"), RuntimeError("canary")])
def test_a_key_service_that_fails_is_told_to_the_caller_and_to_the_log_and_nothing_is_stored(  # noqa: PLR0913 - fixtures
    *, error: Exception, adapters: Adapters, settings: Settings, caller: Caller, store: Any, log: io.StringIO
) -> None:
    class Broken:
        def generate(self, *_: object) -> None:
            raise error

    keys: Any = Broken()
    call = Call(caller, services_over(replace(adapters, keys=keys), settings))
    with pytest.raises(CairnError) as failure:
        execute(CATALOG, "store_session_to_cascade", dict(EXAMPLE), call)

    code = "UNAVAILABLE" if isinstance(error, Unavailable) else "INTERNAL_ERROR"
    assert failure.value.code == code
    assert f'"status":"{code}"' in log.getvalue()
    assert "canary" not in log.getvalue()
    assert store.rows() == 0


@pytest.mark.req("R190")
def test_a_session_that_cannot_be_looked_through_is_an_error_that_tells_nothing(
    ask: Callable[..., Any], store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise DetectionFailed("the value could not be looked through")

    monkeypatch.setattr("cairn.detection.detector.scan", fails)
    with pytest.raises(DetectionFailed):
        ask("store_session_to_cascade", **EXAMPLE)
    assert store.rows() == 0


def test_the_archive_s_tools_may_do_what_they_need_and_no_more() -> None:
    grants = {tool.name: set(tool.grants) for tool in CATALOG}

    assert grants["query_cascade_memories"] == {"archive:read"}
    assert grants["estimate_storage_cost"] == set()
    assert grants["retrieve_session_from_cascade"] == {"archive:read", "blobs:read"}
    assert "blobs:delete" not in store_session_to_cascade.grants
