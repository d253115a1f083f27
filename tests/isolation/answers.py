"""What a tool answered, read out of what was seen of its call."""

from __future__ import annotations

import json
from typing import Any

from isolation.stage import Seen, Step


def answer_of(step: Step, seen: Seen) -> Any:
    """Return what the tool answered, past the door."""
    body = json.loads(json.loads(seen.answer)["body"])
    return body if step.door == "http" else body.get("result", body)


def fields_of(step: Step, seen: Seen) -> dict[str, Any]:
    """Return the fields of the answer, whichever door it came through."""
    answer = answer_of(step, seen)
    return answer.get("structuredContent", answer)


def code_of(step: Step, seen: Seen) -> str:
    """Return the code of an answer: OK, or its error's; a pipe's is that of the step that failed."""
    answer = fields_of(step, seen)
    failed = answer.get("failed_step") or answer
    return str(failed["error"]["code"]) if "error" in failed else "OK"
