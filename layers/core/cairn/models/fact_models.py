"""Ask the language model of a tenant for facts, within its deadline, and log how that went."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from cairn.ground.errors import ModelFailed
from cairn.ground.ports import FactModel
from cairn.ground.settings import HeuristicSettings, ModelProvider
from cairn.settings.settings import Settings
from cairn.telemetry import record as telemetry

if TYPE_CHECKING:
    from cairn.facts.proposals import FactQuestion, Proposals

_CALLS_AT_ONCE = 8


class FactModels:
    """Asks the configured provider, and waits for key and answer together as long as the settings allow.

    A provider that is given up ends by its own timeout; its answer goes nowhere.
    """

    def __init__(self, providers: Mapping[ModelProvider, FactModel]) -> None:
        """Take every provider that the settings of some tenant may name."""
        self._providers = providers
        self._executor = ThreadPoolExecutor(_CALLS_AT_ONCE, thread_name_prefix="fact-model")

    def propose(self, question: FactQuestion, settings: HeuristicSettings) -> Proposals:
        """Return what the model proposes, ModelFailed where no usable answer came in time; note which in the log."""
        try:
            proposals = self._asked(question, settings)
        except ModelFailed as failed:
            telemetry.note_heuristic("failed", str(failed))
            raise
        telemetry.note_heuristic("ok")
        return proposals

    def _asked(self, question: FactQuestion, settings: HeuristicSettings) -> Proposals:
        call = self._executor.submit(self._providers[settings.provider].propose, question, settings)
        try:
            return call.result(settings.timeout_ms / 1000)
        except TimeoutError:
            raise ModelFailed("no answer: TimeoutError") from None
        finally:
            call.cancel()


def fact_models(settings: Settings) -> FactModel | None:
    """Return what asks the language models of all tenants, None where no tenant has one."""
    has_one = any(memory.heuristic.enabled for memory in (settings.memory, *settings.tenants.values()))
    return FactModels(_Providers(settings.model_key)) if has_one or settings.tenants_are_stored else None


class _Providers(dict[ModelProvider, FactModel]):
    """The providers, each made when it is first asked."""

    def __init__(self, key: str | None) -> None:
        super().__init__()
        self._key = key

    def __missing__(self, name: ModelProvider) -> FactModel:
        return self.setdefault(name, _provider(name, self._key))


def _provider(name: ModelProvider, key: str | None) -> FactModel:
    if name == "bedrock":
        from cairn.aws.bedrock import BedrockModel  # noqa: PLC0415 - most deployments do without a language model
        from cairn.aws.clients import Clients  # noqa: PLC0415

        return BedrockModel(Clients())
    from cairn.models.model_keys import ModelKeys  # noqa: PLC0415
    from cairn.models.responses import ResponsesModel  # noqa: PLC0415 - most deployments do without an HTTP client

    return ResponsesModel(ModelKeys(key))
