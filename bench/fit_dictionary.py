"""Train the next dictionary that small contents are packed with, on Cairn's own conversations as it stores them.

What is packed with a dictionary needs it for ever, so that none is ever made anew: this writes one under the next
number, which is to be cairn.ground.codec.NEWEST then, with its digest in tests/unit/ground/test_dictionaries.py.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.inventory import EmbeddedInventory
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.ground.codec import DICTIONARIES, NEWEST, SMALL_LEVEL
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.session import ResponseItem, Session
from cairn.ground.table import Attributes
from cairn.memories.model import Note
from cairn.memories.remember import remember
from cairn.process.system import in_turn
from cairn.services import Services
from cairn.sessions.layout import EVENTS
from cairn.turns.after_turn import commit
from cairn.vault.data_key import DataKey
from over_adapters import services_over

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

DATA = Path(__file__).parent / "data/recall/fit"
STATEMENTS = Path(__file__).parent / "data/statements.jsonl"
TENANT, PROJECT = Tenant("acme"), Project("garden")
SEED = 11
BYTES = 32 * 1024
LENGTHS = (0, 0, 0, 400, 1000)
"""How many characters a text of a turn has at least: one line of the conversation, or some."""
STATED = (0, 0, 3)
"""How many statements that facts are made of a user makes in a turn besides."""
NOTED = 20
"""After how many turns something is remembered."""
CALLED = 10
"""One answer in so many calls a tool before."""
LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
_DICTIONARY_ID = slice(4, 8)
"""Where a dictionary of zstd says its id, after its magic number."""


class _Clock:
    """A clock that goes through years, so that no day is learnt."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._now = datetime(2025, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds * self._chance.uniform(1, 2000))


class _Entropy:
    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def token(self, size: int) -> bytes:
        return self._chance.randbytes(size)


class _OneKey:
    """A key ring whose only data key makes the same ids every time."""

    def generate(self, tenant: Tenant) -> DataKey:
        return DataKey(bytes(32), tenant.encode())

    def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
        return bytes(32) if wrapped == tenant.encode() else b""


class _NoJobs:
    def send(self, jobs: Sequence[object]) -> None:
        """Index nothing: entries are wanted as they are appended."""


def main() -> None:
    """Train and write a dictionary."""
    found = sorted(samples(), key=lambda sample: sha256(sample).digest())
    content = zstd.ZstdDict(zstd.train_dict(found, BYTES).dict_content, is_raw=True)
    trained = bytearray(zstd.finalize_dict(content, found, BYTES, SMALL_LEVEL).dict_content)
    trained[_DICTIONARY_ID] = (NEWEST + 1).to_bytes(4, "little")
    path = DICTIONARIES / f"{NEWEST + 1}.zdict"
    path.write_bytes(trained)
    print(f"{path.name}: {len(trained):,} bytes of {len(found):,} samples, sha256 {sha256(trained).hexdigest()}")


def samples() -> Iterator[bytes]:
    """Yield JSON as it is packed, each text of the conversations once: in its turn's events or in the log's entry."""
    chance = Random(SEED)  # noqa: S311 - picks shapes
    with TemporaryDirectory() as directory:
        table, blobs = SqliteTable(Path(":memory:")), Path(directory) / "blobs"
        clock, entropy = _Clock(chance), _Entropy(chance)
        adapters = Adapters(table, DirectoryBlobs(blobs), _OneKey(), clock, entropy, in_turn, _NoJobs())
        services = services_over(adapters)
        lines = map(json.loads, STATEMENTS.read_text(encoding="utf-8").splitlines())
        statements = [line["text"] for line in lines if line["half"] == "development" and line["facts"]]
        for path in sorted(DATA.glob("*.json")):
            _tell(services, json.loads(path.read_text(encoding="utf-8")), statements, chance)
        for item in EmbeddedInventory(table, blobs).items(TENANT):
            if "data" in item:
                value = services.vault.unseal(TENANT, item)
                if _is_wanted(item, value):
                    yield json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        table.close()


def _is_wanted(item: Attributes, value: Any) -> bool:
    """Tell whether to learn from this one of the two items that hold a turn's texts."""
    if str(item["sk"]).startswith(EVENTS):
        return int(item["seq"]) % 2 == 0
    return not value["turn"] or value["turn"]["seq"] % 2 == 1


def _tell(services: Services, conversation: dict[str, Any], statements: Sequence[str], chance: Random) -> None:
    """Commit the conversation in turns of all shapes, and keep a line now and then."""
    users = [*(UserId(_name(chance)) for _ in range(3)), None]
    for told in conversation["sessions"]:
        session = Session(TENANT, PROJECT, SessionId(_name(chance)))
        lines: Iterator[tuple[str, str]] = iter([(who, text) for who, text in told["turns"]])
        for number in count(1):
            said, answered = _speech(lines, chance), _speech(lines, chance)
            if said is None or answered is None:
                break
            user = chance.choice(users)
            turn = TurnId(chance.choice((f"turn-{number}", _name(chance))))
            stated = " ".join([*chance.choices(statements, k=chance.choice(STATED)), said[1]])
            inputs, outputs = _shaped((said[0], stated), "user", chance), _shaped(answered, "assistant", chance)
            services.adapters.clock.sleep(60)
            commit(services, session, Completion(turn_id=turn, user_id=user, inputs=inputs, outputs=outputs))
            if number % NOTED == 0:
                remember(services, session, Note(content=said[1], scope="user", user_id=user))


def _speech(lines: Iterator[tuple[str, str]], chance: Random) -> tuple[str, str] | None:
    """Return who speaks next and what, None where nobody does."""
    length, speaker, said = chance.choice(LENGTHS), "", list[str]()
    for who, text in lines:
        speaker = speaker or who
        said.append(text)
        if sum(map(len, said)) >= length:
            break
    return (speaker, " ".join(said)) if said else None


def _shaped(speech: tuple[str, str], role: str, chance: Random) -> tuple[ResponseItem, ...]:
    """Return a text as an item of one of the shapes that clients send, at times with a tool's call before it."""
    who, text = speech
    kind = "input_text" if role == "user" else "output_text"
    shapes: list[dict[str, Any]] = [
        {"role": role, "content": text},
        {"type": "message", "role": role, "content": text},
        message(role, text, kind),
        {**message(role, text, kind), "name": who},
        {"id": f"msg_{_name(chance)}", **message(role, text, kind), "status": "completed"},
    ]
    said = chance.choice(shapes)
    if role == "user" or chance.choice(range(CALLED)):
        return (said,)
    call = f"call_{_name(chance)}"
    asked = json.dumps({"query": text[:40]}, ensure_ascii=False)
    return (
        {"type": "function_call", "call_id": call, "name": "search", "arguments": asked},
        {"type": "function_call_output", "call_id": call, "output": text[40:200]},
        said,
    )


def _name(chance: Random) -> str:
    return "".join(chance.choices(LETTERS, k=12))


if __name__ == "__main__":
    main()
