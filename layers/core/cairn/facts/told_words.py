"""The words by which users tell memory what to do, in six languages, as regular expressions.

A blank is any white space. All of them are bounded, so that reading stays linear in the text.
"""

from __future__ import annotations

import re

PLEASE = (
    "please|pls|plz|bitte|s'il te pla[iî]t|s'il vous pla[iî]t|stp|svp|por favor|per favore|per piacere|se faz favor"
)
_OPENERS = (
    f"{PLEASE}|and|but|so|then|also|ok|okay|oh|hey|hi|hello|no(?=[,:!]| wait)|yes|actually|now|just|well|wait|sorry"
    f"|thanks|thank you"
    "|you can|you may|you should|i want you to|i'd like you to|i need you to"
    f"|(?:can|could|would|will) you,? (?:{PLEASE})"
    "|und|aber|also|jetzt|nein|ja|kannst du bitte|du kannst|et|mais|alors|non(?=[,:!])|oui|maintenant|tu peux|y"
    "|pero|s[ií]"
    "|entonces|ahora|puedes|e|ma|allora|ora|puoi|mas|ent[aã]o|agora|pode"
)
# What stands between the beginning of a sentence and the request.
AT_START = re.compile(rf"\A[\W_]*(?:(?:{_OPENERS})[,:!]?\s+)*\Z", re.IGNORECASE)
# Within a sentence a request says please, or follows "so": "They come, forget my name and leave" asks nothing.
ASKED = re.compile(rf"[\s,;:(\u2014\u2013-](?:{PLEASE}|so|you can|you may|also|du kannst),?\s+\Z", re.IGNORECASE)
AFTER_PAUSE = re.compile(
    r"(?:[,;:(\u2014\u2013]|\s-)\s*(?:(?:and|but|so|und|aber|et|mais|y|pero|e|ma|mas)\s+)?\Z"
    r"|\b(?:but|aber|mais|pero|ma|mas)\s+\Z",
    re.IGNORECASE,
)
AFTER_COMMA = re.compile(r"[,;:(\u2014\u2013]\s*\Z")
# Conditions, reports and wishes before a request: it is another's, or is not made.
DOUBT = re.compile(
    r"\b(?:if|when|whenever|unless|until|lest|before|suppose|imagine|wish|maybe|perhaps|might|never|told|tells?|said"
    r"|says?|asked|asks|wants?|wanted|wrote|writes|reads?|sings?|sang|song|lyrics?|line|title|titled|called|phrase"
    r"|he|she|they|people|someone|translate|wenn|falls|sagte|sagt|meinte|er|sie|si|quand|dit|elle|cuando|dijo"
    r"|dice|quando"
    r"|disse|ha detto|se)\b",
    re.IGNORECASE,
)
LONGEST_REST = 300
"""Characters of what a request names."""
_REST = rf"(?P<rest>[^\n]{{0,{LONGEST_REST}}})"

# "Remember that time in Rome?" reminisces.
_NO_MEMORY = (
    "(?! (?:time|day|night|one|guy|summer|winter|evening|morning|song|movie|film|scene|episode|feeling|moment)s?\\b)"
)
KEEP = (
    (
        rf"(?:remember|note|keep in mind|don'?t forget|do not forget|(?:make"
        rf"|take) a note) that\b{_NO_MEMORY}[,:]?{_REST}"
    ),
    rf"(?:remember|note|save|store|keep|memori[sz]e)(?: (?:this|that|it|the following))?:{_REST}",
    r"(?:remember|save|store|memori[sz]e) (?:this|that)(?P<rest>)(?=\s*(?:[.!,;]|\Z))",
    rf"(?:merke? dir|denke? daran|vergiss nicht|notiere?(?: dir)?)(?: bitte)?(?:[,:]? dass\b|:){_REST}",
    (
        rf"(?:souviens-toi|rappelle-toi|retiens|note|notez|n'oublie pas)(?: bien)?(?: qu[e']|(?: ceci"
        rf"| [cç]a)? ?:){_REST}"
    ),
    rf"(?:recuerda|recuerde|anota|ten en cuenta|no olvides)(?: que\b|(?: esto)?:){_REST}",
    rf"(?:ricorda|ricordati|annota|tieni presente|non dimenticare)(?: che\b|(?: questo)?:){_REST}",
    rf"(?:lembre(?:-se)?|lembra(?:-te)?|anote|anota|n[aã]o esque[cç]as?)(?: de)?(?: que\b|(?: isto| isso)?:){_REST}",
)
FORGET = (
    rf"forget(?: about)?\b{_REST}",
    rf"(?:vergiss|vergessen sie)(?! nicht\b)(?: bitte)?\b,?{_REST}",
    rf"(?:oublie|oubliez)\b(?! pas\b){_REST}",
    rf"(?:olvida|olvide|olv[ií]date de)\b{_REST}",
    rf"(?:dimentica|dimentichi|dimenticati di)\b{_REST}",
    rf"(?:esque[cç]a|esquece)(?:-te)?(?: de)?\b{_REST}",
)
# These are said of files and paragraphs as well: they count only where they name a kind of fact.
DELETE = (
    rf"(?:delete|erase|remove)\b{_REST}",
    rf"(?:l(?:ö|oe)sche?|l(?:ö|oe)schen sie)(?: bitte)?\b{_REST}",
    rf"(?:efface|effacez|supprime|supprimez)\b{_REST}",
    rf"(?:borra|borre|elimina|elimine|cancella|apague|apaga)\b{_REST}",
)
_END = r"(?=\s*(?:[.!,;:)\u2014\u2013]|-\s|\Z))"
_MEMORY = (
    r"(?: (?:please|anywhere|ever|at all|for later|okay|ok|in (?:your |the )?(?:long-term )?memory"
    r"|(?:in|to) your (?:memory|notes)))?"
)
_VERBS = r"(?:store|save|keep|record|log|memori[sz]e|retain|note down)"
_CLAUSE_OF = r"(?= (?:i|i'm|i've|my|we|our|he|she|his|her|they|their|it)\b)"
NOT_KEEP = (
    (
        rf"(?:don'?t|do not|never) (?:ever )?(?:{_VERBS}|(?P<recall>remember)) (?:or {_VERBS} )?"
        rf"(?:(?:any of )?(?:that|this|it|the following|what follows|what i (?:just )?said){_MEMORY}{_END}"
        rf"|that{_CLAUSE_OF})"
    ),
    rf"(?:don'?t|do not|never) write (?:that|this|it) down{_END}",
    rf"(?P<next>off the record){_END}",
    rf"(?:this|that|it)(?: is|'s| was| stays)(?: strictly)? off the record{_END}",
    rf"keep (?:this|that|it) (?:just |strictly )?(?:between (?:us|you and me)|off the record|to yourself){_END}",
    rf"(?:speicher[en]?|merke? dir|behalte?|notiere?)(?: dir)?(?: bitte)? (?:das|dies|es)(?: bitte)? nicht{_END}",
    rf"(?:das|dies)(?: bitte)? nicht (?:speichern|merken|behalten|notieren){_END}",
    rf"das bleibt unter uns{_END}",
    (
        rf"n(?:e |')(?:garde[zs]?|enregistre[zs]?|retiens|retenez|sauvegarde[zs]?|note[zs]?|m[eé]morise[zs]?) pas"
        rf" (?:[cç]a|cela|ceci){_END}"
    ),
    (
        rf"ne (?:le |la |l')(?:garde[zs]?|enregistre[zs]?|retiens|retenez|sauvegarde[zs]?|note[zs]?"
        rf"|m[eé]morise[zs]?) pas{_END}"
    ),
    rf"no (?:guardes?|recuerdes?|almacenes?|registres?|memorices?|anotes?) (?:eso|esto){_END}",
    rf"no lo (?:guardes?|recuerdes?|almacenes?|registres?|memorices?|anotes?){_END}",
    rf"non (?:salvare|memorizzare|ricordare|conservare|registrare) (?:questo|quello|ci[oò]){_END}",
    rf"non (?:salvar|memorizzar|ricordar|conservar|registrar)lo{_END}",
    rf"n[aã]o (?:guardes?|salves?|armazenes?|lembres?|registres?|graves?) (?:isso|isto){_END}",
)
_DENIAL = (
    r"(?:i(?:'ve)? (?:have )?(?:never|didn'?t|did not|haven't|no longer)|i (?:don'?t|do not)(?! (?:think|want"
    r"|need|know)\b)"
    r"|i(?:'m| am) not|ich [^.!?\n]{0,80}\b(?:nie|nicht|kein\w*)|je n|j'ai jamais|nunca|yo (?:no|nunca)"
    r"|no (?:he|vivo|soy)"
    r"|non ho|mai|eu (?:n[aã]o|nunca))\b"
)
WRONG = (
    r"(?:that(?:'s| is| was) (?:wrong|not (?:true|right|correct)|incorrect|false|untrue)|that isn't (?:true"
    r"|right|correct)"
    r"|das (?:stimmt (?:so )?nicht|ist (?:falsch|nicht wahr|nicht richtig))|c'est (?:faux|incorrect|pas vrai)"
    r"|ce n'est pas (?:vrai|correct)|eso (?:no es (?:verdad|cierto|correcto)|es falso|est[aá] mal)"
    r"|(?:questo |quello )?(?:non [eè] vero|[eè] (?:falso|sbagliato))|isso (?:n[aã]o [eé] verdade|[eé] falso"
    r"|est[aá] errado))"
    rf"(?:\s*[,;:\u2014\u2013-]+\s*(?P<tail>{_DENIAL}[^\n]{{0,200}}))?\s*[.!]*\Z"
)
# Said of no memory: "Forget it, let's order pizza", and what users tell models of their instructions.
NEVER_MIND = re.compile(
    r"\s*(?:it|about it|es|ça|lo|ci[oò]|never mind|to\b|all (?:of )?(?:the |your )?(?:previous|prior)|(?:the "
    r"|your )?previous"
    r"|i (?:said|asked|mentioned) (?:anything|it|that)|i asked)(?![\w'])|[^,;\n]{0,80}[,;]\s*(?:and "
    r"|but )?(?:let'?s|let us|what about"
    r"|how about|just|we'll|instead|i'll|try|use|do|go)\b",
    re.IGNORECASE,
)
# "Forget that.", "Forget what I just said.": the sentence before is meant.
THE_LAST = re.compile(
    r"\s*(?:that|this|das|cela|[cç]a|eso|esto|questo|quello|isso|isto|what i (?:just )?(?:said|told you)"
    r"|my last (?:message|sentence)"
    r"|was ich (?:gerade )?gesagt habe|ce que (?:je viens de dire|j'ai dit)|lo que (?:acabo de decir|dije)"
    r"|quello che ho detto|o que eu disse)(?: again)?(?: please)?\s*[.!]*\s*\Z",
    re.IGNORECASE,
)
# Where what a request names ends: what follows is of the next clause.
REST_END = re.compile(
    r"[;()\u2014\u2013]|\s-\s|,\s*(?:and|but|please|thanks|thank you|i|i'm|i've|we|my|it's|bitte|danke|ich"
    r"|merci|je|gracias|grazie|io"
    r"|obrigad[oa]|eu)\b"
    r"|\s(?:and|because|since|but|und|weil|et|parce que|y|porque|e|perch[eé])\s+(?:i|i'm|i've|we|my|please|it"
    r"|ich|je|j'|yo|io|eu)\b"
    r"|\s(?:please|from (?:your )?memory|aus deinem ged[aä]chtnis|bitte|again)\s*[.!?]*\s*\Z",
    re.IGNORECASE,
)
_THAT = re.compile(
    r"\s*(?:about |the fact )?(?:that\b|dass\b|qu[e']|che\b|what i (?:said|told you) about\b"
    r"|everything (?:i said )?about\b|alles (?:ueber|über)\b|:|,)?\s*",
    re.IGNORECASE,
)


def said_of(rest: str) -> str:
    """Return what a request names without the words that lead to it and the signs that end it."""
    found = REST_END.search(rest)
    rest = rest[: found.start()] if found else rest
    lead = _THAT.match(rest)
    return rest[lead.end() if lead else 0 :].strip().rstrip(".!?,;: \"')")


def compiled(phrase: str) -> re.Pattern[str]:
    """Return a phrase as whole words in any case; a blank is any white space, of which a few are looked at."""
    return re.compile(rf"(?<![\w'])(?:{phrase.replace(' ', chr(92) + 's{1,3}')})", re.IGNORECASE)
