"""List the settings in force."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field

from cairn.settings.settings import Effective, provenance
from cairn.tool.call import Call
from cairn.tool.tool import tool

Shown: TypeAlias = bool | int | float | str | list[str]
_HIDDEN = "set"
_IN_ITS_ARN = ":secretsmanager:"


class ListSettings(BaseModel):
    """Nothing."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SettingLine(BaseModel):
    """A setting."""

    key: Annotated[str, Field(description="Where it stands in the settings document, or the variable that sets it.")]
    value: Annotated[
        Shown, Field(description="What is in force; of a secret, or of what names or looks like one, `set`.")
    ]
    source: Annotated[
        str, Field(description="default, document, the tenant's own part of it, environment, or the variable's name.")
    ]
    description: Annotated[str, Field(description="What it does.")]
    default: Annotated[Shown, Field(description="What holds where nobody sets it.")]

    @classmethod
    def of(cls, each: Effective, *, hides: bool) -> SettingLine:
        """Return what is told of a setting."""
        value, default = _HIDDEN if hides else _shown(each.value), _shown(each.default)
        return cls(key=each.key, value=value, source=each.source, description=each.description, default=default)


class SettingList(BaseModel):
    """Settings."""

    settings: Annotated[list[SettingLine], Field(description="In the order of the reference, secrets last.")]


@tool(title="List settings", example={}, grants=(), read_only=True, for_operators=True)
def memory_list_settings(request: ListSettings, call: Call) -> SettingList:
    """Call to list every setting in force for your tenant: its value, where that came from, and what it does."""
    del request
    settings = provenance(call.services.settings, call.caller.tenant)
    hidden = _hidden([_text(each) for each in settings])
    return SettingList(settings=[SettingLine.of(each, hides=at in hidden) for at, each in enumerate(settings)])


def _hidden(texts: Sequence[str]) -> Collection[int]:
    """Return which texts hold a secret, or name one."""
    from cairn.detection import detector  # noqa: PLC0415 - loaded when it is first called

    found = {each.path[0] for each in detector.scan(list(texts)) if each.category == "secret"}
    return {at for at, text in enumerate(texts) if at in found or _IN_ITS_ARN in text}


def _text(setting: Effective) -> str:
    value = _shown(setting.value)
    return " ".join(value) if isinstance(value, list) else str(value)


def _shown(value: object) -> Shown:
    return list(map(str, cast("tuple[object, ...]", value))) if isinstance(value, tuple) else cast("Shown", value)


handler = memory_list_settings.handler
