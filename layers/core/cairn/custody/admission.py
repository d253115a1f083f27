"""Admit a bundle's records: each is held to what its room's layout says of it and to the scope that it comes into.

A bundle may come from anybody. Places in indexes are made anew by the layout of this store and never taken from it, and
nothing in it is trusted further than an import, whatever it says of itself.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from cairn.archive.layout import POINTERS
from cairn.conversation.events import Event
from cairn.custody.document_rules import of_documents
from cairn.custody.file_rules import of_files
from cairn.custody.item_rules import of_item_logs
from cairn.custody.pieces import Piece
from cairn.custody.rules import CONTENT, Refused, Rule, Shape, is_count, is_flag, is_moment, is_text, need, only_content
from cairn.custody.scope import DataScope, own_turns, parts_of
from cairn.enrichment.layout import execution_of, execution_sk
from cairn.files import owners
from cairn.files.layout import FILES
from cairn.ground import codec, ids
from cairn.ground.errors import CairnError, InvalidArgument
from cairn.ground.ids import SessionId, Tenant
from cairn.ground.table import Key, Scalar, check_attributes, item_bytes
from cairn.ground.trust import Trust
from cairn.keyvalue import layout as keyvalue_layout
from cairn.keyvalue import model as keyvalue
from cairn.log.entries import lowered
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
from cairn.sessions.head import COMPACTED_AT, DROPPED, READ_AGAIN, READ_FAILURES, READ_INTO, READ_THROUGH
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


_COUNTS = dict.fromkeys(("version", "size"), is_count)
_TURN: Shape = {"seq": is_count, "at": is_moment}
_SUMMARY: Shape = {"through": is_count, "at": is_moment}
_HEAD: Shape = {
    **dict.fromkeys(("turn_id", "owners", "legacy", "legacy_facts", ACROSS_TO, READ_INTO), is_text),
    **dict.fromkeys(("updated_at", "isk", READ_AGAIN, COMPACTED_AT), is_moment),
    **dict.fromkeys(("fence", "seq", "version", "events", "facts_written", "facts_superseded"), is_count),
    **dict.fromkeys(("erased", "archived_through", "legacy_through", READ_THROUGH, READ_FAILURES), is_count),
    DROPPED: is_flag,
    "ipk": lambda value: isinstance(value, str) and bool(_DUE.fullmatch(value)),
}
_VALUE: Shape = {
    **_COUNTS,
    **dict.fromkeys(("until", "updated_at"), is_moment),
    **dict.fromkeys(("ttl", "prior"), is_count),
}
_ENTRY: Shape = {
    **dict.fromkeys(("id", "source_session_id", "tags", "schema_version", "source_tool"), is_text),
    "created_at": is_moment,
}


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
        why = str(wrong) if isinstance(wrong, Refused) else "has a content that is none of its kind"
        raise InvalidArgument("bundle", f"holds a record that {why}") from None
    return (_listed(piece) if piece.key.sk == HEAD else as_imported(piece)), rule


def as_imported(piece: Piece) -> Piece:
    """Return an item as an import stores it: what is in a log, or summed up, is trusted no further than that."""
    content = piece.body.get("content")
    stored = content_as_imported(parts_of(piece.key.pk)[0], piece.key.sk, content)
    return piece if stored is content else replace(piece, body={**piece.body, "content": stored})


def content_as_imported(kind: str, sk: str, content: Any) -> Any:
    """Return the content of an item, of a partition of this kind, as an import stores it."""
    if kind == "m" and sk.startswith(ENTRIES) and content:
        return lowered(content, Trust.IMPORT)
    if kind == "s" and (sk == NEWEST_SUMMARY or sk.startswith(COMPACTED)) and content:
        least = min(Trust.IMPORT, Summary.from_record(content).trust)
        return {**content, "trust": least.label}
    return content


def rule_at(where: Key) -> Rule | None:
    """Return the rule of what a bundle may have at a key, None where it has nothing there."""
    try:
        rule = _rule(where)
    except (CairnError, ValueError):
        return None
    return None if rule.is_made_anew else rule


def in_scope(scope: DataScope, piece: Piece) -> bool:
    """Tell whether an item may be in the bundle of a scope."""
    try:
        _check_scope(scope, piece)
    except ValueError:
        return False
    return True


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
            raise Refused("is no record")


def _scalar(value: object) -> Scalar:
    match value:
        case {"base64": str(text)}:
            return base64.b64decode(text, validate=True)
        case str() | int():
            return value
        case _:
            raise Refused("has an attribute that is no text, number or bytes")


def _check_shape(piece: Piece, rule: Rule) -> None:
    names = piece.attributes.keys()
    if unknown := sorted(names - rule.shape.keys()):
        raise Refused(f"has an attribute {unknown[0][:64]!r} that its kind has not")
    if missing := sorted(rule.needed - names):
        raise Refused(f"lacks its attribute {missing[0]!r}")
    for name, value in piece.attributes.items():
        if not rule.shape[name](value):
            raise Refused(f"has as its attribute {name!r} what cannot be one")
    has_body = bool(piece.body) == bool(rule.body) or (rule.may_lack_body and not piece.body)
    if not (piece.body.keys() <= rule.body and has_body) and not rule.is_made_anew:
        raise Refused("has another content than its kind")


def _check_storable(piece: Piece) -> None:
    """Raise ValueError where no table could hold the attributes."""
    item = {**piece.attributes, "pk": piece.key.pk, "sk": piece.key.sk}
    check_attributes(item)
    item_bytes(item)


def _rule(where: Key) -> Rule:
    """Return the rule of what may stand at a key."""
    kind, name, rest = parts_of(where.pk)
    find = _FINDERS.get(kind)
    rule = find(name, rest, where.sk) if find else None
    if rule is None:
        raise Refused("is of what is no part of a bundle")
    return rule


def _of_session(project: str | None, session: str | None, sk: str) -> Rule | None:
    ids.project(project or "")
    if session is not None and not owners.is_session(session):
        if (user := owners.user_of(session)) is not None:
            ids.user_id(user)
        return of_files(sk)
    ids.session_id(session or "")
    exact = {
        HEAD: Rule(_HEAD, frozenset({"fence"})),
        MEMORY_COUNT: Rule(dict.fromkeys(("kept", "forgotten", "erased"), is_count), frozenset()),
        NEWEST_SUMMARY: Rule(_SUMMARY, frozenset(_SUMMARY), CONTENT, _check_summary),
        SUMMARIES: Rule({}, frozenset(), CONTENT, _check_abstracts),
    }
    begun: dict[str, Rule] = {
        EVENTS: Rule(_TURN, frozenset(_TURN), CONTENT, _check_turn),
        PACKED: Rule({"last": is_count, "at": is_moment}, frozenset({"last", "at"}), CONTENT, _check_shard),
        COMPACTED: Rule(_SUMMARY, frozenset(_SUMMARY), CONTENT, _check_summary),
    }
    found = exact.get(sk) or next((rule for prefix, rule in begun.items() if sk.startswith(prefix)), None)
    return found or of_files(sk)


def _of_log(project: str | None, owner: str | None, sk: str) -> Rule | None:
    if project != ACROSS:
        ids.project(project or "")
    if owner is None and project != ACROSS:
        if sk == FILES:
            return Rule({"bytes": lambda value: type(value) is int}, frozenset())
        _check_owner(sk.removeprefix(registry_sk("")) if sk.startswith(registry_sk("")) else "")
        return Rule({}, frozenset())
    _check_owner(owner := owner or "")
    need(project != ACROSS or across(owner), "is of nobody's log")
    if sk == KEPT_COUNT:
        return Rule({"kept": is_count}, frozenset({"kept"}))
    if sk.startswith(ENTRIES) and _ULID.fullmatch(sk.removeprefix(log_sk(""))):
        return Rule({}, frozenset(), CONTENT, _check_entry)
    if sk.startswith(memory_sk("")) and scope_of(sk.removeprefix(memory_sk(""))):
        shape: Shape = {"state": lambda value: value in {KEPT, FORGOTTEN}, "ended": is_text, "type": is_text}
        return Rule(shape, frozenset({"state"}))
    return None


def _of_values(namespace: str | None, rest: str | None, sk: str) -> Rule | None:
    """Return the rule of a value; what lists, counts and expires values is made anew with them."""
    made = Rule({**_VALUE, "items": is_count, "ipk": is_text, "isk": is_text, "expires_at": is_count}, frozenset())
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
        return Rule(_VALUE, frozenset(_COUNTS), frozenset({"content", "bytes"}), only_content)
    return _passed_over(made) if sk.startswith(passed_over) else None


def _passed_over(rule: Rule) -> Rule:
    return Rule(rule.shape, rule.needed, rule.body, rule.check, is_made_anew=True)


def _of_executions(project: str | None, tool: str | None, sk: str) -> Rule | None:
    if project:
        ids.project(project)
    if not tool or "#" in tool or not _ULID.fullmatch(execution_of(sk)) or sk != execution_sk(execution_of(sk)):
        return None
    return Rule({"expires_at": is_count}, frozenset({"expires_at"}), CONTENT, _check_execution)


def _of_archive(name: str | None, _rest: str | None, sk: str) -> Rule | None:
    if name is not None or not sk.startswith(POINTERS):
        return None
    needed = frozenset(_ENTRY) - {"source_tool"}
    return Rule(_ENTRY, needed, frozenset({"archived"}), _check_archived)


def _check_owner(owner: str) -> None:
    if owner == PROJECT_OWNER:
        return
    name = owner[2:]
    need(owner[:2] in {"u:", SESSION_OWNER} and ids.session_id(name) == name, "is of nobody's log")


def _events(value: Any) -> list[Event]:
    events = [Event.from_record(each) for each in value]
    need(events and all(_is_event(each) for each in events), "has a turn without events")
    need(len({(each.turn_id, each.user_id) for each in events}) == 1, "has events of several turns as one")
    return events


def _is_event(event: Event) -> bool:
    named = is_text(event.id) and (event.user_id is None or bool(ids.user_id(event.user_id)))
    return named and bool(ids.turn_id(event.turn_id)) and isinstance(event.item, dict)


def _check_turn(piece: Piece) -> None:
    need(piece.key.sk == event_sk(int(piece.attributes["seq"])), "has another number than its place")
    need(int(piece.attributes["seq"]) > 0, "has no number")
    _events(piece.body["content"])


def _check_shard(piece: Piece) -> None:
    numbers = [seq for seq, events in piece.body["content"] if _events(events)]
    need(numbers and all(map(is_count, numbers)), "has turns without numbers")
    need(numbers == sorted(set(numbers)) and numbers[0] > 0, "has turns twice or in no order")
    need(numbers[-1] <= int(piece.attributes["last"]), "has another number than its last turn")
    first = int(piece.key.sk.removeprefix(PACKED))  # whose turn may have been erased
    need(piece.key.sk == packed_sk(first) and first <= numbers[0], "has another number than its place")


def _check_summary(piece: Piece) -> None:
    summary, through = Summary.from_record(piece.body["content"]), piece.attributes["through"]
    need(summary.through == through, "has another number than its content")
    need(piece.key.sk in {NEWEST_SUMMARY, compact_sk(summary.through)}, "has another number than its place")


def _check_abstracts(piece: Piece) -> None:
    content = piece.body["content"]
    need(is_moment(content["refreshed_at"]) and isinstance(content["facts"], list), "holds no summaries")
    texts = [*content["abstracts"].values(), *content["overviews"].values()]
    need(all(map(is_text, texts)), "holds no summaries")


def _check_entry(piece: Piece) -> None:
    content = piece.body["content"]
    _check_session_named(piece.key.pk, content)
    if content["turn"]:
        need(is_count(content["turn"]["seq"]) and ids.turn_id(content["turn"]["id"]), "has a turn without a number")
    MemoryView().apply(content)


def _check_session_named(pk: str, content: Any) -> None:
    """Refuse an entry of no session, but of a memory that was kept or forgotten in none."""
    project, session_id = session_named(of := log_of(pk)[1], SessionId(content["session"]))
    need(ids.project(project) and (of != ACROSS or not content["turn"]), "has a turn across projects")
    need(is_count(content.get("said_in", 0)), "has a turn without a number")
    if session_id or content["turn"] or content["added"] or content["ended"]:
        ids.session_id(session_id)


def _check_execution(piece: Piece) -> None:
    content = piece.body["content"]
    need(content.keys() >= {"session_id", "failed", "tags", "at"}, "holds no execution")
    need(all(map(is_text, content["tags"])) and is_moment(content["at"]), "holds no execution")


def _check_archived(piece: Piece) -> None:
    need(isinstance(piece.body["archived"]["session"], dict), "holds an archived session that is none")


def _check_scope(scope: DataScope, piece: Piece) -> None:
    """Refuse what is not the project's or the user's that is imported; what several share is nobody's alone."""
    if scope == DataScope(scope.tenant):
        return
    kind, project, owner = parts_of(piece.key.pk)
    own = kind in {"s", "m"} and scope.project in {None, project}
    if own and scope.user is not None:
        own = _is_of_user(scope, piece, owner)
    own = own or scope.keeps(piece.key)
    if kind == "a" and scope.user is not None and scope.project is None:
        own = True
    need(own, "is not of the project or user that is imported")


def _is_of_user(scope: DataScope, piece: Piece, owner: str | None) -> bool:
    kind, sk = parts_of(piece.key.pk)[0], piece.key.sk
    if kind == "s" and owner is not None and not owners.is_session(owner):
        return scope.has_files(piece.key.pk)
    if kind == "m":
        return scope.has_log(piece.key.pk) or (owner is None and sk == registry_sk(str(scope.owner)))
    if sk == HEAD:
        return piece.attributes.get("owners", scope.owner) == scope.owner
    if sk.startswith((EVENTS, PACKED)) and "content" in piece.body and sk != NEWEST_SUMMARY:
        turns = piece.body["content"]
        return len(own_turns(sk, turns, scope.user)) == len(turns)
    return True


_FINDERS: Mapping[str, Callable[[str | None, str | None, str], Rule | None]] = {
    "s": _of_session,
    "m": _of_log,
    "k": _of_values,
    "x": _of_executions,
    "a": _of_archive,
    "i": of_item_logs,
    "d": of_documents,
}
"""What finds the rule of a record, by the kind of its partition."""
