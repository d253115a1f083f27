"""Compute the canonical layout of a session from its memory on request; nothing of it is stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property, partial

from cairn.conversation.events import Event
from cairn.facts.facts import Fact
from cairn.files import canonical_form as canonical_files
from cairn.files import contents, paths
from cairn.files.abstracts import descriptions, stored
from cairn.files.canonical_form import Meta, View
from cairn.files.summaries import Contents
from cairn.ground.damage import sound
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import Query, prefix_range
from cairn.log.entries import TurnStamp, facts_of_session
from cairn.log.layout import log_pk, log_sk, named_in
from cairn.sessions.head import Head
from cairn.sessions.layout import session_pk
from cairn.sessions.services import SessionServices
from cairn.sessions.summary import StoredSummary, Summary


class Canonical:
    """Shows sessions as files; a session without turns has none."""

    def __init__(self, services: SessionServices) -> None:
        """Work with these parts."""
        self._services = services

    def view(self, session: Session, path: str) -> View | None:
        """Return the file at a relative path, None where there is none."""
        return self.views(session, path).get(path)

    def views(self, session: Session, path: str) -> Mapping[str, View]:
        """Return the files at a relative path and below it by their relative paths; all of them for the root."""
        if path and not paths.is_view(path):
            return {}
        head = contents.head_of(self._services, session)
        if head is None:
            return {}
        found = _Layout(self._services, session, head).files(path)
        return {name: found[name] for name in sorted(found) if name == path or paths.is_below(name, path)}


class _Layout:
    """The files of one session; what several of them need is read once."""

    def __init__(self, services: SessionServices, session: Session, head: Head) -> None:
        self._services = services
        self._session = session
        self._head = head
        self._settings = services.settings.memory_for(session.tenant)
        self._updated_at = head.at

    def files(self, path: str) -> dict[str, View]:
        """Return at least the files at this path and below it."""
        sections = {
            "meta": self._meta,
            "events": self._events,
            "memory_tiers": lambda: canonical_files.fact_files(self._facts),
            "runtime": self._runtime,
            "indexes": lambda: canonical_files.index_files(self._held.facts, self._updated_at),
        }
        first = path.partition("/")[0]
        found: dict[str, View] = {}
        for name, section in sections.items():
            if first in {"", name} and path.rpartition("/")[2] not in paths.SUMMARIES:
                found.update(section())
        if first in {"", *paths.LEGACY} and self._settings.legacy_files:
            found.update(self._legacy())
        if first not in paths.LEGACY:
            found.update(self._summaries())
        return found

    @cached_property
    def _held(self) -> Contents:
        return contents.read(self._services, self._session, self._head)

    @cached_property
    def _facts(self) -> list[Fact]:
        """Return every fact of the session there ever was, from every log it wrote to."""
        found: list[Fact] = []
        low, high = prefix_range(log_sk(""))
        for owner in self._head.logs:
            pk = log_pk(self._session.tenant, self._session.project, owner)
            entries = every(self._services.adapters.table, Query(pk, low, high))
            records = sound(
                self._services.adapters, entries, partial(self._services.vault.unseal, self._session.tenant)
            )
            name = named_in(owner, self._session.project, self._session.session_id)
            found.extend(facts_of_session(records, name))
        return found

    @cached_property
    def _compactions(self) -> list[tuple[datetime, Summary]]:
        low, high = prefix_range("cmp#")
        items = every(self._services.adapters.table, Query(session_pk(self._session), low, high))
        unseal = self._services.vault.unseal
        return list(
            sound(
                self._services.adapters,
                items,
                lambda item: (
                    StoredSummary.of(item).at,
                    Summary.from_record(unseal(self._session.tenant, item)),
                ),
            )
        )

    def _turns(self) -> Iterator[tuple[TurnStamp, tuple[Event, ...]]]:
        stamps = {stamp.seq: stamp for stamp in self._held.turns}
        for seq, events in self._services.sessions.history(self._session):
            if seq in stamps:  # one that was committed since is in the next look
                yield stamps[seq], events

    def _meta(self) -> dict[str, View]:
        summaries = stored(self._services, self._session)
        at, newest = self._compactions[-1] if self._compactions else (None, None)
        meta = Meta(
            turns=self._held.turns,
            updated_at=self._updated_at,
            counters={
                "events": self._head.events,
                "facts_written": self._head.facts_written,
                "facts_superseded": self._head.facts_superseded,
            },
            compacted_at=at,
            compacted_through=newest.through if newest else 0,
            maintained_at=summaries.refreshed_at if summaries else None,
            archived_through=self._held.archived_through,
        )
        return canonical_files.meta_files(meta, self._settings)

    def _events(self) -> dict[str, View]:
        files = canonical_files.event_files(self._turns(), self._held.archived_through)
        return {**files, **canonical_files.compact_files(self._compactions)}

    def _runtime(self) -> dict[str, View]:
        """Return the newest items, after the summary of the turns before them."""
        through = self._compactions[-1][1].through if self._compactions else 0
        recent = self._services.sessions.recent(self._session, self._settings.recent_context_items)
        events = [event for seq, turn in recent.turns if seq > through for event in turn]
        newest = events[max(0, len(events) - self._settings.recent_context_items) :]
        summed_up = b"".join(canonical_files.compact_line(at, each) for at, each in self._compactions[-1:])
        lines = summed_up + canonical_files.event_lines(newest)
        return {"runtime/context/current.jsonl": View(lines, self._updated_at)}

    def _legacy(self) -> dict[str, View]:
        """Return the same memory as the files of the layout before this one."""
        log = canonical_files.event_lines(event for _, events in self._turns() for event in events)
        return {
            "log.jsonl": View(log, self._updated_at),
            "context.jsonl": self._runtime()["runtime/context/current.jsonl"],
            "memory_facts.jsonl": View(canonical_files.fact_lines(self._facts), self._updated_at),
            "meta.json": self._meta()["meta/state.json"],
        }

    def _summaries(self) -> dict[str, View]:
        found: dict[str, View] = {}
        root = paths.root_of(self._session)
        for each in descriptions(self._services, self._session, self._held):
            directory = each.path[len(root) + 1 :]
            prefix = f"{directory}/" if directory else ""
            found[f"{prefix}.abstract"] = View(f"{each.abstract}\n".encode(), each.updated_at)
            found[f"{prefix}.overview"] = View(f"{each.overview}\n".encode(), each.updated_at)
        return found
