"""`cairn plan`: look at what commands planned with --dry-run, do exactly that, and take it back."""

from __future__ import annotations

import json
import os
import sys
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cairn.access.layout import POLICIES
from cairn.ground.codec import rfc3339
from cairn.ground.errors import NotFound
from cairn.ground.ids import Tenant
from cairn.local.options import data_option, grace_option, tenant_option
from cairn.local.program import program
from cairn.local.tables import counted, plain, table, when
from cairn.plans.model import SHOWN

if TYPE_CHECKING:
    from cairn.plans.model import Plan
    from cairn.plans.planning import Plans
    from cairn.services import Services

_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@click.group()
def plan() -> None:
    """Look at plans, apply them and take them back.

    A command that is given --dry-run makes a plan and changes nothing. `cairn plan apply` does exactly what the plan
    says, or nothing where that is another by now; `cairn plan undo` takes it back within its grace time, 30 days. A
    plan is kept for 60 days after its last change. Works on the data directory, or, if CAIRN_TABLE, CAIRN_BUCKET and
    CAIRN_KEY_ID are set and --data is not given, on that store in AWS.
    """


@plan.command("list")
@tenant_option
@data_option
def list_(owner: Tenant, data: Path | None) -> None:
    """List a tenant's plans, the newest first, and then those for the deployment's policy."""
    from cairn.local.store import operator_services  # noqa: PLC0415 - a command pays for its own imports only

    records = operator_services(data, os.environ).plans.records
    found = chain(records.every(owner), records.every(POLICIES))
    rows = [(each.id, when(rfc3339(each.made)), each.kind, each.state, _until(each), each.words) for each in found]
    table(("ID", "MADE", "KIND", "STATE", "UNTIL", "WHAT"), rows, wide="WHAT")


@plan.command()
@click.argument("plan_id", metavar="ID")
@_json
@tenant_option
@data_option
def show(plan_id: str, owner: Tenant, data: Path | None, *, as_json: bool) -> None:
    """Print a plan: what it changes, why, how much, and the digest of exactly that."""
    from cairn.local.store import operator_services  # noqa: PLC0415 - a command pays for its own imports only

    tell(_find(operator_services(data, os.environ), owner, plan_id), as_json=as_json)


@plan.command()
@click.argument("plan_id", metavar="[ID]", required=False)
@click.option("--due", is_flag=True, help="Carry out the erasures of all tenants whose grace time is over, instead.")
@grace_option
@tenant_option
@data_option
def apply(*, plan_id: str | None, due: bool, grace: timedelta | None, owner: Tenant, data: Path | None) -> None:
    """Do exactly what a plan says.

    It is refused if it would change something else by now. One that was stopped is gone on with; one that was applied
    stays as it is. An erasure waits for its grace time first, and then erases all that there is.
    """
    if (plan_id is None) != due:
        raise click.UsageError("name a plan, or give --due")
    from cairn.local.commands.keys import show_issued  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.store import services  # noqa: PLC0415
    from cairn.tool.maintenance_runs import erase_due  # noqa: PLC0415

    with services(data, os.environ) as opened:
        if plan_id is None:
            done = erase_due(opened, "cairn-plan")
            click.echo(f"{counted(sum(done), 'erasure')} carried out, {done.count(False)} failed")
            sys.exit(0 if all(done) else 1)
        found = _find(opened, owner, plan_id)
        wait = grace_time(opened, owner, grace)
        erases = found.erases(opened.adapters.clock.now(), wait)
        command = "cairn plan apply --grace" if found.kind == "erase" and not erases else "cairn plan apply"
        with _on_record(opened, found, command, is_last=found.is_of_whole_tenant and erases):
            done = _plans(opened, found).apply(found.tenant, plan_id, wait)
        if SHOWN in done.done:
            show_issued(opened.credentials, done)
        tell(done)


@plan.command()
@click.argument("plan_id", metavar="ID")
@tenant_option
@data_option
def undo(plan_id: str, owner: Tenant, data: Path | None) -> None:
    """Take back what a plan did, within its grace time.

    It is refused if something was built on it since.
    """
    from cairn.local.store import services  # noqa: PLC0415 - a command pays for its own imports only

    with services(data, os.environ) as opened:
        found = _find(opened, owner, plan_id)
        with _on_record(opened, found, "cairn plan undo"):
            tell(opened.plans.undo(found.tenant, plan_id))


def tell(found: Plan, *, as_json: bool = False) -> None:
    """Print a plan and, where it can be gone on with, how."""
    told = {"plan": found.id, "kind": found.kind, "state": found.state, "digest": found.digest, "until": _until(found)}
    if as_json:
        said = {"what": found.words, "why": found.why, "counts": dict(found.counts)}
        click.echo(json.dumps({**told, **said}, indent=2, ensure_ascii=True))
        return
    counts = ", ".join(f"{name.replace('_', ' ')}: {count}" for name, count in found.counts.items() if count)
    for name, value in {**told, "what": found.words, "why": found.why, "counts": counts}.items():
        if value:
            click.echo(f"{name:7} {plain(value)}")
    act = {"planned": "apply", "applying": "apply", "waiting": "undo", "applied": "undo"}.get(found.state)
    if found.state == "waiting":
        click.echo("Nothing is erased before that: until then all of it stays and can be read.", err=True)
    if act is not None:
        _tell_how(found, act)


def tell_undo(found: Plan) -> None:
    """Say how to take back what was applied."""
    _tell_how(found, "undo")


def _tell_how(found: Plan, act: str) -> None:
    from cairn.local.store import LOCAL_TENANT  # noqa: PLC0415 - a command pays for its own imports only

    whose = "" if found.tenant in {LOCAL_TENANT, POLICIES} else f" --tenant {found.tenant}"
    click.echo(f"To {act} it: {program()} plan {act} {found.id}{whose}", err=True)


def _find(services: Services, owner: Tenant, plan_id: str) -> Plan:
    """Return a tenant's plan, or one for the policy, which is no tenant's; NotFound where there is no such."""
    with suppress(NotFound):
        return services.plans.records.get(owner, plan_id)
    return services.plans.records.get(POLICIES, plan_id)


def _plans(services: Services, found: Plan) -> Plans:
    """Return what applies a plan: of an import with what opens bundles."""
    if found.kind != "import":
        return services.plans
    from cairn.custody.kinds_of_plans import plans  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.commands import bundle_files  # noqa: PLC0415

    return plans(services, bundle_files.opened)


def _until(found: Plan) -> str:
    return "" if found.until is None else when(rfc3339(found.until))


def grace_time(services: Services, owner: Tenant, given: timedelta | None) -> timedelta:
    """Return how long an erasure waits: as it is said, or else as the settings say."""
    days = services.settings.memory_for(owner).erasure_grace_days
    return timedelta(days=days) if given is None else given


def _on_record(services: Services, found: Plan, command: str, *, is_last: bool = False) -> AbstractContextManager[None]:
    """Return what puts a command on record, where there is a log for that and it is not erased with its tenant."""
    from cairn.local.store import recorded  # noqa: PLC0415 - a command pays for its own imports only

    if is_last or found.tenant == POLICIES:
        return nullcontext()
    return recorded(services, found.tenant, f"{command} ({found.kind})", found.project, found.user)
