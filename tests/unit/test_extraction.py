"""What a user's words yield: the facts stated, and nothing where none is."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.domain.extraction import extract
from cairn.domain.facts import Candidate
from cairn.domain.tiers import Tier
from cairn.domain.values import MAX_VALUE_BYTES

STATED: list[tuple[str, list[tuple[str, str]]]] = [
    ("My name is Alice.", [("user_name", "Alice")]),
    ("my name is bob and i like tea", [("user_name", "bob"), ("user_like", "tea")]),
    ("Hi! My name\u2019s Zoë van der Berg, nice to meet you.", [("user_name", "Zoë van der Berg")]),
    ("My name is A. J. Foyt.", [("user_name", "A. J. Foyt")]),
    ("My name is Dr. Smith from Accounting.", [("user_name", "Dr. Smith")]),
    ("My name is John F. Kennedy. I live in Boston.", [("user_name", "John F. Kennedy"), ("user_home", "Boston")]),
    ("Hello, I'm Anna and I need help with a cake.", [("user_name", "Anna")]),
    ("My name is “Bob”.", [("user_name", "Bob")]),
    ("My name is Ann, what's yours?", [("user_name", "Ann")]),
    ("My name is Bob. Sorry, I meant Rob.", [("user_name", "Rob")]),
    ("I live in Rome. Actually, it's Ostia now.", [("user_home", "Ostia")]),
    ("Please call me Ace.", [("user_nickname", "Ace")]),
    ("You can call me Al, by the way.", [("user_nickname", "Al")]),
    ("I prefer dark mode.", [("user_preference", "dark mode")]),
    ("I prefer tea over coffee, but only in the morning", [("user_preference", "tea over coffee")]),
    (
        "I prefer window seats and I prefer vegetarian food. I prefer short answers.",
        [
            ("user_preference", "window seats"),
            ("user_preference", "vegetarian food"),
            ("user_preference", "short answers"),
        ],
    ),
    ("I prefer version 3.5 of the report.", [("user_preference", "version 3.5 of the report")]),
    ("I prefer spicy food, e.g. curry.", [("user_preference", "spicy food, e.g. curry")]),
    ("Just so you know, I usually prefer metric units.", [("user_preference", "metric units")]),
    ("I like hiking and I also like chess", [("user_like", "hiking"), ("user_like", "chess")]),
    ("I like tea, coffee and dark chocolate.", [("user_like", v) for v in ("tea", "coffee", "dark chocolate")]),
    ("I really love jazz a lot!", [("user_like", "jazz")]),
    ("Honestly, I enjoy cooking because it calms me down.", [("user_like", "cooking")]),
    ("I'm a big fan of Studio Ghibli.", [("user_like", "Studio Ghibli")]),
    ("I like mac and cheese.", [("user_like", "mac and cheese")]),
    ("I LIKE SUSHI!!! What about you?", [("user_like", "SUSHI")]),
    (
        "- I like tea\n- I live in Oslo\n- My birthday is May 3, 1990",
        [
            ("user_like", "tea"),
            ("user_home", "Oslo"),
            ("user_profile", "May 3, 1990"),
        ],
    ),
    ("Today I need to buy milk, eggs and bread.", [("today_task", "to buy milk, eggs and bread")]),
    (
        "Today, I need to call Dr. Jones at 3.30 p.m. about the results.",
        [
            ("today_task", "to call Dr. Jones at 3.30 p.m. about the results"),
        ],
    ),
    ("I need to finish the slides today.", [("today_task", "to finish the slides")]),
    ("Today I have to see the dentist.", [("today_task", "to see the dentist")]),
    ("This week I need to file my taxes", [("weekly_task", "to file my taxes")]),
    ("ok so this week i need to ship the beta, can you help?", [("weekly_task", "to ship the beta")]),
    ("I live in Paris, France.", [("user_home", "Paris, France")]),
    ("I currently live in New York with my two cats.", [("user_home", "New York")]),
    ("I've just moved to Berlin last month, and I love it.", [("user_home", "Berlin")]),
    ("I live in the U.S. I work at Acme Corp.", [("user_home", "the U.S"), ("user_workplace", "Acme Corp")]),
    ("I'm based in São Paulo these days", [("user_home", "São Paulo")]),
    ("I work at Initech since 2019.", [("user_workplace", "Initech")]),
    ("I work for the Red Cross as a driver.", [("user_workplace", "the Red Cross")]),
    ("I work as a nurse, mostly at night.", [("user_role", "a nurse")]),
    ("I'm allergic to peanuts.", [("user_allergy", "peanuts")]),
    ("One serious thing: I'm allergic to hazelnuts.", [("user_allergy", "hazelnuts")]),
    ("Careful: dinner is at eight, and I am severely allergic to shellfish!", [("user_allergy", "shellfish")]),
    ("I have a severe allergy to penicillin.", [("user_allergy", "penicillin")]),
    ("Remember that the garage code is 4711.", [("user_note", "the garage code is 4711")]),
    ("Please remember that I like green tea.", [("user_like", "green tea")]),
    ("Don't forget that rent is due on the 1st, not the 5th.", [("user_note", "rent is due on the 1st, not the 5th")]),
    ("My sister is called Mia.", [("user_profile", "Mia")]),
    ("My dog's name is Rex, and he's three.", [("user_profile", "Rex")]),
    ("My wife is Anna.", [("user_profile", "Anna")]),
    ("My favourite colour is teal.", [("user_profile", "teal")]),
    ("My birthday is 4 July.", [("user_profile", "4 July")]),
    ("my timezone is Europe/Berlin", [("user_profile", "Europe/Berlin")]),
    ("In the evening I prefer decaf.", [("user_preference", "decaf")]),
    ("That's why I prefer trains.", [("user_preference", "trains")]),
    ("I moved to Denver in 2021 and I like C++ \U0001f642", [("user_home", "Denver"), ("user_like", "C++")]),
    ("As I said, I prefer Python 3.11.", [("user_preference", "Python 3.11")]),
    ("[8 May 2023] Caroline: I love painting!", [("user_like", "painting")]),
    ("I'm a nurse at the Charité.", [("user_workplace", "the Charité"), ("user_role", "a nurse")]),
    ("My name isn't Jon, it's John.", [("user_name", "John")]),
    ("I moved from Lyon to Marseille in May.", [("user_home", "Marseille")]),
    ("im alergic to dairy", [("user_allergy", "dairy")]),
    ("Fix this:\n\n    I like trains\n\nI like trams.", [("user_like", "trams")]),
]
RETRACTED: list[tuple[str, list[tuple[str, str]]]] = [
    ("I no longer like coffee.", [("user_like", "coffee")]),
    ("I don't like coffee any more.", [("user_like", "coffee")]),
    ("I stopped drinking coffee.", [("user_like", "coffee")]),
    ("I no longer live in Rome.", [("user_home", "Rome")]),
    ("I used to work at Initech.", [("user_workplace", "Initech")]),
    ("I'm no longer allergic to eggs", [("user_allergy", "eggs")]),
    ("I no longer prefer dark mode, thanks", [("user_preference", "dark mode")]),
]
NOTHING = [
    "",
    "Good morning!",
    "Do you know what my name is?",
    "What do I like?",
    "Is it true that I live in Paris?",
    "I like tea, don't I?",
    "Should I tell them I prefer tea?",
    "I don't like mushrooms.",
    "I do not prefer either of them.",
    "I never liked Mondays.",
    "I'm not allergic to anything.",
    "Bob: I like pizza",
    "My name is not Bob.",
    "I didn't say my name is Bob.",
    "If I like the first one, I will order two.",
    "If I live in Berlin, which tax form applies to me?",
    "Suppose I live in Mars Colony 7.",
    "Imagine my name is Neo.",
    "Let's say I work at Google.",
    "He said my name is hard to spell.",
    "She says, I like tea, all day long.",
    "People say I like to argue.",
    '"I like tea," said the rabbit.',
    "The letter read “My name is Ozymandias”.",
    "Translate into French: my name is Bob.",
    "Write a story where I live in a castle.",
    "Write an email: my name is Bob and I work at Initech.",
    "```\n# my name is Bob\nprint('I like tea')\n```",
    "The string `I like tea` is printed twice.",
    "> I live in Paris\nWhat does the line above mean?",
    "See https://example.com/?q=my name is it.",
    "The things I like are hard to explain.",
    "What I like about it is the price.",
    "I like it.",
    "I like that idea.",
    "I like how you explained it.",
    "I love you",
    "I love watching them play.",
    "I like to think so.",
    "I prefer the second option.",
    "I would like a refund.",
    "I'd prefer an aisle seat for this flight.",
    "I likely forgot it; hi likes, alike.",
    "Wifi liked my name is2.",
    "My name is hard to spell.",
    "My name is on the list.",
    "Call me tomorrow.",
    "Call me back when you can.",
    "Call me Monday.",
    "Don't call me Bob.",
    "I want to live in Lisbon one day.",
    "I live in the moment.",
    "I live in fear of deadlines.",
    "I work at night.",
    "I wish I lived in Rome.",
    "I hope to work at NASA.",
    "Do you remember that I like tea?",
    "I remember that trip well.",
    "My code is broken.",
    "My question is about loops.",
    "My sister is coming tomorrow.",
    "My birthday is soon.",
    "Whatever I prefer, they pick the other.",
    "My friend Tom told me: I like tea.",
    "Nobody believes that I like jazz.",
    "It's not true that I like jazz.",
    "Today needs to be sunny.",
    "Which week do I need to file it?",
    "He likes tea and she lives in Rome.",
    "Pretend my birthday is 1 May.",
    "My name is tired lol",
    "I moved to the next step.",
    "I work as fast as I can.",
    "I am like a bird.",
    "I live in Rome. Just kidding!",
    "[8 May 2023] Ann: I live in Rome.\n[8 May 2023] Ben: I live in Oslo.",
    "Subject: Move\n\nI live in Rome.",
    "Hello,\nI live in Rome.\nKind regards,\nAnn",
    "Review this text:\nI like the city. I live in Rome.",
]


def found(text: str, *, retracts: bool = False) -> list[tuple[str, str]]:
    return [(c.fact_id, c.value) for c in extract([("e", text)]) if c.retracts is retracts]


def only(text: str) -> Candidate:
    (candidate,) = extract([("e", text)])
    return candidate


@pytest.mark.req("R060")
@pytest.mark.parametrize(("text", "facts"), STATED)
def test_what_a_user_states_is_found_with_its_case_and_whole(text: str, facts: list[tuple[str, str]]) -> None:
    assert found(text) == facts
    assert not found(text, retracts=True)


@pytest.mark.parametrize(("text", "facts"), RETRACTED)
def test_what_no_longer_holds_is_taken_back_and_not_stated(text: str, facts: list[tuple[str, str]]) -> None:
    assert found(text, retracts=True) == facts
    assert not found(text)


@pytest.mark.req("R060")
@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_statement_of_the_users_own_yields_nothing(text: str) -> None:
    assert extract([("e", text)]) == ()


@pytest.mark.req("R264")
@pytest.mark.parametrize(
    ("text", "fact_id", "tier", "confidence"),
    [
        ("My name is Ada", "user_name", Tier.L0, 0.95),
        ("I prefer trains", "user_preference", Tier.L0, 0.92),
        ("I like tea", "user_like", Tier.L2, 0.85),
        ("Today I need to rest", "today_task", Tier.L1, 0.80),
        ("This week I need to rest", "weekly_task", Tier.L2, 0.82),
    ],
)
def test_the_five_reference_markers_keep_their_tier_and_confidence(
    text: str, fact_id: str, tier: Tier, confidence: float
) -> None:
    candidate = only(text)
    assert (candidate.fact_id, candidate.tier, candidate.confidence) == (fact_id, tier, confidence)


def test_a_kind_with_one_value_is_keyed_by_itself_and_one_with_many_by_its_value() -> None:
    assert only("My name is Ada").key == "name"
    assert only("I prefer  Night Trains").key == "night trains"
    assert only("My dog's name is Rex").key == "dog's name"


def test_a_candidate_says_where_it_was_said() -> None:
    candidates = extract([("t-in-0", "Hello. I like tea!  Bye."), ("t-in-1", "I live in Rome.")])
    assert [(c.event_id, c.quote) for c in candidates] == [("t-in-0", "I like tea!"), ("t-in-1", "I live in Rome.")]


@pytest.mark.parametrize("character", ["a", "é", "語", "\U0001d4b3"])
def test_a_long_value_is_cut_between_characters_at_512_bytes(character: str) -> None:
    value = only("I prefer x" + character * 600).value
    assert MAX_VALUE_BYTES - 4 < len(value.encode()) <= MAX_VALUE_BYTES
    assert value == "x" + character * (len(value) - 1)


def test_a_lone_surrogate_does_no_harm() -> None:
    assert only("I prefer tea\ud800 time").value == "tea time"


HOSTILE = [
    "I like a. ",
    ", I like",
    "I like ",
    "and I like tea ",
    "I don't like ",
    ", in the so in the so",
    '"I like',
    "```",
    "a, b and ",
    "My name is A. Sorry, I meant B. ",
    "my name is a, sorry, ",
    "please fix: ",
    "kind regards\n",
    "Ann: a\nBob: b\n",
    "i work as a ",
    "i   ",
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE)
def test_reading_takes_time_linear_in_a_hostile_text(unit: str) -> None:
    def seconds(size: int) -> float:
        text = (unit * size)[:size]
        started = process_time()
        extract([("e", text)])
        return process_time() - started

    assert min(seconds(100_000) for _ in range(2)) < 8 * max(min(seconds(25_000) for _ in range(2)), 0.02)


@given(
    st.text(alphabet=st.sampled_from(" .,?!\"'\n-abIiklemynas1é語😀"))
    | st.sampled_from(NOTHING + [t for t, _ in STATED])
)
def test_a_value_is_never_empty_nor_more_than_what_was_said(text: str) -> None:
    for candidate in extract([("e", f"I like {text}")]):
        assert candidate.value
        assert len(candidate.value.encode()) <= MAX_VALUE_BYTES
        assert 0 < candidate.confidence <= 1
