"""Tools for operators by which long work is started and watched, on one machine."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest

from cairn.access.api_keys import Grant, project_pattern, scope
from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.custody import kept_bundles
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, Disabled, InvalidArgument, NotFound
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.jobs import RunTask, encoded
from cairn.ground.session import Session
from cairn.services import Services
from cairn.settings.settings import AwsStore
from cairn.tool.call import Call
from cairn.turns.after_turn import commit
from cairn_console import operators
from cairn_jobs import worker
from cairn_mcp import door
from cairn_tools.catalog import CATALOG
from support.access import bearer, through
from support.doubles import RecordingJobs
from support.services import changed
from support.tasks import unzipped

ACME, GLOBEX = Tenant("acme"), Tenant("globex")
TOOLS = {tool.name: tool for tool in CATALOG}
TASK_TOOLS = [TOOLS[f"memory_{name}"] for name in ("survey", "start_task", "list_tasks", "get_export")]
EventOf: TypeAlias = Callable[..., dict[str, Any]]
Do: TypeAlias = Callable[..., dict[str, Any]]
NO_TASK = "01ARYZ6S410000000000000000"


@pytest.fixture
def do(call: Call) -> Do:
    """Return a function that calls a tool as an operator does, of acme unless told."""

    def execute(tool: str, of: Tenant = ACME, **arguments: Any) -> dict[str, Any]:
        scopes = frozenset({"read", "write", "admin"})
        caller = replace(call.caller, tenant=of, scopes=scopes, credential="k1", users=())
        return TOOLS[tool].execute(arguments, replace(call, caller=caller))

    return execute


@pytest.fixture
def work(adapters: Adapters) -> Callable[[], None]:
    """Return a function by which the worker does the tasks that were sent."""

    class Context:
        def get_remaining_time_in_millis(self) -> int:
            return 60_000

    def done() -> None:
        assert isinstance(adapters.jobs, RecordingJobs)
        sent = [job for job in adapters.jobs.sent if isinstance(job, RunTask)]
        adapters.jobs.sent.clear()
        for job in sent:
            worker.handler({"Records": [{"messageId": "1", "body": encoded(job)}]}, Context())

    return done


def say(services: Services, text: str, user: str = "ada", session: str = "monday", tenant: Tenant = ACME) -> None:
    where = Session(tenant, Project("garden"), SessionId(session))
    turn = TurnId(hashlib.sha256(text.encode()).hexdigest()[:12])
    commit(services, where, Completion(turn_id=turn, user_id=UserId(user), inputs=(message("user", text),), outputs=()))


# Who may not


@pytest.mark.parametrize("tool", TASK_TOOLS, ids=lambda each: each.name)
@pytest.mark.parametrize(
    "grant",
    [
        Grant(scopes=(scope("read"), scope("write"))),
        Grant(users=(UserId("ada"),)),
        Grant((project_pattern("garden"),)),
        Grant((project_pattern("team.*"), project_pattern("garden"))),
    ],
    ids=["without admin", "of a user", "of a project", "of some projects"],
)
def test_only_a_key_with_admin_to_all_projects_and_of_no_user_may_call_them(
    services: Services, adapters: Adapters, event_of: EventOf, tool: Any, grant: Grant
) -> None:
    say(services, "I live in Oslo.")
    issued = services.credentials.create(ACME, grant)
    event = through(bearer(issued.text), event_of(f"/v1/tools/{tool.name}", dict(tool.example)))
    jobs: Any = adapters.jobs
    before = list(jobs.sent)

    response = operators.handler(event, None)

    assert (response["statusCode"], jobs.sent) == (403, before)
    assert services.tasks.records.newest(ACME, 9) == []


@pytest.mark.parametrize("path", ["/mcp", "/mcp/agent"])
def test_no_agent_is_shown_them(services: Services, event_of: EventOf, path: str) -> None:
    issued = services.credentials.create(ACME, Grant())
    event = event_of(path, {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
    body = json.loads(door.handler(through(bearer(issued.text), event), None)["body"])

    assert {tool.name for tool in TASK_TOOLS} & {each["name"] for each in body["result"]["tools"]} == set()


@pytest.mark.parametrize("tool", TASK_TOOLS, ids=lambda each: each.name)
def test_in_aws_they_are_off_and_need_no_grant(call: Call, tool: Any) -> None:
    store = AwsStore(table="t", bucket="b", key_id="k")
    services = changed(call.services, settings=replace(call.services.settings, store=store))
    caller = replace(call.caller, scopes=frozenset({"read", "write", "admin"}))
    in_aws = replace(call, caller=caller, services=services)

    with pytest.raises(Disabled):
        tool.execute(dict(tool.example), in_aws)

    assert not tool.visible(in_aws)
    assert tool.visible(replace(call, caller=caller))
    assert (tool.grants, tool.own_machine_only) == ((), True)


# What they do


@pytest.mark.req("R279")
def test_a_user_is_surveyed_exported_and_erased_and_each_step_is_told(
    do: Do, services: Services, work: Callable[[], None], clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_bundles, "PART_BYTES", 500)
    say(services, "I live in Oslo.")
    say(services, "I live in Rome.", "bob", "tuesday")
    found = do("memory_survey", user_id="ada")
    assert (found["sessions"], found["turns"], found["shared_sessions"]) == (1, 1, 0)

    export = do("memory_start_task", kind="export", user_id="ada")["task_id"]
    clock.advance(seconds=1)
    erase = do("memory_start_task", kind="erase", user_id="ada", digest=found["digest"])["task_id"]
    waiting = do("memory_list_tasks")["tasks"]
    assert [(each["task_id"], each["state"], each["progress"]) for each in waiting] == [
        (erase, "waiting", None),
        (export, "waiting", None),
    ]
    work_on_one(services, export)
    line = do("memory_list_tasks")["tasks"][1]
    parts = [do("memory_get_export", task_id=export, part=part) for part in range(1, line["parts"] + 1)]
    whole = b"".join(base64.b64decode(each["data"]) for each in parts)
    assert {(each["of"], each["bytes"], each["sha256"]) for each in parts} == {
        (line["parts"], len(whole), hashlib.sha256(whole).hexdigest())
    }
    assert b"Oslo" in unzipped(whole)[1]
    assert b"Rome" not in unzipped(whole)[1]

    work()

    done, exported = do("memory_list_tasks")["tasks"]
    assert (done["state"], done["counts"]["left"], done["counts"]["exports"], done["by"]) == ("done", 0, 1, "k1")
    assert {**done["shown"], "digest": found["digest"]} == found
    assert (done["progress"], done["error"]) == (None, None)
    assert (exported["state"], exported["parts"], exported["kept_until"]) == ("done", 0, None)
    assert do("memory_survey", user_id="ada")["turns"] == 0
    assert do("memory_survey", user_id="bob")["turns"] == 1
    with pytest.raises(NotFound):
        do("memory_get_export", task_id=export)


def work_on_one(services: Services, task_id: str) -> None:
    assert services.tasks.run(ACME, task_id)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "kind"),
        ({"kind": "melt"}, "kind"),
        ({"kind": "erase", "user_id": "ada"}, "digest"),
        ({"kind": "erase", "digest": "x"}, "user_id"),
        ({"kind": "export", "project": "a b"}, "project"),
        ({"kind": "export", "tenant": "globex"}, "tenant"),
        ({"task_id": "1"}, "task_id"),
        ({"task_id": NO_TASK, "kind": "export"}, "task_id"),
    ],
)
def test_what_cannot_be_started_is_refused_by_field(do: Do, arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        do("memory_start_task", **arguments)

    fields: Any = refused.value.details["fields"]
    assert list(fields) == [field]
    assert do("memory_list_tasks")["tasks"] == []


@pytest.mark.parametrize(
    "arguments", [{"limit": "20"}, {"limit": 0}, {"limit": 101}, {"cursor": "1"}, {"user_id": "ada"}]
)
def test_a_page_of_tasks_is_asked_for_as_it_is_declared(do: Do, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument) as refused:
        do("memory_list_tasks", **arguments)

    fields: Any = refused.value.details["fields"]
    assert list(fields) == list(arguments)


def test_a_part_of_an_export_is_asked_for_by_its_number(do: Do) -> None:
    with pytest.raises(InvalidArgument) as refused:
        do("memory_get_export", task_id=NO_TASK, part="1")

    fields: Any = refused.value.details["fields"]
    assert list(fields) == ["part"]


def test_no_header_narrows_what_is_exported_or_erased(do: Do, call: Call, services: Services) -> None:
    say(services, "I live in Oslo.")
    scopes = frozenset({"read", "write", "admin"})
    named = replace(call, caller=replace(call.caller, scopes=scopes), names={"project": "kitchen", "user_id": "bob"})

    assert TOOLS["memory_survey"].execute({}, named) == do("memory_survey")


def test_an_erasure_of_what_was_not_shown_is_a_conflict(do: Do, services: Services) -> None:
    say(services, "I live in Oslo.")
    shown = do("memory_survey", user_id="ada")["digest"]
    say(services, "I like beans.")

    with pytest.raises(Conflict):
        do("memory_start_task", kind="erase", user_id="ada", digest=shown)


def test_another_tenant_s_task_is_as_one_that_never_was(do: Do, services: Services, work: Callable[[], None]) -> None:
    say(services, "I live in Oslo.")
    task = do("memory_start_task", kind="export")["task_id"]
    work()
    assert do("memory_get_export", task_id=task)["part"] == 1

    said: list[tuple[str, dict[str, object]]] = []
    for name in (task, NO_TASK):
        for tool in ("memory_get_export", "memory_start_task"):
            with pytest.raises(NotFound) as refused:
                do(tool, GLOBEX, task_id=name)
            said.append((refused.value.message, refused.value.details))

    assert len({str(each) for each in said}) == 1
    assert do("memory_list_tasks", GLOBEX)["tasks"] == []
    assert do("memory_survey", GLOBEX)["sessions"] == 0


def test_tasks_are_listed_by_the_page_each_once(do: Do, services: Services, clock: Any) -> None:
    say(services, "I live in Oslo.")
    names: list[str] = []
    for _ in range(5):
        names.append(do("memory_start_task", kind="reindex")["task_id"])
        clock.advance(seconds=1)

    listed: list[str] = []
    page: dict[str, Any] = {"cursor": None}
    while not listed or page["cursor"]:
        page = do("memory_list_tasks", limit=2, **({"cursor": page["cursor"]} if page["cursor"] else {}))
        listed += [each["task_id"] for each in page["tasks"]]

    assert listed == names[::-1]


def test_a_task_that_is_done_is_not_started_again(do: Do, services: Services, work: Callable[[], None]) -> None:
    say(services, "I live in Oslo.")
    task = do("memory_start_task", kind="reindex")["task_id"]
    work()

    with pytest.raises(Conflict):
        do("memory_start_task", task_id=task)
