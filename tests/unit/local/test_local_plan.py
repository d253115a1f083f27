"""`--dry-run` and `cairn plan`, as a person runs them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cairn.calls.record import AuditRecord
from cairn.custody.erasures import erasures
from cairn.custody.scope import DataScope
from cairn.ground.ids import UserId
from cairn.local.cli import main
from cairn.local.store import LOCAL_TENANT, operator_services
from support.memory_store import MemoryTable

pytestmark = [pytest.mark.req("R306"), pytest.mark.slow]
Run = Callable[..., Result]
PAGE = Path(__file__).parents[3] / "docs/how-to/take-something-back.md"


@pytest.fixture
def cairn(data: Path) -> Run:
    def run(*arguments: str) -> Result:
        names = {"CAIRN_DATA": str(data), "CAIRN_PROJECT": "garden", "CAIRN_USER": "ada"}
        return CliRunner().invoke(main, list(arguments), env={**names, "CAIRN_EMBEDDING_EMBEDDER": "none"})

    return run


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no command wait for calls that are under way; here are none."""

    def sleep(_clock: object, _seconds: float) -> None:
        pass

    monkeypatch.setattr("cairn.process.system.SystemClock.sleep", sleep)


def records(data: Path) -> Sequence[AuditRecord]:
    now = datetime.now(UTC)
    return operator_services(data, {}).audit.records(LOCAL_TENANT, now - timedelta(hours=1), now + timedelta(hours=1))


def test_forgetting_is_planned_looked_at_applied_and_taken_back_on_record(cairn: Run, data: Path) -> None:
    name = json.loads(cairn("remember", "Peas climb.", "--json").stdout)["memory_id"]

    planned = cairn("forget", name, "--reason", "They do not.", "--dry-run", "--json")
    plan = json.loads(planned.stdout)
    assert (plan["state"], plan["what"], plan["why"]) == ("planned", "forget Peas climb.", "They do not.")
    assert plan["counts"] == {"forgotten": 1}
    assert name in cairn("show").stdout
    shown = cairn("plan", "show", plan["plan"])
    assert plan["digest"] in shown.stdout
    assert f"plan apply {plan['plan']}" in shown.stderr

    applied = cairn("plan", "apply", plan["plan"])
    assert (applied.exit_code, "applied" in applied.stdout) == (0, True)
    assert "Peas" not in cairn("show").stdout
    assert cairn("plan", "undo", plan["plan"]).exit_code == 0
    assert "Peas climb." in cairn("show").stdout
    assert "\tundone\t" in cairn("plan", "list").stdout
    again = cairn("plan", "undo", plan["plan"])
    assert (again.exit_code, "undone" in again.stdout) == (0, True)
    told = {each.tool for each in records(data) if each.tool.startswith("cairn")}
    assert told == {"cairn plan apply (forget)", "cairn plan undo (forget)"}


def test_a_plan_that_would_change_something_else_by_now_is_refused(cairn: Run) -> None:
    name = json.loads(cairn("remember", "Peas climb.", "--json").stdout)["memory_id"]
    plan = json.loads(cairn("forget", name, "--dry-run", "--json").stdout)["plan"]
    forgotten = cairn("forget", name)
    assert f"restore {name}" in forgotten.stderr

    refused = cairn("plan", "apply", plan)

    assert (refused.exit_code, "forgotten already" in refused.output) == (1, True)
    assert cairn("plan", "show", "0" * 26).exit_code == 1


def test_an_erasure_waits_for_its_grace_time_and_is_taken_back_or_carried_out(cairn: Run, data: Path) -> None:
    cairn("remember", "Peas climb.")
    planned = cairn("erase", "--user", "ada", "--dry-run")
    assert (planned.exit_code, "erase user ada in all projects" in planned.stdout) == (0, True)
    assert "memories: 1" in planned.stdout

    waits = cairn("erase", "--user", "ada", "--grace", "7d", "--yes")
    plan = waits.stdout.split()[1]
    assert "waiting" in waits.stdout
    assert "until then all of it stays and can be read" in waits.stderr
    assert "Peas climb." in cairn("show").stdout
    assert cairn("plan", "undo", plan).exit_code == 0
    assert "0 erasures carried out" in cairn("plan", "apply", "--due").stdout

    plan = cairn("plan", "apply", planned.stdout.split()[1], "--grace", "1h").stdout.split()[1]
    services = operator_services(data, {})
    held = services.plans.records.get(LOCAL_TENANT, plan)
    services.plans.records.change(held, until=held.made)
    done = cairn("maintain")
    assert (done.exit_code, "; 1 erasure carried out" in done.stdout) == (0, True)
    assert cairn("show").exit_code == 1
    gone = cairn("plan", "undo", plan)
    assert (gone.exit_code, "final" in gone.output) == (1, True)
    named = [each.tool for each in records(data) if "eras" in each.tool and each.outcome == "admitted"]
    assert "erasure after its grace time" in named
    assert "cairn plan apply --grace (erase)" in named
    assert erasures(services.adapters.table, LOCAL_TENANT, held.made, MemoryTable()) == [
        DataScope(LOCAL_TENANT, user=UserId("ada"))
    ]


def test_an_erasure_that_a_plan_carries_out_at_once_is_on_record_as_one(cairn: Run, data: Path) -> None:
    cairn("remember", "Peas climb.", "--user", "ada")
    planned = cairn("erase", "--user", "ada", "--dry-run").stdout.split()[1]
    services = operator_services(data, {})
    made = services.plans.records.get(LOCAL_TENANT, planned).made
    assert erasures(services.adapters.table, LOCAL_TENANT, made, MemoryTable()) == []

    assert cairn("plan", "apply", planned).exit_code == 0

    assert erasures(services.adapters.table, LOCAL_TENANT, made, MemoryTable()) == [
        DataScope(LOCAL_TENANT, user=UserId("ada"))
    ]


def test_a_tenant_whose_grace_time_is_over_is_erased_by_name_and_gets_no_new_data_key(
    cairn: Run, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cairn("remember", "Peas climb.")
    monkeypatch.setenv("CAIRN_MEMORY_ERASURE_GRACE_DAYS", "3")
    plan = cairn("erase", "--tenant", "local", "--yes").stdout.split()[1]
    services = operator_services(data, {})
    held = services.plans.records.get(LOCAL_TENANT, plan)
    services.plans.records.change(held, until=held.made)

    applied = cairn("plan", "apply", plan)

    assert (applied.exit_code, "final" in applied.stdout) == (0, True)
    assert list(operator_services(data, {}).inventory.items(LOCAL_TENANT)) == []
    assert not operator_services(data, {}).vault.has_key(LOCAL_TENANT)


def test_the_settings_say_how_long_an_erasure_waits_and_a_tenant_is_gone_after_it(
    cairn: Run, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cairn("remember", "Peas climb.")
    monkeypatch.setenv("CAIRN_MEMORY_ERASURE_GRACE_DAYS", "3")
    waits = cairn("erase", "--tenant", "local", "--yes")
    assert ("waiting" in waits.stdout, "erase all that the tenant has" in waits.stdout) == (True, True)

    monkeypatch.delenv("CAIRN_MEMORY_ERASURE_GRACE_DAYS")
    planned = cairn("erase", "--tenant", "local", "--dry-run").stdout.split()[1]
    assert cairn("plan", "apply", planned).exit_code == 0
    assert cairn("plan", "list").stdout == ""
    assert list(operator_services(data, {}).inventory.items(LOCAL_TENANT)) == []


def test_the_commands_of_the_page_do_what_it_says(cairn: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cairn("remember", "Bees like thyme.", "--project", "orchard", "--data", "elsewhere")
    assert cairn("export", "everything.zip", "--data", "elsewhere").exit_code == 0
    kept = "The north bed gets four hours of sun."
    names = {"ID": json.loads(cairn("remember", kept, "--json").stdout)["memory_id"]}
    blocks = re.findall(r"^```console\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    typed = [part.rstrip("\n").split("\n") for part in re.split(r"^\$ ", "".join(blocks), flags=re.MULTILINE)[1:]]
    assert len(typed) == 10
    for command, *lines in typed:
        result = cairn(*(names.get(word, word) for word in shlex.split(command)[1:]))

        assert result.exit_code == 0, (command, result.output)
        if found := re.match(r"plan +(\S{26})$", result.stdout, re.MULTILINE):
            names["PLAN"] = found[1]
        shown = [".+".join(map(re.escape, line.replace("PLAN", names["PLAN"]).split("…"))) for line in lines]
        printed = result.stdout.splitlines() if shown else []
        assert all(re.fullmatch(*pair) for pair in zip(shown, printed, strict=True)), (command, printed)
    assert kept in cairn("show").stdout


def test_a_key_is_revoked_and_rotated_as_planned_and_that_is_taken_back(cairn: Run, data: Path) -> None:
    key = cairn("keys", "create").stdout.strip()
    credentials = operator_services(data, {}).credentials
    planned = cairn("keys", "revoke", key.split("_")[1], "--dry-run").stdout
    assert ("revoke key" in planned, credentials.check(key) is not None) == (True, True)
    assert cairn("plan", "apply", planned.split()[1]).exit_code == 0
    assert credentials.check(key) is None
    assert cairn("plan", "undo", planned.split()[1]).exit_code == 0
    assert credentials.check(key) is not None

    planned = cairn("keys", "rotate", key.split("_")[1], "--dry-run").stdout.split()[1]
    new = cairn("plan", "apply", planned).stdout.splitlines()[0]
    assert credentials.check(new) is not None
    assert cairn("plan", "undo", planned).exit_code == 0
    assert credentials.check(new) is None

    at_once = cairn("keys", "revoke", key.split("_")[1])
    assert at_once.stdout == f"Key {key.split('_')[1]} opens nothing any more.\n"
    assert cairn(*shlex.split(at_once.stderr.split(": ")[1])[-3:]).exit_code == 0
    assert credentials.check(key) is not None


def test_a_policy_is_set_as_planned_and_the_one_before_is_put_back(cairn: Run, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    for text in ("tool_permissions: {}", "tool_permissions: {getContext: {operations: [read]}}"):
        file.write_text(text)
        planned = cairn("policy", "set", str(file), "--dry-run").stdout.split()[1]
        assert cairn("policy", "show").stdout.strip() != text
        assert cairn("plan", "apply", planned).exit_code == 0
        assert cairn("policy", "show").stdout.strip() == text
    assert planned in cairn("plan", "list").stdout

    assert cairn("plan", "undo", planned).exit_code == 0

    assert cairn("policy", "show").stdout == "tool_permissions: {}\n"
    assert cairn("policy", "version").stdout == "3\n"


@pytest.mark.parametrize(
    "arguments",
    [("erase", "--user", "a", "--grace", "7"), ("plan", "apply"), ("erase", "--user", "a", "--grace", "9999d")],
)
def test_what_names_no_time_and_no_plan_is_refused(cairn: Run, arguments: tuple[str, ...]) -> None:
    assert cairn(*arguments).exit_code == 2
