"""Everything that a process offers: its settings, its adapters, and each capability, loaded when it is asked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from cairn.process.once import Once
from cairn.telemetry.record import CallTally

if TYPE_CHECKING:
    from cairn.access.browser_sessions import BrowserSessions
    from cairn.access.key_store import Credentials
    from cairn.access.policies import Policies
    from cairn.access.sign_in import SignIn
    from cairn.access.tenant_settings import TenantSettings
    from cairn.access.tokens import AccessTokens
    from cairn.archive.archive import Archive
    from cairn.calls.audit import AuditLog
    from cairn.calls.billing import Billing
    from cairn.calls.budgets import Budgets
    from cairn.calls.journal import Journal
    from cairn.calls.receipts import Receipts
    from cairn.calls.sealing import Sealer
    from cairn.calls.session_calls import SessionCalls
    from cairn.calls.usage import Prices
    from cairn.custody.tasks import Tasks
    from cairn.documents.store import Documents
    from cairn.files.directories import Directories
    from cairn.files.memory_files import MemoryFiles
    from cairn.files.service import Files
    from cairn.ground.adapters import Adapters
    from cairn.ground.ids import Tenant
    from cairn.ground.ports import Anchors, Embedder, FactModel, HttpGet, HttpPost, Inventory, Reader, Sandbox
    from cairn.ground.store_wiring import StoreWiring
    from cairn.items.store import ItemLogs
    from cairn.keyvalue.store import KeyValue
    from cairn.log.log import MemoryLog
    from cairn.log.registry import Registry
    from cairn.plans.planning import Plans
    from cairn.recall.indexing import Indexer
    from cairn.recall.searching import Searcher
    from cairn.recall.tail_vectors import TailVectors
    from cairn.sessions.guards import Guards
    from cairn.sessions.open_turns import OpenTurns
    from cairn.sessions.ownership import Ownership
    from cairn.sessions.sessions import Sessions
    from cairn.settings.settings import Settings
    from cairn.telemetry.call_events import CallObserver
    from cairn.upkeep.every_due import EveryDue
    from cairn.upkeep.health import Health
    from cairn.upkeep.maintenance import Maintenance
    from cairn.vault.vault import Vault


class Services:
    """The services of one process.

    They share one vault, one cache of each log and one journal. Each is made at its first use, with whatever it is made
    of; one that is set by hand, as tests do, is not made.
    """

    def __init__(self, settings: Settings, store: StoreWiring, adapters: Adapters | None = None) -> None:
        """Work as the settings say over the store's adapters, or over these."""
        self.store = store
        self.adapters = replace(adapters or store.adapters(), tally=CallTally())
        self.settings = settings
        if settings.tenants_are_stored and settings.of_store is None:
            self.settings = replace(settings, of_store=self._told)

    @Once
    def tenant_settings(self) -> TenantSettings:
        """Return what keeps tenants' own settings in the store."""
        from cairn.access.tenant_settings import TenantSettings

        return TenantSettings(self.adapters, replace(self.settings, of_store=None))

    def _told(self, tenant: Tenant) -> Settings:
        return self.tenant_settings.told(tenant)

    @Once
    def vault(self) -> Vault:
        """Return what seals and opens contents."""
        from cairn.vault.vault import Vault

        return Vault(self.adapters)

    @Once
    def credentials(self) -> Credentials:
        """Return the API keys."""
        from cairn.access.key_store import Credentials

        return Credentials(self.adapters)

    @Once
    def browser_sessions(self) -> BrowserSessions:
        """Return the sessions of browsers that are signed in."""
        from cairn.access.browser_sessions import BrowserSessions

        return BrowserSessions(self.adapters, self.settings.auth.oidc)

    @Once
    def sign_in(self) -> SignIn | None:
        """Return what signs browsers in at the issuer, None where the settings name no issuer or no client for that."""
        if self.http_get is None or self.http_post is None:
            return None
        from cairn.access.sign_in import SignIn

        return SignIn(self.settings.auth.oidc, self.adapters, self.http_get, self.http_post)

    @Once
    def access_tokens(self) -> AccessTokens | None:
        """Return what checks tokens of the issuer, None where the settings name none."""
        if self.http_get is None:
            return None
        from cairn.access.tokens import AccessTokens

        return AccessTokens(self.settings.auth.oidc, self.http_get, self.adapters.clock)

    @Once
    def http_get(self) -> HttpGet | None:
        """Return the HTTP client that fetches the issuer's documents, None where the settings name no issuer."""
        if not self.settings.auth.oidc.issuer:
            return None
        from cairn.process.http_get import DocumentGet

        return DocumentGet()

    @Once
    def http_post(self) -> HttpPost | None:
        """Return the HTTP client that sends codes to the issuer, None where the settings name no client for that."""
        if not self.settings.auth.oidc.console_client_id:
            return None
        from cairn.process.http_post import FormPost

        return FormPost()

    @Once
    def policies(self) -> Policies:
        """Return what tools may do with key-value memory and context."""
        from cairn.access import policies

        if self.settings.policy_file is not None:
            return policies.of_file(self.settings.policy_file, self.adapters.clock)
        from cairn.access.policy_store import PolicyStore

        return policies.of_table(PolicyStore(self.adapters).stored, self.adapters.clock, self.adapters.tally)

    @Once
    def journal(self) -> Journal:
        """Return what puts calls on record and holds them to their rates."""
        from cairn.calls.journal import Journal

        return Journal(self.adapters, self.vault, timedelta(days=self.settings.audit.retention_days))

    @Once
    def receipts(self) -> Receipts:
        """Return what keeps what was asked of memory."""
        from cairn.calls.receipts import Receipts

        return Receipts(self.adapters, self.vault, timedelta(days=self.settings.audit.retention_days))

    @Once
    def billing(self) -> Billing:
        """Return what tells what calls cost."""
        from cairn.calls.billing import Billing

        return Billing(self.adapters)

    @Once
    def session_calls(self) -> SessionCalls:
        """Return the calls that were made in sessions."""
        from cairn.calls.session_calls import SessionCalls

        return SessionCalls(self.adapters)

    @Once
    def anchors(self) -> Anchors | None:
        """Return where heads of audit chains are kept outside of the store, None where the settings name no place."""
        return self.store.anchors() if self.settings.anchors else None

    @Once
    def ownership(self) -> Ownership:
        """Return what tells whose sessions are."""
        from cairn.sessions.ownership import Ownership

        return Ownership(self.adapters)

    @Once
    def sealer(self) -> Sealer:
        """Return what seals the record of calls."""
        from cairn.calls.sealing import Sealer

        return Sealer(self.adapters, self.vault, self.anchors, lambda tenant: self.budgets.reckon(tenant))  # noqa: PLW0108 - made when first a log is sealed

    @Once
    def budgets(self) -> Budgets:
        """Return what holds tenants to what their calls may cost."""
        from cairn.calls.budgets import Budgets

        return Budgets(self.adapters, self.settings.budget_for, lambda: self.billing)

    @Once
    def audit(self) -> AuditLog:
        """Return what reads and checks the record of calls."""
        from cairn.calls.audit import AuditLog

        return AuditLog(self.adapters, self.vault, self.anchors)

    @Once
    def prices(self) -> Prices:
        """Return what calls cost."""
        return self.store.prices()

    @Once
    def observer(self) -> CallObserver:
        """Return what is told of each call as it starts and as it ends."""
        from cairn.telemetry.call_events import LoggedCalls

        return LoggedCalls()

    @Once
    def log(self) -> MemoryLog:
        """Return the memory logs."""
        from cairn.log.log import MemoryLog

        embeds, made = self.settings.embedding.embedder != "none", vars(self)
        return MemoryLog(self.adapters, self.vault, (lambda: made.get("embedder")) if embeds else None)

    @Once
    def registry(self) -> Registry:
        """Return what makes logs known to their projects, and projects to their tenants."""
        from cairn.log.registry import Registry

        return Registry(self.adapters)

    @Once
    def embedder(self) -> Embedder | None:
        """Return what turns texts into vectors, None where texts are found by their words alone."""
        from cairn.models.embedders import embedder

        return embedder(self.settings.embedding)

    @Once
    def reader(self) -> Reader | None:
        """Return what tells what sentences say, None where they are read by their words alone."""
        from cairn.models.embedders import reader

        return reader(self.settings.embedding)

    @Once
    def searcher(self) -> Searcher:
        """Return what searches memory logs."""
        from cairn.recall.searching import Searcher

        return Searcher(self.adapters, self.log, lambda: self.embedder)

    @Once
    def indexer(self) -> Indexer:
        """Return what makes segments of logs."""
        from cairn.recall.indexing import Indexer

        return Indexer(self.adapters, self.vault, self.embedder)

    @Once
    def tail_vectors(self) -> TailVectors:
        """Return what stores vectors with the newest entries of logs."""
        from cairn.recall.tail_vectors import TailVectors

        return TailVectors(self.adapters, self.vault, self.embedder)

    @Once
    def keyvalue(self) -> KeyValue:
        """Return key-value memory."""
        from cairn.keyvalue.store import KeyValue

        return KeyValue(self.adapters, self.vault, self.settings.quotas)

    @Once
    def documents(self) -> Documents:
        """Return documents."""
        from cairn.documents.store import Documents

        return Documents(self.adapters, self.vault, self.settings.quotas, lambda: self.embedder)

    @Once
    def item_logs(self) -> ItemLogs:
        """Return the item logs."""
        from cairn.items.store import ItemLogs

        return ItemLogs(self.adapters, self.vault, self.settings.limits)

    @Once
    def fact_model(self) -> FactModel | None:
        """Return what asks the language models of all tenants for facts, None where no tenant has one."""
        from cairn.models.fact_models import fact_models

        return fact_models(self.settings)

    @Once
    def sessions(self) -> Sessions:
        """Return what reads and leases sessions, and keeps their newest turns."""
        from cairn.sessions.sessions import Sessions

        return Sessions(self.adapters, self.vault, self.log.branches)

    @Once
    def open_turns(self) -> OpenTurns:
        """Return what keeps turns that wait for their end."""
        from cairn.sessions.open_turns import OpenTurns

        return OpenTurns(self.adapters, self.vault)

    @Once
    def guards(self) -> Guards:
        """Return what claims turns."""
        from cairn.sessions.guards import Guards

        return Guards(self.adapters, self.vault)

    @Once
    def directories(self) -> Directories:
        """Return what lists sessions' directories."""
        from cairn.files.directories import Directories

        return Directories(self)

    @Once
    def files(self) -> Files:
        """Return sessions as files."""
        from cairn.files.canonical import Canonical
        from cairn.files.own_files import OwnFiles
        from cairn.files.service import Files

        return Files(OwnFiles(self, self.settings.limits), Canonical(self), self.settings.limits)

    @Once
    def memory_files(self) -> MemoryFiles:
        """Return the files of the memory tool."""
        from cairn.files.memory_files import MemoryFiles

        return MemoryFiles(self, self.settings.limits)

    @Once
    def archive(self) -> Archive:
        """Return what archives whole sessions."""
        from cairn.archive.archive import Archive

        return Archive(self)

    @Once
    def maintenance(self) -> Maintenance:
        """Return what tidies sessions."""
        from cairn.upkeep.maintenance import Maintenance

        return Maintenance(self, self.journal)

    @Once
    def every_due(self) -> EveryDue:
        """Return what finds the sessions that are due."""
        from cairn.upkeep.every_due import EveryDue

        return EveryDue(self.adapters)

    @Once
    def health(self) -> Health:
        """Return what tells whether the stores answer."""
        from cairn.upkeep.health import Health

        return Health(self.adapters)

    @Once
    def sandbox(self) -> Sandbox:
        """Return where standard tools run."""
        return self.store.sandbox()

    @Once
    def inventory(self) -> Inventory:
        """Return the way to all that a tenant has, for an operator's command."""
        return self.store.inventory()

    @Once
    def tasks(self) -> Tasks:
        """Return what runs an operator's long work in the background, and tells of it."""
        from cairn.custody.tasks import Tasks

        return Tasks(self)

    @Once
    def plans(self) -> Plans:
        """Return what plans an operator's changes, makes them and takes them back."""
        from cairn.custody.kinds_of_plans import plans

        return plans(self)
