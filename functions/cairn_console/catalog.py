"""Every page, one line each, in the order of the menu; the first is at /."""

from __future__ import annotations

from cairn_console.page import Page
from cairn_console.pages.archive import archive
from cairn_console.pages.calls import calls
from cairn_console.pages.custody import custody
from cairn_console.pages.home import home
from cairn_console.pages.keys import keys
from cairn_console.pages.over_time import over_time
from cairn_console.pages.people import people
from cairn_console.pages.projects import projects
from cairn_console.pages.replay import replay
from cairn_console.pages.search import search
from cairn_console.pages.session import session
from cairn_console.pages.sessions import sessions
from cairn_console.pages.settings import settings
from cairn_console.pages.statement import statement
from cairn_console.pages.values import values

PAGES: tuple[Page, ...] = (
    home,
    search,
    people,
    statement,
    sessions,
    session,
    over_time,
    projects,
    values,
    archive,
    calls,
    replay,
    keys,
    custody,
    settings,
)
