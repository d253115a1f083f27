"""`cairn export`, `import`, `erase` and `data-keys`, as a person runs them."""

from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from cairn import wiring
from cairn.conversation.turns import Completion
from cairn.ground.ids import Project, SessionId, Tenant, UserId
from cairn.ground.session import Session
from cairn.local.store import open_store, operator_services
from cairn.turns.after_turn import commit
from support.turns import turn

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no command wait for calls that are under way; here are none."""

    def sleep(_clock: object, _seconds: float) -> None:
        pass

    monkeypatch.setattr("cairn.process.system.SystemClock.sleep", sleep)


def say(data: Path, text: str, user: str, project: str = "garden") -> None:
    said = turn(f"turn-{text}", text)
    whose = Completion(turn_id=said.turn_id, inputs=said.inputs, outputs=said.outputs, user_id=UserId(user))
    with open_store(data, {}):
        commit(wiring.services(), Session(Tenant("local"), Project(project), SessionId("s")), whose)


def said(data: Path, project: str = "garden", tenant: str = "local") -> list[str]:
    history = operator_services(data, {}).sessions.history(Session(Tenant(tenant), Project(project), SessionId("s")))
    return [str(event.item["content"][0]["text"]) for _, events in history for event in events]


@pytest.mark.req("R279")
def test_a_bundle_is_private_readable_and_opens_in_another_service(run: Run, data: Path, tmp_path: Path) -> None:
    say(data, "I live in Oslo, 東京.", "ada")
    bundle, other = tmp_path / "ada.zip", tmp_path / "other"

    exported = run("export", str(bundle), "--user", "ada")
    imported = run("import", str(bundle), at=other)

    assert (exported.exit_code, imported.exit_code) == (0, 0), exported.output + imported.output
    assert "in the clear" in exported.stderr
    assert stat.S_IMODE(bundle.stat().st_mode) == 0o600
    with zipfile.ZipFile(bundle) as file:
        manifest = json.loads(file.read("manifest.json"))
        lines = file.read("items.jsonl").decode().splitlines()
    assert (manifest["tenant"], manifest["user"], manifest["items"]) == ("local", "ada", len(lines))
    assert any("I live in Oslo, 東京." in line for line in lines)
    assert said(other) == said(data) == ["I live in Oslo, 東京.", "Noted."]
    assert "0 items are new" in run("import", str(bundle), at=other).stderr
    assert run("import", str(bundle), "--tenant", "new", at=other).exit_code == 0
    assert said(other, tenant="new") == said(data)


@pytest.mark.req("R279")
def test_a_backup_of_a_project_brings_it_back_after_it_was_lost(run: Run, data: Path, tmp_path: Path) -> None:
    say(data, "I live in Oslo.", "ada")
    say(data, "I like soup.", "ada", "kitchen")
    run("export", str(tmp_path / "garden.zip"), "--project", "garden")
    assert run("erase", "--user", "ada", "--project", "garden", "--yes").exit_code == 0
    assert (said(data), len(said(data, "kitchen"))) == ([], 2)

    assert run("import", str(tmp_path / "garden.zip")).exit_code == 0

    assert said(data) == ["I live in Oslo.", "Noted."]


def test_a_bundle_that_was_changed_or_cut_short_is_refused_before_anything_is_stored(
    run: Run, data: Path, tmp_path: Path
) -> None:
    say(data, "I live in Oslo.", "ada")
    bundle, other = tmp_path / "b.zip", tmp_path / "other"
    run("export", str(bundle))
    with zipfile.ZipFile(bundle) as file:
        manifest, items = file.read("manifest.json"), file.read("items.jsonl")
    wrong = (
        (manifest, items.replace(b"Oslo", b"Rome")),
        (manifest, items[: items.index(b"\n") + 1]),
        (manifest.replace(b"bundle 1", b"bundle 2"), items),
        (b"{", items),
        (b"[]", items),
    )
    for number, (about, lines) in enumerate(wrong):
        with zipfile.ZipFile(tmp_path / f"{number}.zip", "w") as file:
            file.writestr("manifest.json", about)
            file.writestr("items.jsonl", lines)
    (tmp_path / "text.zip").write_text("no zip")

    refused = [run("import", str(tmp_path / f"{name}.zip"), at=other) for name in (*range(len(wrong)), "text")]

    assert [each.exit_code for each in refused] == [2] * 6, [each.output for each in refused]
    assert all("bundle" in each.output and "Traceback" not in each.output for each in refused)
    assert said(other) == []


def test_a_file_that_is_there_is_not_overwritten(run: Run, data: Path, tmp_path: Path) -> None:
    say(data, "I live in Oslo.", "ada")
    (tmp_path / "b.zip").write_text("mine")

    assert run("export", str(tmp_path / "b.zip")).exit_code == 2

    assert (tmp_path / "b.zip").read_text() == "mine"


@pytest.mark.req("R252")
def test_erasing_a_tenant_asks_first_and_says_what_running_processes_keep(run: Run, data: Path) -> None:
    say(data, "I live in Oslo.", "ada")
    key = run("keys", "create", "--tenant", "local").stdout.strip()
    assert run("erase", "--tenant", "local", input="n\n").exit_code == 1
    assert said(data)

    done = run("erase", "--tenant", "local", input="y\n")

    assert done.exit_code == 0, done.output
    assert "5 minutes" in done.output
    assert "Revoked 1 API keys" in done.output
    assert said(data) == []
    assert f"{key.split('_')[1]}" in run("keys", "list").stdout
    assert run("erase", "--tenant", "local", "--yes").exit_code == 0


@pytest.mark.req("R252")
def test_erasing_a_tenant_that_never_was_claims_nothing_and_fails(run: Run, data: Path) -> None:
    say(data, "I live in Oslo.", "ada")

    done = run("erase", "--tenant", "typo", "--yes")

    assert done.exit_code == 1, done.output
    assert "There is no tenant typo" in done.output
    assert "deleted" not in done.output.lower()
    assert run("data-keys", "list", "--tenant", "typo").exit_code == 1
    assert said(data) == ["I live in Oslo.", "Noted."]


@pytest.mark.req("R252")
def test_a_key_that_was_never_used_and_its_data_key_are_all_that_is_erased_of_its_tenant(run: Run) -> None:
    run("keys", "create", "--tenant", "acme")

    done = run("erase", "--tenant", "acme", "--yes")

    assert done.exit_code == 0, done.output
    assert "Revoked 1 API keys; deleted 1 data keys" in done.output
    again = run("erase", "--tenant", "acme", "--yes")
    assert again.exit_code == 0
    assert "only ended API keys name it" in again.output


@pytest.mark.req("R279")
def test_erasing_a_user_tells_what_was_removed(run: Run, data: Path) -> None:
    say(data, "I live in Oslo.", "ada")
    say(data, "I live in Rome.", "bob")

    done = run("erase", "--user", "ada", "--yes")

    assert done.exit_code == 0, done.output
    assert "1 turns in sessions that others share" in done.output
    assert said(data) == ["I live in Rome.", "Noted."]


@pytest.mark.parametrize(
    "arguments",
    [
        ("erase", "--yes"),
        ("erase", "--project", "p", "--tenant", "local", "--yes"),
        ("erase", "--tenant", "a/b", "--yes"),
        ("erase", "--user", "..", "--yes"),
        ("export", "x.zip", "--project", "a//b"),
        ("import", "absent.zip"),
        ("data-keys", "rotate", "--tenant", "~credentials"),
    ],
)
def test_what_is_wrong_is_told_plainly_and_nothing_is_done(run: Run, data: Path, arguments: tuple[str, ...]) -> None:
    say(data, "I live in Oslo.", "ada")

    result = run(*arguments)

    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert said(data) == ["I live in Oslo.", "Noted."]


@pytest.mark.req("R252")
def test_data_keys_are_rotated_listed_and_rewrapped(run: Run, data: Path) -> None:
    assert run("data-keys", "rewrap").exit_code == 1
    say(data, "I live in Oslo.", "ada")

    assert "Data key 2" in run("data-keys", "rotate").stdout
    moved = run("data-keys", "rewrap").stdout

    # The turn in its session and in its user's log, and what it taught that holds in every project.
    assert "Moved 3 items and 0 indexes to data key 2." in moved
    assert "Data key 1 stays: needed by 3." in moved
    assert "run this again then" in moved
    listed = run("data-keys", "list").stdout.splitlines()
    assert [line.split()[0] for line in listed] == ["1", "2"]
    assert said(data) == ["I live in Oslo.", "Noted."]


@pytest.mark.req("R278")
def test_what_an_operator_does_is_in_the_tenant_s_audit_log_with_how_it_ended(
    run: Run, data: Path, tmp_path: Path
) -> None:
    say(data, "I live in Oslo.", "ada")
    bundle = str(tmp_path / "ada.zip")
    for arguments in (
        ("export", bundle, "--user", "ada"),
        ("erase", "--user", "ada", "--project", "garden", "--yes"),
        ("data-keys", "rotate"),
        ("data-keys", "rewrap"),
        ("import", bundle),
        ("export", bundle),
    ):
        run(*arguments)

    _, *lines = run("audit", "list").stdout.splitlines()

    rewrap, rotate = ["cairn", "data-keys", "rewrap"], ["cairn", "data-keys", "rotate"]
    assert [line.split()[1:] for line in reversed(lines)] == [
        ["cairn", "export", "admitted", "operator", "ada"],
        ["cairn", "export", "done", "operator", "ada"],
        ["cairn", "erase", "admitted", "operator", "garden", "ada"],
        ["cairn", "erase", "done", "operator", "garden", "ada"],
        *([*command, outcome, "operator"] for command in (rotate, rewrap) for outcome in ("admitted", "done")),
        ["cairn", "import", "admitted", "operator"],
        ["cairn", "import", "done", "operator"],
        ["cairn", "export", "admitted", "operator"],
        ["cairn", "export", "INVALID_ARGUMENT", "operator"],
    ]
    verified = run("audit", "verify")
    assert (verified.exit_code, verified.stdout) == (0, "")
    assert "12 not sealed yet" in verified.stderr


@pytest.mark.req("R252")
def test_an_erased_tenant_is_told_of_on_the_log_and_has_none_of_its_own(run: Run, data: Path) -> None:
    say(data, "I live in Oslo.", "ada")

    done = run("erase", "--tenant", "local", "--yes")

    line = json.loads(next(line for line in done.stderr.splitlines() if "tenant erased" in line))
    assert (line["tenant"], line["erased"]["data_keys"], line["erased"]["left"]) == ("local", 1, 0)
    assert list(operator_services(data, {}).inventory.items(Tenant("local"))) == []


@pytest.mark.parametrize(
    "arguments", [("export", "x.zip"), ("erase", "--user", "ada", "--yes"), ("data-keys", "rotate")]
)
def test_a_tenant_that_nothing_was_stored_for_is_told_and_gets_no_data_key(
    run: Run, data: Path, arguments: tuple[str, ...]
) -> None:
    told = run(*arguments)

    assert (told.exit_code, "no data key" in told.stderr) == (1, True)
    assert list(operator_services(data, {}).inventory.items(Tenant("local"))) == []
