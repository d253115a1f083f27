"""The Lambda of all tools for programs."""

from __future__ import annotations

from cairn.tool.together import together
from cairn_tools.catalog import CATALOG

handler = together(tool for tool in CATALOG if tool.for_programs)
