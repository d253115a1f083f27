"""Admit a bundle's records: each is held to what its room's layout says of it and to the scope that it comes into.

A bundle may come from anybody. Places in indexes are made anew by the layout of this store and never taken from it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from cairn.archive.layout import POINTERS
from cairn.conversation.events import Event
from cairn.custody.pieces import Piece
from cairn.custody.scope import DataScope, own_turns, parts_of
from cairn.enrichment.layout import execution_of, execution_sk
from cairn.files import paths
from cairn.files.layout import FILES, file_of, file_sk
from cairn.ground import codec, ids
from cairn.ground.errors import CairnError, InvalidArgument
from cairn.ground.ids import SessionId, Tenant
from cairn.ground.table import Key, Scalar, check_attributes, item_bytes
from cairn.keyvalue import layout as keyvalue_layout
from cairn.keyvalue import model as keyvalue
from cairn.log.layout import (
    ACROSS,
    ENTRIES,
    KEPT_COUNT,
    PROJECT_OWNER,
    SESSION_OWNER,
    across,
    log_of,
    log_sk,
    memory_sk,
    registry_sk,
    session_named,
)
from cairn.log.memories import FORGOTTEN, KEPT, scope_of
from cairn.log.view import MemoryView
from cairn.sessions import due
from cairn.sessions.head import ACROSS as ACROSS_TO
from cairn.sessions.head import DROPPED, READ_AGAIN, READ_FAILURES, READ_INTO, READ_THROUGH
from cairn.sessions.layout import (
    COMPACTED,
    EVENTS,
    HEAD,
    MEMORY_COUNT,
    NEWEST_SUMMARY,
    PACKED,
    SUMMARIES,
    compact_sk,
    event_sk,
    packed_sk,
    session_of,
)
from cairn.sessions.summary import Summary

_ULID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
_KEY = re.compile(keyvalue.KEY_PATTERN)
_DUE = re.compile(r"~due#\d{2}")
_MOST = 2**53
Kind: TypeAlias = Callable[[object], bool]
Shape: TypeAlias = Mapping[str, Kind]


class _Refused(ValueError):
    """What is wrong with a record."""


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < _MOST


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_moment(value: object) -> bool:
    try:
        return isinstance(value, str) and codec.rfc3339(codec.moment(value)) == value
    except (ValueError, OverflowError):
        return False


_COUNTS = dict.fromkeys(("version", "size"), _is_count)
_TURN: Shape = {"seq": _is_count, "at": _is_moment}
_SUMMARY: Shape = {"through": _is_count, "at": _is_moment}
_HEAD: Shape = {
    **dict.fromkeys(("turn_id", "owners", "legacy", "legacy_facts", ACROSS_TO, READ_INTO), _is_text),
    **dict.fromkeys(("updated_at", "isk", READ_AGAIN), _is_moment),
    **dict.fromkeys(("fence", "seq", "version", "events", "facts_written", "facts_superseded"), _is_count),
    **dict.fromkeys(("erased", "archived_through", "legacy_through", READ_THROUGH, READ_FAILURES), _is_count),
    DROPPED: _is_flag,
    "ipk": lambda value: isinstance(value, str) and bool(_DUE.fullmatch(value)),
}
_VALUE: Shape = {
    **_COUNTS,
    **dict.fromkeys(("until", "updated_at"), _is_moment),
    **dict.fromkeys(("ttl", "prior"), _is_count),
}
_FILE: Shape = {**_COUNTS, **dict.fromkeys(("created_at", "updated_at"), _is_moment)}
_ENTRY: Shape = {
    **dict.fromkeys(("id", "source_session_id", "tags", "schema_version", "source_tool"), _is_text),
    "created_at": _is_moment,
}


@dataclass(frozen=True, slots=True)
class Rule:
    """What a record is like: its attributes, those that it must have, its body's name, and a further check."""

    shape: Shape
    needed: frozenset[str]
    body: frozenset[str] = frozenset()
    check: Callable[[Piece], object] = id
    is_made_anew: bool = False
    """Whether it follows from other records, so that it is passed over."""


def admit(scope: DataScope, record: object) -> tuple[Piece, Rule]:
    """Return a record as an item of this scope's tenant, and its rule; InvalidArgument says what is wrong with it."""
    try:
        piece = _piece(scope.tenant, record)
        rule = _rule(piece.key)
        _check_shape(piece, rule)
        _check_storable(piece)
        rule.check(piece)
        _check_scope(scope, piece)
        codec.canonical(dict(piece.body))
    except InvalidArgument as wrong:
        raise InvalidArgument("bundle", f"holds a record whose key cannot be: {wrong.message}") from None
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, RecursionError, CairnError) as wrong:
        why = str(wrong) if isinstance(wrong, _Refused) else "has a content that is none of its kind"
        raise InvalidArgument("bundle", f"holds a record that {why}") from None
    return (_listed(piece) if piece.key.sk == HEAD else piece), rule


def _listed(head: Piece) -> Piece:
    """Return a head with its place in the index of due sessions as this store has it."""
    kept = {name: value for name, value in head.attributes.items() if name not in {"ipk", DROPPED}}
    if "isk" not in kept:
        return Piece(head.key, kept)
    return Piece(head.key, {**kept, **due.at(session_of(head.key.pk), codec.moment(str(kept["isk"]))).set})


def _piece(tenant: Tenant, record: Any) -> Piece:
    match record:
        case {"partition": str(partition), "sort": str(sort), "attributes": dict()} if partition and sort:
            attributes: dict[str, object] = record["attributes"]
            body = {name: value for name, value in record.items() if name not in {"partition", "sort", "attributes"}}
            named = {name: _scalar(value) for name, value in attributes.items()}
            return Piece(Key(f"{tenant}#{partition}", sort), named, body)
        case _:
            raise _Refused("is no record")


def _scalar(value: object) -> Scalar:
    match value:
        case {"base64": str(text)}:
            return base64.b64decode(text, validate=True)
        case str() | int():
            return value
        case _:
            raise _Refused("has an attribute that is no text, number or bytes")


def _check_shape(piece: Piece, rule: Rule) -> None:
    names = piece.attributes.keys()
    if unknown := sorted(names - rule.shape.keys()):
        raise _Refused(f"has an attribute {unknown[0][:64]!r} that its kind has not")
    if missing := sorted(rule.needed - names):
        raise _Refused(f"lacks its attribute {missing[0]!r}")
    for name, value in piece.attributes.items():
        if not rule.shape[name](value):
            raise _Refused(f"has as its attribute {name!r} what cannot be one")
    if not (piece.body.keys() <= rule.body and bool(piece.body) == bool(rule.body)) and not rule.is_made_anew:
        raise _Refused("has another content than its kind")


def _check_storable(piece: Piece) -> None:
    """Raise ValueError where no table could hold the attributes."""
    item = {**piece.attributes, "pk": piece.key.pk, "sk": piece.key.sk}
    check_attributes(item)
    item_bytes(item)


def _rule(where: Key) -> Rule:
    """Return the rule of what may stand at a key."""
    kind, name, rest = parts_of(where.pk)
    find = {"s": _of_session, "m": _of_log, "k": _of_values, "x": _of_executions, "a": _of_archive}.get(kind)
    rule = find(name, rest, where.sk) if find else None
    if rule is None:
        raise _Refused("is of what is no part of a bundle")
    return rule


def _of_session(project: str | None, session: str | None, sk: str) -> Rule | None:
    ids.project(project or "")
    ids.session_id(session or "")
    content = frozenset({"content"})
    exact = {
        HEAD: Rule(_HEAD, frozenset({"fence"})),
        MEMORY_COUNT: Rule(dict.fromkeys(("kept", "forgotten", "erased"), _is_count), frozenset()),
        NEWEST_SUMMARY: Rule(_SUMMARY, frozenset(_SUMMARY), content, _check_summary),
        SUMMARIES: Rule({}, frozenset(), content, _check_abstracts),
        FILES: Rule({"tree": _is_count}, frozenset()),
    }
    begun: dict[str, Rule] = {
        EVENTS: Rule(_TURN, frozenset(_TURN), content, _check_turn),
        PACKED: Rule({"last": _is_count, "at": _is_moment}, frozenset({"last", "at"}), content, _check_shard),
        COMPACTED: Rule(_SUMMARY, frozenset(_SUMMARY), content, _check_summary),
        file_sk(""): Rule(_FILE, frozenset(_FILE), content, _check_file),
        "part#": Rule({}, frozenset(), content, _check_part),
    }
    return exact.get(sk) or next((rule for prefix, rule in begun.items() if sk.startswith(prefix)), None)


def _of_log(project: str | None, owner: str | None, sk: str) -> Rule | None:
    if project != ACROSS:
        ids.project(project or "")
    if owner is None and project != ACROSS:
        if sk == FILES:
            return Rule({"bytes": lambda value: type(value) is int}, frozenset())
        _check_owner(sk.removeprefix(registry_sk("")) if sk.startswith(registry_sk("")) else "")
        return Rule({}, frozenset())
    _check_owner(owner := owner or "")
    _need(project != ACROSS or across(owner), "is of nobody's log")
    if sk == KEPT_COUNT:
        return Rule({"kept": _is_count}, frozenset({"kept"}))
    if sk.startswith(ENTRIES) and _ULID.fullmatch(sk.removeprefix(log_sk(""))):
        return Rule({}, frozenset(), frozenset({"content"}), _check_entry)
    if sk.startswith(memory_sk("")) and scope_of(sk.removeprefix(memory_sk(""))):
        shape: Shape = {"state": lambda value: value in {KEPT, FORGOTTEN}, "ended": _is_text, "type": _is_text}
        return Rule(shape, frozenset({"state"}))
    return None


def _of_values(namespace: str | None, rest: str | None, sk: str) -> Rule | None:
    """Return the rule of a value; what lists, counts and expires values is made anew with them."""
    made = Rule({**_VALUE, "items": _is_count, "ipk": _is_text, "isk": _is_text, "expires_at": _is_count}, frozenset())
    passed_over = ("n#", "e#", "g#", keyvalue_layout.USAGE, "ns#")
    if namespace is None:
        return _passed_over(made) if sk.startswith(passed_over) else None
    keyvalue.namespace(namespace)
    if rest is not None:
        return None
    prefix = keyvalue_layout.value_sk(keyvalue.KeyName(""))
    if sk.startswith(prefix):
        key = sk.removeprefix(prefix)
        if len(key) > keyvalue.MAX_KEY_CHARACTERS or not _KEY.fullmatch(key):
            return None
        return Rule(_VALUE, frozenset(_COUNTS), frozenset({"content", "bytes"}), _check_value)
    return _passed_over(made) if sk.startswith(passed_over) else None


def _passed_over(rule: Rule) -> Rule:
    return Rule(rule.shape, rule.needed, rule.body, rule.check, is_made_anew=True)


def _of_executions(project: str | None, tool: str | None, sk: str) -> Rule | None:
    if project:
        ids.project(project)
    if not tool or "#" in tool or not _ULID.fullmatch(execution_of(sk)) or sk != execution_sk(execution_of(sk)):
        return None
    return Rule({"expires_at": _is_count}, frozenset({"expires_at"}), frozenset({"content"}), _check_execution)


def _of_archive(name: str | None, _rest: str | None, sk: str) -> Rule | None:
    if name is not None or not sk.startswith(POINTERS):
        return None
    needed = frozenset(_ENTRY) - {"source_tool"}
    return Rule(_ENTRY, needed, frozenset({"archived"}), _check_archived)


def _need(holds: object, otherwise: str) -> None:
    if not holds:
        raise _Refused(otherwise)


def _check_owner(owner: str) -> None:
    if owner == PROJECT_OWNER:
        return
    name = owner[2:]
    _need(owner[:2] in {"u:", SESSION_OWNER} and ids.session_id(name) == name, "is of nobody's log")


def _events(value: Any) -> list[Event]:
    events = [Event.from_record(each) for each in value]
    _need(events and all(_is_event(each) for each in events), "has a turn without events")
    _need(len({(each.turn_id, each.user_id) for each in events}) == 1, "has events of several turns as one")
    return events


def _is_event(event: Event) -> bool:
    named = _is_text(event.id) and (event.user_id is None or bool(ids.user_id(event.user_id)))
    return named and bool(ids.turn_id(event.turn_id)) and isinstance(event.item, dict)


def _check_turn(piece: Piece) -> None:
    _need(piece.key.sk == event_sk(int(piece.attributes["seq"])), "has another number than its place")
    _need(int(piece.attributes["seq"]) > 0, "has no number")
    _events(piece.body["content"])


def _check_shard(piece: Piece) -> None:
    numbers = [seq for seq, events in piece.body["content"] if _events(events)]
    _need(numbers and all(map(_is_count, numbers)), "has turns without numbers")
    _need(numbers == sorted(set(numbers)) and numbers[0] > 0, "has turns twice or in no order")
    _need(numbers[-1] <= int(piece.attributes["last"]), "has another number than its last turn")
    first = int(piece.key.sk.removeprefix(PACKED))  # whose turn may have been erased
    _need(piece.key.sk == packed_sk(first) and first <= numbers[0], "has another number than its place")


def _check_summary(piece: Piece) -> None:
    summary, through = Summary.from_record(piece.body["content"]), piece.attributes["through"]
    _need(summary.through == through, "has another number than its content")
    _need(piece.key.sk in {NEWEST_SUMMARY, compact_sk(summary.through)}, "has another number than its place")


def _check_abstracts(piece: Piece) -> None:
    content = piece.body["content"]
    _need(_is_moment(content["refreshed_at"]) and isinstance(content["facts"], list), "holds no summaries")
    texts = [*content["abstracts"].values(), *content["overviews"].values()]
    _need(all(map(_is_text, texts)), "holds no summaries")


def _check_file(piece: Piece) -> None:
    content, path = piece.body["content"], file_of(piece.key.sk)
    _need(path == paths.relative(session_of(piece.key.pk), path), "names no file")
    _need(_is_text(content["tail"]) and content.keys() == {"parts", "tail"}, "holds no file")
    _need(all(_is_text(name) and _is_count(size) for name, size in content["parts"]), "holds no file")


def _check_part(piece: Piece) -> None:
    _need(_is_text(piece.body["content"]) and len(piece.key.sk.split("#")) == 3, "holds no part of a file")  # noqa: PLR2004 - part, path, id


def _check_entry(piece: Piece) -> None:
    content = piece.body["content"]
    _check_session_named(piece.key.pk, content)
    if content["turn"]:
        _need(_is_count(content["turn"]["seq"]) and ids.turn_id(content["turn"]["id"]), "has a turn without a number")
    MemoryView().apply(content)


def _check_session_named(pk: str, content: Any) -> None:
    """Refuse an entry of no session, but of a memory that was kept or forgotten in none."""
    project, session_id = session_named(of := log_of(pk)[1], SessionId(content["session"]))
    _need(ids.project(project) and (of != ACROSS or not content["turn"]), "has a turn across projects")
    _need(_is_count(content.get("said_in", 0)), "has a turn without a number")
    if session_id or content["turn"] or content["added"] or content["ended"]:
        ids.session_id(session_id)


def _check_value(piece: Piece) -> None:
    _need(len(piece.body) == 1, "has two contents")
    if "bytes" in piece.body:
        codec.unpack(base64.b64decode(piece.body["bytes"], validate=True))


def _check_execution(piece: Piece) -> None:
    content = piece.body["content"]
    _need(content.keys() >= {"session_id", "failed", "tags", "at"}, "holds no execution")
    _need(all(map(_is_text, content["tags"])) and _is_moment(content["at"]), "holds no execution")


def _check_archived(piece: Piece) -> None:
    _need(isinstance(piece.body["archived"]["session"], dict), "holds an archived session that is none")


def _check_scope(scope: DataScope, piece: Piece) -> None:
    """Refuse what is not the project's or the user's that is imported; what several share is nobody's alone."""
    if scope == DataScope(scope.tenant):
        return
    kind, project, owner = parts_of(piece.key.pk)
    own = kind in {"s", "m"} and scope.project in {None, project}
    if own and scope.user is not None:
        own = _is_of_user(scope, piece, owner)
    if kind == "a" and scope.user is not None and scope.project is None:
        own = True
    _need(own, "is not of the project or user that is imported")


def _is_of_user(scope: DataScope, piece: Piece, owner: str | None) -> bool:
    kind, sk = parts_of(piece.key.pk)[0], piece.key.sk
    if kind == "m":
        return scope.has_log(piece.key.pk) or (owner is None and sk == registry_sk(str(scope.owner)))
    if sk == HEAD:
        return piece.attributes.get("owners", scope.owner) == scope.owner
    if sk.startswith((EVENTS, PACKED)) and "content" in piece.body and sk != NEWEST_SUMMARY:
        turns = piece.body["content"]
        return len(own_turns(sk, turns, scope.user)) == len(turns)
    return True
