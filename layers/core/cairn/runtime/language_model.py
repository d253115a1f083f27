"""A language model behind an OpenAI-compatible Responses endpoint, asked once, within one deadline."""

from __future__ import annotations

from cairn.domain.endpoints import responses_url
from cairn.domain.errors import ModelFailed, NoAnswer
from cairn.domain.proposals import Proposals, Question, read, request
from cairn.domain.settings import HeuristicSettings
from cairn.runtime import telemetry
from cairn.runtime.exchange import Exchanges, Outgoing

MAX_ANSWER_BYTES = 2 * 1024 * 1024
_CALLS_AT_ONCE = 8


class ResponsesModel:
    """Asks for facts over HTTP."""

    def __init__(self, key: str) -> None:
        """Keep the API key, printable ASCII; it leaves in the Authorization header only."""
        self._key = key
        self._exchanges = Exchanges(_CALLS_AT_ONCE, "language-model")

    def propose(self, question: Question, settings: HeuristicSettings) -> Proposals:
        """Return what the model proposes, ModelFailed where no usable answer came in time; note which in the log."""
        try:
            proposals = read(self._answer(request(question, settings), settings))
        except ModelFailed as failed:
            telemetry.note_heuristic("failed", str(failed))
            raise
        telemetry.note_heuristic("ok")
        return proposals

    def _answer(self, body: bytes, settings: HeuristicSettings) -> bytes:
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        outgoing = Outgoing("POST", responses_url(settings.base_url), headers, body)
        try:
            return self._exchanges.send(outgoing, settings.timeout_ms / 1000, MAX_ANSWER_BYTES)
        except NoAnswer as error:
            raise ModelFailed(str(error)) from None
