"""Mask what is not the user's own statement: quotes, pasted texts, texts to work on, suppositions, reports."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

# A sign that no marker and no border of a sentence holds, so that what is masked can neither state nor part anything.
_MASK = "\N{BULLET}"
_BORDER = "\n"
# In characters before a marker: a longer reach allows for more phrases that lead up to it, and takes more time at each.
_OPENING_REACH = 64
# How far a word such as "imagine" or "she said" casts doubt: about two lines of a chat. bench/extraction.py says what a
# reach finds and misses.
_FOREIGN_REACH = 160
# What stands behind "translate:" or "here is my letter:" is a text to work on, often in the first person.
_WORK_ON = (
    r"(?:translate|summari[sz]e|proofread|correct|fix|improve|review|rewrite|rephrase|paraphrase|edit|polish|shorten"
    r"|simplify|turn|change|add|extract|complete|read|classify|analy[sz]e|conjugate|punctuate|check|convert|write|compose"
    r"|continue|reply to|answer|make (?:this|it|the)"
    r"|here(?: is|'s) (?:the|an?|my) (?:article|text|letter|e-?mail|message|post|transcript|story|chapter|conversation"
    r"|review)|(?:the )?(?:transcript|interview|article|(?:cover )?letter|review))"
)
# Who plays a role says "I am a pirate" of the role.
_FICTION = (
    r"(?:role-?play|pretend|(?:act|speak|talk|answer|behave) (?:as|like) (?:an?|my|the|if)|you play"
    r"|let's (?:play|pretend|imagine|say|assume)|for this (?:exercise|scene|game|test)"
    r"|in (?:my|this|the) (?:story|novel|book|game|film|movie|play))"
)
# In order: fenced code, quoted lines, inline code, quotations, links, headers of mail, letters from "Dear" on, all down
# to a letter's closing words, texts to work on as far as their paragraph goes, and fiction as far as its line.
_ASIDE = re.compile(
    r"(?:```|~~~).*?(?:```|~~~|\Z)|^[ \t]*>[^\n]*|`[^`\n]+`|\"[^\"\n]{1,300}\"|(?<!\w)'[^'\n]{1,200}'(?!\w)|https?://\S+"
    r"|^(?:from|to|sent|subject|fwd?): .*|^dear [^\n]{1,60}\n.*"
    r"|\A.*^(?:(?:kind|best|warm) (?:regards|wishes)|regards|sincerely|yours (?:faithfully|sincerely|truly))\b"
    rf"|^(?:(?:please|pls|can you|could you|help me|now),? )*{_WORK_ON}\b[^:\n.?!]{{0,80}}:\s[^\n]*(?:\n[^\n]+)*"
    rf"|(?:^(?:be|you are) (?:an?|now)|\b{_FICTION})\b[^\n]*",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
# "[12 May] Ada: I like tea", as logs of chats are pasted: stamp, speaker, words.
_TURN = re.compile(r"^[ \t]*(\[[^\]\n]{1,40}\][ \t]*)?([^\W\d_a-z][\w.' -]{0,30}):[ \t]([^\n]*)", re.MULTILINE)
# "Update: I moved": the colon of these opens the user's own clause; another word's opens a quote or a field.
_INTRODUCTIONS = (
    "things?|intro|introduction|facts?|context|info|details?|note|reminder|me|background|important|careful|warning|btw"
    "|ps|fyi|update|correction|also|question|situation|news|remember"
)
# "We moved house: I live in Oslo now": so does the colon behind a change of one's own.
_CHANGES = (
    r"(?:i|we)(?:'ve| have)? (?:just |recently |finally )?(?:moved|relocated|changed|switched)"
    r"(?: (?:house|home|flats?|towns?|city|cities|country|countries|jobs?|companies|employers?|again))?"
)
# What may stand between a border and the statement and leaves it a statement: "but honestly, now that ...".
_OPENERS = (
    "and|but|so|because|since|although|though|plus|also|well|oh|hi|hello|hey|there|yes|yeah|yep|no|nope|ok|okay|right"
    "|actually|honestly|personally|basically|btw|by the way|fyi|ps|for the record|for context|for reference|sorry"
    "|wait|oops|correction|anyway|anyways|in fact|update|fun fact|quick note"
    "|thanks|thank you|please|pls|plz|just|note that|remember that|remember|you should know that|just so you know"
    "|you know|as i said|as you know|i think|i guess|i must say|i (?:said|told you|mentioned)(?: that)?|that's why"
    "|which is why|about me|first|second|then|now|nowadays|these days|currently|lately|recently|generally|usually"
    "|overall|today|in general|(?:you|everyone) can"
    r"|to be (?:clear|honest|fair|precise)|let me introduce myself|given|considering|as an? [\w-]+|now that|ever since"
    r"|(?:in|on|for|since|at|with|until|during|after|before) (?!case\b|which\b|that\b)(?:[\w-]+ ){0,2}[\w-]+"
)
_OPENING = re.compile(
    rf"(?:\A|[,;(\u2014\u2013]|\b(?:{_INTRODUCTIONS}|{_CHANGES}):|\s-|\A\s*(?:[-*•_]+|\d+[.)])"
    r"|\b(?:and|but|because|so|since|although|though|plus))\s*"
    rf"(?:(?:{_OPENERS})[,:!]?\s+)*\Z",
    re.IGNORECASE,
)
# Conditions, reports, doubts, wishes and titles: what follows is somebody else's, or not meant. "I said" and "I think"
# are the user's own.
_FOREIGN = re.compile(
    r"\bif\b(?! (?:it helps|you're|you are|anyone|that matters|it matters))|(?<!\bi )(?<!\bi've )\b(?:said|told)\b"
    r"|(?<!\bi )\b(?:think|believe|assume|claim|say)\b"
    r"|\b(?:unless|whether|hypothetically|suppos\w+|imagin\w+|assum(?:es|ing)|perhaps|maybe|might|doubt|wish|dream"
    r"|translat(?:e|ed|ing|ion)|rewrite|write|compose|rephrase|repeat|quote|example|phrase|persona|monologue|test user"
    r"|lyrics?|chorus|song|sings?|radio|story|novel|movie|film|book"
    r"|says|saying|tells|telling|thinks|believes|insists|claims|claimed|complained|wrote|asked|replied|joked|lied|goes"
    r"|reads|nobody|no one|not true)\b"
    r"|\A\s*(?:oh,? (?:sure|great|joy|wonderful)|(?:yeah|sure|right),? (?:right|sure|and)|listening to"
    r"|play)\b",
    re.IGNORECASE,
)


def own_words(text: str) -> str:
    """Return the text at its length with what is not the user's own masked; a dated speaker's name ends a sentence.

    One dated speaker is the user; what several speakers say is a transcript, and nobody knows which one the user is.
    """
    masked = _ASIDE.sub(_in_place(_MASK), text)
    turns = _TURN.findall(masked)
    if len({speaker for _, speaker, _ in turns}) > 1:
        return _TURN.sub(_in_place(_MASK), masked)
    return _TURN.sub(_without_stamp, masked)


def openings(masked: str) -> Callable[[int], bool]:
    """Return whether a position in a sentence opens a clause that the user says in their own name and in earnest."""
    # The first entry stands so far before the text that it casts no doubt, and saves a case without one.
    foreign = [-_FOREIGN_REACH, *(other.end() for other in _FOREIGN.finditer(masked))]

    def opens(start: int) -> bool:
        return (
            _OPENING.search(masked[max(0, start - _OPENING_REACH) : start]) is not None
            and start - foreign[bisect_right(foreign, start) - 1] >= _FOREIGN_REACH
        )

    return opens


def _in_place(sign: str) -> Callable[[re.Match[str]], str]:
    return lambda aside: re.sub(r"[^\n]", sign, aside.group())


def _without_stamp(turn: re.Match[str]) -> str:
    stamp, _, said = turn.groups()
    # The stamp and the name become borders of sentences, as many as they had characters: places stay.
    return _BORDER * (len(turn.group()) - len(said)) + said if stamp else turn.group()
