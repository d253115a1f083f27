"""Anthropic's local memory tool as an oracle: random commands, and what each of two tools says to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias

from anthropic.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool

from cairn.files import commands
from cairn.files.commands import View
from cairn.files.memory_files import MemoryFiles
from cairn.ground.errors import VERBATIM, CairnError
from cairn.ground.session import Session

Given: TypeAlias = dict[str, Any]
_ENTRY: Final = re.compile(r"\n(?=[\d.]+[BKMG]\t/)")
OTHERWISE: Final = "(refused in other words)"
"""What both are taken to say where the local tool fails with an error of the operating system."""
_NAMES: Final = ("a", "b", "notes.md", ".hidden", "dir", "Ä b~%.txt", "%2e%2e", "..", ".", "", "x\ny")
_TEXTS: Final = (
    "",
    "a",
    "aa",
    "one\ntwo\nthree\n",
    "a\n\na\n",
    "ä豆🌱\r\nb\r\n",
    "\n",
    "x" * 1500,
    "\u2028a\tb\x0c",
    "a\nb\nc\nd\ne\nf\ng",
)
_OTHERS: Final = (
    "",
    "/",
    "/memory",
    "memories/a",
    "/memories/../../x",
    "/memoriesa",
    "/memories/../memories/a",
    "/etc/passwd",
    "/memories//",
)
_COMMANDS: Final = ("view", "create", "str_replace", "insert", "delete", "rename")
_WEIGHTS: Final = (5, 6, 4, 3, 2, 4)
_KNOWN: Final = {"view": 0.5, "create": 0.1, "str_replace": 0.8, "insert": 0.8, "delete": 0.4, "rename": 0.6}
"""How often each command is about a path that was named before."""
_MAKING: Final = frozenset({"create", "rename"})
_RANGES: Final = (None, [1, -1], [2, 3], [0, 1], [3, 2], [9, 12], [-3, -2], [2], [1, 2, 3])
_OLD: Final = ("a", "aa", "two", "\n", "b\r\n", "", "nowhere", "ä豆", "one\ntwo", "g", "d")
_CLASSES: Final = {
    "view": View,
    "create": commands.Create,
    "str_replace": commands.StrReplace,
    "insert": commands.Insert,
    "delete": commands.Remove,
    "rename": commands.Rename,
}


def drawn(seed: int, count: int) -> Iterator[Given]:
    """Yield random commands on few paths, most of which were named before, so that they often meet."""
    draw, made = Random(seed), ["/memories/a"]  # noqa: S311 - has to be repeatable
    for _ in range(count):
        given = _command(draw, made)
        made += [given[name] for name in ("path", "new_path") if name in given and given["command"] in _MAKING]
        yield given


def local(directory: Path) -> Callable[[Given], str]:
    """Return what Anthropic's tool says over a directory."""
    tool = BetaLocalFilesystemMemoryTool(str(directory))

    def say(given: Given) -> str:
        try:
            return even(str(tool.call(given)))
        except ToolError as error:
            return f"refused: {error}"
        except OSError:
            return OTHERWISE

    return say


def ours(files: MemoryFiles, owner: Session) -> Callable[[Given], str]:
    """Return what Cairn says."""

    def say(given: Given) -> str:
        command: Any = command_of(given)
        try:
            done = files.view(owner, command) if isinstance(command, View) else files.run(owner, command)
            return even(done.words)
        except CairnError as error:
            return f"refused: {error.message}" if error.details.get(VERBATIM) else OTHERWISE

    return say


def command_of(given: Given) -> Any:
    """Return the command that a model gave."""
    return _CLASSES[given["command"]](**{name: value for name, value in given.items() if name != "command"})


def even(words: str) -> str:
    """Return an answer with the sizes of directories alike, which differ from disk to disk."""
    head, *entries = _ENTRY.split(words)
    if not head.startswith("Here're the files"):
        return words
    shown = [each.partition("\t") for each in entries]
    return "\n".join([head, *(_entry(size, path, number) for number, (size, _, path) in enumerate(shown))])


def _entry(size: str, path: str, number: int) -> str:
    return f"{'4K' if number == 0 or path.endswith('/') else size}\t{path}"


def _command(draw: Random, made: list[str]) -> Given:
    name = draw.choices(_COMMANDS, _WEIGHTS)[0]
    path = draw.choice(made[-6:]) if draw.random() < _KNOWN[name] else _path(draw)
    match name:
        case "rename":
            return {"command": name, "old_path": path, "new_path": _path(draw)}
        case "view":
            return {"command": name, "path": path, "view_range": draw.choice(_RANGES)}
        case "create":
            return {"command": name, "path": path, "file_text": draw.choice(_TEXTS)}
        case "str_replace":
            return {"command": name, "path": path, "old_str": draw.choice(_OLD), "new_str": draw.choice(_TEXTS)}
        case "insert":
            line, text = draw.choice([-1, 0, 0, 1, 2, 3, 7]), draw.choice(_TEXTS)
            return {"command": name, "path": path, "insert_line": line, "insert_text": text}
        case _:
            return {"command": name, "path": path}


def _path(draw: Random) -> str:
    chance = draw.random()
    if chance < 0.06:
        return draw.choice(_OTHERS)
    if chance < 0.14:
        return "/memories"
    names = [draw.choice(_NAMES[:5] if draw.random() < 0.8 else _NAMES) for _ in range(draw.choice([1, 1, 2, 2, 3, 4]))]
    return "/memories/" + "/".join(names)
