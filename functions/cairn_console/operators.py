"""The Lambda of all tools for operators."""

from __future__ import annotations

from cairn.tool.together import together
from cairn.tool.tool import OPERATORS
from cairn_tools.catalog import CATALOG

handler = together(CATALOG, OPERATORS)
