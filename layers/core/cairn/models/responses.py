"""Ask a language model behind an OpenAI-compatible Responses endpoint, once and within one deadline."""

from __future__ import annotations

from collections.abc import Callable

from cairn.facts.proposals import FactQuestion, Proposals, read, request
from cairn.ground.errors import ModelFailed, NoAnswer
from cairn.ground.settings import HeuristicSettings
from cairn.ground.urls import responses_url
from cairn.process.exchange import Exchanges, Outgoing

MAX_ANSWER_BYTES = 2 * 1024 * 1024
_CALLS_AT_ONCE = 8


class ResponsesModel:
    """Asks for facts over HTTP."""

    def __init__(self, key_for: Callable[[HeuristicSettings], str]) -> None:
        """Take what hands out the API key, printable ASCII; it leaves in the Authorization header only."""
        self._key_for = key_for
        self._exchanges = Exchanges(_CALLS_AT_ONCE, "language-model")

    def propose(self, question: FactQuestion, settings: HeuristicSettings) -> Proposals:
        """Return what the model proposes, ModelFailed where no usable answer came in time."""
        return read(self._answer(request(question, settings), settings), question)

    def _answer(self, body: bytes, settings: HeuristicSettings) -> bytes:
        headers = {"Authorization": f"Bearer {self._key_for(settings)}", "Content-Type": "application/json"}
        outgoing = Outgoing("POST", responses_url(settings.base_url), headers, body)
        try:
            return self._exchanges.send(outgoing, settings.timeout_ms / 1000, MAX_ANSWER_BYTES)
        except NoAnswer as error:
            raise ModelFailed(str(error)) from None
