"""What mem0's clients are refused: others' memories, what Cairn lacks, odd input; each as an error of its type."""

from __future__ import annotations

import io
import json
from typing import Any
from urllib.parse import quote

import hypothesis
import pytest
from hypothesis import strategies as st

from cairn import wiring
from cairn.access.api_keys import project_pattern
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn_mem0.catalog import ROUTES
from cairn_mem0.memory_ids import MemoryName
from support.doubles import FakeClock
from support.mem0 import HERS, Client, client, words
from support.services import services_over

LACKING = [each for each in ROUTES if each.answer.__name__ == "answer"]


@pytest.fixture
def mem0(services: Services) -> Client:
    return client(services)


def test_a_key_bound_to_a_user_is_for_their_memory_alone(mem0: Client, services: Services) -> None:
    [of_eve] = mem0.add("I live in Rome.", user_id="eve")
    hers = client(services, "ada")

    [own] = hers.add("I live in Oslo.")

    assert (own["user_id"], words(hers.all({})), words(hers.all(HERS))) == ("ada", ["home: Oslo"], ["home: Oslo"])
    assert words(hers.search("Where does she live?", {"metadata": {}})) == ["home: Oslo"]
    refused = [
        hers.call("POST", "/v3/memories/", {"filters": {"user_id": "eve"}}),
        hers.call("POST", "/v3/memories/search/", {"query": "x", "filters": {"user_id": "eve"}}),
        hers.call("POST", "/v3/memories/add/", {"messages": [{"role": "user", "content": "x"}], "user_id": "eve"}),
        *(hers.get(of_eve["id"]), hers.update(of_eve["id"], text="x"), hers.delete(of_eve["id"])),
        hers.call("DELETE", "/v1/memories/", user_id="eve"),
        hers.call("DELETE", "/v2/entities/user/eve/"),
        hers.call("DELETE", "/v1/batch/", {"memories": [{"memory_id": of_eve["id"]}]}),
    ]
    assert {each.status for each in refused} == {403}
    assert [each["name"] for each in hers.ok("GET", "/v1/entities/")["results"]] == ["ada"]
    assert mem0.get(of_eve["id"]).status == 200


def test_what_a_bound_key_adds_for_an_agent_or_in_a_run_is_its_user_s(services: Services) -> None:
    hers = client(services, "ada")
    hers.add("We grow figs.", agent_id="planner", infer=False)
    hers.add("We grow kale.", run_id="r", infer=False)

    assert words(hers.all({"agent_id": "planner"})) == ["We grow figs."]
    assert words(hers.all({"run_id": "r"})) == ["We grow kale."]
    assert len(hers.all({})) == 2


def test_ids_of_another_tenant_or_project_name_nothing(mem0: Client, services: Services, clock: FakeClock) -> None:
    [theirs] = mem0.add("I love jazz.", user_id="ada")
    clock.advance(seconds=1)  # or the other's memories, made in the same order, had the same ids
    others = [
        client(services, tenant=Tenant("other")),
        client(services, projects=(project_pattern("garden"),)),
    ]

    for other in others:
        other.add("I love chess.", user_id="ada")
        answers = [
            *(other.get(theirs["id"]), other.update(theirs["id"], text="x"), other.delete(theirs["id"])),
            other.call("GET", f"/v1/memories/{theirs['id']}/history/"),
            other.call("PUT", "/v1/batch/", {"memories": [{"memory_id": theirs["id"], "text": "x"}]}),
        ]
        assert {(each.status, each.detail) for each in answers} == {(404, "Memory not found!")}
        assert words(other.all(HERS)) == ["like: chess"]
    assert mem0.get(theirs["id"]).body["memory"] == "like: jazz"


@pytest.mark.parametrize(
    "name",
    [
        *("nope", "x.YWRh", ".YWRh", "01KJMMA2G0026M320WJC6S5EXY.YWRh", "x.!!", "x.", f"{'x' * 400}.YWRh"),
        *("x.YWRh.YWRh", "x.gICA", str(MemoryName("a/b", "x")), "x.YWRi "),
    ],
)
def test_an_id_that_is_none_is_not_found(mem0: Client, name: str) -> None:
    mem0.add("I live in Oslo.", user_id="ada")

    assert {mem0.get(name).status, mem0.delete(name).status, mem0.update(name, text="x").status} == {404}


def test_an_id_has_one_spelling(mem0: Client) -> None:
    [told] = mem0.add("I live in Oslo.", user_id="eve1")

    assert told["id"].endswith(".ZXZlMQ")
    assert mem0.get(f"{told['id'][:-1]}R").status == 404


@pytest.mark.parametrize("query", [{}, {"filters": "{}"}, {"filters": "["}, {"filters": "x" * 9000}, {"sure": "yes"}])
def test_nothing_is_deleted_where_nobody_is_named(mem0: Client, services: Services, query: dict[str, Any]) -> None:
    mem0.add("I live in Oslo.", **HERS)

    for each in (mem0, client(services, "ada")):
        assert each.call("DELETE", "/v1/memories/", **query).status == 400
    assert words(mem0.all(HERS)) == ["home: Oslo"]


@pytest.mark.parametrize(
    "option",
    [
        *("custom_instructions", "agent_custom_instructions", "custom_categories", "includes", "excludes"),
        *("expiration_date", "timestamp", "structured_data_schema", "immutable", "of_a_later_version"),
    ],
)
def test_an_option_that_would_change_what_is_kept_is_refused_and_not_passed_over(mem0: Client, option: str) -> None:
    messages = [{"role": "user", "content": "I live in Oslo."}]

    refused = mem0.call("POST", "/v3/memories/add/", {"messages": messages, option: "x", **HERS})

    assert (refused.status, option in refused.detail, mem0.all(HERS)) == (400, True, [])
    assert mem0.call("POST", "/v3/memories/add/", {"messages": messages, option: None, **HERS}).status == 200


@pytest.mark.parametrize(
    "metadata",
    [{"a": "x" * 10_000}, "words", ["x"], {"a": "\ud800"}, {"a": json.loads("[" * 60 + "]" * 60)}],
    ids=["long", "text", "list", "surrogate", "deep"],
)
def test_metadata_that_cannot_be_kept_is_refused_before_anything_is_changed(mem0: Client, metadata: object) -> None:
    [told] = mem0.add("I live in Oslo.", **HERS)
    said = {"messages": [{"role": "user", "content": "I love jazz."}], "metadata": metadata, **HERS}

    refused = [
        mem0.call("POST", "/v3/memories/add/", said),
        mem0.call("POST", "/v3/memories/add/", {**said, "infer": False}),
        mem0.update(told["id"], text="Lives in Porto", metadata=metadata),
    ]

    assert {(each.status, each.detail.partition(" must be ")[0]) for each in refused} == {
        (400, "Invalid input: metadata")
    }
    assert words(mem0.all(HERS)) == ["home: Oslo"]


def test_hints_that_change_no_outcome_are_passed_over(mem0: Client) -> None:
    hints = {"output_format": "v1.1", "rerank": True, "keyword_search": True, "source": "X", "show_expired": True}

    assert words(mem0.add("I live in Oslo.", output_format="v1.1", async_mode=True, **HERS)) == ["home: Oslo"]
    assert words(mem0.search("Where does she live?", HERS, latest_only=True, **hints)) == ["home: Oslo"]
    assert (
        mem0.call("POST", "/v3/memories/search/", {"query": "x", "filters": HERS, "latest_only": False}).status == 400
    )


def test_a_ping_says_whose_key_it_is_and_gives_no_address(mem0: Client, services: Services) -> None:
    bound = client(services, "ada", projects=(project_pattern("garden"),))

    assert mem0.ok("GET", "/v1/ping/") == {"status": "ok", "org_id": "acme", "project_id": "mem0", "user_email": None}
    assert bound.ok("GET", "/v1/ping/")["project_id"] == "garden"
    assert Client(mem0.key, {"x-cairn-project": "orchard"}).ok("GET", "/v1/ping/")["project_id"] == "orchard"


def test_errors_are_in_mem0_s_form_under_the_status_of_their_type(
    mem0: Client, services: Services, settings: Settings, adapters: Adapters
) -> None:
    reads = client(services, scopes=("read",))
    said = {"messages": [{"role": "user", "content": "I live in Oslo."}], **HERS}

    unknown = Client("nope").call("GET", "/v1/ping/")
    answers = {
        401: unknown,
        403: reads.call("POST", "/v3/memories/add/", said),
        400: mem0.call("POST", "/v3/memories/add/", "{"),
        404: mem0.call("GET", "/v9/nothing/"),
        413: mem0.call("POST", "/v3/memories/add/", json.dumps({"x": "y" * settings.limits.request_bytes})),
    }

    assert {wanted: answer.status for wanted, answer in answers.items()} == {each: each for each in answers}
    assert all(isinstance(answer.detail, str) and answer.detail for answer in answers.values())
    assert unknown.headers["www-authenticate"] == "Bearer"
    wiring.provide(services_over(adapters, Settings(memory_enabled=False)))
    assert mem0.call("POST", "/v3/memories/add/", said).status == 403


@pytest.mark.parametrize("route", LACKING, ids=lambda each: f"{each.method} {each.path}")
def test_a_call_for_what_cairn_lacks_is_told_so(mem0: Client, route: Any) -> None:
    path = route.path.replace("*", "1/").replace("{name}", "ada")

    refused = mem0.call(route.method, f"/{path}/", {})

    assert (refused.status, "does not have" in refused.detail) == (400, True)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(["ada", "*", "r", "text"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=6)
            | st.sampled_from(["user_id", "AND", "NOT", "metadata", "role", "content", "in", "gte"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
ODD: list[Any] = [
    *(None, True, 0, -1, 1e300, "", "x", "\ud800", "x" * 3000),
    *([], ["x"], [[]], {}, {"x": {"y": []}}, [{"role": 1}]),
]
GOOD: dict[str, dict[str, Any]] = {
    "v3/memories/add": {"messages": [{"role": "user", "content": "I live in Oslo."}], **HERS},
    "v3/memories/search": {"query": "Where does she live?", "filters": HERS},
    "v3/memories": {"filters": HERS},
    "v1/memories/{memory_id}": {"text": "Porto"},
    "v1/batch": {"memories": [{"memory_id": "x.YWRh", "text": "Porto"}]},
}
"""What a call takes, to be spoilt in one field or two."""
OPTIONS = [
    *("messages", "user_id", "agent_id", "run_id", "metadata", "infer", "filters", "query", "top_k", "threshold"),
    *("latest_only", "page", "page_size", "fields", "text", "memories", "memory_id", "start_date", "limit"),
]
FIELDS = st.sampled_from(OPTIONS)


@hypothesis.settings(max_examples=100, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
@hypothesis.given(data=st.data())
def test_odd_input_is_refused_and_fails_nothing(mem0: Client, data: st.DataObject) -> None:
    route = data.draw(st.sampled_from([each for each in ROUTES if each not in LACKING]))
    parts = {
        part: data.draw(st.text(max_size=10) | st.sampled_from(["x.YWRh", "user", "ada"]))
        for part in route.path.split("/")
        if part[0] == "{"
    }
    path = "/".join(quote(parts.get(part, part), safe="") for part in route.path.split("/"))
    body = {**GOOD.get(route.path, {}), **data.draw(st.dictionaries(FIELDS, JSON, max_size=2))}
    query: dict[str, Any] = data.draw(st.dictionaries(FIELDS, st.text(max_size=8), max_size=3))

    answer = mem0.call(route.method, f"/{path}/", body, **query)

    assert answer.status < 500
    assert answer.status == 200 or isinstance(answer.detail, str)


@pytest.mark.parametrize("path", GOOD)
def test_no_field_of_a_call_fails_on_a_value_of_another_kind(mem0: Client, path: str) -> None:
    method = next(each.method for each in ROUTES if each.path == path and each.method != "GET")
    [told] = mem0.add("I live in Oslo.", **HERS)
    for name in OPTIONS:
        for value in ODD:
            answer = mem0.call(method, f"/{path.format(memory_id=told['id'])}/", {**GOOD[path], name: value})
            assert answer.status < 500, (name, value)


def test_no_words_of_a_memory_are_logged(mem0: Client, log: io.StringIO) -> None:
    [told] = mem0.add("I live in Zanzibar.", user_id="ada", metadata={"secret": "marjoram"})
    mem0.search("Who lives in Zanzibar?", HERS)
    mem0.update(told["id"], text="Lives in Timbuktu")
    mem0.call("POST", "/v3/memories/", {"filters": {"user_id": "ada", "Zanzibar": 1}})

    assert log.getvalue()
    assert not [each for each in ("Zanzibar", "marjoram", "Timbuktu") if each in log.getvalue()]


def test_what_the_time_does_not_last_for_is_said_and_can_be_gone_on_with(mem0: Client) -> None:
    mem0.add("We grow figs.", "We grow kale.", infer=False, **HERS)

    ended = mem0.call("DELETE", "/v1/memories/", within=3, **HERS)

    assert (ended.status, "call again" in ended.detail) == (503, True)
    mem0.ok("DELETE", "/v1/memories/", **HERS)
    assert mem0.all(HERS) == []
