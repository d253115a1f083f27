"""Ask a language model on Amazon Bedrock, through the Converse API and as the process's own role."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cairn.aws.clients import Clients
from cairn.aws.failures import aws_failures
from cairn.facts.proposals import (
    DESCRIPTION,
    FUNCTION,
    FactQuestion,
    Proposals,
    prompt,
)
from cairn.ground.errors import CairnError, ModelFailed
from cairn.ground.settings import HeuristicSettings


class BedrockModel:
    """Asks for facts with a forced tool call; the region is that of the environment."""

    def __init__(self, clients: Clients) -> None:
        """Make the client when it is first asked."""
        self._clients = clients

    def propose(self, question: FactQuestion, settings: HeuristicSettings) -> Proposals:
        """Return what the model proposes, ModelFailed where no usable answer came; settings.timeout_ms is not held."""
        try:
            with aws_failures():
                answer: Mapping[str, Any] = self._clients.bedrock.converse(**_request(question, settings))
        except (CairnError, ValueError) as error:
            raise ModelFailed(str(error)) from None
        except (AttributeError, TypeError):  # how the SDK takes JSON of another shape than the API's
            raise ModelFailed("the answer makes no sense") from None
        return _read(answer, question)


def _request(question: FactQuestion, settings: HeuristicSettings) -> Any:
    tool = {"name": FUNCTION, "description": DESCRIPTION, "inputSchema": {"json": question.parameters}}
    return {
        "modelId": settings.model,
        "system": [{"text": question.instructions}],
        "messages": [{"role": "user", "content": [{"text": prompt(question)}]}],
        "inferenceConfig": {"maxTokens": settings.max_output_tokens},
        "toolConfig": {"tools": [{"toolSpec": tool}], "toolChoice": {"tool": {"name": FUNCTION}}},
    }


def _read(answer: Mapping[str, Any], question: FactQuestion) -> Proposals:
    for block in answer.get("output", {}).get("message", {}).get("content", []):
        call = block.get("toolUse", {})
        if call.get("name") == FUNCTION:
            return question.accepted(call.get("input"))
    raise ModelFailed("the answer is no call of the function")
