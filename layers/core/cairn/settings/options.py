"""List every setting with its key, range, default and description, taken from the dataclasses in ground.settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast, get_args, get_type_hints

from typing_extensions import Doc

from cairn.ground.errors import SettingsError
from cairn.ground.settings import (
    ArchiveSettings,
    AuditSettings,
    AuthSettings,
    BackupSettings,
    BudgetSettings,
    ClusterSettings,
    EmbeddingSettings,
    EnrichmentSettings,
    Limits,
    MemorySettings,
    Quotas,
    RateSettings,
)

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")

ENABLED = "tools.memory.enabled"
ORIGINS = "allowed_origins"
TENANTS = "tenants"
STORED = "stored"

ALIASES: Mapping[str, str] = {
    "enrichment.enabled": "ENABLE_ORCH_CONTEXT",
    "enrichment.tools": "MEM_CTX_TOOLS",
    "enrichment.mode": "ORCH_CONTEXT_MODE",
    "enrichment.top_k": "CONTEXT_TOPK",
    "enrichment.timeout_ms": "CONTEXT_TIMEOUT_MS",
    "enrichment.summary_bytes": "CONTEXT_SUMMARY_BYTES",
}
"""The second variable of a setting, by its key."""

_WHERE_TENANTS_STAND = (
    "Where tenants' own settings stand: `here`, in this document, or `stored`: in the store, where "
    "`cairn settings put` puts them; a process reads a tenant's again after five minutes."
)


@dataclass(frozen=True, slots=True)
class Option:
    """One setting: `key` is its path below settings.mcp, `told` returns its annotated type and its description.

    They are asked for where a value has to be checked: what starts with few settings or none loads no library for it.
    """

    key: str
    default: object
    told: Callable[[], tuple[Any, str]]

    @property
    def kind(self) -> Any:
        """Return its annotated type."""
        return self.told()[0]

    @property
    def description(self) -> str:
        """Return what it does, in one sentence."""
        return self.told()[1]

    @property
    def variable(self) -> str:
        """Return the environment variable that sets it."""
        return "CAIRN_" + self.key.removeprefix("tools.").upper().replace(".", "_")

    def parse(self, value: object, where: str) -> Any:
        """Return a document's value if its type and range are right, SettingsError naming `where` otherwise."""
        given = tuple(cast("list[object]", value)) if isinstance(value, list) else value
        return self._checked(given, where, strict=True)

    def named_in(self, environment: Mapping[str, str]) -> str | None:
        """Return the variable of the environment that sets it, None where none does; SettingsError where two do."""
        names = dict.fromkeys((self.variable, ALIASES.get(self.key, self.variable)))
        given = [name for name in names if name in environment]
        if len(given) > 1:
            raise SettingsError(f"{given[1]}: is given beside {given[0]}; give one of the two")
        return given[0] if given else None

    def parse_text(self, text: str, variable: str) -> Any:
        """Return the value that the environment variable's text stands for; lists are separated by commas."""
        is_list = isinstance(self.default, tuple)
        given = tuple(part.strip() for part in text.split(",") if part.strip()) if is_list else text
        return self._checked(given, variable, strict=False)

    def _checked(self, given: object, where: str, *, strict: bool) -> Any:
        """Return a value if it is right; the default, and a switch or a name of any kind, are so without a look."""
        if type(given) is type(self.default) and (given == self.default or _is_any(self.kind, given)):
            return given
        from pydantic import ValidationError  # noqa: PLC0415 - a quarter of what an authorizer would load

        try:
            return _adapter(self.kind).validate_python(given, strict=strict)
        except ValidationError as error:
            raise _refused(where, error) from None


def build(kind: type[T], prefix: str, values: Mapping[str, Any]) -> T:
    """Return the dataclass with the values given under prefix.name, its own defaults elsewhere."""
    if not any(key.startswith(f"{prefix}.") for key in values):
        return kind()
    given: dict[str, Any] = {}
    for each in fields(cast("Any", kind)):
        key = f"{prefix}.{each.name}"
        if section := _section(each):
            given[each.name] = build(section, key, values)
        elif key in values:
            given[each.name] = values[key]
    return kind(**given)


def _section(field: Field[Any]) -> type | None:
    """Return the dataclass that a field holds, None where it holds a value."""
    made = field.default_factory
    return made if isinstance(made, type) and is_dataclass(made) else None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - as above

    return TypeAdapter(kind)


def _is_any(kind: Any, given: object) -> bool:
    """Tell whether a value is of a type that has no range."""
    notes = getattr(kind, "__metadata__", ())
    bare = kind.__origin__ if notes else kind
    return type(given) is bare and all(isinstance(note, Doc) for note in notes) and str(given).isascii()


def _options_of(kind: type, prefix: str) -> Iterator[Option]:
    for each in fields(kind):
        key = f"{prefix}.{each.name}"
        if section := _section(each):
            yield from _options_of(section, key)
        else:
            yield Option(key, each.default, partial(_declared, kind, each.name))


def _declared(kind: type, name: str) -> tuple[Any, str]:
    hint = _annotated(kind)[name]
    return hint, next(note.documentation for note in get_args(hint) if isinstance(note, Doc))


@cache
def _annotated(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _origins() -> tuple[Any, str]:
    import pydantic  # noqa: PLC0415 - as above

    origin = Annotated[str, pydantic.Field(pattern=r"^https?://[^/\s]+$", strict=True)]
    return tuple[origin, ...], "The web origins whose pages may call the MCP door."


def _refused(where: str, error: ValidationError) -> SettingsError:
    problem = error.errors(include_url=False, include_input=False, include_context=False)[0]["msg"]
    return SettingsError(f"{where}: {problem.removeprefix('Input ')}")


OPTIONS: Mapping[str, Option] = {
    option.key: option
    for option in (
        Option(ENABLED, default=False, told=lambda: (bool, "Switch the memory tools on; nothing else has to be set.")),
        *_options_of(MemorySettings, "memory"),
        *_options_of(Limits, "limits"),
        *_options_of(Quotas, "quotas"),
        *_options_of(AuthSettings, "auth"),
        *_options_of(ClusterSettings, "cluster"),
        *_options_of(EnrichmentSettings, "enrichment"),
        *_options_of(EmbeddingSettings, "embedding"),
        *_options_of(RateSettings, "rate_limits"),
        *_options_of(BudgetSettings, "budget"),
        *_options_of(AuditSettings, "audit"),
        *_options_of(ArchiveSettings, "archive"),
        *_options_of(BackupSettings, "backup"),
        Option(ORIGINS, default=(), told=_origins),
        Option(TENANTS, default="here", told=lambda: (Literal["here", "stored"], _WHERE_TENANTS_STAND)),
    )
}
