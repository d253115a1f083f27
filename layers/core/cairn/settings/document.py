"""Parse the settings document: every key has to be known and every value in range."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from cairn.ground import ids
from cairn.ground.errors import SettingsError
from cairn.settings.options import ENABLED, OPTIONS, TENANTS

ROOT = "settings.mcp"
_Path = tuple[str, ...]
_TENANT_S = len(("tenants", "acme"))


@dataclass(frozen=True, slots=True)
class Document:
    """Values that a document sets: by key, by tenant and key, and by tool its switch and its rate."""

    values: dict[str, Any] = field(default_factory=dict[str, Any])
    tenants: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    tool_switches: dict[str, bool] = field(default_factory=dict[str, bool])
    tool_rates: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])


def parse_text(text: str, where: str) -> Mapping[str, Any]:
    """Return the mapping in a JSON or YAML text; SettingsError naming `where` it came from otherwise."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        found = _parse_yaml(text, where)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise SettingsError(f"{where}: must hold a mapping that begins with settings")
    return cast("dict[str, Any]", found)


def read(document: Mapping[str, Any]) -> Document:
    """Return what the document sets; SettingsError naming the full key of the first thing wrong."""
    result = Document()
    for path, value in _leaves((), document):
        if path[:2] == ("settings", "mcp"):
            _place(result, path[2:], value)
        elif path != ("settings",) or value not in (None, {}):
            raise _unknown(".".join(path))
    return result


def _parse_yaml(text: str, where: str) -> object:
    import yaml  # noqa: PLC0415 - costs start-up time that a JSON document need not pay

    try:
        return cast("object", yaml.safe_load(text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" (line {mark.line + 1})" if mark else ""
        raise SettingsError(f"{where}: is neither JSON nor YAML{line}") from None


def _leaves(path: _Path, node: Mapping[str, Any]) -> Iterator[tuple[_Path, Any]]:
    for name, value in node.items():
        below = (*path, str(name))
        if isinstance(value, Mapping) and value:
            yield from _leaves(below, cast("Mapping[str, Any]", value))
        else:
            yield below, value


def _place(result: Document, path: _Path, value: Any) -> None:
    full = ".".join((ROOT, *path))
    if value in (None, {}) and _is_section(path):
        if len(path) == _TENANT_S and path[0] == TENANTS:
            result.tenants.setdefault(_tenant(path[1]), {})
        return
    match path:
        case ("tenants", tenant, *rest) if _is_tenant_s(key := _key(rest)):
            _set(result.tenants.setdefault(_tenant(tenant), {}), key, value, full)
        case ("tools", name, "enabled") if name != "memory":
            if not isinstance(value, bool):
                raise SettingsError(f"{full}: must be true or false")
            result.tool_switches[name] = value
        case ("tools", name, ("per_second" | "burst") as part) if name != "memory":
            common = OPTIONS[f"rate_limits.tool_{part}"]
            result.tool_rates.setdefault(name, {})[part] = common.parse(value, full)
        case _:
            _set(result.values, _key(path), value, full)


def _key(path: Sequence[str]) -> str:
    """Return the option's key at a path: `memory.*` stands under `tools.memory` too, but for the switch."""
    match path:
        case ("tools", "memory", *rest) if rest != ["enabled"]:
            return ".".join(("memory", *rest))
        case _:
            return ".".join(path)


def _is_tenant_s(key: str) -> bool:
    """Tell whether a tenant may have a value of its own."""
    return key == ENABLED or key.startswith(("memory.", "budget."))


def _set(values: dict[str, Any], key: str, value: Any, full: str) -> None:
    option = OPTIONS.get(key)
    if option is None:
        raise _unknown(full)
    parsed = option.parse(value, full)
    if values.setdefault(key, parsed) != parsed:
        raise SettingsError(f"{full}: differs from {ROOT}.{key}; give one of the two")


def _is_section(path: _Path) -> bool:
    match path:
        case () | ("tools",) | ("tools", _) | ("tenants",) | ("tenants", _):
            return True
        case ("tenants", _, *rest):
            section = _key(rest)
        case _:
            section = _key(path)
    return any(key.startswith(f"{section}.") for key in OPTIONS)


def _tenant(name: str) -> str:
    try:
        return ids.tenant(name)
    except ValueError as error:
        raise SettingsError(f"{ROOT}.tenants.{name}: {error}") from None


def _unknown(full: str) -> SettingsError:
    return SettingsError(f"{full}: is no setting")
