from __future__ import annotations

from datetime import date

import pytest

from cairn.language.traits import Trait, traits
from cairn.recall.misspelt import corrected
from cairn.recall.question import Question, question
from support.processor import seconds_of

TWO = ("Ada", "Ben")
CHAT = ("user", "assistant")


def asked(text: str, *speakers: str) -> Question:
    return question(text, speakers, date(2024, 5, 15), range(2024, 2025))


def test_names_of_speakers_become_i_and_my_since_they_speak_of_themselves_so() -> None:
    assert asked("When did Ada sell Ben's boat?", *TWO).text == "When did I sell my boat?"
    assert asked("When did ada\u2019s boat sink?", *TWO).text == "When did my boat sink?"
    assert asked("When did Adam sell it?", *TWO).text == "When did Adam sell it?"


@pytest.mark.parametrize(
    ("text", "meant", "speakers"),
    [
        ("What did Jonh buy?", "What did I buy?", {0}),
        ("Jonh\u2019s boat?", "my boat?", {0}),
        ("Where is Jhon's boat?", "Where is my boat?", {0}),
        ("Where is JOHNN's boat?", "Where is my boat?", {0}),
        ("Is Carolin at home?", "Is I at home?", {1}),
        ("Is Carolien's cat at home?", "Is my cat at home?", {1}),
        ("Does Caroline know Jonh?", "Does I know I?", {0, 1}),
    ],
)
def test_a_speaker_s_misspelt_name_is_that_name(text: str, meant: str, speakers: set[int]) -> None:
    found = asked(text, "John", "Caroline", "Ada")

    assert (found.text, found.speakers) == (meant, speakers)


@pytest.mark.parametrize(
    "text",
    [
        "Did they join?",  # not capitalised
        "Was it a Cohn?",  # another first letter
        "Does Jo know?",
        "Who is Add?",  # three letters are mostly another word
        "Who is Johanna?",
        "",
    ],
)
def test_a_word_that_may_be_right_is_no_misspelt_name(text: str) -> None:
    found = asked(text, "John", "Caroline", "Ada")

    assert (found.text, found.speakers) == (text, frozenset())


def test_a_name_that_stands_in_a_text_or_may_be_of_two_is_left_as_it_is() -> None:
    def known(word: str) -> bool:
        return word == "sara"

    def speakers_of(text: str, *speakers: str) -> frozenset[int]:
        return question(text, speakers, date(2024, 5, 15), range(2024, 2025), known).speakers

    assert speakers_of("Where is Sara?", "Sarah") == frozenset()
    assert speakers_of("Where is Sarha?", "Sarah") == {0}
    assert speakers_of("Where is Jane?", "Jana", "Janet") == frozenset()


def test_names_are_looked_for_in_a_time_in_line_with_the_length_of_a_text() -> None:
    speakers = [f"Carolin{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(300)]
    text = "Carolinqq Jonh " * 2_600

    assert seconds_of(lambda: corrected(text, {each.casefold(): 0 for each in speakers}, lambda _: False)) < 0.1


def test_a_question_is_about_the_speakers_that_it_names() -> None:
    assert asked("When did Ben sell his boat?", *TWO).speakers == {1}
    assert asked("Do Ada and Ben sail?", *TWO).speakers == {0, 1}
    assert asked("Who sails?", *TWO).speakers == frozenset()


def test_i_is_the_user_and_you_the_assistant_where_nobody_is_named() -> None:
    assert asked("What's my sister called?", *CHAT).speakers == {0}
    assert asked("Which book did you recommend?", *CHAT).speakers == {1}
    assert asked("What did Ada tell me?", "user", "Ada").speakers == {1}


def test_whoever_told_the_other_is_the_one_whose_words_are_asked_for() -> None:
    assert asked("Which book did you recommend to me?", *CHAT).speakers == {1}
    assert asked("What should I take along, did you say?", *CHAT).speakers == {1}
    assert asked("Which friends have I told you about?", *CHAT).speakers == {0}


@pytest.mark.parametrize(
    ("text", "speakers"),
    [
        ("Can you help me plan my garden?", {0}),
        ("I want to repaint the boat. What would you suggest?", {0}),
        ("Do you remember when my sister moved?", {0}),
        ("What colours would you suggest for a boat?", set[int]()),
        ("Can you tell me again what you suggested for my boat?", {1}),
        ("Which book of yours do you recommend?", {1}),
    ],
)
def test_what_the_assistant_is_asked_to_do_now_is_not_what_it_said(text: str, speakers: set[int]) -> None:
    assert asked(text, *CHAT).speakers == speakers


def test_a_question_that_is_not_english_tells_nothing_by_its_pronouns() -> None:
    assert asked("Which book did you recommend?", *CHAT).is_english
    assert not asked("Welches Buch hast du mir empfohlen?", *CHAT).is_english


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("What is my sister called?", False),
        ("dentist appointment Lisbon", False),
        ("Where did la Paz come up?", False),
        ("Wie hei\u00dft meine Schwester?", True),
        ("\u00bfC\u00f3mo se llama mi hermana?", True),
        ("\u041a\u0430\u043a \u0437\u043e\u0432\u0443\u0442 \u0441\u0435\u0441\u0442\u0440\u0443?", True),
        ("\u59b9\u59b9\u53eb\u4ec0\u4e48?", True),
    ],
)
def test_a_question_in_another_language_is_known_by_its_words_or_script(text: str, *, foreign: bool) -> None:
    assert asked(text, *CHAT).is_foreign == foreign


@pytest.mark.parametrize(
    ("language", "user", "assistant"),
    [
        ("de", "Wie heißt meine Schwester?", "Welches Buch hast du mir empfohlen?"),
        ("de", "Was habe ich dir von der Reise erzählt?", "Was ist deine Meinung zu der Reise?"),
        ("nl", "Hoe heet mijn zus?", "Welk boek heb jij me aangeraden?"),
        ("fr", "Qu'est-ce que je t'ai dit du voyage ?", "Qu'est-ce que tu m'as dit du voyage ?"),
        ("fr", "Où est-ce que j'ai mis la clé du garage ?", "Quel livre m'avez-vous conseillé ?"),
        ("es", "¿Qué te dije de la casa?", "¿Qué me dijiste de la casa?"),
        ("pt", "Qual é o nome da minha irmã?", "Que livro você me recomendou?"),
        ("it", "Che cosa ti ho detto del viaggio?", "Che cosa mi hai detto del viaggio?"),
        ("ru", "Как зовут мою сестру?", "Что ты мне советовал?"),
        ("ar", "ما هو الكتاب الذي عندي؟", "ماذا قلت لي عن الرحلة؟"),
        ("zh", "我告诉过你什么?", "你给我推荐了什么书?"),
        ("ja", "私の妹の名前は?", "どの本を勧めてくれましたか?"),
    ],
)
def test_other_languages_tell_i_from_you_as_english_does(language: str, user: str, assistant: str) -> None:
    assert asked(user, *CHAT).speakers == {0}, language
    assert asked(assistant, *CHAT).speakers == {1}, language


@pytest.mark.parametrize("text", ["Wie heißt die Schwester von Ada?", "Qui est arrivé du Portugal ?", "谁来了?"])
def test_a_question_without_pronouns_tells_nobody_in_any_language(text: str) -> None:
    assert asked(text, *CHAT).speakers == frozenset()


def test_roles_are_no_names() -> None:
    assert asked("Which user is the assistant of?", *CHAT).text == "Which user is the assistant of?"


def test_of_a_name_two_share_the_first_counts() -> None:
    assert asked("What does Lee sail?", "Lee Park", "Sam Lee").speakers == {0}


@pytest.mark.parametrize(
    ("text", "when", "how_many"),
    [
        ("When did I move?", True, False),
        ("What year did I move?", True, False),
        ("How long have I lived here?", True, False),
        ("How many cats have I?", False, True),
        ("How often do I swim?", False, True),
        ("Whenever I swim, who comes along?", False, False),
    ],
)
def test_what_kind_of_answer_is_wanted(text: str, when: bool, how_many: bool) -> None:  # noqa: FBT001 - a column
    found = asked(text, *CHAT)

    assert (found.asks_when, found.asks_how_many) == (when, how_many)


def test_a_text_shows_its_cues() -> None:
    assert traits("Shall I come?", "user", 5) == Trait.ASKS | Trait.SAYS_I
    assert (
        traits("We went there last week, twice", "assistant", 5)
        == Trait.NAMES_A_TIME | Trait.COUNTS | Trait.BY_ASSISTANT
    )
    assert traits("Fine.", "user", 1) == Trait.IS_SHORT
    assert traits("\u4f60\u597d\u5417\uff1f", "user", 9) == Trait.ASKS
