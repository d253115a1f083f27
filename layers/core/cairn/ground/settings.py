"""Settings of a deployment: frozen values with their ranges and descriptions.

The ranges and descriptions are annotations, so that the domain needs no validation library; `cairn.settings.settings`
reads a document into these, refuses what is out of range by the key's name, and prints where each value came from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le, Lt
from typing_extensions import Doc

from cairn.ground.ids import Project, matches, trunk

RecallScope = Literal["session", "user", "project"]
MemoryScope = Literal["session", "user", "project", "user_everywhere"]
ModelProvider = Literal["responses", "bedrock"]
ModelReads = Literal["turns", "batches"]
EnrichmentMode = Literal["tool", "conversation", "hybrid"]
EmbedderName = Literal["minilm", "multilingual", "titan", "none"]

SKEW = timedelta(seconds=30)
"""How far the clocks of two processes may be apart that are both taken for right."""
_LONGEST_LEASE_SECONDS = 900
LONGEST_LEASE = timedelta(seconds=_LONGEST_LEASE_SECONDS) + SKEW
"""What no lease or claim that was set by a right clock outlasts, whatever a tenant's settings are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeuristicSettings:
    """Fact extraction with a language model, per tenant, off by default."""

    enabled: Annotated[
        bool, Doc("Extract facts with a language model too; of responses it stays off without an API key.")
    ] = False
    reads: Annotated[
        ModelReads,
        Doc(
            "`turns`: each turn, before it is stored. `batches`: maintenance asks about up to 40 stored turns at once, "
            "and no turn waits."
        ),
    ] = "turns"
    provider: Annotated[
        ModelProvider,
        Doc("`responses`: an OpenAI-compatible endpoint. `bedrock`: Amazon Bedrock, as the process's own role."),
    ] = "responses"
    model: Annotated[str, Doc("The model to ask; of Bedrock its id, or the ARN of an inference profile.")] = (
        "openai/gpt-oss-120b"
    )
    base_url: Annotated[
        str, Doc("An absolute URL of an OpenAI-compatible endpoint; required when responses are enabled.")
    ] = ""
    api_key_arn: Annotated[
        str,
        Doc("The Secrets Manager secret whose whole text is the endpoint's API key; else CAIRN_HEURISTIC_API_KEY."),
    ] = ""
    timeout_ms: Annotated[
        int, Ge(1), Le(25_000), Doc("How long to wait for the model, in milliseconds; for a batch at most 12,000.")
    ] = 12_000
    max_output_tokens: Annotated[int, Ge(1), Le(32_000), Doc("The most tokens the model may answer with.")] = 800

    @property
    def reads_turns(self) -> bool:
        """Tell whether each turn is read before it is stored."""
        return self.enabled and self.reads == "turns"

    @property
    def reads_batches(self) -> bool:
        """Tell whether maintenance reads turns that are stored."""
        return self.enabled and self.reads == "batches"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSettings:
    """How many tokens policy and memory block may take: `settings.mcp.memory.context_tokens.*`."""

    mean: Annotated[
        int,
        Ge(100),
        Le(20_000),
        Doc(
            "The price of a token is that at which policy and memory block took so many on the mean, measured on "
            "Cairn's own conversations. An easy question takes fewer and a hard one more, as do long replies."
        ),
    ] = 900
    ceiling: Annotated[
        int,
        Ge(0),
        Le(100_000),
        Doc("What policy and memory block never exceed together: the price rises until they fit."),
    ] = 1350


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySettings:
    """The memory engine's knobs: `settings.mcp.memory.*`, each of which a tenant may have its own value of."""

    recent_context_items: Annotated[
        int, Ge(0), Le(500), Doc("The newest stored items placed before the current input.")
    ] = 30
    recall_facts_limit: Annotated[int, Ge(0), Le(200), Doc("The most facts placed in the memory block.")] = 20
    search_limit: Annotated[int, Ge(0), Le(100), Doc("The most passages of earlier turns in the memory block.")] = 5
    context_tokens: Annotated[ContextSettings, Doc("How many tokens memory may take.")] = field(
        default_factory=ContextSettings
    )
    standing_tokens: Annotated[
        int,
        Ge(0),
        Le(20_000),
        Doc(
            "How many of these tokens go first to what holds whatever is asked: pinned facts, preferences and "
            "instructions of the user, and kept rules, standards and conventions. With 0 they have to match."
        ),
    ] = 200
    compact_threshold: Annotated[
        float, Gt(0), Lt(1), Doc("Compact once the context reaches this share of max_input_tok.")
    ] = 0.8
    l1_retention_days: Annotated[int, Ge(1), Le(3650), Doc("Full UTC days that a daily (L1) fact lives.")] = 1
    l2_retention_days: Annotated[int, Ge(1), Le(3650), Doc("Full UTC days that a weekly (L2) fact lives.")] = 7
    compaction_min_age_hours: Annotated[
        int, Ge(0), Le(87_600), Doc("Raw events younger than this are not archived.")
    ] = 24
    session_retention_days: Annotated[
        int,
        Ge(0),
        Le(3650),
        Doc("Maintenance erases a session whose last turn is so many days old; 0 keeps sessions for ever."),
    ] = 0
    erasure_grace_days: Annotated[
        int,
        Ge(0),
        Le(365),
        Doc("Erasing a user, a tenant or a session left alone waits so many days, in which it can be undone; 0: none."),
    ] = 0
    summary_refresh_interval_minutes: Annotated[
        int, Ge(0), Le(525_600), Doc("Directory summaries are refreshed at most this often.")
    ] = 60
    max_processed_turns: Annotated[
        int, Ge(1), Le(100_000), Doc("The newest turn ids kept in a session's idempotency history.")
    ] = 1024
    session_lock_timeout_ms: Annotated[
        int, Ge(0), Le(20_000), Doc("How long a call waits for its session before RESOURCE_BUSY, in milliseconds.")
    ] = 5000
    guard_lease_seconds: Annotated[
        int,
        Ge(1),
        Le(_LONGEST_LEASE_SECONDS),
        Doc(
            "After this long a dead caller's turn or session may be taken over; on one machine, as soon as it is dead."
        ),
    ] = 30
    recall_scope: Annotated[
        RecallScope,
        Doc(
            "What a recall sees unless the call says: this session, this user's sessions, or the whole project. With "
            "`session`, remember keeps for the session unless told, otherwise for the user. Where no user is known, "
            "`user` is the session alone."
        ),
    ] = "user"
    across_projects: Annotated[
        bool,
        Doc(
            "What users lastingly say of themselves and prefer is known in all projects that their keys open. Without "
            "it, it stays in the project where they said it."
        ),
    ] = True
    shared_projects: Annotated[
        tuple[str, ...],
        Doc(
            "Projects whose sessions are everyone's who may use the project; * stands for whole segments. "
            "Elsewhere a caller bound to a user has no part in another user's session."
        ),
    ] = ()
    legacy_files: Annotated[
        bool, Doc("A session's files show its history in the legacy layout too: log.jsonl, context.jsonl and so on.")
    ] = False
    lenient: Annotated[bool, Doc('A missing project or session_id becomes "default" instead of an error.')] = False
    heuristic: Annotated[HeuristicSettings, Doc("Fact extraction with a language model.")] = field(
        default_factory=HeuristicSettings
    )

    def shares(self, project: Project) -> bool:
        """Tell whether the project's sessions are everyone's who may use it, as they are where all is recalled."""
        return self.recall_scope == "project" or any(matches(each, trunk(project)) for each in self.shared_projects)


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcSettings:
    """Access tokens of an OpenID Connect issuer beside API keys: off without an issuer."""

    issuer: Annotated[
        str, Doc("The issuer whose access tokens are accepted, exactly as they name it; empty for none.")
    ] = ""
    resource: Annotated[
        str, Doc("The URL of the MCP endpoint on the OAuth host; only requests there are told of the issuer.")
    ] = ""
    audience: Annotated[str, Doc("What a token must name as its audience; the resource unless told.")] = ""
    jwks_uri: Annotated[str, Doc("Where the issuer's keys are; its discovery document says so unless told.")] = ""
    tenant_claim: Annotated[
        str, Doc("The claim that says whose memory a token opens: those with the same value share one.")
    ] = "sub"
    projects_claim: Annotated[
        str, Doc("The claim with the project patterns a token opens; without one it opens all of its tenant's.")
    ] = ""
    user_claim: Annotated[
        str,
        Doc(
            "The claim with the user, or the users, that a token speaks for and no others. Unless told it is `sub`; "
            "where that is the tenant_claim, and each subject has a tenant, there is none. With `none` or without one "
            "a token speaks for whomever its calls name."
        ),
    ] = ""
    scope_prefix: Annotated[str, Doc("What stands before read, write and admin in a token's scopes.")] = "cairn:"
    console_client_id: Annotated[
        str,
        Doc(
            "The public client under which people sign in to the console at the issuer, which has to let it ask for "
            "openid and all three scopes; empty for API keys alone."
        ),
    ] = ""

    @property
    def bound_claim(self) -> str:
        """Return the claim with a token's users, empty where tokens are bound to none."""
        if self.user_claim:
            return "" if self.user_claim == "none" else self.user_claim
        return "" if self.tenant_claim == "sub" else "sub"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthSettings:
    """Who may call: `settings.mcp.auth.*`, deploy-wide."""

    oidc: Annotated[OidcSettings, Doc("Access tokens of an OIDC issuer.")] = field(default_factory=OidcSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSettings:
    """The Kubernetes or OpenShift API that diagnostic tools read: `settings.mcp.cluster.*`, deploy-wide."""

    base_url: Annotated[str, Doc("The URL of the cluster's API; empty for none.")] = ""
    ca_pem: Annotated[str, Doc("The certificates, PEM, that the API's own must go back to; empty for public ones.")] = (
        ""
    )
    timeout_ms: Annotated[int, Ge(1), Le(15_000), Doc("How long to wait for the cluster, in milliseconds.")] = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrichmentSettings:
    """What standard tools are told of earlier calls: `settings.mcp.enrichment.*`, deploy-wide, off by default."""

    enabled: Annotated[bool, Doc("Record calls of standard tools, and tell the ones below what earlier ones met.")] = (
        False
    )
    tools: Annotated[tuple[str, ...], Doc("The tools that are told, and no others.")] = ("oc_diagnostic_pod_health",)
    mode: Annotated[
        EnrichmentMode,
        Doc("Look among earlier calls (`tool`), in the session (`conversation`), or there second (`hybrid`)."),
    ] = "hybrid"
    top_k: Annotated[int, Ge(1), Le(20), Doc("The most items a tool is told.")] = 3
    timeout_ms: Annotated[int, Ge(1), Le(5000), Doc("The most that a call may be delayed, in milliseconds.")] = 400
    summary_bytes: Annotated[int, Ge(64), Le(16_000), Doc("The most bytes a tool is told, as JSON.")] = 1500
    retention_days: Annotated[int, Ge(1), Le(365), Doc("How long the record of a standard tool's call is kept.")] = 30


MINILM_MEAN, MINILM_DEVIATION = 0.1187, 0.1044
"""Of the cosines of MiniLM that the ranker was fitted on, as bench/calibration.py measures them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSettings:
    """How texts are compared by meaning: `settings.mcp.embedding.*`, deploy-wide. No two embedders' vectors mix."""

    embedder: Annotated[
        EmbedderName,
        Doc(
            "`minilm`: all-MiniLM-L6-v2 in this process, for English. `multilingual`: Google's USE v3 in this "
            "process, for sixteen languages and between them. `titan`: Titan Text Embeddings V2 on Amazon Bedrock. "
            "`none`: texts are compared by their words alone, as they are while an embedder is missing or fails."
        ),
    ] = "minilm"
    directory: Annotated[str, Doc("Where MiniLM's files are; empty for where they were installed or built.")] = ""
    threads: Annotated[int, Ge(1), Le(64), Doc("The most cores that MiniLM uses for a text, of those there are.")] = 2
    titan_mean: Annotated[
        float, Gt(-1), Lt(1), Doc("The mean of Titan's cosines, as bench/calibration.py measures it; else MiniLM's.")
    ] = MINILM_MEAN
    titan_deviation: Annotated[float, Gt(0), Lt(1), Doc("Their standard deviation, likewise.")] = MINILM_DEVIATION


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """How much key-value memory and documents may hold: `settings.mcp.quotas.*`; bytes of keys and values as JSON."""

    namespace_items: Annotated[int, Ge(1), Doc("The most keys of one namespace.")] = 10_000
    namespace_bytes: Annotated[int, Ge(1), Doc("The most bytes of one namespace.")] = 100_000_000
    tenant_items: Annotated[int, Ge(1), Doc("The most keys of one tenant.")] = 100_000
    tenant_bytes: Annotated[int, Ge(1), Doc("The most bytes of one tenant.")] = 1_000_000_000
    documents: Annotated[int, Ge(1), Doc("The most documents of one user in a project, or of the project.")] = 1_000_000
    document_bytes: Annotated[int, Ge(1), Doc("The most bytes of their documents.")] = 10_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RateSettings:
    """How often tools may be called: `settings.mcp.rate_limits.*`, deploy-wide; a tool may have a rate of its own."""

    tenant_per_second: Annotated[
        float, Ge(0), Le(1000), Doc("The calls a second that a tenant may make, on average; 0 for any number.")
    ] = 500.0
    tenant_burst: Annotated[int, Ge(1), Le(100_000), Doc("The most calls a tenant may make at once.")] = 5000
    tool_per_second: Annotated[
        float, Ge(0), Le(1000), Doc("The same of one tool, unless tools.<name>.per_second says otherwise.")
    ] = 250.0
    tool_burst: Annotated[
        int, Ge(1), Le(100_000), Doc("The same of one tool, unless tools.<name>.burst says otherwise.")
    ] = 2500
    namespace_per_second: Annotated[
        float, Ge(0), Le(1000), Doc("The same in one namespace or, where a tool has none, project.")
    ] = 250.0
    namespace_burst: Annotated[int, Ge(1), Le(100_000), Doc("The same in one namespace or project.")] = 2500


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSettings:
    """What a tenant's calls may cost in a month: `settings.mcp.budget.*`; a tenant may have its own."""

    monthly_dollars: Annotated[
        float, Ge(0), Doc("What a tenant's calls of a month may cost, US dollars as `cairn cost` counts; 0: no budget.")
    ] = 0.0
    warning_share: Annotated[float, Gt(0), Le(1), Doc("From what share of it a metric and `cairn cost` warn.")] = 0.8
    brake: Annotated[bool, Doc("Refuse calls that write once it is spent; to forget, erase, export goes on.")] = False

    @property
    def holds_back(self) -> bool:
        """Tell whether calls may have to be refused."""
        return self.brake and self.monthly_dollars > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSettings:
    """What is kept of calls: `settings.mcp.audit.*`, deploy-wide."""

    retention_days: Annotated[int, Ge(1), Le(3650), Doc("How long the record of a call is kept, in days.")] = 365


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSettings:
    """What `cairn serve` backs up by itself: `settings.mcp.backup.*`, on one machine alone."""

    to: Annotated[
        str, Doc("Where `cairn serve` keeps backups: a directory or s3://bucket/prefix; empty: it makes none.")
    ] = ""
    every: Annotated[int, Ge(1), Le(720), Doc("How old the newest backup is when the next is made, in hours.")] = 24
    keep: Annotated[int, Ge(1), Le(1000), Doc("How many backups are kept; older ones are removed.")] = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSettings:
    """What the session archive takes: `settings.mcp.archive.*`, deploy-wide."""

    allow_hashes: Annotated[
        bool,
        Doc("Archive sessions that hold hexadecimal ids and digests of 32 and more characters; refused unless set."),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The sizes a request may have: `settings.mcp.limits.*`, deploy-wide."""

    request_bytes: Annotated[int, Ge(1024), Le(6_000_000), Doc("The largest request body, in bytes.")] = 2_000_000
    list_items: Annotated[int, Ge(1), Le(10_000), Doc("The most items in one list of a request.")] = 500
    text_bytes: Annotated[int, Ge(1), Le(6_000_000), Doc("The largest text of one content part, in bytes.")] = 200_000
    file_bytes: Annotated[int, Ge(1024), Le(20_000_000), Doc("The largest file of a session, in bytes.")] = 10_000_000
    project_bytes: Annotated[
        int, Ge(1024), Le(100_000_000_000), Doc("The most bytes that the files of a project's sessions have together.")
    ] = 100_000_000
    file_versions: Annotated[
        int,
        Ge(0),
        Le(10_000),
        Doc(
            "How many earlier versions of memory files are kept for each user, session and project, the newest of all "
            "its files; they are not counted as the project's bytes."
        ),
    ] = 200
    json_depth: Annotated[int, Ge(4), Le(200), Doc("The deepest nesting of a request.")] = 32
    json_values: Annotated[
        int, Ge(1000), Le(2_000_000), Doc("The most values in a request: objects, lists, and what they hold.")
    ] = 100_000
    value_bytes: Annotated[
        int, Ge(1), Le(6_000_000), Doc("The largest value of key-value memory, or of a document, as JSON, in bytes.")
    ] = 1_000_000
    log_items: Annotated[int, Ge(1), Le(10_000_000), Doc("The most items of one item log.")] = 100_000
    log_bytes: Annotated[
        int, Ge(1024), Le(100_000_000_000), Doc("The most bytes of one item log: of its items' ids, and data as JSON.")
    ] = 500_000_000
