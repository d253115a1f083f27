"""Memories of invented people, each with questions that ask for it in other words.

Everyone has twenty habits, so that a name alone finds twenty memories, and every habit is told with a detail, a place
and a year of its own. The same seed plants the same memories in the same order, however many are wanted.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product


def _words(text: str) -> list[str]:
    return text.split()


_FIRST = _words("""
Aino Bram Cillian Dagny Edda Farid Greta Hakan Ilse Jarek Katia Lorcan Mirela Nuno Oda Pavel Quirin Rasmus Selma
Tomas Ulla Vidar Wanda Xenia Yara Zoltan Amira Bela Corin Dunja Emeka Fenna Goran Hilde Imre Jutta Kofi Liv Marek
Nadia Otis Petra Rocio Sanna Tarik Una Viggo Wiebke Yusuf Zora Alva Benno Clea Dario""")
_LAST = _words("""
Abelson Brandvik Castellan Dolezal Ekberg Farrow Grimstad Halvorsen Ivanek Jansky Kestrel Lindahl Maravic Norholt
Osterman Pellworth Quist Rautio Stavik Thorne Ulmer Vestergard Wexcombe Yardley Zelenka Ashdown Birkeland Corvin
Drummel Engstrom Fairlie Gadsby Holloway Ingram Jessop Kirkeby Lockhart Mossvik Nettle Orchard Pemberley Ravnsborg
Sedgwick Tormund Upwell Varga Wainscott Yoxall Zander Bellweather""")
_PLACES = _words("""
Bergen Ghent Lucca Tartu Coimbra Visby Aarhus Girona Leiden Turku Zadar Trieste Cork Lund Basel Cadiz
Bruges Gdansk Malmo Parma Rouen Sopot Tampere Utrecht Vigo""")

# What is told, and two ways to ask for it that share few words with it.
_HABITS = (
    (
        "keeps three hives of bees behind an old chapel in {place}",
        ("Where does the honey of {name} come from?", "In which town is the apiary of {name}?"),
    ),
    (
        "is allergic to walnuts and carries an injector since a dinner in {place}",
        ("What must {name} never eat?", "Which food is dangerous for {name}?"),
    ),
    (
        "repairs mechanical watches at a bench by the window in {place}",
        ("What does {name} do with broken clocks?", "Who should mend a timepiece: {name} or somebody else?"),
    ),
    (
        "sails a wooden dinghy out of the harbour of {place} every Sunday",
        ("Which boat does {name} have?", "What does {name} do on the water at weekends?"),
    ),
    (
        "teaches evening classes in welding at the college of {place}",
        ("What subject does {name} give lessons in?", "What could I learn from {name} after work?"),
    ),
    (
        "plays the viola in an amateur quartet that rehearses in {place}",
        ("Which instrument does {name} have?", "What kind of music does {name} make with friends?"),
    ),
    (
        "drives a red delivery van for a bakery in {place} before dawn",
        ("What is the vehicle of {name}?", "What is the early morning job of {name}?"),
    ),
    (
        "adopted a deaf greyhound from a shelter near {place}",
        ("What pet does {name} own?", "Which dog lives with {name}?"),
    ),
    (
        "refuses to fly and takes the night train to {place} instead",
        ("How does {name} prefer to travel?", "Why will {name} not come by plane?"),
    ),
    (
        "owes the dentist in {place} four instalments for a crown",
        ("Which debt does {name} still have to pay?", "Whom does {name} have to give money for a tooth?"),
    ),
    (
        "swims two kilometres in the lake of {place} whatever the weather",
        ("What sport does {name} practise outdoors?", "How does {name} keep fit in winter?"),
    ),
    (
        "inherited a walnut desk from an aunt who lived in {place}",
        ("Which piece of furniture was left to {name}?", "What did a relative bequeath to {name}?"),
    ),
    (
        "translates technical manuals from Finnish for a publisher in {place}",
        ("Which language does {name} read at work?", "How does {name} earn a living with words?"),
    ),
    (
        "broke the left wrist on an icy staircase in {place}",
        ("What injury did {name} have?", "Which bone did {name} fracture in a fall?"),
    ),
    (
        "votes by post because the polling station in {place} has no ramp",
        ("How does {name} take part in elections?", "Why does {name} send the ballot in an envelope?"),
    ),
    (
        "grows tomatoes and chillies in a glasshouse on a roof in {place}",
        ("Which vegetables does {name} cultivate?", "What is in the greenhouse of {name}?"),
    ),
    (
        "wakes at five to meditate facing the river in {place}",
        ("What is the first thing in the day of {name}?", "When does {name} get up and sit in silence?"),
    ),
    (
        "lost a silver ring on the ferry to {place}",
        ("Which jewellery is missing from the hand of {name}?", "What did {name} mislay on a ship?"),
    ),
    (
        "asked for invoices to be sent to an accountant in {place}",
        ("Who handles the bills of {name}?", "To whom should the bookkeeping of {name} go?"),
    ),
    (
        "is saving for a telescope to put up on the hill above {place}",
        ("What does {name} want to buy next?", "Which purchase would let {name} look at stars?"),
    ),
)
_DETAILS = (
    "It was mentioned over coffee",
    "It came up on the phone",
    "It stood in a letter",
    "A neighbour confirmed it",
    "It was said twice, and proudly",
    "It was told in confidence",
)
_YEARS = (1984, 2025)


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory, its number in the order of planting, and two questions for it."""

    number: int
    text: str
    questions: tuple[str, str]


def memories(number: int, seed: int, start: int = 0) -> list[Memory]:
    """Return so many different memories from a place in the order on."""
    return list(islice(_planted(seed), start, start + number))


def questions(planted: Sequence[Memory], number: int, seed: int) -> list[tuple[str, Memory]]:
    """Return so many different questions, each with the memory it is for."""
    asked = [(question, memory) for memory in planted for question in memory.questions]
    return random.Random(seed).sample(asked, number)  # noqa: S311 - planted, not secret


def _planted(seed: int) -> Iterator[Memory]:
    draw = random.Random(seed)  # noqa: S311 - planted, not secret
    names = [f"{first} {last}" for first, last in product(_FIRST, _LAST)]
    draw.shuffle(names)
    number = 0
    for group in range(0, len(names), _AT_ONCE):
        told = [(name, habit) for name in names[group : group + _AT_ONCE] for habit in _HABITS]
        draw.shuffle(told)
        for name, (said, asked) in told:
            text = (
                f"{name} {said.format(place=draw.choice(_PLACES))}. {draw.choice(_DETAILS)} in {draw.randint(*_YEARS)}."
            )
            first, second = (question.format(name=name) for question in asked)
            yield Memory(number, text, (first, second))
            number += 1


_AT_ONCE = 5
"""Whose memories are planted side by side: the first hundred are of five people."""
