"""What a bundle brings is trusted as an import at most, be it logged or summed up, whatever it says of itself."""

from __future__ import annotations

import pytest

from cairn.conversation.highlights import Highlights
from cairn.custody.admission import content_as_imported
from cairn.ground.trust import Trust
from cairn.sessions.layout import COMPACTED, NEWEST_SUMMARY
from cairn.sessions.summary import Summary

LEVELS = list(Trust)


@pytest.mark.req("R308")
@pytest.mark.parametrize("sk", [NEWEST_SUMMARY, f"{COMPACTED}0000000003"])
@pytest.mark.parametrize("trust", LEVELS)
def test_an_imported_summary_is_an_import_s_word_at_most(sk: str, trust: Trust) -> None:
    told = Summary(through=3, turns=3, highlights=Highlights(), trust=trust).to_record()

    stored = content_as_imported("s", sk, told)

    assert Summary.from_record(stored).trust is min(trust, Trust.IMPORT)
    assert content_as_imported("s", sk, stored) == stored, "and is the same when it is imported again"


@pytest.mark.req("R308")
@pytest.mark.parametrize("trust", LEVELS)
def test_an_imported_entry_is_an_import_s_word_at_most_and_releases_nothing(trust: Trust) -> None:
    turn = {"texts": [["e1", "user", "Beans."], ["e2", "tool", "A page."]], "trust": {"e1": trust.label}}
    fact, kept = {"id": "f1", "trust": trust.label}, {"id": "u-1", "trust": trust.label}
    told = {"turn": turn, "added": [fact], "ended": [fact], "remembered": [kept], "released": ["0" * 16]}

    stored = content_as_imported("m", "m#1", told)

    least = min(trust, Trust.IMPORT).label
    assert stored["turn"]["trust"] == {"e1": least}
    assert {each["trust"] for name in ("added", "ended", "remembered") for each in stored[name]} == {least}
    assert "released" not in stored
