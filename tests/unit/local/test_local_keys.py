"""`cairn keys`: what it prints, what the keys then open, and how it refuses."""

from __future__ import annotations

import shlex
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from click.testing import CliRunner, Result

from cairn import wiring
from cairn.access.api_keys import Credential, named_by
from cairn.embedded.wiring import EmbeddedWiring
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant
from cairn.ground.store_wiring import StoreWiring
from cairn.local.cli import main
from cairn.local.server.announcement import announce
from cairn.local.server.serve import first_key
from cairn.local.store import LOCAL_TENANT, memories, operator_services, tenant_here
from cairn.services import Services
from cairn.settings.settings import AwsStore, EmbeddedStore, Settings

Run = Callable[..., Result]


@pytest.fixture
def run(run: Run) -> Run:
    """Return a function that runs `cairn keys` with these arguments on one data directory."""
    return partial(run, "keys")


@pytest.fixture
def opened(data: Path) -> Callable[[str], Credential | None]:
    """Return a function that checks a key as another process would."""
    return lambda key: operator_services(data, {}).credentials.check(key.strip())


def test_create_prints_a_key_alone_on_standard_output_that_opens_what_it_was_told(
    run: Run, opened: Callable[[str], Credential | None]
) -> None:
    result = run("create", "--tenant", "local", "--project", "a.*", "--project", "b", "--scope", "read", "--days", "2")

    assert result.exit_code == 0
    credential = opened(result.stdout)
    assert credential is not None
    assert credential.tenant == LOCAL_TENANT
    assert (credential.grant.projects, credential.grant.scopes) == (("a.*", "b"), ("read",))
    assert credential.lifetime is not None
    assert credential.lifetime.days == 2
    assert credential.id in result.stderr
    assert result.stdout.strip() not in result.stderr


@pytest.mark.req("R315")
def test_a_key_for_aws_s_clients_is_printed_as_their_environment_has_it(
    run: Run, opened: Callable[[str], Credential | None]
) -> None:
    result = run("create", "--tenant", "local", "--aws", "--scope", "read")

    named, secret = (line.split("=", 1) for line in result.stdout.splitlines())
    assert (named[0], secret[0]) == ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    key_id = named_by(named[1])
    assert key_id is not None
    credential = opened(f"cairn_{key_id}_{secret[1]}")
    assert credential is not None
    assert credential.grant.scopes == ("read",)
    assert secret[1] not in result.stderr
    rotated = run("rotate", key_id).stdout
    assert rotated.startswith("AWS_ACCESS_KEY_ID=CAIRN")
    assert "cairn_" not in rotated


def test_list_shows_each_key_s_state_and_no_key(run: Run) -> None:
    first, second = (run("create", "--tenant", "acme").stdout.strip() for _ in range(2))
    run("revoke", first.split("_")[1])
    third = run("rotate", second.split("_")[1], "--hours", "1").stdout.strip()

    lines = run("list").stdout.splitlines()

    states = {line.split()[0]: line.rsplit("  ", 1)[1].split(" 2")[0] for line in lines[1:]}
    assert states == {
        first.split("_")[1]: "ended",
        second.split("_")[1]: "open until",
        third.split("_")[1]: "open",
    }
    assert all(key.split("_", 2)[2] not in "".join(lines) for key in (first, second, third))


def test_a_revoked_key_opens_nothing(run: Run, opened: Callable[[str], Credential | None]) -> None:
    key = run("create").stdout.strip()
    assert opened(key) is not None

    assert run("revoke", key.split("_")[1]).exit_code == 0

    assert opened(key) is None


@pytest.mark.req("R306")
def test_making_ending_and_opening_a_key_again_stands_in_its_tenant_s_record_of_calls(run: Run, data: Path) -> None:
    key = run("create", "--tenant", "acme").stdout.split("_")[1]
    undo = run("revoke", key).stderr.rpartition("cairn ")[2].split()
    assert CliRunner().invoke(main, [*undo, "--data", str(data)]).exit_code == 0
    assert run("rotate", key, "--dry-run").exit_code == 0
    assert run("rotate", key).exit_code == 0

    now, services = datetime.now(UTC), operator_services(data, {})
    found = services.audit.records(Tenant("acme"), now - timedelta(hours=1), now + timedelta(hours=1))
    told = [(each.tool, each.outcome) for each in found]
    commands = ("cairn keys create", "cairn keys revoke", "cairn plan undo (key)", "cairn keys rotate")
    assert told[::-1] == [(each, outcome) for each in commands for outcome in ("admitted", "done")]


def test_a_rotation_without_overlap_ends_the_old_key_at_once(
    run: Run, opened: Callable[[str], Credential | None]
) -> None:
    old = run("create").stdout.strip()
    before = opened(old)

    after = opened(run("rotate", old.split("_")[1], "--hours", "0").stdout)

    assert opened(old) is None
    assert before is not None
    assert after is not None
    assert after.tenant == before.tenant


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("create", "--tenant", "a/b"), 2, "--tenant"),
        (("create", "--project", "a*"), 2, "whole dotted segments"),
        (("create", "--policy", "a b"), 2, "policy"),
        (("create", "--scope", "root"), 2, "--scope"),
        (("create", "--days", "0"), 2, "--days"),
        (("revoke", "cafe"), 1, "no key with this id"),
        (("rotate", "cafe"), 1, "no key with this id"),
    ],
)
def test_what_is_wrong_is_told_plainly(run: Run, arguments: tuple[str, ...], status: int, told: str) -> None:
    result = run(*arguments)

    assert result.exit_code == status
    assert told in result.output
    assert "Traceback" not in result.output


@pytest.mark.req("R009")
@pytest.mark.req("R100")
def test_the_directory_holds_no_secret_and_is_its_owner_s_alone(run: Run, data: Path) -> None:
    key = run("create").stdout.strip()

    files = [path for path in data.rglob("*") if path.is_file()]
    assert files
    assert all(key.split("_", 2)[2].encode() not in path.read_bytes() for path in files)
    assert stat.S_IMODE(data.stat().st_mode) == 0o700


def test_without_a_data_directory_the_settings_say_whose_keys_they_are(
    data: Path, adapters: Adapters, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def adapters_of(_: EmbeddedWiring) -> Adapters:
        return adapters

    def wiring_of(settings: Settings, *, for_operator: bool) -> StoreWiring:
        assert for_operator
        asked.append(settings.store)
        return EmbeddedWiring(EmbeddedStore(directory=data), settings)

    monkeypatch.setattr(wiring, "wiring_of", wiring_of)
    monkeypatch.setattr(EmbeddedWiring, "adapters", adapters_of)
    aws = {"CAIRN_TABLE": "t", "CAIRN_BUCKET": "b", "CAIRN_KEY_ID": "k"}
    operator_services(None, aws)
    operator_services(data, aws)

    assert asked == [AwsStore(table="t", bucket="b", key_id="k"), EmbeddedStore(directory=data)]


def test_a_key_may_be_bound_to_users_which_list_shows(run: Run, opened: Callable[[str], Credential | None]) -> None:
    result = run("create", "--tenant", "local", "--user", "alice", "--user", "Ada L", "--user", "alice")

    credential = opened(result.stdout)
    assert credential is not None
    assert credential.grant.users == ("alice", "Ada L")
    assert "users alice 'Ada L'" in result.stderr
    assert "alice 'Ada L'" in run("list").stdout
    rotated = opened(run("rotate", credential.id).stdout)
    assert rotated is not None
    assert rotated.grant == credential.grant
    assert run("create", "--user", "a/b").exit_code == 2
    assert run("create", *(f"--user=u{number}" for number in range(17))).exit_code == 2


def test_a_key_to_an_empty_memory_says_so_where_there_is_memory_already(run: Run) -> None:
    first = run("create", "--tenant", "local")
    assert "empty memory" not in first.stderr

    result = run("create", "--tenant", "lcoal", "--project", "garden", "--user", "Ada L")

    assert result.exit_code == 0
    assert "It opens a new, empty memory" in result.stderr
    assert "keys create --tenant local --project garden --user 'Ada L'" in result.stderr
    assert "empty memory" not in run("create", "--tenant", "local").stderr


@pytest.mark.req("R284")
def test_on_one_machine_a_key_that_names_no_tenant_opens_the_only_memory_there_is(
    run: Run, opened: Callable[[str], Credential | None]
) -> None:
    new = opened(run("create", "--project", "garden", "--user", "ada").stdout)
    again = opened(run("create").stdout)

    assert new is not None
    assert again is not None
    assert new.tenant == again.tenant == LOCAL_TENANT


def test_beside_several_memories_a_key_that_names_none_opens_a_new_one_and_says_so(
    run: Run, opened: Callable[[str], Credential | None]
) -> None:
    run("create", "--tenant", "acme")
    run("create", "--tenant", "local")

    result = run("create")
    key = opened(result.stdout)

    assert key is not None
    assert key.tenant not in {"acme", "local"}
    assert "keys create --tenant acme" in result.stderr
    assert "keys create --tenant local" in result.stderr


def test_in_aws_a_key_that_names_no_tenant_opens_a_new_memory_whatever_is_there(
    data: Path,
) -> None:
    services = operator_services(data, {})
    in_aws = SimpleNamespace(settings=SimpleNamespace(store=AwsStore(table="t", bucket="b", key_id="k")))

    assert tenant_here(services, [LOCAL_TENANT]) == LOCAL_TENANT
    assert tenant_here(cast("Services", in_aws), [LOCAL_TENANT]) is None


def test_memory_that_no_key_opens_any_more_is_named_too(run: Run, data: Path) -> None:
    operator_services(data, {}).vault.rotate(LOCAL_TENANT)

    assert "keys create --tenant local" in run("create", "--tenant", "new").stderr


def test_a_restart_says_how_to_get_a_key_to_the_memory_that_is_there(
    run: Run, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("create", "--tenant", "acme")
    run("create", "--tenant", "local")
    services = operator_services(data, {})

    announce(["http://127.0.0.1:8787/mcp"], data, first_key(services.credentials), memories(services))

    told = capsys.readouterr().out
    for tenant in ("acme", "local"):
        [line] = [line for line in told.splitlines() if f"--tenant {tenant}" in line]
        program, *arguments = shlex.split(line)
        assert program.endswith("cairn")
        assert arguments == ["keys", "create", "--tenant", tenant, "--data", str(data)]
