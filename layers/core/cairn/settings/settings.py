"""Read a process's settings once, from one document and its environment, into one frozen model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cairn.ground.errors import SettingsError
from cairn.ground.ids import Tenant
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
from cairn.settings import document
from cairn.settings.checks import auth_settings, cluster_settings, fits_a_header, memory_settings, tool_rate
from cairn.settings.options import ALIASES, ENABLED, OPTIONS, ORIGINS, STORED, TENANTS, build

if TYPE_CHECKING:
    from cairn.ground.rates import Rate, Rates

MASTER_KEY = "LUMERA_MEMORY_KEY"
MODEL_KEY = "CAIRN_HEURISTIC_API_KEY"
METRICS = "CAIRN_METRICS"
ANCHORS = "CAIRN_AUDIT_ANCHORS"
CLUSTER_TOKEN = "CAIRN_CLUSTER_TOKEN"  # noqa: S105 - its name
SANDBOX = "CAIRN_SANDBOX"
POLICY_FILE = "CAIRN_POLICY_FILE"
CLUSTER_TOKEN_ARN = "CAIRN_CLUSTER_TOKEN_ARN"  # noqa: S105 - its name
_DOCUMENT = {
    "CAIRN_SETTINGS": "The settings document itself, YAML or JSON.",
    "CAIRN_SETTINGS_FILE": "The path of the settings document.",
    POLICY_FILE: "The path of the policy document; without it the one in the table holds, or else the standard one.",
}
_STORE = {
    "CAIRN_DATA": "The directory of the embedded store.",
    "CAIRN_TABLE": "The DynamoDB table.",
    "CAIRN_BUCKET": "The S3 bucket.",
    "CAIRN_KEY_ID": "The KMS key.",
    "CAIRN_QUEUE_URL": "The SQS queue of jobs; without one, what would be queued waits for maintenance.",
}
_SHELL = {
    "CAIRN_PROJECT": "The project of commands that look at memory; without it `default`.",
    "CAIRN_USER": "Whose memory those commands look at; without it that of your login name.",
}
_SANDBOX = {
    SANDBOX: "The function that standard tools run in, for those that invoke it.",
    CLUSTER_TOKEN_ARN: "The Secrets Manager secret that holds the cluster API's bearer token, for the sandbox.",
}
_SECRETS = {
    MASTER_KEY: "The embedded store's master key; without it a key file beside the data is used.",
    MODEL_KEY: "The API key of the language model's endpoint, where heuristic.api_key_arn names no secret.",
    CLUSTER_TOKEN: "The cluster API's bearer token, on one machine.",
}
_AUDIT = {
    ANCHORS: "Where each new head of an audit log is kept: a bucket with Object Lock, or on one machine a directory.",
}
_TELEMETRY = {METRICS: "The CloudWatch namespace of the metrics of a Lambda; without it there are none."}
_OWN = {**_DOCUMENT, **_STORE, **_SHELL, **_SANDBOX, **_SECRETS, **_AUDIT, **_TELEMETRY}
_AWS = ("CAIRN_TABLE", "CAIRN_BUCKET", "CAIRN_KEY_ID")
_QUEUE = "CAIRN_QUEUE_URL"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedStore:
    """A directory of this machine; if no master key is given, its key file is used."""

    directory: Path
    master_key: str | None = field(default=None, repr=False)

    @property
    def table_file(self) -> Path:
        """Return where the table is kept."""
        return self.directory / "table.sqlite3"

    @property
    def blobs_directory(self) -> Path:
        """Return where the blobs are kept."""
        return self.directory / "blobs"

    @property
    def processes_directory(self) -> Path:
        """Return where each process that writes keeps a locked file."""
        return self.directory / "processes"

    @property
    def key_file(self) -> Path:
        """Return where the master key is kept that is used when none is given."""
        return self.directory / "master.key"


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsStore:
    """A DynamoDB table, an S3 bucket, a KMS key, and an SQS queue if jobs are processed."""

    table: str
    bucket: str
    key_id: str
    queue_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of a process; `sources` says for each key that was set where its value came from.

    `memory_enabled` holds for every tenant that has no switch of its own in `memory_switches`. `given` are the values
    that are set, by key. Where tenants' own settings are stored, `of_store` reads how all is for one of them.
    """

    memory_enabled: bool
    memory_switches: Mapping[str, bool] = field(default_factory=dict[str, bool])
    tool_switches: Mapping[str, bool] = field(default_factory=dict[str, bool])
    memory: MemorySettings = field(default_factory=MemorySettings)
    tenants: Mapping[str, MemorySettings] = field(default_factory=dict[str, MemorySettings])
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    budgets: Mapping[str, BudgetSettings] = field(default_factory=dict[str, BudgetSettings])
    limits: Limits = field(default_factory=Limits)
    quotas: Quotas = field(default_factory=Quotas)
    auth: AuthSettings = field(default_factory=AuthSettings)
    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    enrichment: EnrichmentSettings = field(default_factory=EnrichmentSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    rate_limits: RateSettings = field(default_factory=RateSettings)
    tool_rates: Mapping[str, Rate] = field(default_factory=dict[str, "Rate"])
    audit: AuditSettings = field(default_factory=AuditSettings)
    archive: ArchiveSettings = field(default_factory=ArchiveSettings)
    backup: BackupSettings = field(default_factory=BackupSettings)
    allowed_origins: tuple[str, ...] = ()
    store: EmbeddedStore | AwsStore | None = None
    policy_file: Path | None = None
    sandbox: str | None = None
    anchors: str | None = None
    cluster_token_arn: str | None = None
    model_key: str | None = field(default=None, repr=False)
    cluster_token: str | None = field(default=None, repr=False)
    sources: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    given: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    of_store: Callable[[Tenant], Settings] | None = field(default=None, repr=False)

    def memory_enabled_for(self, tenant: Tenant | None) -> bool:
        """Return whether the tenant has the memory tools; None stands for one without a switch of its own."""
        return (
            self.memory_enabled
            if tenant is None
            else self.told(tenant).memory_switches.get(tenant, self.memory_enabled)
        )

    @property
    def tenants_are_stored(self) -> bool:
        """Tell whether tenants' own settings are in the store, not in the document."""
        return self.given.get(TENANTS) == STORED

    def told(self, tenant: Tenant) -> Settings:
        """Return the settings with what the tenant has of its own in them, if that is stored."""
        return self if self.of_store is None else self.of_store(tenant)

    @property
    def rates(self) -> Rates:
        """Return how often tools may be called."""
        from cairn.ground.rates import Rates  # noqa: PLC0415 - only calls of tools are held to them

        return Rates(self.rate_limits, self.tool_rates)

    def memory_for(self, tenant: Tenant) -> MemorySettings:
        """Return the tenant's own knobs, or the deployment's."""
        return self.told(tenant).tenants.get(tenant, self.memory)

    def budget_for(self, tenant: Tenant) -> BudgetSettings:
        """Return the tenant's own budget, or the deployment's for each tenant."""
        return self.told(tenant).budgets.get(tenant, self.budget)

    def with_own(self, tenants: Mapping[str, Mapping[str, Any]]) -> Settings:
        """Return the settings with what tenants have of their own, by key; SettingsError where that does not fit."""
        each = {name: ({**self.given, **own}, f"tenants.{name}.memory") for name, own in tenants.items()}
        sources = {f"tenants.{name}.{key}": f"tenant {name}" for name, own in tenants.items() for key in own}
        return replace(
            self,
            memory_switches={name: own[ENABLED] for name, own in tenants.items() if ENABLED in own},
            tenants={name: memory_settings(own, where, self.model_key) for name, (own, where) in each.items()},
            budgets={name: build(BudgetSettings, "budget", own) for name, (own, _) in each.items()},
            sources={**self.sources, **sources},
        )


@dataclass(frozen=True, slots=True)
class Effective:
    """A setting in force: its key, its value, where that came from, what it does, and its default."""

    key: str
    value: object
    source: str
    description: str
    default: object


def load(given: Mapping[str, Any] | None, environment: Mapping[str, str]) -> Settings:
    """Return the settings of a document and an environment; SettingsError names the key that is wrong.

    A tenant's value goes before the environment's, that before the document's, that before the default.
    """
    _refuse_unknown(environment)
    read = document.read(given or {})
    named = {key: name for key, option in OPTIONS.items() if (name := option.named_in(environment)) is not None}
    values = _values(read, {key: OPTIONS[key].parse_text(environment[name], name) for key, name in named.items()})
    model_key = _secret(environment, MODEL_KEY)
    rate_limits = build(RateSettings, "rate_limits", values)
    settings = Settings(
        memory_enabled=values[ENABLED],
        tool_switches=read.tool_switches,
        memory=memory_settings(values, "memory", model_key),
        limits=build(Limits, "limits", values),
        quotas=build(Quotas, "quotas", values),
        auth=auth_settings(values),
        cluster=cluster_settings(values),
        enrichment=build(EnrichmentSettings, "enrichment", values),
        embedding=build(EmbeddingSettings, "embedding", values),
        rate_limits=rate_limits,
        tool_rates={name: tool_rate(rate_limits, own) for name, own in read.tool_rates.items()},
        budget=build(BudgetSettings, "budget", values),
        audit=build(AuditSettings, "audit", values),
        archive=build(ArchiveSettings, "archive", values),
        backup=build(BackupSettings, "backup", values),
        allowed_origins=values.get(ORIGINS, ()),
        store=_store(environment),
        policy_file=_path(environment, POLICY_FILE),
        sandbox=environment.get(SANDBOX) or None,
        anchors=environment.get(ANCHORS) or None,
        cluster_token_arn=environment.get(CLUSTER_TOKEN_ARN) or None,
        model_key=model_key,
        cluster_token=_secret(environment, CLUSTER_TOKEN),
        sources=dict.fromkeys(read.values, "document") | named,
        given=values,
    )
    return settings.with_own(read.tenants) if read.tenants else settings


def _values(read: document.Document, from_environment: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are set for the deployment; SettingsError where tenants stand in two places."""
    values: dict[str, Any] = {ENABLED: OPTIONS[ENABLED].default, **read.values, **from_environment}
    if read.tenants and values.get(TENANTS) == STORED:
        raise SettingsError(
            f"{document.ROOT}.{TENANTS}: are in the document, and said to be stored; give one of the two"
        )
    return values


def _path(environment: Mapping[str, str], name: str) -> Path | None:
    return Path(environment[name]) if environment.get(name) else None


def read(environment: Mapping[str, str]) -> Settings:
    """Return the settings of an environment and the document it holds or names; SettingsError as for `load`."""
    text, path = environment.get("CAIRN_SETTINGS") or None, environment.get("CAIRN_SETTINGS_FILE") or None
    if text is not None and path is not None:
        raise SettingsError("CAIRN_SETTINGS: is given beside CAIRN_SETTINGS_FILE; give one of the two")
    if path is not None:
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"CAIRN_SETTINGS_FILE: cannot be read ({type(error).__name__})") from None
    where = "CAIRN_SETTINGS" if path is None else "CAIRN_SETTINGS_FILE"
    return load(document.parse_text(text, where) if text is not None else None, environment)


def provenance(settings: Settings, tenant: Tenant | None = None) -> tuple[Effective, ...]:
    """Return every setting in force, for the deployment or for one of its tenants, in the order of the reference.

    Of the secrets, last, the value says only whether they are set.
    """
    if tenant is not None:
        settings = settings.told(tenant)
    memory = settings.memory if tenant is None else settings.memory_for(tenant)
    roots: dict[str, object] = {
        "memory": memory,
        "limits": settings.limits,
        "quotas": settings.quotas,
        "auth": settings.auth,
        "cluster": settings.cluster,
        "enrichment": settings.enrichment,
        "embedding": settings.embedding,
        "rate_limits": settings.rate_limits,
        "budget": settings.budget if tenant is None else settings.budget_for(tenant),
        "audit": settings.audit,
        "archive": settings.archive,
        "backup": settings.backup,
    }
    singles: dict[str, object] = {
        ENABLED: settings.memory_enabled_for(tenant),
        ORIGINS: settings.allowed_origins,
        TENANTS: settings.given.get(TENANTS, OPTIONS[TENANTS].default),
    }
    found: list[Effective] = []
    for key, option in OPTIONS.items():
        value = singles[key] if key in singles else _attribute(roots, key)
        source = settings.sources.get(f"tenants.{tenant}.{key}") or settings.sources.get(key, "default")
        found.append(Effective(f"{document.ROOT}.{key}", value, source, option.description, option.default))
    for name, secret in ((MODEL_KEY, settings.model_key), (CLUSTER_TOKEN, settings.cluster_token)):
        shown, source = ("", "default") if secret is None else ("set", "environment")
        found.append(Effective(name, shown, source, _SECRETS[name], ""))
    return tuple(found)


def sandbox_environment(settings: Settings) -> Mapping[str, str]:
    """Return the environment in which another process reads the same cluster, and nothing else of these settings."""
    given = {
        option.variable: str(_attribute({"cluster": settings.cluster}, key))
        for key, option in OPTIONS.items()
        if key.startswith("cluster.")
    }
    return given if settings.cluster_token is None else {**given, CLUSTER_TOKEN: settings.cluster_token}


def variables() -> Mapping[str, str]:
    """Return every environment variable Cairn reads, and what it does."""
    options = {option.variable: option.description for option in OPTIONS.values()}
    aliases = {alias: f"The same as {OPTIONS[key].variable}." for key, alias in ALIASES.items()}
    return {**_OWN, **options, **aliases}


def _refuse_unknown(environment: Mapping[str, str]) -> None:
    known = {*_OWN, *(option.variable for option in OPTIONS.values()), *ALIASES.values()}
    for name in sorted(environment):
        if name.startswith("CAIRN_") and name not in known:
            raise SettingsError(f"{name}: is no setting")


def _store(environment: Mapping[str, str]) -> EmbeddedStore | AwsStore | None:
    data = environment.get("CAIRN_DATA")
    given = [name for name in (*_AWS, _QUEUE) if environment.get(name)]
    if data and given:
        raise SettingsError(f"CAIRN_DATA: is given beside {given[0]}; a store is a directory or AWS, not both")
    if data:
        return EmbeddedStore(directory=Path(data), master_key=environment.get(MASTER_KEY))
    if not given:
        return None
    for name in _AWS:
        if name not in given:
            raise SettingsError(f"{name}: is missing beside {given[0]}")
    return AwsStore(
        table=environment["CAIRN_TABLE"],
        bucket=environment["CAIRN_BUCKET"],
        key_id=environment["CAIRN_KEY_ID"],
        queue_url=environment.get(_QUEUE) or None,
    )


def _secret(environment: Mapping[str, str], name: str) -> str | None:
    value = environment.get(name) or None
    if value and not fits_a_header(value):
        raise SettingsError(f"{name}: must be printable ASCII without spaces")
    return value


def _attribute(roots: Mapping[str, object], key: str) -> object:
    first, *rest = key.split(".")
    value = roots[first]
    for name in rest:
        value = getattr(value, name)
    return value
