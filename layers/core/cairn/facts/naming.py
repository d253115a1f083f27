"""Tell which beliefs a user names: by what they say of themselves, by the kind of fact, or by its value.

What is named has to be sure. Of several beliefs that a few words fit in part, none is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import NamedTuple, TypeVar

from cairn.facts.extraction import extract
from cairn.facts.facts import Candidate, identity, is_said, names_value, normalise
from cairn.language.terms import terms

_T = TypeVar("_T")
_SHARE = 3
"""Words that name a value in part are at least one in so many of its words."""
_OWN = (
    r"(?:my|our|mein(?:e[nmrs]?)?|unsere?n?|mon|ma|mes|notre|nos|mis?|nuestr[oa]s?|(?:il |la |i |le )?(?:mio"
    r"|mia|miei|mie)"
    r"|(?:o |a |os |as )?(?:meu|minha|meus|minhas))"
)


class _Kind(NamedTuple):
    """The words for a kind of fact; its facts by fact_id, and by the keys of profiles."""

    nouns: str
    fact_ids: str
    keys: str = r"(?!)"
    clauses: str = r"(?!)"
    numbered: bool = False


_KINDS = (
    _Kind(
        "home(?: ?town)?|city|wohnort|domicile|ville|ciudad|citt[aà]|cidade",
        "user_home",
        "home ?town|home city",
        "where i live|wo ich wohne|o[uù] j'habite|d[oó]nde vivo|dove (?:abito|vivo)|onde (?:eu )?moro",
    ),
    _Kind(
        "(?:home |postal |shipping |street )?address|adresse|anschrift|direcci[oó]n|indirizzo|endere[cç]o",
        "user_home",
        "(?:home |postal |shipping )?address",
        numbered=True,
    ),
    _Kind(
        "(?:phone|telephone|mobile|cell)(?: phone)?(?: number)?|telefonnummer|handynummer"
        "|(?:num[eé]ro de )?t[eé]l[eé]phone"
        "|(?:n[uú]mero de )?(?:tel[eé]fono|telefone)|(?:numero di )?telefono",
        "",
        "(?:phone|mobile|cell)(?: number)?",
    ),
    _Kind(
        "e-?mail(?:[- ]?ad(?:dress|resse))?|adresse e-?mail|correo(?: electr[oó]nico)?|indirizzo e-?mail",
        "",
        "e-?mail(?: address)?",
    ),
    _Kind(
        "employer|workplace|arbeitgeber|employeur|empleador|datore di lavoro|empregador",
        "user_workplace",
        "employer|company",
        "where i work|wo ich arbeite|o[uù] je travaille|d[oó]nde trabajo|dove lavoro|onde (?:eu )?trabalho",
    ),
    _Kind(
        "job(?: title)?|role|profession|occupation|beruf|m[eé]tier|profesi[oó]n|professione|profiss[aã]o",
        "user_role",
        "job(?: title)?|occupation|profession|role",
    ),
    _Kind(
        "(?:full |first |real )?namen?|nom|pr[eé]nom|nombre|nome",
        "user_name",
        clauses="wie ich hei(?:ß|ss)e|what i'm called|comment je m'appelle|c[oó]mo me llamo|come mi chiamo",
    ),
    _Kind("nickname|spitzname|surnom|apodo|soprannome|apelido", "user_nickname"),
    _Kind("allerg(?:y|ies|ien?|ias?)", "user_allergy"),
    _Kind(
        "preferences?|vorlieben?|pr[aä]ferenz(?:en)?|pr[eé]f[eé]rences?|preferencias?|preferenz[ae]|prefer[eê]ncias?",
        "user_preference",
    ),
    _Kind(
        "birthday|date of birth|geburtstag|anniversaire|cumplea[nñ]os|compleanno|anivers[aá]rio",
        "",
        "birthday|b-?day|birth date|date of birth",
    ),
)
# With a value beside it a verb names its kind: "dass ich in Oslo wohne".
_VERBS = (
    ("user_home", "live|lived|living|moved|wohne|lebe|habite|vis|vivo|abito|moro"),
    ("user_workplace", "work|worked|working|employed|arbeite|travaille|trabajo|lavoro|trabalho"),
    ("user_name", "name|named|called|hei(?:ß|ss)e|appelle|llamo|chiamo|chamo|nombre|nome|nom"),
    (
        "user_allergy",
        "allergic|allergy|allergies|allergisch|allergie|allergique|al[eé]rgic[oa]|allergic[oa]|alergia|allergia",
    ),
    (
        "user_preference",
        (
            "prefer|preferences?|bevorzuge|vorliebe|pr[eé]f[eè]re|pr[eé]f[eé]rence|prefiero|preferencia|preferisco"
            "|preferenza|prefiro"
        ),
    ),
    ("user_like", "like|love|enjoy|mag|liebe|aime|gusta|piace|gosto"),
)
_SMALL_WORDS = """
    dass ich in der die das den dem ein eine einen mein meine meinen und zu bin habe que qu je j'ai le la les l'
    un une de du des mon ma mes suis et a au yo el los las una mi mis soy en y che io il lo i gli di mio mia
    sono o os as eu um uma meu minha sou e no na em com con mit avec ai ho he aux al alla allo gegen
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_DENIED = re.compile(r"\bi(?:'ve)? (?:have )?(?:never|didn'?t|did not|haven't|don'?t|do not)\s+", re.IGNORECASE)
_PRESENT = {
    "lived": "live",
    "worked": "work",
    "liked": "like",
    "preferred": "prefer",
    "loved": "love",
    "moved": "moved",
}


def facts_named(words: str, facts: Sequence[Candidate]) -> list[Candidate]:
    """Return the facts that a user's words name; of one stated by the words, that one alone."""
    stated = stated_by(words)
    if stated:
        own = _content(words)
        return [
            fact
            for fact in facts
            if any(holds(fact, said) for said in stated) or (is_said(fact) and own <= _content(fact.value))
        ]
    return _of_kind(words, facts) or _with_value(words, facts) or valued(words, facts, lambda fact: fact.value)


def kind_named(words: str, facts: Sequence[Candidate]) -> list[Candidate] | None:
    """Return the facts of the kind that the words name, None where they name no kind."""
    kinds = [kind for kind, bare, _ in _compiled() if bare.fullmatch(words)]
    return [fact for fact in facts if any(_is_of(kind, fact) for kind in kinds)] if kinds else None


def texts_named(words: str, held: Sequence[_T], text: Callable[[_T], str]) -> list[_T]:
    """Return the one of these texts that the words name, be it as the user's: "the user's address is …"."""
    for _, bare, owned in _compiled():
        if bare.fullmatch(words):
            return [each for each in held if owned.match(text(each))]
    return valued(words, held, text)


def stated_by(words: str) -> list[Candidate]:
    """Return what the words state, as they stand or without their "never": "I never lived in Oslo"."""
    denied = _DENIED.match(words)
    if denied:
        verb, _, rest = words[denied.end() :].partition(" ")
        words = f"I {_PRESENT.get(verb.casefold(), verb)} {rest}"
    return [said for said in extract([("", words)]) if not said.retracts and said.fact_id != "user_note"]


def holds(fact: Candidate, said: Candidate) -> bool:
    """Tell whether a belief is what was said: about the same, and one value holds the other as whole words."""
    return identity(fact) == identity(said) and names_value(fact, said.value)


def valued(words: str, held: Iterable[_T], text: Callable[[_T], str]) -> list[_T]:
    """Return what the words say whole, else the one of which they say at least a third."""
    said = _content(words)
    if not said:
        return []
    of_each = [(each, _content(text(each))) for each in held]
    whole = [each for each, content in of_each if content == said]
    part = [(each, text(each)) for each, content in of_each if said < content and len(content) <= _SHARE * len(said)]
    if whole:
        return whole
    return [each for each, _ in part] if len({normalise(value) for _, value in part}) == 1 else []


def _of_kind(words: str, facts: Sequence[Candidate]) -> list[Candidate]:
    own = re.sub(rf"\A{_OWN}\s+", "", words, flags=re.IGNORECASE)
    by_key = [fact for fact in facts if fact.fact_id == "user_profile" and normalise(fact.key) == normalise(own)]
    return list(dict.fromkeys((*(kind_named(words, facts) or ()), *(by_key if own != words else ()))))


def _with_value(words: str, facts: Sequence[Candidate]) -> list[Candidate]:
    """Return the facts of a kind that a verb names, and whose value the words name too."""
    said = _content(words)
    ids = {name for name, verb in _verbs() if verb.search(words)}
    return [fact for fact in facts if fact.fact_id in ids and (value := _content(fact.value)) and value <= said]


def _is_of(kind: _Kind, fact: Candidate) -> bool:
    if fact.fact_id == "user_profile":
        return re.fullmatch(kind.keys, normalise(fact.key)) is not None
    return fact.fact_id == kind.fact_ids and (not kind.numbered or any(map(str.isdigit, fact.value)))


def _content(words: str) -> frozenset[str]:
    return frozenset(terms(words)) - _SMALL


@cache
def _compiled() -> tuple[tuple[_Kind, re.Pattern[str], re.Pattern[str]], ...]:
    """Return each kind with what names all of it, and with what begins a text that tells of the user's."""
    return tuple(
        (
            kind,
            re.compile(rf"{_OWN}\s+(?:{kind.nouns})|{kind.clauses}", re.IGNORECASE),
            re.compile(rf"(?:(?:the )?user'?s?|my)\s+(?:{kind.nouns})\s*(?:is|are|:|=)", re.IGNORECASE),
        )
        for kind in _KINDS
    )


@cache
def _verbs() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(rf"\b(?:{verbs})\b", re.IGNORECASE)) for name, verbs in _VERBS)
