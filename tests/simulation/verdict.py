"""The end of a schedule: clients send again what was not acknowledged, and what is there is held to what was told."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.errors import CairnError, StoreError
from cairn.ground.ids import TurnId, UserId
from cairn.ground.table import Key
from cairn.sessions.layout import HEAD, session_pk
from simulation.actions import Play, look
from simulation.backup_oracle import BackupFindings
from simulation.branch_oracle import BranchFindings
from simulation.client_history import CONFLICT, REPLAYED, STORED
from simulation.document_oracle import DocumentFindings
from simulation.item_oracle import ItemFindings
from simulation.oracle import Findings
from simulation.plan_oracle import PlanFindings
from simulation.recount import Problems
from simulation.statement_oracle import StatementFindings
from simulation.storage_oracle import StorageFindings

LEASES_ARE_OVER = 90.0
A_WEEK = 9 * 86_400.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is wrong after a schedule, nothing as a rule, and how often it did what."""

    problems: tuple[str, ...]
    counts: Counter[str]


def judged(play: Play) -> Verdict:
    """Let clients send again what was not acknowledged, then hold what is stored and what was told to each other."""
    client_history = play.stage.client_history
    counts = play.stage.counts
    if client_history.crashes:
        return Verdict(tuple(client_history.crashes), counts)
    try:
        told = list(client_history.attempts)
        play.stage.scheduler.pause(LEASES_ARE_OVER)
        problems = list(_sent_again(play))
        _afterwards(play)
        found = Findings(play, play.stage.healthy(), told)
        problems += play.stage.leases.breaches
        problems += found.problems()
        problems += StorageFindings(play, play.stage.healthy()).problems()
        problems += DocumentFindings(play, play.stage.healthy()).problems()
        problems += ItemFindings(play, play.stage.healthy()).problems()
        problems += PlanFindings(play, play.stage.healthy()).problems()
        problems += BranchFindings(play, play.stage.healthy()).problems()
        problems += StatementFindings(play, play.stage.healthy()).problems()
        problems += BackupFindings(play, play.stage.healthy()).problems()
    except (CairnError, StoreError) as error:
        return Verdict((f"a healthy process failed: {error!r}",), counts)
    counts["turns"] += found.turns
    return Verdict(tuple(problems), counts)


def _sent_again(play: Play) -> Problems:
    """Send every turn again in every form in which it was sent: one of them is stored, and all others conflict."""
    process = play.stage.healthy()
    for (session, turn_id), attempts in play.stage.client_history.turns().items():
        known = [each.turn for each in attempts if each.is_acknowledged]
        forms = [
            turn for i, turn in enumerate(each.turn for each in attempts) if turn not in [a.turn for a in attempts[:i]]
        ]
        answers = {number: play.stage.send(process, session, turn) for number, turn in enumerate(forms)}
        stored = [each for each in answers.values() if each.is_acknowledged]
        if len(stored) != 1 or any(each.outcome != CONFLICT for each in answers.values() if each not in stored):
            yield f"{turn_id} of {session}: sent again, it is {[each.outcome for each in answers.values()]}"
        elif known and (stored[0].outcome != REPLAYED or any(turn != stored[0].turn for turn in known)):
            yield f"{turn_id} of {session} was acknowledged and is not there, or is another"
    for session in play.sessions:
        probe = Completion(
            turn_id=TurnId("probe"), inputs=(message("user", "Well."),), outputs=(), user_id=UserId("ada")
        )
        if play.stage.send(process, session, probe).outcome != STORED:
            yield f"{session} takes no new turn"
        elif "isk" not in (process.services.adapters.table.get(Key(session_pk(session), HEAD)) or {}):
            yield f"{session} is due at no time"


def _afterwards(play: Play) -> None:
    """Have every session looked at, maybe days later, maybe maintained, maybe with its logs indexed."""
    process = play.stage.healthy()
    play.stage.scheduler.pause(play.random.choice((0.0, 60.0, 100_000.0, A_WEEK)))
    for session in play.sessions:
        if play.random.random() < 0.4:
            process.services.maintenance.run(session)
        if play.random.random() < 0.5:
            for owner in play.owners(session):
                process.services.indexer.run(session.tenant, session.project, owner)
        look(play, process, session)
