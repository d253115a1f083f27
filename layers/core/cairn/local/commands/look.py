"""`cairn remember`, `recall`, `show`, `changes`, `sessions`, `users` and `projects`: look at memory from the shell.

`cairn forget`, `correct`, `pin` and `restore` put right what is there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from cairn.ground.ids import Project, UserId
from cairn.local.asking import Ask, asking
from cairn.local.backup.command import or_a_backup
from cairn.local.options import dry_run_option
from cairn.local.program import program
from cairn.local.tables import plain, table, when

_json = click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON object.")
_cursor = click.option("--cursor", default="", help="Go on here: what the page before ended with.")


def _limit(default: int, most: int) -> Callable[[Any], Any]:
    kind = click.IntRange(1, most)
    return click.option("--limit", default=default, show_default=True, type=kind, help="List at most this many.")


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("--type", "kind", default="fact", show_default=True, help="What kind of thing it is.")
@click.option(
    "--scope",
    type=click.Choice(["user", "project", "user_everywhere"]),
    default="user",
    show_default=True,
    help="Who recalls it: the user here, everyone here, or the user in every project.",
)
@_json
@asking
def remember(ask: Ask, *, text: tuple[str, ...], kind: str, scope: str, as_json: bool) -> None:
    """Keep something for later conversations.

    What agents recall for this user finds it from then on. Saying it again keeps the first.
    """
    _changed(ask("remember", content=" ".join(text), type=kind, scope=scope), as_json=as_json)


@click.command()
@click.argument("question", nargs=-1, required=True)
@click.option("--type", "kind", default="all", help="Only what is of this type, such as turn or fact.")
@_limit(10, 50)
@_json
@asking
def recall(ask: Ask, *, question: tuple[str, ...], kind: str, limit: int, as_json: bool) -> None:
    """Find what was said, remembered or learnt, best first.

    Standard error tells whether any of it is likely an answer. The exit status is 1 if nothing is found.
    """
    found = ask("recall", query=" ".join(question), type=kind, limit=limit)
    if as_json:
        _print(found)
    else:
        rows = [(f"{each['score']:.2f}", when(each["timestamp"]), *_told(each)) for each in found["memories"]]
        _note(f"{found['says'][0].upper()}{found['says'][1:]}.")
        if rows:
            table(("SCORE", "WHEN", "TYPE", "CONTENT", "ID"), rows, wide="CONTENT")
        _note(_more(found["more"], "match"))
    sys.exit(0 if found["memories"] else 1)


@click.command()
@click.argument("name", metavar="[USER]", required=False)
@click.option("--graph", is_flag=True, help="Draw a tree: what each thing is about, and what is believed of that.")
@_limit(100, 500)
@_json
@asking
def show(ask: Ask, *, name: str | None, graph: bool, limit: int, as_json: bool) -> None:
    """Show what is known of USER, or of you.

    Facts that are believed now, with when and where each was said, and memories that were kept. They hold here, in the
    project, or everywhere. The exit status is 1 if nothing is known.
    """
    if graph and as_json:
        raise click.UsageError("--graph and --json each print in their own way: give one of them.")
    known = ask("memory_list_known", limit=limit, **({"user_id": name} if name else {}))
    if as_json:
        _print(known)
    elif graph and (known["facts"] or known["memories"]):
        _draw(known, name)
    else:
        facts = [
            ("fact", each["about"], each["value"], _holds(each), when(each["since"]), each["session_id"], each["id"])
            for each in known["facts"]
        ]
        memories = [
            ("memory", each["type"], each["content"], _holds(each), when(each["since"]), each["session_id"], each["id"])
            for each in known["memories"]
        ]
        columns = ("KIND", "ABOUT", "WHAT", "HOLDS", "SINCE", "SESSION", "ID")
        _table(columns, [*facts, *memories], wide="WHAT")
        _note(_more(known["more"], "are known"))
    sys.exit(0 if known["facts"] or known["memories"] else 1)


@click.command()
@click.argument("memory_id", metavar="[ID]", required=False)
@click.option("--session", "taught_in", help="Only what this conversation taught and ended.")
@click.option("--days", is_flag=True, help="Count them by days in UTC instead, days without any left out.")
@_cursor
@_limit(50, 100)
@_json
@asking
def changes(  # noqa: PLR0913 - one parameter for each option
    ask: Ask, *, memory_id: str | None, taught_in: str | None, days: bool, cursor: str, limit: int, as_json: bool
) -> None:
    """Show what memory learnt, replaced, forgot and kept of you, newest first.

    Of ID only how it came to be, what it replaced and what replaced it. The exit status is 1 if nothing changed.
    """
    if days and (memory_id or taught_in or cursor):
        raise click.UsageError("--days counts all changes of the last 90 days: give it alone.")
    if days:
        _count(ask("memory_count_changes"), as_json=as_json)
        return
    found = ask("memory_list_changes", memory_id=memory_id, taught_in=taught_in, cursor=cursor, limit=limit)
    rows = [
        (when(each["at"]), each["kind"], each["about"], each["value"], each["was"], each["session_id"], each["id"])
        for each in found["changes"]
    ]
    _list(found, ("WHEN", "KIND", "ABOUT", "WHAT", "WAS", "SESSION", "ID"), rows, wide="WHAT", as_json=as_json)


def _count(found: dict[str, Any], *, as_json: bool) -> None:
    counted = ("learnt", "replaced", "forgotten", "ended", "kept", "turns")
    rows = [(each["day"], *(each[name] for name in counted)) for each in found["days"]]
    shown = [row for row in rows if any(row[1:])]
    if as_json:
        _print(found)
    else:
        _table(("DAY", *map(str.upper, counted)), shown)
    sys.exit(0 if shown else 1)


@click.command()
@click.argument("session", required=False)
@click.option("--everyone", is_flag=True, help="List those of all users of the project.")
@_cursor
@_limit(20, 100)
@_json
@asking
def sessions(  # noqa: PLR0913 - one parameter for each option
    ask: Ask, *, session: str | None, everyone: bool, cursor: str, limit: int, as_json: bool
) -> None:
    """List conversations, newest first, or show what was said in SESSION.

    Of SESSION the newest items are shown, in the order they were said. The exit status is 1 if there is nothing.
    """
    if session is not None:
        _show_items(ask, session, cursor, limit, as_json=as_json)
        return
    whose = {"user_id": None} if everyone else {}
    found = ask("memory_list_sessions", cursor=cursor, limit=limit, **whose)
    rows = [
        (
            *(each["session_id"], ", ".join(each["users"]), when(each["begun"]), when(each["newest"])),
            *(each["turns"], each["opening"]),
        )
        for each in found["sessions"]
    ]
    columns = ("SESSION", "USERS", "BEGUN", "NEWEST", "TURNS", "OPENING")
    _list(found, columns, rows, wide="OPENING", as_json=as_json)


@click.command()
@_cursor
@_limit(100, 100)
@_json
@asking
def users(ask: Ask, *, cursor: str, limit: int, as_json: bool) -> None:
    """List the users of a project, by name.

    The exit status is 1 if there is none.
    """
    found = ask("memory_list_users", cursor=cursor, limit=limit)
    rows = [(each["user_id"], when(each["newest"])) for each in found["users"]]
    _list(found, ("USER", "NEWEST"), rows, as_json=as_json)


@click.command()
@_cursor
@_limit(100, 100)
@_json
@asking
def projects(ask: Ask, *, cursor: str, limit: int, as_json: bool) -> None:
    """List the projects in which something is kept, by name.

    The exit status is 1 if there is none.
    """
    found = ask("memory_list_projects", cursor=cursor, limit=limit)
    _list(found, ("PROJECT",), [(each,) for each in found["projects"]], as_json=as_json)


@click.command()
@click.argument("memory_id")
@click.option("--reason", help="Why; it stays on record.")
@dry_run_option
@_json
@asking
def forget(ask: Ask, *, memory_id: str, reason: str | None, dry_run: bool, as_json: bool) -> None:
    """Let go of the memory or fact of this id, as `recall` and `show` print it.

    The exit status is 1 if there is none.
    """
    if dry_run:
        _plan_to_forget(ask, memory_id, reason, as_json=as_json)
        return
    done = ask("forget", memory_id=memory_id, reason=reason)
    if as_json:
        _print(done)
    else:
        click.echo("Forgotten.")
        _note(f"To take it back: {program()} restore {_quoted(memory_id)}")


def _plan_to_forget(ask: Ask, memory_id: str, reason: str | None, *, as_json: bool) -> None:
    from cairn.custody.planned_forgetting import plan_to_forget  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.commands.plan import tell  # noqa: PLC0415

    project, user = Project(ask.names["project"]), UserId(ask.names["user_id"])
    tell(ask.services.plans.plan(plan_to_forget(ask.tenant, project, user, memory_id, reason)), as_json=as_json)


@click.command()
@click.argument("memory_id")
@click.argument("text", nargs=-1, required=True)
@_json
@asking
def correct(ask: Ask, *, memory_id: str, text: tuple[str, ...], as_json: bool) -> None:
    """Say what holds instead of the memory or fact of this id: of a fact its value, such as Bergen.

    It prints the id under which that is believed or kept. The exit status is 1 if nothing of the id given is.
    """
    _changed(ask("memory_correct", memory_id=memory_id, content=" ".join(text)), as_json=as_json)


@click.command()
@click.argument("memory_id")
@click.option("--off", is_flag=True, help="Pin it no longer.")
@_json
@asking
def pin(ask: Ask, *, memory_id: str, off: bool, as_json: bool) -> None:
    """Have the fact of this id told to agents always, whatever they are asked.

    It prints the id under which the fact is believed from then on. The exit status is 1 if there is none.
    """
    _changed(ask("memory_pin", memory_id=memory_id, pinned=not off), as_json=as_json)


@click.command()
@click.argument("what")
@_json
@or_a_backup
@asking
def restore(ask: Ask, *, what: str, as_json: bool) -> None:
    """Believe or keep again the fact or memory WHAT, or with --to restore the backup in WHAT.

    A fact or memory is named by its id; it was forgotten, corrected or replaced. It prints the id under which it is
    from then on. The exit status is 1 if there is none.

    A backup is a directory or s3://bucket/prefix of `cairn backup`, or aws for the store in AWS. It is checked whole,
    and who was erased since is left out, by the store in the data directory or else by the newest backup.
    """
    _changed(ask("memory_restore", memory_id=what), as_json=as_json)


def _changed(done: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        _print(done)
    else:
        click.echo(f"{done['message']} {done['memory_id']}")


def _draw(known: dict[str, Any], user: str | None) -> None:
    from datetime import UTC, datetime  # noqa: PLC0415 - a command pays for its own imports only

    from cairn.local.known_tree import known_tree  # noqa: PLC0415
    from cairn.local.trees import print_tree  # noqa: PLC0415

    print_tree(known_tree(known, user, datetime.now(UTC)))
    _note(_more(known["more"], "are known"))


def _show_items(ask: Ask, session: str, cursor: str, limit: int, *, as_json: bool) -> None:
    if cursor and not cursor.isdecimal():
        raise click.BadParameter("is none that a page ended with", param_hint="--cursor")
    place = int(cursor) if cursor else None
    found = ask("memory_list_items", session_id=session, order="newest", cursor=place, limit=limit)
    rows = [(when(each["at"]), each["turn_id"], *_said(each["item"], each["user_id"])) for each in found["items"]]
    _list(found, ("WHEN", "TURN", "WHO", "SAID"), rows, wide="SAID", as_json=as_json)


def _said(item: dict[str, Any], user: str | None) -> tuple[str, str]:
    from cairn.conversation.items import role_of, text_of  # noqa: PLC0415 - a command pays for its own imports only

    role = role_of(item)
    return (user or role) if role == "user" else role, text_of(item) or json.dumps(item, ensure_ascii=False)


def _list(
    found: dict[str, Any], columns: Sequence[str], rows: Sequence[Sequence[object]], *, wide: str = "", as_json: bool
) -> None:
    """Print a page of a list, and end with 1 where it is empty."""
    if as_json:
        _print(found)
    else:
        _table(columns, rows, wide)
        _note(f"There is more: --cursor {_quoted(found['cursor'])}" if found["cursor"] is not None else "")
    sys.exit(0 if rows else 1)


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]], wide: str = "") -> None:
    if rows:
        table(columns, rows, wide)
    else:
        _note("Nothing is there.")


def _holds(known: dict[str, Any]) -> str:
    return "everywhere" if known["everywhere"] else "here"


def _told(memory: dict[str, Any]) -> tuple[str, str, str]:
    return memory["type"], memory["content"], memory["id"]


def _more(count: int, what: str) -> str:
    return f"{count} more {what}." if count else ""


def _quoted(cursor: object) -> str:
    import shlex  # noqa: PLC0415 - a command pays for its own imports only

    return shlex.quote(plain(cursor))


def _note(text: str) -> None:
    """Tell people what is no part of the list."""
    if text:
        click.echo(text, err=True)


def _print(answer: dict[str, Any]) -> None:
    click.echo(json.dumps(answer, indent=2, ensure_ascii=True))
