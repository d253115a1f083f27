"""Admit what a bundle has of item logs: heads, rows, guards, and the records of what was taken back."""

from __future__ import annotations

import re
from typing import Any

from cairn.custody.pieces import Piece
from cairn.custody.rules import CONTENT, Rule, Shape, is_count, is_moment, need
from cairn.ground import ids
from cairn.items import layout, model
from cairn.items.layout import GUARDS, OPERATIONS, ROWS, TAKEN

_HASH = re.compile(r"[0-9a-f]{32}")
_HEAD: Shape = {
    **dict.fromkeys(("revision", "count", "size", "next", "floor", "newest", "taken"), is_count),
    **dict.fromkeys(("created_at", "updated_at"), is_moment),
}
_ROW: Shape = dict.fromkeys(("last", "count", "size", "revision"), is_count)
_GUARD: Shape = dict.fromkeys(("position", "row"), is_count)
_TAKEN: Shape = {**dict.fromkeys(("position", "count"), is_count), "at": is_moment}


def of_item_logs(project: str | None, log: str | None, sk: str) -> Rule | None:
    """Return the rule of what a project has of item logs: in the partition of their heads, or in that of a log."""
    ids.project(project or "")
    _check_log(sk if log is None else log)
    if log is None:
        return Rule(_HEAD, frozenset(_HEAD), CONTENT, _check_head, may_lack_body=True)
    if sk.startswith(ROWS[0]):
        return Rule(_ROW, frozenset(_ROW), CONTENT, _check_row)
    kind, name = sk[:2], sk[2:]
    if not _HASH.fullmatch(name):
        return None
    guard = Rule(_GUARD, frozenset(_GUARD), CONTENT, _check_guard)
    return {GUARDS: guard, OPERATIONS: guard, TAKEN: Rule(_TAKEN, frozenset(_TAKEN))}.get(kind)


def _check_log(named: str) -> None:
    owner, _, name = named.partition("/")
    is_owner = owner == layout.OF_PROJECT or owner == layout.owner_of(ids.user_id(owner.removeprefix("u:")))
    need(is_owner and model.log_name(name) == name, "is of nobody's item log")


def _check_head(piece: Piece) -> None:
    numbers = {name: int(piece.attributes[name]) for name in ("revision", "floor", "next", "newest")}
    is_possible = numbers["floor"] <= numbers["next"] and numbers["newest"] <= numbers["revision"] > 0
    need(is_possible, "counts what cannot be")


def _check_row(piece: Piece) -> None:
    items: list[Any] = piece.body["content"]
    positions = [position for position, *_ in items]
    first, last = layout.position_of(piece.key.sk), piece.attributes["last"]
    need(piece.key.sk == layout.row_sk(first), "has no place")
    need(positions and all(map(is_count, positions)) and positions == sorted(set(positions)), "has items in no order")
    need(first <= positions[0] and positions[-1] == last, "has other items than its place")
    need(all(model.item_id(name) == name and is_moment(at) for _, name, at, _ in items), "has items that are none")
    sizes = sum(model.size_of(name, data) for _, name, _, data in items)
    need((len(items), sizes) == (piece.attributes["count"], piece.attributes["size"]), "counts other items")


def _check_guard(piece: Piece) -> None:
    need(_HASH.fullmatch(piece.body["content"]), "holds no guard")
