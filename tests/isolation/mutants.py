"""Leaks planted on purpose, each of which a trial has to find."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from isolation.trial import Among, isolated
from simulation.planting import Change, Mutant, planted

CALLS: Final = 150

_BETWEEN_TENANTS = (
    Mutant(
        "a session's partition does not say whose it is",
        (Change("cairn.sessions.layout:session_pk", "{session.tenant}#s#", "all#s#"),),
    ),
    Mutant(
        "the index of a session's calls does not say whose it is",
        (Change("cairn.calls.layout:calls_pk", "{session.tenant}#calls#", "all#calls#"),),
    ),
    Mutant(
        "the audit records of all are read as one's own",
        (Change("cairn.calls.layout:audit_day_pk", "{tenant}#audit#", "all#audit#"),),
    ),
    Mutant(
        "a pointer is looked up among those of all",
        (Change("cairn.archive.layout:archive_pk", "{tenant}#a", "all#a"),),
    ),
    Mutant(
        "all tenants share their token buckets",
        (Change("cairn.calls.layout:rates_pk", "{tenant}#rates", "all#rates"),),
    ),
    Mutant(
        "a process keeps contexts by project and session alone",
        (
            Change(
                "cairn.calls.session_calls:SessionCalls.of",
                "kept = self._kept.peek(session)",
                "kept = next((v for k, (v, _) in self._kept._entries.items() "
                "if k.session_id == session.session_id), None)",
            ),
        ),
    ),
    Mutant(
        "a process keeps data keys by number alone",
        (
            Change(
                "cairn.vault.vault:Vault._cached",
                "self._keys.peek((tenant, number))",
                "next((key for (_, known), (key, _) in self._keys._entries.items() if known == number), None)",
            ),
        ),
    ),
    Mutant(
        "a process spends the tokens that it took for another tenant",
        (
            Change(
                "cairn.calls.rate_limits:RateLimits._spend",
                "if not self._left.peek(bucket)",
                "if not self._left.get_or_put(bucket, lambda bucket=bucket: "
                "{k.name: n for k, (n, _) in self._left._entries.items()}.get(bucket.name, 0))",
            ),
        ),
    ),
    Mutant(
        "a cursor opens for whoever brings it",
        (
            Change(
                "cairn.keyvalue.store:seal_cursor",
                "vault.seal_blob(tenant, _where(pk, prefix),",
                "vault.seal_blob(Tenant('~policies'), _where('', ''),",
            ),
            Change(
                "cairn.keyvalue.store:unseal_cursor",
                "vault.unseal_blob(tenant, _where(pk, prefix),",
                "vault.unseal_blob(Tenant('~policies'), _where('', ''),",
            ),
        ),
        seed=25,
    ),
    Mutant(
        "a day that one tenant called on counts as marked for all",
        (Change("cairn.calls.journal:Journal._store_item", "(record.tenant, record.day)", "(Tenant(''), record.day)"),),
    ),
    Mutant(
        "the accesses of two tenants with one credential count together",
        (Change("cairn.calls.anomalies:AnomalyDetector._of", "(tenant, credential)", "(Tenant(''), credential)"),),
    ),
    Mutant(
        "a memory is forgotten only while the process has read few logs",
        (
            Change(
                "cairn.memories.forget:_Forgetting._end_of_memory",
                '"state": FORGOTTEN,',
                '"state": FORGOTTEN if len(self._services.log._slots._entries) < 4 else KEPT,',
            ),
        ),
    ),
    Mutant(
        "a refusal tells how many data keys the process has",
        (
            Change(
                "cairn.archive.archive:Archive.retrieve",
                "raise _not_found()",
                "raise NotFound(f'No such session, nor in {len(self._services.vault._keys)} others')",
            ),
        ),
    ),
    Mutant(
        "an operator ends whatever key is named",
        (
            Change(
                "cairn.access.key_store:Credentials.find",
                "found is None or found.tenant != owner",
                "found is None",
            ),
        ),
    ),
    Mutant(
        "the list of keys is everyone's",
        (Change("cairn.access.key_store:Credentials.of_tenant", "if each.tenant == owner", "if True"),),
    ),
    Mutant(
        "a task's partition does not say whose it is",
        (Change("cairn.custody.layout:tasks_pk", "{tenant}#tasks", "all#tasks"),),
    ),
    Mutant(
        "whoever reads for all pays for all",
        (Change("cairn.telemetry.record:CallMeter.used", " or owner != record.owner", ""),),
    ),
)
_BETWEEN_PROJECTS = (
    Mutant(
        "a process keeps contexts by tenant and session alone",
        (
            Change(
                "cairn.calls.session_calls:SessionCalls.of",
                "kept = self._kept.peek(session)",
                "kept = next((v for k, (v, _) in self._kept._entries.items() "
                "if (k.tenant, k.session_id) == (session.tenant, session.session_id)), None)",
            ),
        ),
    ),
    Mutant(
        "a memory log's partition does not say of which project it is",
        (Change("cairn.log.layout:log_pk", "#m#{project}#", "#m#any#"),),
    ),
)
_BETWEEN_USERS = (
    Mutant(
        "a memory log across projects does not say whose it is",
        (Change("cairn.log.layout:log_pk", "#{owner.removeprefix(ACROSS)}", "#u:any"),),
    ),
    Mutant(
        "a process tells of the log across projects that it read first",
        (
            Change(
                "cairn.overview.known:_of_log",
                "where.project, owner)",
                "where.project, next((k.partition('#m#')[2].replace('#', '', 1) for k in services.log._slots._entries "
                "if '#~#' in k and is_across(owner)), owner))",
            ),
        ),
    ),
    Mutant(
        "a key speaks for whomever its calls name",
        (Change("cairn.tool.bound:check_user", "if not users:", "if True:"),),
    ),
    Mutant(
        "a key to some projects opens all",
        (Change("cairn.access.callers:Caller.may_use", "covers(pattern, trunk(project))", "True"),),
    ),
)
MUTANTS: Final[Sequence[tuple[Among, Mutant]]] = (
    *(("tenants", mutant) for mutant in _BETWEEN_TENANTS),
    *(("projects", mutant) for mutant in _BETWEEN_PROJECTS),
    *(("users", mutant) for mutant in _BETWEEN_USERS),
)


def found(among: Among, mutant: Mutant, trials: int) -> int | None:
    """Return the first seed from the mutant's on whose trial finds the leak, None where none of so many does."""
    with planted(mutant):
        seeds = range(mutant.seed, mutant.seed + trials)
        return next((seed for seed in seeds if isolated(seed, CALLS, among=among).problems), None)
