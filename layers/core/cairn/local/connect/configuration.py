"""An agent's configuration files, and how Cairn's part goes into each and out again."""

from __future__ import annotations

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from cairn.ground.errors import SettingsError
from cairn.local.connect import merging, toml_tables
from cairn.local.connect.json_text import JsonValue, NotJson
from cairn.local.connect.merging import Style
from cairn.local.connect.words import is_hook, is_server

HOOKS: Final = "hooks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration(ABC):
    """One file. `holds_key` says that the API key goes into it, so that nobody else may read it."""

    path: Path
    holds_key: bool = False

    def with_cairn(self, text: str | None) -> str:
        """Return the file's text with Cairn's part in it; None is a file that is not there.

        SettingsError where the text cannot be read, or has something else where Cairn's part belongs.
        """
        return self._understood(lambda: self._put(text or ""))

    def without_cairn(self, text: str, before: str | None) -> str | None:
        """Return the text without Cairn's part, None where nothing is left of a file that was not there before.

        What stood in the place of Cairn's part before is put back.
        """
        left = self._understood(lambda: self._taken(text, before))
        if before is not None and "".join(left.split()) == "".join(before.split()):
            return before
        return None if before is None and self._is_bare(left) else left

    def has_cairn(self, text: str) -> bool:
        """Tell whether any part of Cairn's is in it."""
        return self._understood(lambda: self._is_in(text))

    @abstractmethod
    def _put(self, text: str) -> str: ...

    @abstractmethod
    def _taken(self, text: str, before: str | None) -> str: ...

    @abstractmethod
    def _is_in(self, text: str) -> bool: ...

    @abstractmethod
    def _is_bare(self, text: str) -> bool: ...

    def _understood(self, change: Any) -> Any:
        try:
            return change()
        except NotJson as error:
            raise SettingsError(f"{self.path} is no valid JSON at {error}: it was left as it is") from None
        except tomllib.TOMLDecodeError as error:
            raise SettingsError(f"{self.path} is no valid TOML: {error}; it was left as it is") from None
        except ValueError as error:
            raise SettingsError(f"{self.path}: {error}; it was left as it is") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonFile(Configuration):
    """A file of JSON: members that are Cairn's alone, and a hook of Cairn's in a list of each event."""

    members: Mapping[tuple[str, ...], JsonValue] = field(default_factory=dict[tuple[str, ...], JsonValue])
    hooks: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    needs: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """What the agent wants in such a file, and stays as it is where it is there."""
    comments: bool = False

    def _put(self, text: str) -> str:
        style = Style.of(text, comments=self.comments)
        text = text if text.strip() else "{}\n"
        for name, value in self.needs.items():
            if merging.found(text, (name,), style) is None:
                text = merging.put(text, (name,), value, style)
        text = self._without_hooks(text, style, kept=self.hooks)
        for event, hook in self.hooks.items():
            text = _with_hook(text, (HOOKS, event), hook, style)
        for path, value in self.members.items():
            text = merging.put(text, path, _with_additions(text, path, value, style), style)
        return text

    def _taken(self, text: str, before: str | None) -> str:
        style = Style.of(text, comments=self.comments)
        less = self._without_hooks(text, style, kept={}, before=before)
        text = text if less == text else self._pruned(less, (HOOKS,), style, before)
        for path in self.members:
            there = merging.found(text, path, style)
            if there is None or not is_server(there.value):
                continue
            earlier = None if before is None else merging.found(before, path, style)
            if earlier is not None and not is_server(earlier.value):
                text = merging.put(text, path, earlier.value, style)
            else:
                text = self._pruned(merging.take(text, path, style), path[:-1], style, before)
        return text

    def _is_in(self, text: str) -> bool:
        return self._taken(text, None) != text

    def _without_hooks(self, text: str, style: Style, kept: Mapping[str, JsonValue], before: str | None = None) -> str:
        """Take Cairn's hooks out of every event but those that are kept, also of events of earlier versions."""
        there = merging.found(text, (HOOKS,), style) if self.hooks else None
        for event in there.members if there else ():
            if event not in kept:
                path = (HOOKS, event)
                less = merging.take_items(text, path, is_hook, style)
                text = text if less == text else self._pruned(less, path, style, before)
        return text

    def _pruned(self, text: str, path: tuple[str, ...], style: Style, before: str | None) -> str:
        """Take an object or list out that is empty now and was not there before."""
        node = merging.found(text, path, style)
        was_there = before is not None and merging.found(before, path, style) is not None
        return text if node is None or node.children or was_there or not path else merging.take(text, path, style)

    def _is_bare(self, text: str) -> bool:
        node = merging.found(text, (), Style.of(text, comments=self.comments))
        return node is not None and all(self.needs.get(name) == value for name, value in node.value.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlTable(Configuration):
    """A table in a file of TOML."""

    table: tuple[str, ...]
    values: Mapping[str, str]

    def _put(self, text: str) -> str:
        return toml_tables.put_table(text, self.table, self.values)

    def _taken(self, text: str, before: str | None) -> str:
        if not self._is_in(text):
            return text
        earlier = None if before is None else toml_tables.table_of(before, self.table)
        left = toml_tables.take_table(text, self.table)
        if earlier is None or is_server(earlier):
            return left
        return toml_tables.added(left, toml_tables.block_of(before or "", self.table))

    def _is_in(self, text: str) -> bool:
        return is_server(toml_tables.table_of(text, self.table))

    def _is_bare(self, text: str) -> bool:
        return not text.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFile(Configuration):
    """A file that is Cairn's alone."""

    text: str

    def _put(self, text: str) -> str:
        del text
        return self.text

    def _taken(self, text: str, before: str | None) -> str:
        del text
        return before or ""

    def _is_in(self, text: str) -> bool:
        return "cairn" in text

    def _is_bare(self, text: str) -> bool:
        return not text


def _with_additions(text: str, path: tuple[str, ...], value: JsonValue, style: Style) -> JsonValue:
    """Return a member with what a person added to the one that is there, where that is of the same kind."""
    node = merging.found(text, path, style)
    there = cast("dict[str, Any]", node.value) if node is not None and isinstance(node.value, dict) else {}
    return {**there, **value} if set(value) <= set(there) and is_server(there) else value


def _with_hook(text: str, path: tuple[str, ...], hook: JsonValue, style: Style) -> str:
    """Put the hook at the place of the one that is there, at the end of the list where none is."""
    node = merging.found(text, path, style)
    items = cast("list[Any]", node.value) if node is not None and isinstance(node.value, list) else []
    places = [index for index, item in enumerate(items) if is_hook(item)]
    if len(places) == 1:
        return merging.replace(text, path, places[0], hook, style)
    return merging.append(merging.take_items(text, path, is_hook, style), path, hook, style)
