"""What coding agents and desktop clients install: plugin, marketplace, extension, bundle and registry entry.

Name, version and description come from pyproject.toml. What people and models read (README, skill, commands) is written
by hand beside these files.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import plugin_hooks
from cairn.ground.ids import MAX_ID_CHARACTERS

ROOT: Final = Path(__file__).resolve().parent.parent
NAME: Final = "cairn"
REGISTRY_NAME: Final = "io.github.cairn-memory/cairn"
LOCAL_URL: Final = "http://127.0.0.1:8787"
_REGISTRY_SCHEMA: Final = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
_PROJECT: Final[Mapping[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
_AUTHOR: Final = {"name": "Cairn"}
_ABOUT: Final = {"name": NAME, "version": _PROJECT["version"], "description": _PROJECT["description"]}
_URL_TITLE: Final = "Address of your Cairn server"
_KEY_TITLE: Final = "API key of that server"
_URL_SAYS: Final = f"Such as https://memory.example.com; {LOCAL_URL} is cairn serve on this machine."
_KEY_SAYS: Final = "Bound to one user: cairn keys create --user NAME makes one."
# Claude Code puts the folder's path into the text of the command; within a quoted here-document no shell reads it.
_HEADER_OF_FOLDER: Final = rf"""LC_ALL=C sed -e 's|.*/||' -e 's/[^A-Za-z0-9_.-]\{{1,\}}/-/g' \
  -e 's/^\(.\{{{MAX_ID_CHARACTERS}\}}\).*/\1/' -e 's/^-*//' -e 's/-*$//' \
  -e 's/.*/{{"X-Cairn-Project": "&"}}/' <<'FOLDER'
${{CLAUDE_PROJECT_DIR}}
FOLDER
"""


def files() -> Iterator[tuple[Path, str]]:
    """Yield each generated file's path in the repository and its content."""
    plugin, gemini, mcpb = Path("plugins/cairn"), Path("plugins/gemini"), Path("plugins/mcpb")
    yield Path(".claude-plugin/marketplace.json"), _text(marketplace())
    yield plugin / ".claude-plugin/plugin.json", _text(claude_manifest())
    yield plugin / ".mcp.json", _text(claude_server())
    yield plugin / plugin_hooks.CLAUDE_FILE, _text(plugin_hooks.claude())
    yield plugin / ".codex-plugin/plugin.json", _text(codex_manifest())
    yield plugin / plugin_hooks.CODEX_FILE, _text(plugin_hooks.codex())
    yield gemini / "gemini-extension.json", _text(gemini_extension())
    yield gemini / "hooks/hooks.json", _text(plugin_hooks.gemini())
    yield mcpb / "manifest.json", _text(bundle_manifest())
    yield mcpb / "pyproject.toml", bundle_project()
    yield Path("server.json"), _text(registry_entry())


def marketplace() -> dict[str, Any]:
    """Return the marketplace of one plugin that this repository is, for Claude Code and Codex alike."""
    plugin = {"name": NAME, "source": f"./plugins/{NAME}", "description": _ABOUT["description"]}
    return {"name": NAME, "owner": _AUTHOR, "description": _ABOUT["description"], "plugins": [plugin]}


def claude_manifest() -> dict[str, Any]:
    """Return Claude Code's manifest; it asks for address and key, and keeps the key apart from its settings."""
    url = {"type": "string", "title": _URL_TITLE, "description": _URL_SAYS, "default": LOCAL_URL, "required": True}
    key = {"type": "string", "title": _KEY_TITLE, "description": _KEY_SAYS, "sensitive": True, "required": True}
    return {
        **_ABOUT,
        "author": _AUTHOR,
        "license": _PROJECT["license"],
        "keywords": ["memory", "mcp", "hooks"],
        "icon": "./assets/icon.png",
        "userConfig": {"url": url, "key": key},
    }


def claude_server() -> dict[str, Any]:
    """Return the MCP server that Claude Code's hooks call, and its model.

    A session's project is its first folder's name, in a header: what a hook is told of the folder changes with it.
    """
    server = {
        "type": "http",
        "url": "${user_config.url}/mcp/hooks",
        "headers": {"Authorization": "Bearer ${user_config.key}"},
        "headersHelper": _HEADER_OF_FOLDER,
    }
    return {"mcpServers": {NAME: server}}


def codex_manifest() -> dict[str, Any]:
    """Return Codex's manifest.

    Codex puts no variable into an address: another server than that of this machine is named by `codex mcp add`, which
    goes before what a plugin says.
    """
    server = {"type": "http", "url": f"{LOCAL_URL}/mcp/hooks", "bearer_token_env_var": "CAIRN_KEY"}
    return {
        **_ABOUT,
        "author": _AUTHOR,
        "license": _PROJECT["license"],
        "skills": "./skills/",
        "hooks": f"./{plugin_hooks.CODEX_FILE}",
        "mcpServers": {NAME: server},
        "interface": {
            "displayName": "Cairn",
            "shortDescription": "Memory across sessions",
            "category": "Productivity",
            "composerIcon": "./assets/icon.png",
            "logo": "./assets/icon.png",
        },
    }


def gemini_extension() -> dict[str, Any]:
    """Return Gemini CLI's manifest; its hooks are in a file beside it."""
    server = {"httpUrl": "${CAIRN_URL}/mcp/hooks", "headers": {"Authorization": "Bearer ${CAIRN_KEY}"}}
    return {
        **_ABOUT,
        "mcpServers": {NAME: server},
        "settings": [
            {"name": _URL_TITLE, "description": _URL_SAYS, "envVar": "CAIRN_URL"},
            {"name": _KEY_TITLE, "description": _KEY_SAYS, "envVar": "CAIRN_KEY", "sensitive": True},
        ],
    }


def bundle_manifest() -> dict[str, Any]:
    """Return the manifest of the bundle for desktop clients, which give it Python and its packages by uv."""
    run = {"command": "uv", "args": ["run", "--directory", "${__dirname}", "server.py"]}
    return {
        "manifest_version": "0.4",
        **_ABOUT,
        "display_name": "Cairn",
        "author": _AUTHOR,
        "license": _PROJECT["license"],
        "icon": "icon.png",
        "server": {"type": "uv", "entry_point": "server.py", "mcp_config": run},
        "tools_generated": True,
        "compatibility": {"platforms": ["darwin", "linux"], "runtimes": {"python": _PROJECT["requires-python"]}},
    }


def bundle_project() -> str:
    """Return what uv installs for the bundle: this very version."""
    return f"""# Generated: see tools/plugins.py.
[project]
name = "cairn-bundle"
version = "{_PROJECT["version"]}"
requires-python = "{_PROJECT["requires-python"]}"
dependencies = ["{_PROJECT["name"]}=={_PROJECT["version"]}"]

[tool.uv]
package = false
"""


def registry_entry() -> dict[str, Any]:
    """Return the entry in the MCP registry: a package alone, since each has a server of their own."""
    words = [{"type": "positional", "value": "stdio"}, {"type": "named", "name": "--profile", "value": "agent"}]
    package = {
        "registryType": "pypi",
        "identifier": _PROJECT["name"],
        "version": _PROJECT["version"],
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": words,
    }
    return {"$schema": _REGISTRY_SCHEMA, **_ABOUT, "name": REGISTRY_NAME, "title": "Cairn", "packages": [package]}


def _text(content: object) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
