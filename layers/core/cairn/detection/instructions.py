"""Tell whether a text has the shape of an instruction to a model: it lifts rules, sets others, or poses as the system.

In the six languages in which users may tell memory what to do. What is looked for are sentences that only a model could
follow, and not a matter: a manual in the imperative has none as a rule, nor has what a tool usually prints.
"""

from __future__ import annotations

import re
from typing import Final

from cairn.detection.disguises import folded, unescaped
from cairn.language.terms import fold

_READ: Final = 64_000
"""In how many characters of a text that is looked for: they take some 40 ms."""
_WITHIN: Final = r"[^.!?\n]"
"""What stands between the words of one sentence."""
_MODELS: Final = r"(?:an? )?(?:ai(?: agent| assistant| model)?|llm|(?:large )?language model|chatbot)"
# "Ignore all previous instructions": a verb, whose instructions, and a word for them.
_LIFTS: Final = (
    (
        r"ignore|ignoring|disregard|forget|override|bypass|do not follow|don't follow|stop following",
        r"previous|prior|above|earlier|preceding|foregoing|original|system|developer'?s?|your|existing",
        r"instructions?|prompts?|directives?|directions|guidelines|programming|training",
    ),
    (
        r"ignorier\w*|vergiss|vergessen sie|missachte\w*",
        r"vorherige\w*|bisherige\w*|vorangegangene\w*|obige\w*|fruhere\w*|deine\w*|ihre",
        r"anweisungen|instruktionen|vorgaben|befehle|systemprompt",
    ),
    (
        r"ignore[zr]?|oublie[zr]?|ne tiens pas compte|ne tenez pas compte",
        r"toutes|precedente?s|anterieure?s|tes|vos",
        r"instructions|consignes|directives",
    ),
    (
        r"ignora|ignore|olvida|olvide|descarta|descarte|haz caso omiso",
        r"anteriores|previas|todas|tus|sus",
        r"instrucciones|indicaciones|ordenes|directrices",
    ),
    (r"ignora|ignorate|dimentica|trascura", r"precedenti|tutte|tue", r"istruzioni|indicazioni|direttive"),
    (
        r"ignore|ignora|esqueca|esquece|desconsidere",
        r"anteriores|previas|todas|tuas|suas|acima",
        r"instrucoes|orientacoes|diretrizes",
    ),
)
# "From now on you must", "your new task is".
_SETS: Final = (
    (
        r"from (?:now|this point) on(?:ward)?,? "
        r"(?:you (?:must|will|shall|should|are|have to|only)|always|never|(?:respond|answer|act)(?:ing)?)\b"
    ),
    r"your (?:new|real|true|actual) (?:system )?(?:instructions?|task|objective) (?:is|are)\b",
    r"new (?:system |developer )?instructions? ?:",
    r"you are now (?:dan\b|jailbroken|unrestricted|in (?:developer|admin|god|debug) mode|no longer bound)",
    r"(?:ab (?:jetzt|sofort)|von nun an),? (?:musst|sollst|wirst|darfst|antworte|bist) ",
    r"(?:a partir de maintenant|desormais),? (?:tu|vous) (?:dois|devez|repond|es\b|etes)",
    r"(?:a partir de ahora|de ahora en adelante),? (?:debes|tienes que|responde|eres)",
    r"d(?:a ora|'ora) in poi,? (?:devi|rispondi|sei)",
    r"(?:a partir de agora|de agora em diante),? (?:(?:voce )?deve|deves|responda|voce e\b)",
)
# What is to be believed of the user, and what they are not to hear of.
_OF_USERS: Final = (
    (
        rf"(?:remember|memori[sz]e|store|save|record){_WITHIN}{{0,24}} that (?:the|this|your) (?:current )?user"
        r" (?:wants|prefers|likes|loves|hates|lives|works|trusts|said|asked|agreed|approved|consented|allows"
        r"|has (?:asked|agreed|approved|authori[sz]ed|granted|allowed|consented)|is (?:a|an|the|named|called)\b)"
    ),
    r"(?:add|save|write|commit) (?:this|the following|that) (?:in)?to (?:your |the )?(?:long-term |persistent )?memory",
    (
        r"(?:do not|don't|never|without) (?:tell|telling|inform|informing|alert|alerting|notify|notifying) the user"
        r" (?:about|that|of|any|what)"
    ),
    (
        r"(?:reveal|print|output|repeat|leak|show me|tell me|send(?: me)?) your (?:system prompt|hidden instructions"
        r"|(?:system|initial|original) (?:prompt|instructions))"
    ),
    r"merke? dir,? dass (?:der|die) (?:nutzer|benutzer)(?:in)? ",
    r"souviens-toi que l'utilisat(?:eur|rice) (?:veut|prefere|aime|habite)",
    r"recuerda que (?:el usuario|la usuaria) (?:quiere|prefiere|vive)",
    r"ricorda che l'utente (?:vuole|preferisce|vive)",
    r"lembre-se de que o usuario (?:quer|prefere|mora)",
)
# Words to a model as such, and marks by which a prompt parts who speaks.
_TO_MODELS: Final = (
    rf"if you(?: are|'re) {_MODELS}\b",
    rf"(?:attention|instructions?|message|notice|note)(?: to| for)? (?:all |any |the )?{_MODELS}s? ?[:,!]",
    rf"(?:dear|hey|hello) {_MODELS}\b ?[:,!]",
    (
        rf"(?:<\|im_start\|>|<\|start_header_id\|>|<<sys>>|\[inst\]|</?(?:system|developer)>|\[(?:system|developer)\]"
        rf"|(?:^|\n)[#* ]*(?:system|developer) (?:prompt|message|override|note)[* ]*:){_WITHIN}{{0,40}}"
        r"\b(?:you (?:are|must|should|will)|ignore|disregard|always|never|from now on|new instructions?)"
    ),
)
_SHAPE: Final = re.compile(
    "|".join(
        [
            *(
                rf"\b(?:{verb})\b{_WITHIN}{{0,32}}\b(?:{whose})\b{_WITHIN}{{0,24}}\b(?:{what})\b"
                for verb, whose, what in _LIFTS
            ),
            *(rf"\b{each}" for each in (*_SETS, *_OF_USERS)),
            *(rf"(?<!\w){each}" for each in _TO_MODELS),
        ]
    )
)
# A line break within a paragraph is a space; two end a sentence.
_WRAPPED: Final = re.compile(r"[^\S\n]*\n(?!\s*\n)[^\S\n]*[>#*/-]*[^\S\n]*|[^\S\n]+")


def instructs(text: str) -> bool:
    """Tell whether a text has the shape of an instruction to a model."""
    text = text[:_READ]
    plain = unescaped(text)
    said = fold(folded(plain.text if plain else text))
    return _SHAPE.search(_WRAPPED.sub(" ", said)) is not None
