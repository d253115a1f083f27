"""How users state facts about themselves: one marker a row, and what words ask about each kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache

from cairn.domain.tiers import Tier


class Shape(Enum):
    """How a value is cut from what follows its marker."""

    NAME = auto()
    PLACE = auto()
    PHRASE = auto()
    THINGS = auto()
    CLAUSE = auto()
    SENTENCE = auto()


@dataclass(frozen=True, slots=True)
class Marker:
    """One way to state a kind of fact: the key is `key`, else the phrase's group `about`, else the value.

    The phrase is a regular expression in which a blank is any white space, and `~` adverbs or what ends the fact.
    """

    fact_id: str
    phrase: str
    shape: Shape
    tier: Tier
    confidence: float
    key: str = ""


_ENDING_AND_ADVERBS = (
    r"(?:(?P<ends>no\s+longer|(?:don't|do\s+not|not)(?=[^.!?\n]{1,120}\sany\s?more)|used\s+to|stopped|quit)\s+)?"
    r"(?:(?:also|really|still|just|do|always|usually|generally|mostly|mainly|absolutely|truly|actually|personally|now"
    r"|currently|especially|particularly|recently|very\s+much|definitely|certainly|severely|deathly|highly)\s+){0,3}"
)
_RELATIVE = (
    "wife|husband|partner|spouse|fianc[eé]e?|girlfriend|boyfriend|sister|brother|mother|mom|mum|father|dad|son|daughter"
    "|grandmother|grandma|grandfather|grandpa|aunt|uncle|cousin|niece|nephew|baby|twin|dog|cat|pet|puppy|kitten|horse"
    "|parrot|rabbit|hamster|boss|manager|supervisor|teacher|doctor|dentist|therapist|coach|assistant|(?:best )?friend"
    "|roommate|flatmate|neighbou?r|colleague|coworker|landlord|mentor|company|team|startup"
)
_ATTRIBUTE = (
    "birthday|birth date|date of birth|anniversary|hometown|home town|home city|timezone|time zone|e-?mail(?: address)?"
    "|blood type|(?:phone|mobile|cell)(?: number)?|(?:home |postal |shipping )?address|zip code|postcode|pronouns"
    "|nationality|(?:native|first|second|mother) (?:language|tongue)|job(?: title)?|occupation|profession|employer|role"
    "|star sign|(?:shoe|shirt|dress|ring|clothing|t-shirt) size|height|budget|diet|major|age"
    "|(?:middle|last|user) name|username|surname"
    r"|(?:github|twitter) (?:username|handle)|preferred [a-z]+|favou?rite [a-z]+(?: [a-z]+)?"
)
_NAME, _PLACE, _PHRASE, _THINGS, _CLAUSE, _SENTENCE = Shape
_CAPITAL = r"(?=\s+[\"']?(?-i:[A-Z]))"

MARKERS = (
    Marker("user_name", "my (?:full |first |real )?name(?: is|'s)", _NAME, Tier.L0, 0.95, "name"),
    Marker("user_name", f"(?:hi|hello|hey)(?: there| all)?[,!.]? (?:i'm|i am){_CAPITAL}", _NAME, Tier.L0, 0.85, "name"),
    Marker("user_nickname", f"(?:call me|i go by|i(?:'m| am) called){_CAPITAL}", _NAME, Tier.L0, 0.9, "nickname"),
    Marker("user_preference", "i ~prefer", _CLAUSE, Tier.L0, 0.92),
    Marker("user_like", "i ~(?:lik|lov|enjoy|ador)(?:e|ing)?", _THINGS, Tier.L2, 0.85),
    Marker("user_like", "i(?:'m| am) ~(?:a (?:big |huge )?fan of|fond of)", _THINGS, Tier.L2, 0.85),
    Marker("user_like", "i(?:'ve)? (?P<ends>stopped|quit|gave up) [a-z]+ing", _THINGS, Tier.L2, 0.85),
    Marker("today_task", "today,? i (?:really )?(?:need|have to|must)", _CLAUSE, Tier.L1, 0.8),
    Marker("today_task", r"i (?:really )?(?:need|have)(?= to [^,;.!?\n]{1,200}\stoday)", _CLAUSE, Tier.L1, 0.8),
    Marker("weekly_task", "this week,? i (?:really )?(?:need|have to|must)", _CLAUSE, Tier.L2, 0.82),
    Marker("weekly_task", r"i (?:really )?(?:need|have)(?= to [^,;.!?\n]{1,200}\sthis week)", _CLAUSE, Tier.L2, 0.82),
    Marker("user_home", "i(?:'m| am)? ~(?:live|living|based) in", _PLACE, Tier.L0, 0.9, "home"),
    Marker("user_home", "i(?:'ve| have)? ~(?:moved|relocated) to", _PLACE, Tier.L0, 0.88, "home"),
    Marker("user_workplace", "i(?:'m| am)? ~(?:work|working) (?:at|for)", _PLACE, Tier.L0, 0.9, "workplace"),
    Marker("user_role", "i(?:'m| am)? ~(?:work|working) as", _PHRASE, Tier.L0, 0.9, "role"),
    Marker("user_allergy", r"i(?:'m| am) ~allergic to|i have an? (?:\w+ )?allergy to", _THINGS, Tier.L0, 0.95),
    Marker("user_note", "(?:remember|don't forget|keep in mind) that|remember:", _SENTENCE, Tier.L0, 0.9),
    Marker("user_profile", f"my (?P<about>(?:{_RELATIVE})'s name)(?: is|'s)", _NAME, Tier.L0, 0.9),
    Marker("user_profile", f"my (?P<about>{_RELATIVE})(?: is|'s) (?:called|named)", _NAME, Tier.L0, 0.9),
    Marker("user_profile", f"my (?P<about>{_RELATIVE}) is(?= (?:an? |(?-i:[A-Z])))", _PHRASE, Tier.L0, 0.85),
    Marker("user_profile", f"my (?P<about>{_ATTRIBUTE}) (?:is|are)", _PHRASE, Tier.L0, 0.88),
)
CUES: Mapping[str, str] = {
    "user_name": "name who called",
    "user_nickname": "name call nickname",
    "user_preference": "prefer preference preferred",
    "user_like": "like love enjoy favorite hobby",
    "today_task": "today task todo plan need",
    "weekly_task": "week task todo plan need",
    "user_home": "live home city town country move address where",
    "user_workplace": "work job company employer office",
    "user_role": "work job profession occupation career",
    "user_allergy": "allergy allergic food eat diet avoid cook meal restaurant snack",
}
"""Words that a question about a kind of fact is likely to hold, for the ranking."""


@cache
def patterns() -> tuple[tuple[Marker, re.Pattern[str]], ...]:
    """Return each marker with its phrase as whole words in any case, compiled on first use: ranking needs none."""
    return tuple((marker, _compiled(marker.phrase)) for marker in MARKERS)


def _compiled(phrase: str) -> re.Pattern[str]:
    words = phrase.replace(" ", r"\s+").replace("~", _ENDING_AND_ADVERBS)
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
