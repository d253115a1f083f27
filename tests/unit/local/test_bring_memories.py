"""What other memories keep, brought along: each thing once, with its time, for whom it was kept."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cairn.ground.ids import Project, UserId
from cairn.ground.session import NO_SESSION, Session
from cairn.local.bring.markdown import parts
from cairn.memories.forget import forget
from cairn.memories.model import MAX_CONTENT_BYTES, ForgetRequest
from cairn.tool.call import Call
from support.brought import ADA, BEGAN, ClaudeCode, at, brought, document, figures, history, memories, write

EVERYWHERE = ("default", "ada")
Wrote = Callable[[Path], Path]


def mem0(folder: Path) -> Path:
    same = {"hash": "0f", "created_at": at(0), "updated_at": at(9)}
    kept = [
        {"id": "1", "memory": "Likes tea.", "user_id": "ada", **same},
        {"id": "2", "memory": "Ships on Fridays.", "metadata": {"type": "decision"}, **same},
        {"id": "3", "memory": "Keeps bees.", "user_id": "eve", **same},
    ]
    return document(folder / "mem0.json", {"results": kept})


def server_memory(folder: Path) -> Path:
    lines: list[dict[str, Any]] = [
        {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["Likes tea.", "Keeps bees."]},
        {"type": "entity", "name": "Widget", "entityType": "project", "observations": []},
        {"type": "relation", "from": "Ada", "to": "Widget", "relationType": "works_on"},
    ]
    return write(folder / "memory.json", lines)


def basic_memory(folder: Path) -> Path:
    text = """---
title: Gate
type: note
permalink: notes/gate
created: 2025-04-02T09:00:00Z
---
# Gate

It is painted in ochre.

## Observations
- [decision] It stays open by day. #habit (agreed in May)
- [ ] Oil the hinges.

## Relations
- part_of [[Garden]]
"""
    (folder / "notes").mkdir()
    (folder / "notes" / "Gate.md").write_text(text, encoding="utf-8")
    return folder


def claude_memory(folder: Path) -> Path:
    own = folder / ".claude"
    told = ClaudeCode()
    told.prompt("p1", "Hello.")
    kept = told.write(own / "projects").parent / "memory"
    kept.mkdir()
    (own / "CLAUDE.md").write_text("# Style\nShort sentences.\n", encoding="utf-8")
    (kept / "MEMORY.md").write_text("# Memory\n- [Tests](tests.md) — how they run\n- Bob reviews.\n", encoding="utf-8")
    front = "---\nname: tests\ndescription: How tests run\nmetadata:\n  type: feedback\n---\n"
    (kept / "tests.md").write_text(f"{front}Run one test at a time.\n", encoding="utf-8")
    for file in (own / "CLAUDE.md", *kept.iterdir()):
        os.utime(file, (BEGAN.timestamp(), BEGAN.timestamp()))
    return own


def chatgpt(folder: Path) -> Path:
    def node(name: str, parent: str | None, role: str, said: object, **fields: Any) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [said]}
        told = {"id": name, "author": {"role": role}, "create_time": BEGAN.timestamp(), "content": content, **fields}
        return {"id": name, "parent": parent, "children": [], "message": told}

    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    nodes: list[dict[str, Any]] = [
        {"id": "root", "parent": None, "children": [], "message": None},
        node("m0", "root", "user", "About me: I like tea.", **hidden),
        node("m1", "m0", "user", "How much sun do beans need?"),
        node("m2", "m1", "assistant", "Four hours."),
        node("m3", "m1", "assistant", "search(beans)", recipient="web"),
        node("m4", "m3", "assistant", "Six hours."),
    ]
    told = {"title": "Beans", "conversation_id": "c1", "current_node": "m4", "mapping": {n["id"]: n for n in nodes}}
    kept = [{"content": "Likes tea.", "enabled": True, "created_at": at(0)}, {"content": "Odd.", "enabled": False}]
    document(folder / "memory.json", kept)
    document(folder / "conversations.json", [told])
    return folder


SOURCES: dict[str, tuple[Wrote, dict[Any, Any]]] = {
    "mem0": (mem0, {EVERYWHERE: (0, 0, 2, 0, 0), ("default", "eve"): (0, 0, 1, 0, 0)}),
    "server-memory": (server_memory, {EVERYWHERE: (0, 0, 4, 0, 0)}),
    "basic-memory": (basic_memory, {EVERYWHERE: (0, 0, 4, 0, 0)}),
    "claude-memory": (claude_memory, {EVERYWHERE: (0, 0, 1, 0, 0), ("widget", "ada"): (0, 0, 2, 0, 0)}),
    "chatgpt": (chatgpt, {EVERYWHERE: (1, 1, 1, 0, 0)}),
}
sources = pytest.mark.parametrize("source", SOURCES)


@sources
def test_everything_is_stored_once_and_a_second_run_changes_nothing(
    source: str, call: Call, store: Any, tmp_path: Path
) -> None:
    wrote, counts = SOURCES[source]
    path = wrote(tmp_path)
    assert figures(brought(call, source, path)) == counts
    rows = store.rows()
    again = {names: (0, 0, 0, turns, kept) for names, (_, turns, kept, _, _) in counts.items()}
    assert figures(brought(call, source, path)) == again
    assert store.rows() == rows


@sources
def test_a_dry_run_counts_the_same_and_writes_nothing(source: str, call: Call, store: Any, tmp_path: Path) -> None:
    rows, (wrote, counts) = store.rows(), SOURCES[source]
    assert figures(brought(call, source, wrote(tmp_path), dry=True)) == counts
    assert (store.rows(), call.services.vault.has_key(call.caller.tenant)) == (rows, False)


def test_a_memory_keeps_its_time_and_type_and_says_where_it_came_from(call: Call, tmp_path: Path) -> None:
    brought(call, "mem0", mem0(tmp_path))
    kept = memories(call, "default")
    assert {name: (each.type, each.recorded_at, each.scope) for name, each in kept.items()} == {
        "Likes tea.": ("fact", BEGAN, "user_everywhere"),
        "Ships on Fridays.": ("decision", BEGAN, "user_everywhere"),
    }
    assert {each.rationale for each in kept.values()} == {"imported from mem0"}


def test_what_a_project_is_given_for_is_kept_in_it_and_whom_a_user_is_given_for_is_theirs(
    call: Call, tmp_path: Path
) -> None:
    outcome = brought(call, "mem0", mem0(tmp_path), project=Project("garden"), user=ADA)
    assert figures(outcome) == {("garden", "ada"): (0, 0, 3, 0, 0)}
    assert {each.scope for each in memories(call, "garden").values()} == {"user"}


def test_what_was_forgotten_since_does_not_come_back(call: Call, tmp_path: Path) -> None:
    brought(call, "mem0", mem0(tmp_path), project=Project("garden"))
    where = Session(call.caller.tenant, Project("garden"), NO_SESSION)
    gone = memories(call, "garden")["Likes tea."]
    forget(call.services, where, ForgetRequest(id=gone.id, user_id=ADA))
    brought(call, "mem0", tmp_path / "mem0.json", project=Project("garden"))
    assert [*memories(call, "garden")] == ["Ships on Fridays."]


def test_entities_and_relations_become_sentences(call: Call, tmp_path: Path) -> None:
    brought(call, "server-memory", server_memory(tmp_path))
    said = {"Ada (person): Likes tea.", "Ada (person): Keeps bees.", "Widget (project)", "Ada works on Widget"}
    assert set(memories(call, "default")) == said


def test_observations_have_their_category_as_type_and_a_note_its_time(call: Call, tmp_path: Path) -> None:
    brought(call, "basic-memory", basic_memory(tmp_path))
    kept = memories(call, "default")
    assert {name: each.type for name, each in kept.items()} == {
        "Gate: It stays open by day. #habit (agreed in May)": "decision",
        "Gate part of Garden": "fact",
        "Gate\nIt is painted in ochre.": "fact",
        "Gate\nObservations\n- [ ] Oil the hinges.": "fact",
    }
    assert {each.recorded_at for each in kept.values()} == {BEGAN}


def test_instructions_of_the_user_hold_everywhere_and_those_of_a_project_in_it(call: Call, tmp_path: Path) -> None:
    brought(call, "claude-memory", claude_memory(tmp_path))
    (everywhere, *_), kept = memories(call, "default").values(), memories(call)
    assert (everywhere.content, everywhere.scope, everywhere.recorded_at) == (
        "Style\nShort sentences.",
        "user_everywhere",
        BEGAN,
    )
    feedback = kept["How tests run\nRun one test at a time."]
    assert (feedback.type, feedback.scope) == ("agent_rule", "user")
    assert kept["Memory\n- Bob reviews."].scope == "project"

    folder = tmp_path / "shed"
    folder.mkdir()
    (folder / "CLAUDE.md").write_text("Use pnpm.\n", encoding="utf-8")
    brought(call, "claude-memory", folder)
    assert memories(call, "shed")["Use pnpm."].scope == "project"


def test_a_conversation_is_the_branch_that_was_shown_last(call: Call, tmp_path: Path) -> None:
    brought(call, "chatgpt", chatgpt(tmp_path))
    said = [("user", "How much sun do beans need?"), ("assistant", "Six hours.")]
    assert history(call, "c1", "default") == [("m1", said)]


def test_where_no_branch_was_shown_last_it_is_that_of_the_newest_message(call: Call, tmp_path: Path) -> None:
    chatgpt(tmp_path)
    (told,) = json.loads((tmp_path / "conversations.json").read_text(encoding="utf-8"))
    told["mapping"]["m2"]["message"]["create_time"] += 9
    document(tmp_path / "conversations.json", [told | {"current_node": None}])
    brought(call, "chatgpt", tmp_path / "conversations.json")
    ((_, said),) = history(call, "c1", "default")
    assert said[-1] == ("assistant", "Four hours.")


@pytest.mark.parametrize(
    ("source", "name", "text", "places"),
    [
        ("mem0", "mem0.json", '{"results": [{"memory": "Likes tea."}, 7, {"memory": ""}]}', [2, 3]),
        ("mem0", "mem0.json", '{"results": [', [1]),
        ("mem0", "mem0.json", '[{"memory": "Likes tea.", "user_id": "a/b"}]', [1]),
        ("server-memory", "memory.json", '{"type": "entity"}\nx\n\n[]\n', [1, 2, 4]),
        ("basic-memory", "a.md", "---\ntitle: [\n---\nText.\n", [1]),
        ("chatgpt", "conversations.json", '[{"title": "x"}, {"id": "c", "mapping": 3}]', [1, 2]),
    ],
)
def test_what_cannot_be_read_is_named_by_file_and_number(  # noqa: PLR0913, PLR0917 - parameters
    source: str, name: str, text: str, places: list[int], call: Call, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    outcome = brought(call, source, tmp_path)
    assert [str(place) for place in outcome.unreadable] == [f"{file}:{number}" for number in places]


def test_a_long_text_comes_in_parts_and_loses_nothing() -> None:
    paragraphs = [f"Paragraph {number}. {'word ' * 90}".strip() for number in range(9)]
    text = "\n\n".join([*paragraphs, "x" * 5000])
    found = parts(text, "Heading")

    assert all(each.startswith("Heading\n") and len(each.encode()) <= MAX_CONTENT_BYTES for each in found)
    bodies = [each.removeprefix("Heading\n") for each in found]
    assert "".join(bodies).replace("\n\n", "") == text.replace("\n\n", "")
    assert parts("  \n", "Heading") == []
    assert all(len(each.encode()) <= MAX_CONTENT_BYTES for each in parts("é" * 3000, "h" * 1500))


def test_json_times_of_every_form_are_read() -> None:
    from cairn.local.bring.json_files import moment  # noqa: PLC0415

    same = datetime(2025, 4, 2, 9, tzinfo=UTC)
    told = ["2025-04-02T09:00:00Z", "2025-04-02T11:00:00+02:00", "2025-04-02T09:00:00", same.timestamp()]
    assert {moment(each) for each in [*told, same.timestamp() * 1000]} == {same}
    assert [moment(each) for each in ("soon", None, True, 1e300, [1])] == [None] * 5


def test_a_user_that_the_source_names_is_kept_apart(call: Call, tmp_path: Path) -> None:
    brought(call, "mem0", mem0(tmp_path), owner=UserId("bob"))
    assert set(memories(call, "default")) == {"Likes tea."}
    assert json.loads((tmp_path / "mem0.json").read_text(encoding="utf-8"))["results"][2]["user_id"] == "eve"
