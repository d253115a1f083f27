"""A disk that forgets what was not synced: every state in which a power failure may leave a directory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest

_CHANGES = ("link", "mkdir", "rename", "replace", "rmdir", "unlink")


@dataclass(eq=False)
class _Node:
    """A file or directory: what it held when it was last synced, and since; the last is what it holds now."""

    contents: list[bytes] = field(default_factory=lambda: [b""])
    names: dict[str, list[_Node | None]] = field(default_factory=dict[str, "list[_Node | None]"])
    is_directory: bool = False

    def slots(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield what a crash decides, by an id that lasts as long as the node."""
        for versions in (self.contents, *self.names.values()):
            if len(versions) > 1:
                torn = [versions[-1][: len(versions[-1]) // 2]] if isinstance(versions[-1], bytes) else []
                yield id(versions), [*versions, *torn]


class ForgetfulDisk:
    """Watches a directory, and has each state that a crash may leave looked at before and after each change in it.

    Names of a directory stay for certain once it was synced, and a file's bytes once the file was; until then each of
    them may be as it was then, or at any time since, whatever else stayed. SQLite syncs by itself and is not seen.
    """

    def __init__(self, root: Path, crashes: Path, survives: Callable[[Path], None]) -> None:
        """Watch this directory, which is on disk as it is, and have `survives` look at each state, put in another."""
        self._root, self._crashes, self._survives = root, crashes, survives
        self._nodes: dict[int, _Node] = {}
        self._looking = False
        self.states = 0
        self._note()
        for node in self._nodes.values():
            _sync(node)

    def watch(self, patch: pytest.MonkeyPatch) -> None:
        """See what this process changes and syncs from now on."""
        for name in _CHANGES:
            patch.setattr(os, name, self._watched(getattr(os, name)))
        patch.setattr(os, "fsync", self._watched(os.fsync, self._synced))

    def crash(self) -> None:
        """Look at every state that the directory may be in if the power fails now."""
        self._note()
        nodes = list(self._nodes.values())
        slots = dict(slot for node in nodes for slot in node.slots())
        self._looking = True
        for chosen in product(*slots.values()):
            self.states += 1
            left = self._crashes / str(self.states)
            self._write(self._nodes[self._root.stat().st_ino], left, dict(zip(slots, chosen, strict=True)))
            self._survives(left)
        self._looking = False

    def _watched(self, call: Callable[..., Any], after: Callable[..., None] | None = None) -> Callable[..., Any]:
        def made(*args: Any, **kwargs: Any) -> Any:
            if self._looking:
                return call(*args, **kwargs)
            self.crash()
            answer = call(*args, **kwargs)
            if after:
                after(*args)
            self.crash()
            return answer

        return made

    def _synced(self, descriptor: int) -> None:
        self._note()
        if node := self._nodes.get(os.fstat(descriptor).st_ino):
            _sync(node)

    def _note(self) -> None:
        """Note what is there now; a number of a file that was there before may be another file's now."""
        there: dict[int, _Node] = {}
        paths = [self._root, *self._root.rglob("*")]
        for path in paths:
            number = path.stat().st_ino
            node = there[number] = self._nodes.get(number) or _Node(is_directory=path.is_dir())
            if not node.is_directory and (data := path.read_bytes()) != node.contents[-1]:
                node.contents.append(data)
        for path in paths:
            node = there[path.stat().st_ino]
            now = {each.name: there[each.stat().st_ino] for each in path.iterdir()} if node.is_directory else {}
            for name in now.keys() | node.names.keys():
                versions = node.names.setdefault(name, [None])
                if versions[-1] is not now.get(name):
                    versions.append(now.get(name))
        self._nodes = there

    def _write(self, node: _Node, path: Path, chosen: dict[int, Any]) -> None:
        if not node.is_directory:
            path.write_bytes(chosen.get(id(node.contents), node.contents[-1]))
            path.chmod(0o600)
            return
        path.mkdir(parents=True)
        for name, versions in node.names.items():
            if (entry := chosen.get(id(versions), versions[-1])) is not None:
                self._write(entry, path / name, chosen)


def _sync(node: _Node) -> None:
    node.contents = node.contents[-1:]
    node.names = {name: versions[-1:] for name, versions in node.names.items() if versions[-1] is not None}
