"""The plugin that follows OpenCode's sessions, as OpenCode loads it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

PLUGIN: Final = Path(__file__).with_name("opencode_plugin.js")
