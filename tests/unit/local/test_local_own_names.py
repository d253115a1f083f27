"""What one machine goes by where nobody says: the project, the user, and the first key that is bound to both."""

from __future__ import annotations

import getpass
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from cairn.access.api_keys import Credential
from cairn.ground.ids import Project, UserId
from cairn.local.own_names import DEFAULT_PROJECT, OWNER, OwnNames, login_name
from cairn.local.server import serve as server
from cairn.local.server import stdio as door
from cairn.local.server.announcement import announce
from cairn.local.server.serve import first_key
from cairn.local.store import LOCAL_TENANT, memories, operator_services

pytestmark = pytest.mark.req("R284")

Run = Callable[..., Result]
URL = "http://127.0.0.1:8787/mcp"


def opened(data: Path, key: str | None) -> Credential:
    credential = operator_services(data, {}).credentials.check(key or "")
    assert credential is not None
    return credential


@pytest.mark.parametrize(
    ("login", "user"),
    [
        ("ada", "ada"),
        ("Ada.Lovelace@example.org", "Ada.Lovelace@example.org"),
        ("CORP\\ada", "ada"),
        ("Ada Lovelace", "Ada-Lovelace"),
        ("a/b", "a-b"),
        ("zoë", "zoë"),
        ("x" * 200, "x" * 128),
        ("..", OWNER),
        ("/", OWNER),
        ("", OWNER),
        ("\x07\ud800", OWNER),
    ],
)
def test_a_login_name_is_made_a_user_s(login: str, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: login)

    assert login_name() == user


@pytest.mark.parametrize("raised", [OSError("no user"), KeyError("uid not found"), ImportError("no pwd")])
def test_where_nobody_is_logged_in_the_user_is_the_owner(raised: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def getuser() -> str:
        raise raised

    monkeypatch.setattr(getpass, "getuser", getuser)

    assert login_name() == OWNER


def test_the_first_key_speaks_for_the_login_name_in_the_default_project(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "ada")

    found = opened(data, first_key(operator_services(data, {}).credentials))

    assert found.tenant == LOCAL_TENANT
    assert (found.grant.projects, found.grant.users) == ((DEFAULT_PROJECT,), ("ada",))
    assert found.grant.scopes == ("read", "write", "admin")


def test_the_first_key_is_for_the_project_and_user_that_were_given(data: Path) -> None:
    own = OwnNames.of(Project("owner/repo"), UserId("Ada L"))

    found = opened(data, first_key(operator_services(data, {}).credentials, own))

    assert (found.grant.projects, found.grant.users) == (("owner/repo",), ("Ada L",))


def test_what_is_printed_says_what_the_key_is_for_and_how_to_make_another_which_works(
    run: Run, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own, services = OwnNames.of(None, UserId("Ada L")), operator_services(data, {})
    announce([URL], data, first_key(services.credentials, own), memories(services), own)

    told = capsys.readouterr().out
    assert "for project default and user Ada L" in told
    [line] = [line for line in told.splitlines() if "keys create" in line]
    made = run(*pasted(line))
    assert opened(data, made.stdout.strip()).grant.projects == ("owner/repo",)
    assert opened(data, made.stdout.strip()).grant.users == ("Ada L",)


def test_at_a_restart_it_is_told_how_to_bind_another_key(
    run: Run, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own, services = OwnNames.of(Project("owner/repo"), UserId("Ada L")), operator_services(data, {})
    first_key(services.credentials, own)
    announce([URL], data, first_key(services.credentials, own), memories(services), own)

    lines = capsys.readouterr().out.splitlines()
    [line] = [line for line in lines if "keys create" in line]
    [bound] = [line for line in lines if line.strip().startswith("add --")]
    made = run(*pasted(line), *pasted(bound.partition("add ")[2].partition(" if ")[0], skipped=0))
    assert opened(data, made.stdout.strip()).grant.projects == ("owner/repo",)
    assert opened(data, made.stdout.strip()).grant.users == ("Ada L",)


def test_where_a_key_is_bound_to_nothing_nothing_is_said_of_it(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    announce([URL], data, "cairn_of_the_emulator")

    assert "project" not in capsys.readouterr().out


def pasted(line: str, skipped: int = 1) -> list[str]:
    """Return the arguments of a printed command, without the program."""
    return shlex.split(line[max(line.find("cairn keys"), 0) :])[skipped:]


def test_keys_are_made_for_owner_and_repository(run: Run, data: Path) -> None:
    one = run("keys", "create", "--tenant", "local", "--project", "owner/repo", "--user", "ada")
    many = run("keys", "create", "--tenant", "local", "--project", "owner/*")

    assert (one.exit_code, many.exit_code) == (0, 0), one.output + many.output
    assert opened(data, one.stdout.strip()).grant.projects == ("owner/repo",)
    assert opened(data, many.stdout.strip()).grant.projects == ("owner/*",)
    assert "need not name the project and the user, and can name no other" in one.stderr
    assert "need not name" not in many.stderr
    assert "owner/repo" in run("keys", "list").stdout
    refused = run("keys", "create", "--project", "owner//repo")
    assert (refused.exit_code, "between slashes" in refused.output) == (2, True)


@pytest.mark.parametrize(
    ("options", "project", "user"),
    [
        ((), "default", "ada"),
        (("--project", "owner/repo"), "owner/repo", "ada"),
        (("--user", "bob"), "default", "bob"),
    ],
)
def test_serve_is_told_whose_its_first_key_is(
    options: tuple[str, ...], project: str, user: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[Any] = []

    def serve(*given: object) -> None:
        called.extend(given)

    monkeypatch.setattr(getpass, "getuser", lambda: "ada")
    monkeypatch.setattr(server, "serve", serve)

    assert run("serve", *options).exit_code == 0

    assert called[-1] == OwnNames(Project(project), UserId(user))


@pytest.mark.parametrize("options", [("--project", "a//b"), ("--project", ".."), ("--user", "a/b")])
@pytest.mark.parametrize("command", ["serve", "stdio"])
def test_names_that_are_none_are_refused_before_anything_starts(
    command: str, options: tuple[str, ...], run: Run, data: Path
) -> None:
    refused = run(command, *options)

    assert (refused.exit_code, options[0] in refused.output) == (2, True)
    assert not data.exists()


@pytest.mark.parametrize(
    ("options", "bound", "names"),
    [
        ((), {}, {"project": "default", "user_id": "ada"}),
        (
            ("--project", "owner/repo"),
            {"project": "owner/repo"},
            {"project": "owner/repo", "user_id": "ada"},
        ),
        (
            ("--project", "owner/repo", "--user", "bob"),
            {"project": "owner/repo", "user_id": "bob"},
            {"project": "owner/repo", "user_id": "bob"},
        ),
    ],
)
def test_a_client_of_standard_input_is_bound_to_what_was_given_and_need_not_name_the_rest(
    options: tuple[str, ...],
    bound: dict[str, str],
    names: dict[str, str],
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    called: list[Any] = []

    def load(_: str) -> Callable[..., None]:
        return lambda *given: called.extend(given)

    monkeypatch.setattr(getpass, "getuser", lambda: "ada")
    monkeypatch.setattr(door, "load", load)

    assert run("stdio", "--profile", "agent", *options).exit_code == 0

    caller, profile, given = called
    assert (caller.tenant, caller.bound, profile, given) == (LOCAL_TENANT, bound, "agent", names)
    assert caller.policy == ("users" if "user_id" in bound else None)
