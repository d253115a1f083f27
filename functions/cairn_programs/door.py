"""The Lambda of all tools for programs."""

from __future__ import annotations

from cairn.tool.together import together
from cairn.tool.tool import PROGRAMS
from cairn_tools.catalog import CATALOG

handler = together(CATALOG, PROGRAMS)
