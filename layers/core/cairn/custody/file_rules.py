"""Admit what a bundle has of files: a session's, a user's and a project's."""

from __future__ import annotations

from cairn.custody.pieces import Piece
from cairn.custody.rules import CONTENT, Rule, Shape, is_count, is_moment, is_text, need
from cairn.files import paths
from cairn.files.layout import FILES, VERSIONS, file_of, file_sk, version_of, version_sk
from cairn.sessions.layout import session_of

_VERSION: Shape = {"size": is_count, "at": is_moment}
_FILE: Shape = {
    **dict.fromkeys(("version", "size"), is_count),
    **dict.fromkeys(("created_at", "updated_at"), is_moment),
}


def of_files(sk: str) -> Rule | None:
    """Return the rule of what a session, a user or a project has of files."""
    if sk == FILES:
        return Rule({**dict.fromkeys(("tree", "kept"), is_count), "dirs": is_text}, frozenset(), check=_check_listed)
    begun: dict[str, Rule] = {
        file_sk(""): Rule(_FILE, frozenset(_FILE), CONTENT, _check_file),
        "part#": Rule({}, frozenset(), CONTENT, _check_part),
        VERSIONS: Rule(_VERSION, frozenset(_VERSION), CONTENT, _check_version),
    }
    return next((rule for prefix, rule in begun.items() if sk.startswith(prefix)), None)


def _check_file(piece: Piece) -> None:
    content, path = piece.body["content"], file_of(piece.key.sk)
    need(path == paths.relative(session_of(piece.key.pk), path), "names no file")
    need(content.keys() - {"operation_id"} == {"parts", "tail"}, "holds no file")
    need(is_text(content["tail"]) and is_text(content.get("operation_id", "")), "holds no file")
    need(all(is_text(name) and is_count(size) for name, size in content["parts"]), "holds no file")


def _check_listed(piece: Piece) -> None:
    for each in filter(None, str(piece.attributes.get("dirs", "")).split("\n")):
        named = paths.is_memories(each) and each == paths.relative(session_of(piece.key.pk), each)
        need(named, "names a directory that cannot be")


def _check_version(piece: Piece) -> None:
    version, path = version_of(piece.key.sk)
    is_named = path == paths.relative(session_of(piece.key.pk), path) and piece.key.sk == version_sk(version, path)
    content = piece.body["content"]
    is_held = is_text(content) or (content.keys() == {"text", "operation_id"} and all(map(is_text, content.values())))
    need(is_named and is_held, "holds no version of a file")


def _check_part(piece: Piece) -> None:
    need(is_text(piece.body["content"]) and len(piece.key.sk.split("#")) == 3, "holds no part of a file")  # noqa: PLR2004 - part, path, id
