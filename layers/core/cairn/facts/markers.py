"""The ways in which users state facts about themselves, one marker a row."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from cairn.facts import vocabulary as v
from cairn.facts.values import Shape
from cairn.ground.tiers import Tier


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


_NAME, _PLACE, _ROLE, _PHRASE, _THINGS, _CLAUSE, _SENTENCE = Shape

# A confidence says how plainly the form states the fact, on a scale of our own: 0.95 for what is named outright, 0.8
# for a wish or a plan. It ranks facts of equal worth. What the forms find and miss is measured by bench/extraction.py.
MARKERS = (
    Marker("user_name", f"my (?:full |first |real )?name(?:(?: it)?{v.IS}|s|:)", _NAME, Tier.L0, 0.95, "name"),
    Marker("user_name", f"the name's{v.CAPITAL}", _NAME, Tier.L0, 0.9, "name"),
    Marker("user_name", f"{v.GREETING}[,!.]{{0,3}} {v.I_AM}{v.CAPITAL}", _NAME, Tier.L0, 0.85, "name"),
    # "I'm Ada, a nurse" or "I'm Ada, from Oslo": a job or an origin makes a name of a word with a capital.
    Marker("user_name", rf"{v.I_AM}(?= (?-i:[^\W\d_a-z])[\w'-]+, (?:{v.JOB}|from\b))", _NAME, Tier.L0, 0.85, "name"),
    Marker("user_nickname", f"(?:call me|i go by|{v.I_AM} called){v.CAPITAL}", _NAME, Tier.L0, 0.9, "nickname"),
    Marker("user_nickname", f"{v.OTHERS} (?:all )?calls? me", _NAME, Tier.L0, 0.9, "nickname"),
    Marker("user_preference", f"{v.I_OR_AM} ~(?:prefere?|perfer)(?: always)?|my preference is", _CLAUSE, Tier.L0, 0.92),
    # "I'd rather not" prefers nothing that could be kept.
    Marker("user_preference", "i(?:'d| would) ~rather(?! not)", _CLAUSE, Tier.L0, 0.8),
    # How they want to be answered, where the words say that it is for good: "please answer in Swedish" may be for once.
    Marker("user_preference", rf"(?:please )?(?:always|from now on,?)(?: please)?{v.ANSWER}", _CLAUSE, Tier.L0, 0.85),
    Marker("user_preference", rf"please{v.ANSWERS}", _CLAUSE, Tier.L0, 0.85),
    Marker("user_like", "i ~(?:like|love|luv|enjoy|adore)(?: very much| a lot)?", _THINGS, Tier.L2, 0.85),
    Marker("user_like", f"{v.I_AM} ~(?:lik|lov|enjoy|ador)ing", _THINGS, Tier.L2, 0.85),
    # "I'm into the second chapter" is a place in a book.
    Marker("user_like", rf"{v.I_AM} ~(?:an? (?:big |huge )?fan of|fond of|into(?! the\b))", _THINGS, Tier.L2, 0.85),
    # The group `ends` makes it a retraction: what was liked is no longer.
    Marker("user_like", "i(?:'ve)? (?P<ends>stopped|quit|gave up) [a-z]+ing", _THINGS, Tier.L2, 0.85),
    Marker("user_like", f"i {v.ENDING} (?:{v.DONE})", _THINGS, Tier.L2, 0.85),
    Marker("today_task", f"today,? i {v.NEED}", _CLAUSE, Tier.L1, 0.8),
    # The day may stand at the end: the look-ahead has a bound, so that reading stays linear.
    Marker("today_task", rf"i {v.NEED}(?= [^,;.!?\n]{{1,200}}\stoday)", _CLAUSE, Tier.L1, 0.8),
    Marker("weekly_task", f"this week,? i {v.NEED}", _CLAUSE, Tier.L2, 0.82),
    Marker("weekly_task", rf"i {v.NEED}(?= [^,;.!?\n]{{1,200}}\sthis week)", _CLAUSE, Tier.L2, 0.82),
    # "at" leads to an address with a number; "I live at night" is no home, nor is "I live in the terminal".
    Marker(
        "user_home",
        rf"{v.WE} ~(?:live|living|based){v.COMPANY} (?:in{v.NO_FIGURATIVE_HOME}|at(?= \d))",
        _PLACE,
        Tier.L0,
        0.9,
        "home",
    ),
    # Who moves names a town, or else it is "I moved to the next page": TOWN tells them apart.
    Marker("user_home", f"{v.I_HAVE} ~(?:moved|relocated){v.ORIGIN} to{v.TOWN}", _PLACE, Tier.L0, 0.88, "home"),
    Marker("user_home", f"my home is in|{v.I_HAVE} (?:now )?lived in{v.AWHILE}", _PLACE, Tier.L0, 0.88, "home"),
    Marker(
        "user_workplace",
        f"{v.I_OR_AM} ~{v.WORK} (?:at|for(?! peanuts))",
        _PLACE,
        Tier.L0,
        0.9,
        "workplace",
    ),
    Marker("user_workplace", f"{v.I_AM} ~employed (?:at|by)", _PLACE, Tier.L0, 0.9, "workplace"),
    Marker("user_workplace", rf"{v.I_OR_AM} ~{v.WORK} as {v.WORDS}(?:at|for)", _PLACE, Tier.L0, 0.9, "workplace"),
    Marker("user_workplace", f"{v.I_AM} ~{v.JOB} (?:at|for)", _PLACE, Tier.L0, 0.88, "workplace"),
    Marker("user_role", rf"{v.I_OR_AM} ~{v.WORK} as(?! (?:{v.MANNER})\b)", _ROLE, Tier.L0, 0.9, "role"),
    Marker("user_role", f"{v.I_AM}(?: currently| also| now)?(?= {v.JOB})", _ROLE, Tier.L0, 0.85, "role"),
    Marker("user_allergy", f"{v.I_AM} ~al+ergic (?:to|on|against){v.NO_FIGURATIVE_ALLERGEN}", _THINGS, Tier.L0, 0.95),
    Marker("user_allergy", r"i have an? (?:\w+ )?allergy to", _THINGS, Tier.L0, 0.95),
    Marker("user_allergy", f"i have an?(?: {v.SEVERITY})?{v.NAMED_ALLERGY}", _THINGS, Tier.L0, 0.92),
    # The whole sentence is the note; "remember, when ..." reminisces.
    Marker("user_note", f"{v.REMEMBER} that|remember[,:](?! when)", _SENTENCE, Tier.L0, 0.9),
    # The group `about` is the key: "my sister's name is Eva" and "my dog's name is Rex" are two facts.
    Marker("user_profile", f"my (?P<about>(?:{v.RELATIVE})'?s name|{v.OTHER_NAME}){v.IS}", _NAME, Tier.L0, 0.9),
    Marker("user_profile", f"my (?P<about>{v.SEVERAL}) are (?:called|named)", _PHRASE, Tier.L0, 0.9),
    Marker("user_profile", f"my (?P<about>{v.RELATIVE})(?: is|'s) (?:called|named)", _NAME, Tier.L0, 0.9),
    Marker("user_profile", f"my (?P<about>{v.RELATIVE}|{v.POSSESSION}) is{v.SOMETHING}", _PHRASE, Tier.L0, 0.85),
    Marker("user_profile", f"my (?P<about>{v.WHOSE}(?:{v.DAY})){v.IS}(?: on| in)?", _PHRASE, Tier.L0, 0.88),
    Marker("user_profile", f"my (?P<about>{v.WHOSE}(?:{v.PLACE})){v.IS}{v.NO_STATE}", _PLACE, Tier.L0, 0.88),
    Marker("user_profile", f"my (?P<about>{v.WHOSE}(?:{v.ATTRIBUTE})){v.ARE}{v.NO_STATE}", _PHRASE, Tier.L0, 0.88),
)


@cache
def patterns() -> tuple[tuple[Marker, re.Pattern[str]], ...]:
    """Return each marker with its phrase as whole words in any case, compiled on first use."""
    return tuple((marker, _compiled(marker.phrase)) for marker in MARKERS)


def _compiled(phrase: str) -> re.Pattern[str]:
    # A blank in the table is any white space, so that the table stays readable.
    words = phrase.replace(" ", r"\s+").replace("~", v.ENDING_AND_ADVERBS)
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
