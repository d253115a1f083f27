"""A made-up person's story of some weeks, told to a data directory through the tools, and the console over it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from cairn.access.api_keys import ALL_PROJECTS, Grant
from cairn.access.callers import Caller
from cairn.local.store import LOCAL_TENANT, operator_services
from cairn.services import Services
from cairn.tool.call import Call, execute
from cairn_console.page import Page
from cairn_console.rendering import address
from cairn_tools.catalog import CATALOG
from support.installed import environment, served

PROJECT: Final = "garden"
USER: Final = "mara"
PLACE: Final = {"project": PROJECT, "user": USER}
_TURNS: Final = (
    (26, USER, "hello", "Hi! I'm Mara. I live in Oslo with my sister Signe.", "Lovely to meet you, Mara."),
    (26, USER, "hello", "I'm allergic to hazelnuts.", "Noted: nothing with hazelnuts."),
    (22, USER, "first-week", "Please keep your answers short and without emojis.", "Will do."),
    (22, USER, "first-week", "I work at Fjordbank as a data engineer.", "What do you build there?"),
    (15, USER, "release-plan", "We use pnpm, never npm, and plain SQL.", "Understood."),
    (15, USER, "release-plan", "The launch is on June 12th.", "I'll keep that date in mind."),
    (9, USER, "new-home", "I moved to Bergen last week.", "How do you like the rain?"),
    (4, USER, "slipping", "The launch date changed: it is June 19th now.", "Then there is time for the docs."),
    (4, "jon", "watering", "I'm Jon. I prefer evenings for watering.", "Evenings it is."),
)
_KEPT: Final = (
    (20, "first-week", "decision", "The north bed gets four hours of sun; plant nothing there that needs six."),
    (14, "release-plan", "agent_rule", "Run the linter before each commit."),
    (8, "new-home", "lesson_learned", "Frost comes two weeks later in Bergen than the almanac says."),
)
_ARCHIVED: Final = {
    "tool_name": "garden-planner",
    "success": True,
    "summary": "Planned the bean rows.\nRunner beans go along the south fence, dwarf beans beside the path.",
}


@dataclass
class StoryClock:
    """A clock that tells the time of what is being told."""

    moment: datetime

    def now(self) -> datetime:
        """Return the time of the story."""
        return self.moment

    def sleep(self, seconds: float) -> None:
        """Move on."""
        self.moment += timedelta(seconds=seconds)


@dataclass(frozen=True, slots=True)
class Story:
    """Tells it."""

    services: Services
    clock: StoryClock
    today: datetime

    def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return what a tool answers."""
        caller = Caller(LOCAL_TENANT, frozenset({"read", "write", "admin"}), "story", (ALL_PROJECTS,))
        self.clock.sleep(30)
        return execute(CATALOG, tool, arguments, Call(caller, self.services))

    def tell(self) -> None:
        """Tell all of it."""
        for number, (ago, user, session, said, answer) in enumerate(_TURNS):
            self._at(ago, number)
            where = {"project": PROJECT, "session_id": session, "user_id": user}
            self.ask("memory_before_turn", **where, current_input=said)
            self.ask("memory_after_turn", **where, turn_id=f"t{number}", input_items=said, output_items=answer)
        for number, (ago, session, kind, content) in enumerate(_KEPT):
            self._at(ago, 60 + number)
            where = {"project": PROJECT, "session_id": session, "user_id": USER}
            self.ask("remember", **where, content=content, type=kind, scope="user")
        self._at(3, 0)
        archived = {**_ARCHIVED, "timestamp": self.clock.now().isoformat().replace("+00:00", "Z")}
        self.ask("store_session_to_cascade", session_id="bean-rows", tags=["garden", "beans"], session=archived)
        self.clock.moment = datetime.now(UTC) - timedelta(minutes=10)  # values stay for an hour
        said, answer = "I prefer raised beds over rows.", "Raised beds, then."
        where = {"project": PROJECT, "session_id": "beds", "user_id": USER, "turn_id": "today"}
        self.ask("memory_after_turn", **where, input_items=said, output_items=answer)
        self.ask("putMemory", namespace="agent.notes", key="beds/north", value={"sun_hours": 4, "soil": "clay"})
        self.ask("putMemory", namespace="agent.notes", key="beds/south", value={"sun_hours": 7, "soil": "loam"})

    @property
    def moved(self) -> str:
        """Return the id of where the person lives now, which replaced where they lived before."""
        known = self.ask("memory_list_known", project=PROJECT, user_id=USER)["facts"]
        return next(each["id"] for each in known if each["about"] == "home")

    @property
    def receipt(self) -> str:
        """Return the receipt of an answer from memory."""
        return self.ask("recall", project=PROJECT, user_id=USER, session_id="release-plan", query="Where do I live?")[
            "receipt"
        ]

    @property
    def pointer(self) -> str:
        """Return what leads to the archived session."""
        return self.ask("query_cascade_memories", tags=["beans"])["memories"][0]["pointer"]

    def _at(self, days_ago: int, minutes: int) -> None:
        self.clock.moment = self.today - timedelta(days=days_ago) + timedelta(minutes=9 * 60 + minutes)


def told(data: Path) -> Story:
    """Tell the story to a data directory, in its last weeks."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    clock = StoryClock(today)
    opened = operator_services(data, {"CAIRN_MEMORY_ENABLED": "true"})
    services = Services(opened.settings, opened.store, replace(opened.adapters, clock=clock))
    story = Story(services, clock, today)
    story.tell()
    return story


@dataclass(frozen=True, slots=True)
class Console:
    """A running `cairn serve` over the story, and a key of an operator.

    `moved` is the id of what replaced something that was believed; `pointer` leads to the archived session, `receipt`
    to an answer.
    """

    origin: str
    key: str
    data: Path
    moved: str
    pointer: str
    receipt: str

    def address(self, page: Page) -> str:
        """Return where a page has something of the story to show."""
        more = {
            "search": {"q": "Where does Mara live?", "expected": "Oslo"},
            "statement": {"id": self.moved},
            "session": {"session": "release-plan"},
            "values": {"namespace": "agent.notes", "key": "beds/north"},
            "archive": {"pointer": self.pointer},
            "replay": {"receipt": self.receipt},
        }
        return f"{self.origin}{address(page.path, **PLACE, **more.get(page.name, {}))}"


@contextmanager
def serving(home: Path) -> Generator[Console]:
    """Tell the story to a new data directory below a person's home, and serve it."""
    data = home / "data"
    story = told(data)
    key = story.services.credentials.create(LOCAL_TENANT, Grant(scopes=("read", "write", "admin"))).text
    with served(home, environment(home), "--data", str(data)) as started:
        yield Console(started.origin, key, data, story.moved, story.pointer, story.receipt)
