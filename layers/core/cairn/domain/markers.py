"""How users state facts about themselves: one marker a row, and what words ask about each kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from cairn.domain.tiers import Tier
from cairn.domain.values import Shape


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


_ENDING = r"(?P<ends>no\s+longer|(?:don'?t|do\s+not|not)(?=[^.!?\n]{1,120}\sany\s?(?:more|longer))|used\s+to|stopped|quit)"
_ENDING_AND_ADVERBS = (
    rf"(?:{_ENDING}\s+)?"
    r"(?:(?:also|real+y|still|just|do|always|usually|generally|mostly|mainly|absolutely|truly|actually|personally|now"
    r"|currently|especially|particularly|recently|very\s+much|definitely|certainly|strongly|severely|deathly|highly"
    r"|much|simply|tend\s+to)\s+){0,3}"
)
_RELATIVE = (
    "wife|husband|partner|spouse|fianc[eé]e?|girlfriend|boyfriend|sister|brother|mother|mom|mum|father|dad|son|daughter"
    "|grandmother|grandma|grandfather|grandpa|aunt|uncle|cousin|niece|nephew|baby|twin|dog|cat|pet|puppy|kitten|horse"
    "|parrot|rabbit|hamster|boss|manager|supervisor|teacher|doctor|dentist|therapist|coach|assistant|(?:best )?friend"
    "|roommate|flatmate|neighbou?r|colleague|coworker|landlord|mentor|company|team|startup"
)
_ATTRIBUTE = (
    "timezone|time zone|e-?mail(?: address)?|website|homepage|school|university|college"
    "|blood type|(?:phone|mobile|cell)(?: number|(?= is \\+?[\\d(]))|zip code|postcode|pronouns"
    "|nationality|(?:native|first|second|mother) (?:language|tongue)|job(?: title)?|occupation|profession|employer|role"
    "|star sign|(?:shoe|shirt|dress|ring|clothing|t-shirt) size|height|budget|diet|major|age"
    r"|(?:github|twitter) (?:username|handle)|preferred [a-z]+|fav(?:e|ou?rite)? [a-z]+(?: [a-z]+)?"
)
_DAY = "birthday|b-?day|birth date|date of birth|anniversary|name day"
_OTHER_NAME = r"(?:middle|last|family|user|maiden)\s?name|surname"
_PLACE_OF_MINE = "hometown|home town|home city|(?:home |postal |shipping )?address"
_POSSESSION = "car|bike|bicycle|motorbike|van|laptop|computer|pc|phone|tablet|camera|guitar|piano|house|flat|apartment"
_SEVERAL = "dogs|cats|pets|children|kids|sons|daughters|sisters|brothers|twins|parents"
_FIGURE = r"(?:\w+ )?(?:mess|disaster|joke|wreck|pain|problem|nightmare|brick|bit|little|help|genius|saint|angel|delight)\b"
_NO_STATE = (
    r"(?! (?:so |very |too |real+y |still |already )?(?:dead|going|getting|closed|open|tight|stressful|boring|hard|bad|good"
    r"|great|fine|gone|lost|full|empty|working|killing|unknown|private|secret|irrelevant|important|complicated|okay|ok"
    r"|down|up|ready|done|low|high|on|in|at|the same)\b)"
)
_OCCUPATION = (
    "accountant|actor|actress|analyst|architect|artist|author|baker|banker|barber|barista|bartender|biologist|builder"
    "|butcher|carpenter|cashier|chef|chemist|coder|composer|consultant|cook|dancer|dentist|designer|developer|doctor"
    "|driver|economist|editor|electrician|engineer|farmer|firefighter|florist|freelancer|gardener|geologist|historian"
    "|intern|interpreter|journalist|judge|lawyer|lecturer|librarian|linguist|manager|mathematician|mechanic|midwife"
    "|musician|nurse|nanny|painter|paralegal|paramedic|pharmacist|photographer|physicist|physiotherapist|pilot|plumber"
    "|police officer|postdoc|producer|professor|programmer|psychologist|receptionist|researcher|sailor|salesman"
    "|scientist|sculptor|secretary|social worker|soldier|student|surgeon|surveyor|tailor|teacher|technician|tester"
    "|therapist|translator|tutor|undergraduate|vet|veterinarian|waiter|waitress|web designer|welder|writer"
)
_NAME, _PLACE, _ROLE, _PHRASE, _THINGS, _CLAUSE, _SENTENCE = Shape
_I_AM = "i(?:'?m| am)"
_I = f"(?:{_I_AM}|i)"
_WE = f"(?:{_I}|we(?:'?re| are)?)"
_I_HAVE = "(?:i|we)(?:'?ve| have)?"
_IS = r"(?: is|'s| (?:isn'?t|is not) [^,.;!?\n]{1,60}[,;.]\s?(?:it's|it is))"
_ARE = rf"(?: are|{_IS})"
_NEED = r"(?:real+y )?(?:need|have(?: got)?|must|gotta)(?! (?:some )?(?:help|advice|ideas|you|your|to (?:know|ask))\b)"
_CAPITAL_LETTER = r"[\"']?(?-i:[^\W\d_a-z])"
_CAPITAL = rf"(?=\s+{_CAPITAL_LETTER})"
_JOB = rf"(?:(?:an?|the (?:head|chief|lead)) (?:[\w-]+ ){{0,2}})?(?:{_OCCUPATION})\b(?!'|-)"
_MANNER = "fast|hard|usual|much|little|long|well|part|if|soon|expected|intended|quickly|an? team"
_FIGURATIVE_ALLERGEN = (
    "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mornings?|(?:hard )?work|meetings?|small talk|people|drama|nonsense"
    "|stupid\\w*|bullshit|bureaucra\\w+|paperwork|commitment|fun|losing|maths?|(?:bad )?code|exercise|stress|success"
)
_TOWN = (
    rf"(?= (?:the |an? )?(?:[\w-]+ ){{0,3}}(?:city|town|village|country|countryside|suburbs?|island|coast|farm)\b"
    rf"| (?:the )?{_CAPITAL_LETTER}(?!\S* \d)"
    r"| (?!(?:the|tears|an?|my|your|our|his|her|their|this|that|another|it)\b|\S+ (?:the|an?|my|your|our|this|that)\b))"
)
_DONE = "eat|drink|smoke|play|watch|read|listen to|use|ride|drive|collect|practi[cs]e"

MARKERS = (
    Marker("user_name", f"my (?:full |first |real )?name(?:(?: it)?{_IS}|s|:)", _NAME, Tier.L0, 0.95, "name"),
    Marker("user_name", f"the name's{_CAPITAL}", _NAME, Tier.L0, 0.9, "name"),
    Marker("user_name", f"(?:hi|hello|hey)(?: there| all)?[,!.]? {_I_AM}{_CAPITAL}", _NAME, Tier.L0, 0.85, "name"),
    Marker("user_name", rf"{_I_AM}(?= (?-i:[^\W\d_a-z])[\w'-]+, {_JOB})", _NAME, Tier.L0, 0.85, "name"),
    Marker("user_nickname", f"(?:call me|i go by|{_I_AM} called){_CAPITAL}", _NAME, Tier.L0, 0.9, "nickname"),
    Marker(
        "user_nickname",
        r"(?:every(?:one|body)|(?:all )?(?:my )?(?:friends|family|colleagues|mates)|people) (?:all )?calls? me",
        _NAME,
        Tier.L0,
        0.9,
        "nickname",
    ),
    Marker("user_preference", f"{_I} ~(?:prefere?|perfer)|my preference is", _CLAUSE, Tier.L0, 0.92),
    Marker("user_preference", "i(?:'d| would) ~rather(?! not)", _CLAUSE, Tier.L0, 0.8),
    Marker("user_like", f"{_I} ~(?:lik|lov|enjoy|ador)(?:e|ing)?(?: very much| a lot)?", _THINGS, Tier.L2, 0.85),
    Marker("user_like", f"{_I_AM} ~(?:an? (?:big |huge )?fan of|fond of|into(?! the\\b))", _THINGS, Tier.L2, 0.85),
    Marker("user_like", "i(?:'ve)? (?P<ends>stopped|quit|gave up) [a-z]+ing", _THINGS, Tier.L2, 0.85),
    Marker("user_like", f"i {_ENDING} (?:{_DONE})", _THINGS, Tier.L2, 0.85),
    Marker("today_task", f"today,? i {_NEED}", _CLAUSE, Tier.L1, 0.8),
    Marker("today_task", rf"i {_NEED}(?= [^,;.!?\n]{{1,200}}\stoday)", _CLAUSE, Tier.L1, 0.8),
    Marker("weekly_task", f"this week,? i {_NEED}", _CLAUSE, Tier.L2, 0.82),
    Marker("weekly_task", rf"i {_NEED}(?= [^,;.!?\n]{{1,200}}\sthis week)", _CLAUSE, Tier.L2, 0.82),
    Marker("user_home", f"{_WE} ~(?:live|living|based)(?: alone| with [^,.;!?\\n]{{1,40}})? (?:in|at(?= \\d))", _PLACE, Tier.L0, 0.9, "home"),
    Marker("user_home", f"{_I_HAVE} ~(?:moved|relocated)(?: from [^,.;!?\\n]{{1,40}})? to{_TOWN}", _PLACE, Tier.L0, 0.88, "home"),
    Marker(
        "user_home",
        r"my home is in|(?:i|we)(?:'ve| have) (?:now )?lived in(?= [^.;!?\n]{1,80}\s(?:for|since)\b)",
        _PLACE,
        Tier.L0,
        0.88,
        "home",
    ),
    Marker("user_workplace", f"{_I} ~(?:started )?(?:work|working) (?:at|for)(?! peanuts\\b)", _PLACE, Tier.L0, 0.9, "workplace"),
    Marker("user_workplace", f"{_I_AM} ~employed (?:at|by)", _PLACE, Tier.L0, 0.9, "workplace"),
    Marker("user_workplace", rf"{_I} ~(?:work|working) as (?:[\w-]+ ){{1,5}}(?:at|for)", _PLACE, Tier.L0, 0.9, "workplace"),
    Marker("user_workplace", f"{_I_AM} ~{_JOB} (?:at|for)", _PLACE, Tier.L0, 0.88, "workplace"),
    Marker("user_role", f"{_I} ~(?:work|working) as(?! (?:{_MANNER})\\b)", _ROLE, Tier.L0, 0.9, "role"),
    Marker("user_role", f"{_I_AM}(?: currently| also| now)?(?= {_JOB})", _ROLE, Tier.L0, 0.85, "role"),
    Marker("user_allergy", f"{_I_AM} ~al+ergic (?:to|on|against)(?! (?:{_FIGURATIVE_ALLERGEN})\\b)|i have an? (?:\\w+ )?allergy to", _THINGS, Tier.L0, 0.95),
    Marker("user_allergy", r"i have an?(?: severe| bad| mild| serious)?(?= (?!severe|bad|mild|serious)[\w-]+ allergy\b(?! to))", _THINGS, Tier.L0, 0.92),
    Marker("user_note", "(?:remember|don'?t forget|keep in mind|(?:make|take) a note) that|remember[,:](?! when)", _SENTENCE, Tier.L0, 0.9),
    Marker("user_profile", f"my (?P<about>(?:{_RELATIVE})'?s name|{_OTHER_NAME}){_IS}", _NAME, Tier.L0, 0.9),
    Marker("user_profile", f"my (?P<about>{_SEVERAL}) are (?:called|named)", _PHRASE, Tier.L0, 0.9),
    Marker("user_profile", f"my (?P<about>{_RELATIVE})(?: is|'s) (?:called|named)", _NAME, Tier.L0, 0.9),
    Marker("user_profile", f"my (?P<about>{_RELATIVE}) is(?= an? (?!{_FIGURE})|{_CAPITAL})", _PHRASE, Tier.L0, 0.85),
    Marker("user_profile", f"my (?P<about>(?:(?:{_RELATIVE})'s )?(?:{_DAY})){_IS}(?: on| in)?", _PHRASE, Tier.L0, 0.88),
    Marker("user_profile", f"my (?P<about>{_PLACE_OF_MINE}){_IS}{_NO_STATE}", _PLACE, Tier.L0, 0.88),
    Marker("user_profile", f"my (?P<about>(?:(?:{_RELATIVE})'s )?(?:{_ATTRIBUTE})){_ARE}{_NO_STATE}", _PHRASE, Tier.L0, 0.88),
    Marker(
        "user_profile",
        f"my (?P<about>{_POSSESSION}) is(?= an? (?!{_FIGURE})|{_CAPITAL})",
        _PHRASE,
        Tier.L0,
        0.85,
    ),
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
