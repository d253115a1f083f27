"""An operation as the service's model declares it, and a request for one on its way to the tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from cairn.edge.validation import Rules, validate
from cairn.tool.call import Call, execute
from cairn.tool.tool import Tool
from cairn_agentcore.paths import Template


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: who calls, and the signature, which names a write that has no token of its own."""

    call: Call
    tools: tuple[Tool, ...]
    signature: str = ""

    @property
    def home(self) -> str | None:
        """Return under whom stands what is of no actor: the first user that the caller speaks for, None for anybody."""
        return next(iter(self.call.caller.users), None)

    def random(self, size: int) -> str:
        """Return so many random bytes as text."""
        return self.call.services.adapters.entropy.token(size).hex()

    def ask(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Return a tool's answer; CairnErrors get out. Arguments that are None are left out.

        LookupError for a tool that the operation does not say it asks: in AWS its role would not do.
        """
        if all(each.name != tool for each in self.tools):
            raise LookupError(f"the operation asks {tool} and does not say so")
        given = {name: value for name, value in arguments.items() if value is not None}
        return execute(self.tools, tool, given, self.call)


@dataclass(frozen=True, slots=True)
class Operation:
    """One of AWS's operations: where it is asked, what it takes, which tools it asks, and the status of its answer."""

    name: str
    template: Template
    input: type[BaseModel]
    run: Callable[[Any, Asked], Mapping[str, Any]]
    tools: tuple[Tool, ...]
    status: int = 200

    def answer(self, arguments: Mapping[str, object], call: Call, signature: str) -> Mapping[str, Any]:
        """Return the answer to these arguments; CairnErrors get out."""
        rules = Rules(call.services.settings.limits, lenient=False)
        request = validate(self.input, dict(arguments), rules)
        return self.run(request, Asked(call, self.tools, signature))
