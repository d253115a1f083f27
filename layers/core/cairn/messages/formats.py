"""The formats in which a prepared turn is answered."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

Format: TypeAlias = Literal["responses", "chat", "anthropic", "converse", "gemini", "langchain", "text"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
