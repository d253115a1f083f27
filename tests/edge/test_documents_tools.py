"""The tools of documents name the field that is wrong, hold callers to their users, and tell conflicts apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError
from cairn.ground.ids import UserId
from cairn.ground.settings import Limits, Quotas
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG
from support.services import services_over

NORTH: dict[str, Any] = {"collection": ["notes", "beds"], "key": "north"}
PUT, GET, SEARCH, LIST = (
    *("memory_put_documents", "memory_get_documents"),
    *("memory_search_documents", "memory_list_collections"),
)


def ask(call: Call, tool: str, **arguments: Any) -> dict[str, Any]:
    return execute(CATALOG, tool, {"project": "garden", **arguments}, call)


def put(call: Call, *documents: dict[str, Any], **more: Any) -> list[int]:
    return ask(call, PUT, documents=[{**NORTH, **document} for document in documents], **more)["versions"]


def refused(call: Call, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """Return the code and the details of a refusal."""
    with pytest.raises(CairnError) as raised:
        ask(call, tool, **arguments)
    return raised.value.code, dict(raised.value.details)


def test_a_document_is_stored_read_found_listed_and_deleted(call: Call) -> None:
    (version,) = put(call, {"value": {"text": "Beans climb.", "rows": [1, None, True]}})
    told = {
        **NORTH,
        "value": {"text": "Beans climb.", "rows": [1, None, True]},
        "version": version,
        "created_at": "2026-03-01T12:00:00Z",
        "updated_at": "2026-03-01T12:00:00Z",
        "expires_at": None,
    }
    assert ask(call, GET, documents=[NORTH, {**NORTH, "key": "x"}]) == {"documents": [told, None]}
    assert ask(call, SEARCH, query="beans") == {"documents": [{**told, "score": 1.0}], "more": False}
    hidden = {**told, "value": None, "score": None}
    assert ask(call, SEARCH, collection=["notes"], keys_only=True) == {"documents": [hidden], "more": False}
    assert ask(call, LIST, suffix=["*"]) == {"collections": [["notes", "beds"]], "more": False}
    assert put(call, {"value": None, "if_version": version}) == [0]
    assert ask(call, GET, documents=[NORTH]) == {"documents": [None]}


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ({"key": ""}, "documents[1].key"),
        ({"key": "a\nb"}, "documents[1].key"),
        ({"key": "k" * 1100}, "documents[1].key"),
        ({"collection": [""]}, "documents[1].collection"),
        ({"collection": ["a"] * 11}, "documents[1].collection"),
        ({"collection": "notes"}, "documents[1].collection"),
        ({"index": ["a..b"]}, "documents[1].index[0]"),
        ({"ttl_seconds": 0}, "documents[1].ttl_seconds"),
        ({"if_version": -1}, "documents[1].if_version"),
        ({"extra": 1}, "documents[1].extra"),
        ({"key": "north"}, "documents"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_stored(call: Call, document: dict[str, Any], field: str) -> None:
    wrong = [{**NORTH, "value": 1}, {**NORTH, "key": "south", "value": 1, **document}]
    code, details = refused(call, PUT, documents=wrong)
    assert (code, list(details["fields"])) == ("INVALID_ARGUMENT", [field])
    assert ask(call, GET, documents=[NORTH]) == {"documents": [None]}


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        (SEARCH, {"filter": {"n": {"$in": []}}}, "filter.n"),
        (SEARCH, {"collection": ["a\x01"]}, "collection"),
        (SEARCH, {"limit": 101}, "limit"),
        (LIST, {"prefix": [""]}, "prefix"),
        (LIST, {"max_depth": 0}, "max_depth"),
        (GET, {"documents": []}, "documents"),
        (GET, {"documents": [NORTH] * 101}, "documents"),
        (PUT, {"documents": [{**NORTH, "key": str(n), "value": 1} for n in range(41)]}, "documents"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_its_field(
    call: Call, tool: str, arguments: dict[str, Any], field: str
) -> None:
    code, details = refused(call, tool, **arguments)
    assert (code, list(details["fields"])) == ("INVALID_ARGUMENT", [field])


def test_a_conflict_tells_which_documents_have_which_versions(call: Call) -> None:
    (version,) = put(call, {"value": 1})
    code, details = refused(call, PUT, documents=[{**NORTH, "value": 2, "if_version": 0}])
    assert (code, details) == ("CONFLICT", {"documents": [{**NORTH, "version": version}]})


def test_limits_and_quotas_are_those_of_the_settings(call: Call, adapters: Adapters) -> None:
    settings = replace(call.services.settings, limits=Limits(value_bytes=10), quotas=Quotas(documents=1))
    small = replace(call, services=services_over(adapters, settings))
    code, details = refused(small, PUT, documents=[{**NORTH, "value": "x" * 9}])
    assert (code, details["limit"]) == ("PAYLOAD_TOO_LARGE", 10)
    put(small, {"value": 1})
    assert refused(small, PUT, documents=[{**NORTH, "key": "south", "value": 1}])[0] == "QUOTA_EXCEEDED"
    put(small, {"value": 2}, user_id="ada")


def test_a_caller_bound_to_users_reaches_theirs_alone(call: Call) -> None:
    put(call, {"value": "the project's"})
    put(call, {"value": "bob's"}, user_id="bob")
    ada = replace(call, caller=replace(call.caller, users=(UserId("ada"),)))
    put(ada, {"value": "ada's"})
    for owner in ({}, {"user_id": "ada"}):
        assert ask(ada, GET, documents=[NORTH], **owner)["documents"][0]["value"] == "ada's"
        assert [each["value"] for each in ask(ada, SEARCH, query="whose", **owner)["documents"]] == ["ada's"]
    for tool, arguments in (
        (GET, {"documents": [NORTH]}),
        (SEARCH, {}),
        (LIST, {}),
        (PUT, {"documents": [{**NORTH, "value": 1}]}),
    ):
        assert refused(ada, tool, user_id="bob", **arguments)[0] == "PERMISSION_DENIED"
    assert ask(call, GET, documents=[NORTH])["documents"][0]["value"] == "the project's"
    two = replace(call, caller=replace(call.caller, users=(UserId("ada"), UserId("bob"))))
    assert refused(two, GET, documents=[NORTH])[0] == "INVALID_ARGUMENT"


def test_a_key_of_other_projects_reaches_none(call: Call) -> None:
    put(call, {"value": 1})
    stranger = replace(call, caller=replace(call.caller, projects=("shed",)))
    for tool, arguments in ((GET, {"documents": [NORTH]}), (SEARCH, {}), (LIST, {})):
        assert refused(stranger, tool, **arguments)[0] == "PERMISSION_DENIED"
