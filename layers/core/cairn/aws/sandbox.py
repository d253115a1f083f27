"""Invoke the sandbox, a separate Lambda, by its name."""

from __future__ import annotations

from collections.abc import Mapping

from cairn.aws.clients import Clients
from cairn.aws.failures import aws_failures
from cairn.ground import sandbox_messages as sandbox
from cairn.ground.errors import SettingsError, Unavailable


class LambdaSandbox:
    """Runs standard tools in a separate function; its client is created with the first call."""

    def __init__(self, clients: Clients, function: str | None) -> None:
        """Invoke the function of this name."""
        self._clients = clients
        self._function = function

    def invoke(self, tool: str, arguments: Mapping[str, object], request_id: str) -> Mapping[str, object]:
        """Return the tool's result, or raise the CairnError it ended with; SettingsError where no function is named."""
        if self._function is None:
            raise SettingsError("CAIRN_SANDBOX: is missing")
        with aws_failures():
            payload = sandbox.request(tool, arguments, request_id)
            answered = self._clients.functions.invoke(FunctionName=self._function, Payload=payload)
            body = answered["Payload"].read(sandbox.MAX_ANSWER_BYTES + 1)
        if "FunctionError" in answered:  # it timed out, ran out of memory or did not start; the text may hold anything
            raise Unavailable("The sandbox gave no answer")
        return sandbox.answer(body)
