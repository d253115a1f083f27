"""What must hold of plans after any schedule: each is done whole or not at all, and one taken back leaves no trace."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import cached_property

from cairn.access.policy_store import PolicyStore
from cairn.ground.errors import CairnError, Conflict, NotFound
from cairn.ground.ids import UserId
from cairn.memories.model import RecalledItem, RecallRequest
from cairn.memories.recall import recall
from cairn.plans.model import Plan
from simulation.actions import Play
from simulation.operations import Operation
from simulation.plan_actions import HERE, OWNERS, TENANT
from simulation.recount import Problems
from simulation.stage import Process

MOST = 1000


class PlanFindings:
    """One look at the end of a schedule, once every plan that was begun is gone on with."""

    def __init__(self, play: Play, process: Process) -> None:
        self._play = play
        self._operations = play.operations
        self._services = process.services

    def problems(self) -> Problems:
        if not self._operations.of("noted") and not self._operations.of("planned"):
            return
        yield from self._ended()
        yield from self._answers()
        yield from self._memories()
        yield from self._keys()
        yield from self._policy()

    @cached_property
    def _planned(self) -> list[Operation]:
        return [each for each in self._operations.of("planned") if each.ok]

    @cached_property
    def _now(self) -> dict[str, Plan]:
        """Return the plans as they are stored; one that speaks of an erased user is gone."""
        found = dict[str, Plan]()
        for each in self._planned:
            with suppress(NotFound):
                found[each.answer.id] = self._services.plans.records.get(each.answer.tenant, each.answer.id)
        return found

    def _ended(self) -> Problems:
        """Have each plan that was begun be ended by the same command."""
        for each in self._planned:
            plans, plan = self._services.plans, each.answer
            try:
                state = plans.records.get(plan.tenant, plan.id).state
                if state in {"applying", "undoing"}:
                    verb = plans.apply if state == "applying" else plans.undo
                    with suppress(Conflict):
                        verb(plan.tenant, plan.id)
                if plans.records.get(plan.tenant, plan.id).state in {"applying", "undoing"}:
                    yield f"a plan to {plan.kind} is {state} for ever"
            except NotFound:
                continue
            except CairnError as error:
                yield f"a plan to {plan.kind} that was stopped fails: {error!r}"

    def _answers(self) -> Problems:
        """Hold each plan to what was told of it."""
        for planned in self._planned:
            plan = self._now.get(planned.answer.id)
            undone = self._of("undone", planned)
            applied = [each for each in self._of("applied", planned) if each.ok and each.answer.state == "applied"]
            if plan is None:
                if planned.answer.kind in {"key", "policy"}:
                    yield f"a plan to {planned.answer.kind} is gone"
                continue
            if any(each.ok for each in undone) and plan.state != "undone":
                yield f"a plan to {plan.kind} was taken back, and is {plan.state}"
            if applied and all(each.refused for each in undone) and plan.state != "applied":
                yield f"a plan to {plan.kind} was applied, and is {plan.state}"

    def _of(self, kind: str, planned: Operation) -> list[Operation]:
        return [each for each in self._operations.all if each.kind == kind and each.about is planned]

    def _memories(self) -> Problems:
        """Hold what is recalled to what was kept, forgotten, taken back and erased."""
        for user in OWNERS:
            there = self._recalled(user)
            times = Counter(each.content for each in there)
            for kept in self._operations.of("noted"):
                if kept.about.user_id != user:
                    continue
                count, known = times.pop(kept.about.content, 0), self._may_be(kept)
                if count not in known:
                    yield f"{kept.about.content[:20]} is recalled {count} times, and should be {known} times"
                if any((each.type, each.confidence, each.trust) != _of(kept) for each in there if _is_of(each, kept)):
                    yield f"{kept.about.content[:20]} came back as something else"
            if times:
                yield f"{user} is told {times}, which nobody kept"

    def _may_be(self, kept: Operation) -> set[int]:
        """Return how many times a memory may be recalled."""
        plan = next((self._now.get(each.answer.id) for each in self._planned if each.about is kept), None)
        erasures = [each for each in self._erasures(kept.about.user_id) if (each.ended or MOST**2) > kept.begun]
        if any(each.ok and kept.ended is not None and kept.ended < each.begun for each in erasures):
            return {0}
        if erasures or (not kept.ok and plan is None):
            return {0, 1}
        return {0} if plan is not None and plan.state == "applied" else {1}

    def _erasures(self, user: UserId) -> list[Operation]:
        """Return the calls that may have erased a user."""
        return [
            each
            for each in self._operations.of("applied")
            if (each.about is None or each.about.about == user)
            and not (each.ok and each.answer.state in {"waiting", "undone"})
            and not (each.about and self._state(each.about) in {"planned", "waiting", "undone"})
            and not self._was_final(each)
        ]

    def _was_final(self, call: Operation) -> bool:
        """Tell whether the plan was final for sure before a call applied it again."""
        return any(
            each.ok and each.answer.state == "final" and (each.ended or 0) < call.begun
            for each in self._operations.of("applied")
            if call.about is not None and each.about is call.about
        )

    def _state(self, planned: Operation) -> str | None:
        plan = self._now.get(planned.answer.id)
        return plan.state if plan else None

    def _recalled(self, user: UserId) -> list[RecalledItem]:
        found = list[RecalledItem]()
        while True:
            asked = RecallRequest(limit=MOST, skip=len(found), user_id=user, scope="user", min_confidence=0)
            told = recall(self._services, HERE, asked)
            found += told.found
            if not told.more:
                return found

    def _keys(self) -> Problems:
        """Hold which keys open something to what was made, revoked, rotated and taken back."""
        now = self._services.adapters.clock.now()
        keys = self._services.credentials.of_tenant(TENANT)
        for made in self._operations.of("keyed"):
            there = {each.id for each in keys if each.grant == made.about and each.is_open(now)}
            if not made.ok:
                if len(there) > 1:
                    yield f"a key was made {len(there)} times"
                continue
            plan = next((self._now.get(each.answer.id) for each in self._planned if each.about is made), None)
            expected = {made.answer}
            if plan is not None and plan.state == "applied":
                old = next(each for each in keys if each.id == made.answer)
                expected = {made.answer} if old.is_open(now) and plan.what["hours"] else set[str]()
                expected |= {plan.done["successor"]} if plan.what["hours"] else set[str]()
            if there != expected:
                yield f"of a key {there} are open, and {expected} should be; its plan is {plan and plan.state}"

    def _policy(self) -> Problems:
        """Hold the policy in force, and its version, to what was set and taken back."""
        plans = [self._now[each.answer.id] for each in self._planned if each.answer.kind == "policy" and self._now]
        done = [plan for plan in plans if plan.done]
        stored = PolicyStore(self._services.adapters).stored()
        set_for_sure = sum(2 if plan.state == "undone" else 1 for plan in done)
        version = stored.version if stored else 0
        if version != set_for_sure:
            yield f"the policy has version {version}, and was set {set_for_sure} times"
        newest = max(done, key=lambda plan: plan.done["version"] + (plan.state == "undone"), default=None)
        if stored is None or newest is None:
            return
        expected = newest.what["text"] if newest.state == "applied" else newest.before["text"]
        if expected is not None and stored.text != expected:
            yield f"the policy is {stored.text!r}, and {expected!r} was set last"


def _of(kept: Operation) -> tuple[object, ...]:
    return kept.about.type, kept.about.confidence, kept.about.trust


def _is_of(found: RecalledItem, kept: Operation) -> bool:
    return found.content == kept.about.content
