"""What an agent is given before a turn: how much of the evidence, for how many tokens.

Each text is stored by after_turn; each question is then asked in a new conversation of the same user, and what
before_turn returns by its defaults is measured. any, all: some text that is needed stands in the context; all do. A
text of which only sentences are placed counts, and beside it stands what whole texts alone hold, and the share of the
evidence's words that is placed. Tokens are those of policy and memory block. content: the share of the block's
characters that somebody said.

Beside it: BM25's scores in the same packer, with chances fitted on the same conversations as Cairn's, and BM25's first
five and ten texts, whole. And what is placed for questions of other conversations, which memory cannot answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from time import perf_counter

import report
from cairn.context.chances import Chances, Fit, price_of
from cairn.context.choosing import choose
from cairn.context.excerpts import GAP, Asked, excerpt
from cairn.context.lines import Line
from cairn.context.offering import DEEP, EXCERPT, REPLY_EXCERPT, folded
from cairn.context.rendering import label, plain_text, words_of
from cairn.context.sayings import form, is_filler
from cairn.conversation import token_count as tokens
from cairn.conversation.items import text_of
from cairn.ground.ids import SessionId, TurnId
from cairn.ground.settings import MemorySettings
from cairn.log.entries import MAX_SEARCHABLE_CHARACTERS, Chunk
from cairn.recall import block
from cairn.turns.model import PreparedTurn
from cairn.turns.window import Window
from fit_context import fit_chances, size_of
from recall_engine import MODEL, CachingEmbedder, StoredConversation, stored
from recall_rivals import bm25_scores
from recall_sets import FITTED_ON, HELD_OUT, Conversation, Question, Text, data_option, read
from report import Cell, Table
from unanswerable import put, whole

MEASURES = ("any", "all", "any, whole texts", "all, whole texts", "words of the evidence", "content")
_ROLES = {"user", "assistant"}
_OF_OTHERS = 60
"""How many questions of other conversations each is asked."""

Placed = Mapping[str, str]
"""What is placed of each text, by its id."""


@dataclass(frozen=True, slots=True)
class Given:
    """One question's context, measured: shares, and its tokens."""

    kind: str
    values: Mapping[str, float]
    tokens: int


def main() -> None:
    """Print the tables."""
    parser = report.options(__doc__)
    data_option(parser, (FITTED_ON, HELD_OUT))
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N of the contexts whole")
    given = parser.parse_args()
    tables = [table for path in given.data for table in of_data(path, given.show)]
    report.publish("context", tables, given, seeds=(0,), libraries=("numpy", "onnxruntime"))


def of_data(path: Path, show: int) -> Iterator[Table]:
    """Yield the tables of a data set."""
    conversations = read(path)
    found: dict[str, list[Given]] = {"Cairn": []}
    slowest: list[float] = []
    asked = sum(len(each.questions) for each in conversations)
    with stored(conversations, CachingEmbedder(MODEL)) as engines:
        for conversation in conversations:
            for question in conversation.questions:
                began = perf_counter()
                turn = engines[conversation.name].prepared(question)
                slowest.append(1000 * (perf_counter() - began))
                found["Cairn"].append(_given(conversation, question, placed_by(turn), size_of(turn), content_of(turn)))
                if show and len(slowest) % max(1, asked // show) == 1:
                    print(f"--- {conversation.name}: {question.text}\n{memory_of(turn)}\n")
        beyond = unanswerable(path.name, conversations, engines)
    for name, rival in rivals().items():
        found[name] = [each for one in conversations for each in rival(one)]
    yield overall(path.name, found, sorted(slowest)[len(slowest) // 2])
    yield by_kind(path.name, found["Cairn"])
    yield beyond


def overall(data: str, found: Mapping[str, Sequence[Given]], milliseconds: float) -> Table:
    """Return what each way of choosing gives."""
    rows = [(name, *_means(given)) for name, given in found.items()]
    note = f"In percent, but tokens. The median before_turn took {milliseconds:.0f} ms, its explanation included."
    return Table(f"Contexts for {data}", ("context", "n", *MEASURES, "tokens"), rows, note)


def by_kind(data: str, given: Sequence[Given]) -> Table:
    """Return what Cairn gives for each kind of question."""
    kinds = sorted({each.kind for each in given})
    rows = [(kind, *_means([each for each in given if each.kind == kind])) for kind in kinds]
    return Table(f"By kind of question, on {data}", ("kind", "n", *MEASURES, "tokens"), rows)


def unanswerable(data: str, conversations: Sequence[Conversation], engines: Mapping[str, StoredConversation]) -> Table:
    """Return what is placed for questions of other conversations, as they are put and with this one's names."""
    sizes: dict[str, list[int]] = {"another's": [], "another's, renamed": []}
    for log in whole(conversations):
        for asked in put(log, conversations, _OF_OTHERS):
            if asked.group in sizes:
                sizes[asked.group].append(size_of(engines[log.conversation.name].prepared(asked.question)))
    rows = [
        (group, len(each), round(fmean(each)), round(100 * fmean(not size for size in each), 1))
        for group, each in sizes.items()
        if each
    ]
    return Table(f"Questions that memory cannot answer, on {data}", ("question", "n", "tokens", "nothing, %"), rows)


def placed_by(turn: PreparedTurn) -> Placed:
    """Return what before_turn placed."""
    lines = (line for passage in turn.passages for line in passage.lines)
    return {f"{line.chunk.session_id}.{line.chunk.turn_id}": line.said for line in lines}


def memory_of(turn: PreparedTurn) -> str:
    """Return what the memory block holds as plain text, empty where there is none."""
    content, _ = block.parted(turn.items)
    return plain_text(content["facts"], content["chunks"])


def content_of(turn: PreparedTurn) -> float:
    """Return which share of the block's characters somebody said; headings, speakers, facts and frame are none."""
    if not turn.passages:
        return 1.0
    said = sum(len(line.said) for passage in turn.passages for line in passage.lines)
    return said / len(text_of(turn.items[1]))


def rivals() -> Mapping[str, Callable[[Conversation], Iterator[Given]]]:
    """Return what BM25 gives."""
    fit = _fit_of_bm25(read(FITTED_ON))
    return {
        "BM25 in the same packer": lambda one: _packed(one, fit),
        "BM25, 5 whole texts": lambda one: _whole(one, 5),
        "BM25, 10 whole texts": lambda one: _whole(one, 10),
    }


def _fit_of_bm25(conversations: Sequence[Conversation]) -> Fit:
    judged = [
        [(score, name in question.evidence) for name, score in scored(question.text)]
        for conversation in conversations
        for scored in [bm25_scores(conversation.texts)]
        for question in conversation.questions
    ]
    return fit_chances([each for each in judged if each])


def _packed(conversation: Conversation, fit: Fit) -> Iterator[Given]:
    scored, texts = bm25_scores(conversation.texts), {text.id: text for text in conversation.texts}
    numbers = {text.id: number for number, text in enumerate(conversation.texts)}
    settings = MemorySettings()
    price, ceiling = price_of(settings.context_tokens.mean), settings.context_tokens.ceiling
    for question in conversation.questions:
        ranked = scored(question.text)
        chances = Chances([score for _, score in ranked], fit)
        asked = Asked(question.text, lambda _: 1.0)
        lines = [_line(texts[name], numbers[name], chances.of(score), asked) for name, score in ranked[:DEEP]]
        kept = folded([line for line in lines if not is_filler(line.said)], [form(question.text)])
        chosen = choose(kept, settings.search_limit, ceiling - block.FRAME_TOKENS, price)
        window = Window(current=(), lines=chosen, sign=lambda _: f"1.{'0' * 32}").within(ceiling)
        placed = {line.chunk.event_id: line.said for line in window.lines}
        said = sum(map(len, placed.values()))
        share = said / len(text_of(window.items[1])) if placed else 1.0
        yield _given(conversation, question, placed, window.memory_tokens, share)


def _line(text: Text, number: int, chance: float, asked: Asked) -> Line:
    role = text.speaker if text.speaker in _ROLES else "user"
    chunk = Chunk(
        session_id=SessionId(text.session),
        turn_id=TurnId(text.id),
        event_id=text.id,
        seq=number,
        at=text.at,
        role=role,
        speaker=text.speaker,
        text=text.said[:MAX_SEARCHABLE_CHARACTERS],
    )
    speaker = label(chunk, None, None)
    said = words_of(excerpt(chunk.text, REPLY_EXCERPT if role == "assistant" else EXCERPT, asked))
    cost = tokens.count(f"{speaker}: {said}") + 2
    return Line(
        chunk=chunk,
        speaker=speaker,
        said=said,
        row=number,
        before=number - 1,
        cost=cost,
        chance=chance,
        form=form(said),
    )


def _whole(conversation: Conversation, count: int) -> Iterator[Given]:
    scored, texts = bm25_scores(conversation.texts), {text.id: text for text in conversation.texts}
    sizes = {text.id: tokens.count(f"{text.speaker}: {text.said}") for text in conversation.texts}
    for question in conversation.questions:
        names = [name for name, _ in scored(question.text)[:count]]
        placed = {name: texts[name].said for name in names}
        yield _given(conversation, question, placed, sum(sizes[name] for name in names), 1.0)


def _given(conversation: Conversation, question: Question, placed: Placed, size: int, content: float) -> Given:
    texts = {text.id: text for text in conversation.texts if text.id in question.evidence}
    whole = {name for name in placed if name in texts and len(_words(placed[name])) >= len(_words(texts[name].said))}
    wanted = sum(len(_words(text.said)) for text in texts.values())
    there = sum(len(_words(placed[name])) for name in texts if name in placed)
    values = {
        "any": not question.evidence.isdisjoint(placed),
        "all": question.evidence <= placed.keys(),
        "any, whole texts": not question.evidence.isdisjoint(whole),
        "all, whole texts": question.evidence <= whole,
        "words of the evidence": min(1.0, there / max(1, wanted)),
        "content": content,
    }
    return Given(question.kind, {name: float(value) for name, value in values.items()}, size)


def _words(text: str) -> list[str]:
    return [word for word in text.split() if word != GAP]


def _means(given: Sequence[Given]) -> Sequence[Cell]:
    shares = (round(100 * fmean(each.values[name] for each in given), 1) for name in MEASURES)
    return len(given), *shares, round(fmean(each.tokens for each in given))


if __name__ == "__main__":
    main()
