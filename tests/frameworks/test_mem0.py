"""mem0's own clients at Cairn's address, unmodified: the Python one, awaited and not, and that for TypeScript."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import httpx
import pytest

from support.installed import ROOT

NODE_CLIENT = Path(__file__).parent / "mem0_client"
PAGE = ROOT / "docs" / "how-to" / "move-from-mem0.md"
IN_CACHE = ROOT / ".cache" / "frameworks" / "mem0_client"
QUIET = {"MEM0_TELEMETRY": "false"}
"""By which both packages send nothing to anybody else."""
TYPE_OF = {"absent": "MemoryNotFoundError", "nobody": "ValidationError", "key": "AuthenticationError"}
CORE = {
    *("add", "get", "get_all", "search", "update", "delete", "delete_all", "history", "users", "delete_users", "reset"),
    *("batch_update", "batch_delete"),
}
pytestmark = pytest.mark.enable_socket


@pytest.fixture(scope="module")
def mem0(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """Return the package, which reads at its import whether it may report, and where it keeps what it knows."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**QUIET, "MEM0_DIR": str(tmp_path_factory.mktemp("mem0"))}.items():
            patch.setenv(name, value)
        import mem0 as package  # noqa: PLC0415 - only now does it find that

        return package


@pytest.fixture
def user() -> str:
    return f"ada-{uuid4().hex[:8]}"


@pytest.fixture
def client(mem0: ModuleType, server: tuple[str, str]) -> Iterator[Any]:
    origin, key = server
    made = mem0.MemoryClient(api_key=key, host=f"{origin}/mem0")
    yield made
    made.client.close()


def words(found: Mapping[str, Any]) -> list[str]:
    return [each["memory"] for each in found["results"]]


def test_what_holds_now_is_found_after_two_runs_and_what_held_before_is_gone(client: Any, user: str) -> None:
    hers = {"user_id": user}
    first = client.add("My name is Ada. I live in Oslo.", user_id=user, run_id=f"{user}-1", metadata={"a": {"b": 1}})
    talk = [{"role": "user", "content": "I moved to Lisbon."}, {"role": "assistant", "content": "Nice."}]

    second = client.add(talk, user_id=user, run_id=f"{user}-2")
    found = client.search("Where does she live?", filters=hers, top_k=1)

    assert {(each["event"], each["memory"]) for each in first["results"]} == {
        ("ADD", "home: Oslo"),
        ("ADD", "name: Ada"),
    }
    assert [(each["event"], each["memory"]) for each in second["results"]] == [("UPDATE", "home: Lisbon")]
    assert words(found) == ["home: Lisbon"]
    assert sorted(words(client.get_all(filters=hers))) == ["home: Lisbon", "name: Ada"]
    assert words(client.get_all(filters={"AND": [hers, {"metadata": {"a": {"eq": {"b": 1}}}}]})) == ["name: Ada"]
    pages = [client.get_all(filters=hers, page=page, page_size=1) for page in (1, 2)]
    assert [(page["count"], page["next"] is None, len(page["results"])) for page in pages] == [
        (2, False, 1),
        (2, True, 1),
    ]


def test_a_memory_is_read_changed_and_deleted_under_one_id(client: Any, mem0: ModuleType, user: str) -> None:
    [told] = client.add("I live in Oslo.", user_id=user)["results"]

    updated = client.update(told["id"], text="Lives in Porto", metadata={"sure": True})

    assert client.get(told["id"]) == updated == client.get_all(filters={"user_id": user})["results"][0]
    assert (updated["memory"], updated["metadata"]) == ("Lives in Porto", {"sure": True})
    assert [each["event"] for each in client.history(told["id"])] == ["ADD", "UPDATE"]
    assert user in [each["name"] for each in client.users()["results"]]
    client.batch_update([{"memory_id": told["id"], "text": "Lives in Rome"}])
    assert client.get(told["id"])["memory"] == "Lives in Rome"
    client.delete(told["id"], delete_linked=True)
    with pytest.raises(mem0.exceptions.MemoryNotFoundError, match="Memory not found!"):
        client.get(told["id"])


def test_options_of_their_types_are_understood(client: Any, mem0: ModuleType, user: str) -> None:
    types = mem0.client.types
    hers = {"user_id": user}

    client.add("I live in Oslo.", types.AddMemoryOptions(filters=hers, metadata={"a": 1}, infer=True))
    found = client.search("Where does she live?", types.SearchMemoryOptions(filters=hers, top_k=2, rerank=True))
    listed = client.get_all(types.GetAllMemoryOptions(filters=hers, page=1, page_size=5, start_date="2020-01-01"))
    client.delete_all(types.DeleteAllMemoryOptions(filters=hers))

    assert words(found) == words(listed) == ["home: Oslo"]
    assert client.get_all(filters=hers)["results"] == []


def test_two_deletions_of_what_was_added_leave_nobody_listed(client: Any, user: str) -> None:
    names = [{"user_id": user}, {"agent_id": f"{user}-agent"}, {"run_id": f"{user}-run"}]
    added = [client.add("We grow figs.", infer=False, **each)["results"] for each in names]

    client.batch_delete([{"memory_id": added[0][0]["id"]}])
    client.delete_users(agent_id=f"{user}-agent")
    client.delete_users(run_id=f"{user}-run")

    assert not [each for each in client.users()["results"] if user in each["name"]]


def test_every_call_answers_or_fails_with_an_error_of_the_client_s_own(
    client: Any, mem0: ModuleType, user: str
) -> None:
    [told] = client.add("I live in Oslo.", user_id=user)["results"]
    lacking: dict[str, Callable[[], object]] = {
        "feedback": lambda: client.feedback(told["id"], "positive"),
        "get_webhooks": lambda: client.get_webhooks("p"),
        "create_webhook": lambda: client.create_webhook("u", "n", "p", ["memory_add"]),
        "update_webhook": lambda: client.update_webhook(1, name="n"),
        "delete_webhook": lambda: client.delete_webhook(1),
        "create_memory_export": lambda: client.create_memory_export("{}", user_id=user),
        "get_memory_export": lambda: client.get_memory_export(user_id=user),
        "get_summary": client.get_summary,
        "get_profile": lambda: client.get_profile(user),
        "generate_profile": lambda: client.generate_profile(user),
        "get_profile_settings": client.get_profile_settings,
        "update_profile_settings": lambda: client.update_profile_settings(enabled=True),
        "sample_profiles": client.sample_profiles,
        "get_profile_job": lambda: client.get_profile_job("1"),
        "get_project": client.get_project,
        "update_project": lambda: client.update_project(custom_instructions="x"),
        "project.get": client.project.get,
        "project.update": lambda: client.project.update(custom_instructions="x"),
        "project.get_members": client.project.get_members,
    }

    for ask in lacking.values():
        with pytest.raises(mem0.exceptions.ValidationError, match="which this address does not have"):
            ask()
    public = {name for name, _ in inspect.getmembers(mem0.MemoryClient, inspect.isfunction) if not name.startswith("_")}
    assert public - {*lacking} - CORE == {"chat"}, "it has calls that nobody tried; chat asks no server"


def test_errors_are_the_client_s_own(client: Any, mem0: ModuleType, server: tuple[str, str]) -> None:
    origin, _ = server

    with pytest.raises(mem0.exceptions.ValidationError, match="user_id or agent_id"):
        client.add("I live in Oslo.")
    with pytest.raises(mem0.exceptions.ValidationError, match="filters must name"):
        client.get_all()
    with pytest.raises(mem0.exceptions.ValidationError, match="expiration_date"):
        client.add("I live in Oslo.", user_id="ada", expiration_date="2030-01-01")
    with httpx.Client() as own, pytest.raises(ValueError, match="These credentials open nothing"):
        mem0.MemoryClient(api_key="nope", host=f"{origin}/mem0", client=own)


def test_many_calls_at_once_are_all_answered(mem0: ModuleType, server: tuple[str, str], user: str) -> None:
    origin, key = server
    fruits = ("apples", "cherries", "dates", "figs", "grapes", "kiwis", "lemons", "plums")

    async def story() -> tuple[list[Any], Any, Any]:
        async with mem0.AsyncMemoryClient(api_key=key, host=f"{origin}/mem0/") as client:
            said = (client.add(f"I like {each}.", user_id=user) for each in fruits)
            learnt = await asyncio.gather(*said)
            found = await client.search("Do I like figs?", filters={"user_id": user}, top_k=1)
            return learnt, found, await client.get_all(filters={"user_id": user})

    learnt, found, listed = asyncio.run(story())

    assert [len(each["results"]) for each in learnt] == [1] * len(fruits)
    assert words(found) == ["like: figs"]
    assert sorted(words(listed)) == sorted(f"like: {each}" for each in fruits)


def test_the_program_of_the_page_prints_what_it_says(
    mem0: ModuleType, server: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    origin, key = server
    [program] = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    known = dict[str, Any]()

    exec(program.replace("cairn_…", key).replace("http://127.0.0.1:8787", origin), known)  # noqa: S102 - a page of this repository
    known["client"].client.close()

    assert mem0.MemoryClient is known["MemoryClient"]
    assert capsys.readouterr().out == "home: Lisbon\n"


@pytest.fixture(scope="module")
def told_in_typescript(tmp_path_factory: pytest.TempPathFactory, server: tuple[str, str]) -> dict[str, Any]:
    """Return what the package for TypeScript was told in the story of `story.mjs`, which deletes everybody at last."""
    origin, key = server
    _install()
    shutil.copyfile(NODE_CLIENT / "story.mjs", IN_CACHE / "story.mjs")
    environment = {**os.environ, **QUIET, "MEM0_DIR": str(tmp_path_factory.mktemp("mem0"))}
    told = subprocess.run(  # noqa: S603 - what was just installed
        [str(shutil.which("node")), "story.mjs", f"{origin}/mem0", key, "ada in typescript"],
        cwd=IN_CACHE,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(told.stdout.splitlines()[-1])


def _install() -> None:
    """Put the pinned packages into the cache, once."""
    lock, npm = NODE_CLIENT / "package-lock.json", shutil.which("npm")
    assert npm is not None, "it comes with Node.js"
    done = IN_CACHE / "installed.json"
    if done.is_file() and done.read_bytes() == lock.read_bytes():
        return
    IN_CACHE.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(NODE_CLIENT / name, IN_CACHE / name)
    options = ["--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run([npm, "ci", *options], cwd=IN_CACHE, check=True, timeout=300)  # noqa: S603 - our own pins
    shutil.copyfile(lock, done)


def test_the_client_for_typescript_is_told_the_same_story(told_in_typescript: dict[str, Any]) -> None:
    told = told_in_typescript

    assert {(each["event"], each["memory"]) for each in told["first"]["results"]} == {
        *(("ADD", "home: Oslo"), ("ADD", "name: Ada")),
    }
    assert [(each["event"], each["previousMemory"]) for each in told["second"]["results"]] == [("UPDATE", "home: Oslo")]
    assert words(told["found"]) == ["home: Lisbon"]
    assert (told["all"]["count"], len(told["all"]["results"])) == (2, 1)
    assert told["got"] == told["updated"]
    assert (told["got"]["memory"], told["got"]["id"]) == ("Lives in Porto", told["found"]["results"][0]["id"])
    assert [each["newMemory"] for each in told["history"]] == ["home: Oslo", "home: Lisbon", "Lives in Porto"]
    assert told["filtered"]["results"][0]["metadata"] == {"some_key": {"deepKey": 1}}
    assert "ada in typescript" in [each["name"] for each in told["users"]["results"]]
    assert (told["batched"]["memory"], told["gone"]) == ("Lives in Rome", ["MemoryNotFoundError", "HTTP_404"])
    assert (told["none"]["results"], told["nobody"]["results"]) == ([], [])


def test_the_client_for_typescript_fails_with_errors_of_its_own_and_tried_every_call(
    told_in_typescript: dict[str, Any],
) -> None:
    refused = dict[str, list[str]](told_in_typescript["refused"])
    played = {
        *("ping", "add", "update", "get", "getAll", "search", "delete", "deleteAll", "history", "users"),
        *("deleteUser", "deleteUsers", "batchUpdate", "batchDelete"),
    }

    assert {name: name_of for name, (name_of, _) in refused.items()} == {
        name: TYPE_OF.get(name, "ValidationError") for name in refused
    }
    assert {*told_in_typescript["methods"]} == played | (refused.keys() - TYPE_OF.keys())
