"""The project that a folder is: the repository it is a clone of, or else its name. No git is started for it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote
from zlib import crc32

from cairn.ground import ids

NAMELESS: Final = "default"
"""The project of a folder that has no name, as / has none."""
_ODD: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_SECTION: Final = re.compile(r"\s*\[\s*(?P<name>[\w.-]+)\s*(?:\"(?P<which>[^\"]*)\")?\s*\]\s*(?P<rest>.*)")
_VARIABLE: Final = re.compile(r"\s*(?P<name>[A-Za-z][\w-]*)\s*=\s*(?P<value>.*?)\s*(?:[#;][^\"]*)?")
_HOST_AND_PATH: Final = re.compile(r"[^/:]+:(?P<path>.*)")


def project_of(folder: Path) -> str:
    """Return the project of a folder, a valid name.

    It is `owner/repo` of the remote `origin`; without one the name of the folder that holds `.git`, or else its own.
    """
    folder = folder.absolute()
    holder = next((each for each in (folder, *folder.parents) if _exists(each / ".git")), None)
    if holder is None:
        return _valid([folder.name]) or NAMELESS
    return _valid(_repository(_origin(holder))) or _valid([holder.name]) or NAMELESS


def _origin(holder: Path) -> str:
    """Return the address of the remote `origin`, "" where there is none."""
    section, config = ("", ""), _text(_git_directory(holder) / "config")
    for line in config.splitlines():
        if head := _SECTION.fullmatch(line):
            section, line = (head["name"].lower(), head["which"] or ""), head["rest"]  # noqa: PLW2901 - git allows both on one line
        variable = _VARIABLE.fullmatch(line)
        if section == ("remote", "origin") and variable and variable["name"].lower() == "url":
            return variable["value"].strip('"')
    return ""


def _git_directory(holder: Path) -> Path:
    """Return where git keeps a folder's configuration, also where `.git` is the file of a worktree or a submodule."""
    directory = holder / ".git"
    if told := _text(directory).partition("gitdir:")[2].strip():
        directory = holder / told
    shared = _text(directory / "commondir").strip()
    return directory / shared if shared else directory


def _repository(address: str) -> list[str]:
    """Return the last two parts of an address's path, without `.git`."""
    _, is_url, after = address.partition("://")
    match = _HOST_AND_PATH.fullmatch(address)
    path = unquote(after.partition("/")[2]) if is_url else match["path"] if match else address
    parts = [part for part in path.removesuffix("/").removesuffix(".git").split("/") if part not in {"", ".", ".."}]
    return parts[-2:]


def _valid(parts: list[str]) -> str:
    """Return parts as a project's name, "" where nothing is left of them."""
    most = (ids.MAX_ID_CHARACTERS - 1) // 2 if len(parts) > 1 else ids.MAX_ID_CHARACTERS
    return "/".join(filter(None, (_valid_part(part, most) for part in parts)))


def _valid_part(part: str, most: int) -> str:
    """Return a part with `-` for what no name has; a check sum keeps apart what lost letters of other alphabets."""
    lost = any(each.isalnum() and not each.isascii() for each in part)
    mark = f"-{crc32(part.encode(errors='surrogateescape')):08x}" if lost else ""
    name = _ODD.sub("-", part)[: most - len(mark)].strip("-")
    return f"{name}{mark}".strip("-") if name not in {".", ".."} else mark.strip("-")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except (OSError, ValueError):
        return ""
