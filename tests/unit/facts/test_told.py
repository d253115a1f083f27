"""What users tell memory to do, in their own words, and what only sounds so."""

from __future__ import annotations

from functools import partial

import pytest

from cairn.facts.told import Asked, requests, without
from support.processor import is_within, seconds_of

pytestmark = pytest.mark.req("R300")


def asked(*texts: str) -> list[tuple[str, str]]:
    return [(request.asked.value, request.rest) for request in requests(texts)]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Remember that the gate code is 4417.", "the gate code is 4417"),
        ("Please remember this: the gate code is 4417.", "the gate code is 4417"),
        ("Note that the boiler is serviced in May.", "the boiler is serviced in May"),
        ("Don't forget that my flight is at nine.", "my flight is at nine"),
        ("Remember this:\nthe gate code is 4417", "the gate code is 4417"),
        ("Merk dir bitte, dass der Code 4417 ist.", "der Code 4417 ist"),
        ("Retiens que le code est 4417.", "le code est 4417"),
        ("Recuerda que el código es 4417.", "el código es 4417"),
        ("Ricorda che il codice è 4417.", "il codice è 4417"),
        ("Lembre-se de que o código é 4417.", "o código é 4417"),
    ],
)
def test_what_is_to_be_kept_is_found(text: str, rest: str) -> None:
    assert asked(text) == [("keep", rest)]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Forget that I live in Oslo.", "I live in Oslo"),
        ("Please forget my address.", "my address"),
        ("Delete my phone number, please.", "my phone number"),
        ("You can forget about the trip.", "the trip"),
        ("Could you please forget that I live in Oslo?", "I live in Oslo"),
        ("I moved to Bergen, so forget that I live in Oslo.", "I live in Oslo"),
        ("OK, forget my employer and my name is Bo.", "my employer"),
        ("Vergiss bitte, dass ich in Oslo wohne.", "ich in Oslo wohne"),
        ("Lösche bitte meine Adresse.", "meine Adresse"),
        ("Oublie que j'habite à Oslo.", "j'habite à Oslo"),
        ("Por favor, olvida mi dirección.", "mi dirección"),
        ("Dimentica il mio indirizzo.", "il mio indirizzo"),
        ("Esqueça o meu endereço.", "o meu endereço"),
    ],
)
def test_what_is_to_be_forgotten_is_found(text: str, rest: str) -> None:
    assert asked(text) == [("forget", rest)]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I like tea. My PIN is 4711. Don't store that.", "I like tea."),
        ("I like tea. My PIN is 4711, but please don't save it.", "I like tea."),
        ("I like tea. My PIN is 4711, don't write that down.", "I like tea."),
        ("Off the record: my PIN is 4711. I like tea.", "I like tea."),
        ("Off the record. My PIN is 4711. I like tea.", "I like tea."),
        ("I like tea. Don't remember that my PIN is 4711.", "I like tea."),
        ("I like tea. My PIN is 4711. Keep this between us, don't save it.", "I like tea."),
        ("I like tea. My PIN is 4711. Don't store that, I'm shy.", "I like tea."),
        ("I like tea. Please don't keep this: my PIN is 4711.", "I like tea."),
        ("I like tea. Don't save this:\nmy PIN is 4711", "I like tea."),
        ("I like tea. Meine PIN ist 4711. Speichere das bitte nicht.", "I like tea."),
        ("I like tea. Mon code est 4711. N'enregistre pas ça.", "I like tea."),
        ("I like tea. Mi clave es 4711. No guardes eso.", "I like tea."),
        ("I like tea. Il mio codice è 4711. Non salvarlo.", "I like tea."),
        ("I like tea. Meu código é 4711. Não guarde isso.", "I like tea."),
        ("Don\N{RIGHT SINGLE QUOTATION MARK}t keep this: my PIN is 4711. I like tea.", "I like tea."),
    ],
)
def test_a_sentence_that_is_not_to_be_kept_is_cut_out(text: str, kept: str) -> None:
    found = requests([text])
    assert {request.asked for request in found} == {Asked.NOT_KEEP}
    assert without([text], found) == [kept]


@pytest.mark.parametrize(
    "text",
    [
        "That's wrong.",
        "No wait, that's wrong.",
        "No, that's not true.",
        "That's not true, I never lived in Oslo.",
        "Das stimmt nicht.",
        "C'est faux.",
        "Forget that.",
        "Please forget what I just said.",
    ],
)
def test_that_something_is_wrong_is_found(text: str) -> None:
    assert [request.asked for request in requests([text])] == [Asked.WRONG]


NO_REQUESTS = [
    "Don't forget to water the plants.",
    "Forget it, let's order pizza.",
    "He told me to forget that I live there.",
    "I'll never forget my name day.",
    "I forgot that my address had changed.",
    "I always forget my phone number.",
    "Did you forget my name?",
    "Can you forget things?",
    "Could you ever forget my birthday?",
    "What happens if you forget my address?",
    "If I move, forget that I live in Oslo.",
    'She sang "forget my name" all night.',
    "\N{DOUBLE LOW-9 QUOTATION MARK}Vergiss meinen Namen\N{LEFT DOUBLE QUOTATION MARK} ist ein Lied.",
    "They come, forget my name and leave.",
    "People forgive and forget my faults.",
    "Forget about dinner, let's talk about work.",
    "Remember that time in Rome?",
    "Remember that night we danced.",
    "Remember to call Bob.",
    "Do you remember that I live in Oslo?",
    "I don't remember that.",
    "I was there, but don't remember that.",
    "We don't store that in the database.",
    "Don't store that file in the cache.",
    "Don't keep that window open.",
    "They don't save it.",
    "Why don't you store that?",
    "Off the record players I like, this one is best.",
    "That's wrong on so many levels.",
    "I think that's wrong of him.",
    "Is that wrong?",
    "Delete the second paragraph.",
    "Remove the last line and save the file.",
    "Forget all previous instructions.",
    "Translate: forget my name",
    "Forget I said anything.",
    "Vergiss nicht, die Blumen zu gießen.",
    "Vergiss es, wir bestellen Pizza.",
    "Er sagte, ich soll meine Adresse vergessen.",
    "N'oublie pas d'arroser les plantes.",
    "No olvides regar las plantas.",
    "The novel is called Forget My Name.",
    "Before you forget my address, print it.",
    "Tell him: he should forget my number.",
]


@pytest.mark.parametrize("text", NO_REQUESTS)
def test_what_only_sounds_like_a_request_names_nothing_that_could_end(text: str) -> None:
    found = [each for each in requests([text]) if not (each.asked is Asked.FORGET and each.only_of_kind)]
    assert found == []


def test_hostile_texts_are_read_in_time_linear_in_their_length() -> None:
    parts = (
        "forget ",
        "don't store that, ",
        "please ",
        "that's wrong ",
        ", and please forget ",
        "\N{DOUBLE LOW-9 QUOTATION MARK}a",
        "remember this:" + " " * 50,
    )

    def bound(text: str) -> float:
        return 10 * seconds_of(lambda: requests([text])) + 0.2

    for part in parts:
        text = part * (160_000 // len(part))
        assert is_within(partial(requests, [text]), partial(bound, text[: len(text) // 4]), 0.2)
