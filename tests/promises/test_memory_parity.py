"""Memory in the process and Memory of a server are one: the same script, the same answers, the same store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from cairn import Memory
from cairn.access.api_keys import Grant
from cairn.ground.errors import CairnError
from cairn.local.demo.server_process import ServerProcess
from cairn.local.store import LOCAL_TENANT, operator_services

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

SETTINGS = {
    "CAIRN_MEMORY_ENABLED": "true",
    "CAIRN_EMBEDDING_EMBEDDER": "none",
    "CAIRN_LIMITS_TEXT_BYTES": "5000",
}
ITS_OWN = {"when", "session", "answer", "input_items", "tokens"}
"""What differs from store to store and run to run: times, random names, and what was placed, which has both in it."""


@dataclass(frozen=True, slots=True)
class Served:
    """A running server, a key to all its projects, and its directory."""

    url: str
    key: str
    directory: Path


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    directory = tmp_path_factory.mktemp("served")
    directory.chmod(0o700)
    key = operator_services(directory, {}).credentials.create(LOCAL_TENANT, Grant()).text
    server = ServerProcess(directory, SETTINGS)
    server.start()
    yield Served(server.url, key, directory)
    server.stop()


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)


def tell(memory: Memory) -> Iterator[object]:
    talk = [{"role": "user", "content": "My name is Ada and I live in Oslo."}, {"role": "assistant", "content": "Hi!"}]
    yield memory.add(talk, user="ada", turn_id="one")
    yield memory.add(talk, user="ada", session="monday", turn_id="one")
    yield memory.add(talk, user="ada", session="monday", turn_id="one")
    yield memory.after_turn("I moved to Bergen.", "Noted.", user_id="ada", session="monday", turn_id="two")
    yield memory.remember("The north bed gets four hours of sun.", type="decision", user="ada", confidence="high")
    kept = memory.remember("The shed is red.", user="ada")
    yield kept
    yield memory.search("Which colour has the shed?", user="ada")
    yield memory.forget(kept.id, user="ada", reason="It was painted.")
    yield memory.search("Where do I live?", filters={"user_id": "ada"}, limit=3)
    yield memory.search(user="ada")
    yield memory.search("Where does Ada live?", user="ben")
    yield memory.before_turn("Where do I live?", user="ada", session="tuesday", max_input_tok=2000)
    yield memory.history(user="ada", session="monday")
    yield memory.history(session="monday", limit=1)
    yield memory.add([{"role": "user", "content": "Grüße aus 東京 \U0001f331"}], user="ada", session="far", turn_id="x")
    yield memory.history(session="far")


def ask_wrongly(memory: Memory) -> list[Callable[[], object]]:
    return [
        lambda: memory.search("beans"),
        lambda: memory.search("beans", user="ada", limit=0),
        lambda: memory.search("beans", user="a/b"),
        lambda: memory.remember("", user="ada"),
        lambda: memory.remember("x", user="ada", type="rumour"),
        lambda: memory.forget("u-" + "0" * 32, user="ada"),
        lambda: memory.after_turn("I moved to Lima.", "Noted.", user="ada", session="monday", turn_id="two"),
        lambda: memory.add([{"role": "king", "content": "Obey."}], user="ada"),
        lambda: memory.add("x" * 5001, user="ada"),
        lambda: memory.add(["x" * 4000] * 501, user="ada"),
        lambda: memory.add(["x" * 4900] * 450, user="ada"),
    ]


def plain(answer: object, ids: dict[str, str]) -> object:
    """Return an answer as values that do not differ from run to run; a drawn id is the number of its first use."""
    if isinstance(answer, tuple):
        return [plain(each, ids) for each in cast("tuple[object, ...]", answer)]
    held: dict[str, Any] = asdict(answer)  # pyright: ignore[reportArgumentType] - every answer is a dataclass
    found: list[dict[str, Any]] = held.pop("found", [])
    if "input_items" in held:
        held["roles"] = [item["role"] for item in held["input_items"]]
    for each in (held, *found):
        if each.get("kind") in {"fact", "memory"} or "message" in each:
            each["id"] = ids.setdefault(each["id"], str(len(ids)))
        if "fact_ids" in each:
            each["fact_ids"] = len(each["fact_ids"])
    return [{name: value for name, value in each.items() if name not in ITS_OWN} for each in (held, *found)]


def refusal(call: Callable[[], object]) -> tuple[type[CairnError], str, object]:
    with pytest.raises(CairnError) as refused:
        call()
    told = {
        name: value for name, value in refused.value.details.items() if name != "actual"
    }  # of a body not read whole
    return type(refused.value), refused.value.message, told


@pytest.mark.req("R286")
def test_the_same_script_gets_the_same_answers_and_errors_in_process_and_from_a_server(
    served: Served, tmp_path: Path
) -> None:
    with (
        Memory(tmp_path / "own", project="garden") as own,
        Memory(served.url, key=served.key, project="garden") as remote,
    ):
        here, there = dict[str, str](), dict[str, str]()
        for number, (mine, its) in enumerate(zip(tell(own), tell(remote), strict=True)):
            assert plain(mine, here) == plain(its, there), f"answer {number}"
        for mine, its in zip(ask_wrongly(own), ask_wrongly(remote), strict=True):
            assert refusal(mine) == refusal(its)


@pytest.mark.req("R286")
def test_a_server_and_a_program_beside_it_share_one_directory(served: Served) -> None:
    with (
        Memory(served.directory, user="eve") as own,
        Memory(served.url, key=served.key, user="eve", project="default") as remote,
    ):
        own.add("The ladder stands behind the shed.", session="monday", turn_id="one")
        replayed = remote.add("The ladder stands behind the shed.", session="monday", turn_id="one")
        remote.add("The key lies under the stone.", session="monday", turn_id="two")

        assert replayed.replayed
        assert "The ladder stands behind the shed." in [each.content for each in remote.search("Where is the ladder?")]
        assert "The key lies under the stone." in [each.content for each in own.search("Where is the key?")]
        assert own.history(session="monday") == remote.history(session="monday")


def test_a_key_that_is_revoked_or_wrong_opens_nothing(served: Served) -> None:
    with Memory(served.url, key=served.key[:-1] + ("A" if served.key[-1] != "A" else "B"), user="ada") as memory:
        kind, message, _ = refusal(lambda: memory.search("beans"))

    assert (kind.__name__, message) == ("Unauthenticated", "These credentials open nothing")
