"""LangGraph's store over Cairn, with its own store in memory as the judge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Literal

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from cairn.frameworks.langgraph import CairnStore
from cairn.ground.errors import InvalidArgument, PayloadTooLarge
from support.frameworks import Place, memory_in_memory

SEEDS, OPERATIONS = 25, 400
BY_A_DOOR = 200
LABELS = ["users", "ada", "a/b", "~", "*", "Müll", "langgraph"]
ODD = ["Müll\n", "\ud800", "%000a", "a%b"]
KEYS = ["k", "", "a/b", "ü~", "\x00", "%", "\udfff", "k" * 200]
WORDS = ["beans", "peas", "sun", "rain"]
MANY = 1_000


class Judge(InMemoryStore):
    """The store in memory, but that it lists no namespace in which nothing is, and keeps no vector of an old value.

    Nor does it raise where two texts of a batch are the same.
    """

    def _handle_list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        for namespace in [name for name, items in self._data.items() if not items]:
            del self._data[namespace]
        return super()._handle_list_namespaces(op)

    def _insertinmem_store(
        self, to_embed: dict[str, list[tuple[tuple[str, ...], str, str]]], embeddings: list[list[float]]
    ) -> None:
        for places, embedding in zip(to_embed.values(), embeddings, strict=True):
            for namespace, key, path in places:
                self._vectors[namespace][key][path] = embedding

    def _extract_texts(
        self, put_ops: dict[tuple[tuple[str, ...], str], PutOp]
    ) -> dict[str, list[tuple[tuple[str, ...], str, str]]]:
        for namespace, key in put_ops:
            self._vectors[namespace].pop(key, None)
        return super()._extract_texts(put_ops)


def embed(texts: Sequence[str]) -> list[list[float]]:
    return [[1.0, *(float(text.count(word)) for word in WORDS)] for text in texts]


def told(result: Result) -> object:
    """Return what of a result is comparable: all but times and scores, of which it tells whether there are any."""
    if isinstance(result, SearchItem):
        return result.namespace, result.key, result.value, result.score is not None
    if isinstance(result, Item):
        return result.namespace, result.key, result.value
    if isinstance(result, list):
        # Theirs are in the order in which they were put.
        return sorted((told(each) if isinstance(each, Item) else each for each in result), key=str)
    return result


class Both:
    """Cairn's store and the one in memory, which are told the same and must answer the same."""

    def __init__(self, ours: CairnStore, random: Random) -> None:
        self.ours, self.random = ours, random
        self.theirs = Judge(index={"dims": 5, "embed": embed, "fields": ["text"]})
        self.known, self.done = list[tuple[tuple[str, ...], str]](), 0
        # Labels that documents refuse are written as others, and come in the order of those.
        self.labels, self.pages = random.choice([(LABELS, True), (LABELS + ODD, False)])

    def step(self) -> None:
        ops = [self.op() for _ in range(self.random.choice([1, 1, 1, 2, 5]))]
        self.done += len(ops)
        ours, theirs = self.ours.batch(ops), self.theirs.batch(ops)
        for op, one, other in zip(ops, ours, theirs, strict=True):
            assert told(one) == told(other), op
            if isinstance(op, ListNamespacesOp) and self.pages:
                assert one == other, op
            if isinstance(op, SearchOp) and not op.query:
                self.check_pages(op)
            if isinstance(op, SearchOp) and op.query and isinstance(one, list):
                scores = [each.score for each in one if isinstance(each, SearchItem)]
                ranked = [score for score in scores if score is not None]
                assert scores == sorted(ranked, reverse=True) + [None] * (len(scores) - len(ranked)), op

    def check_pages(self, op: SearchOp) -> None:
        """Find that pages are parts of the whole."""
        limit, offset = self.random.randrange(4), self.random.randrange(4)
        whole, part = self.ours.batch([op, op._replace(limit=limit, offset=offset)])
        assert isinstance(whole, list)
        assert part == whole[offset : offset + limit]

    def op(self) -> Op:
        make = self.random.choices([self.put, self.get, self.search, self.listing], [40, 30, 15, 15])
        return make[0]()

    def namespace(self, least: int = 1) -> tuple[str, ...]:
        labels = self.labels[: self.random.choice([3, len(self.labels)])]
        return tuple(self.random.choices(labels, k=self.random.randint(least, 3)))

    def value(self) -> dict[str, Any]:
        some = self.random.randrange(5)
        fields: dict[str, Any] = {
            "text": self.random.choice([*WORDS, "!", "sun and rain for beans", None]),
            "n": self.random.choice([some, str(some), float(some), some / 3]),
            "list": [some, {"a": some}],
            "deep": {"a": some, "b": {"c": [some]}},
            "ü/~": True,
        }
        return {name: fields[name] for name in fields if name == "n" or self.random.random() < 0.7}

    def put(self) -> PutOp:
        namespace, key = self.namespace(0), self.random.choice(KEYS)
        self.known.append((namespace, key))
        choices: list[list[str] | Literal[False] | None] = [
            None,
            None,
            False,
            ["text"],
            ["deep.b.c[*]", "list[-1].a"],
            [],
        ]
        index = self.random.choice(choices)
        return PutOp(namespace, key, self.value() if self.random.random() < 0.8 else None, index)

    def get(self) -> GetOp:
        if self.known and self.random.random() < 0.8:
            return GetOp(*self.random.choice(self.known[-20:]))
        return GetOp(self.namespace(), self.random.choice(KEYS))

    def search(self) -> SearchOp:
        some = self.random.randrange(5)
        wanted = self.random.choice(
            [None, {}, {"n": some}, {"n": {"$gt": some}}, {"n": {"$lte": some, "$ne": 1}}, {"deep": {"a": some}},
             {"deep": {"b": {"c": [some]}}}, {"list": [some, {"a": {"$gte": 0}}]}, {"none": None},
             {"text": {"$eq": "sun"}}, {"ü/~": True, "n": {"$lt": str(some)}}]
        )  # fmt: skip
        query = self.random.choice([None, None, "", "sun", "What grows, beans or peas?", "nothing of it"])
        return SearchOp(self.namespace(0), wanted, limit=MANY, query=query)

    def listing(self) -> ListNamespacesOp:
        kinds = self.random.choice([[], ["prefix"], ["suffix"], ["prefix", "suffix"], ["prefix"] * 2, ["suffix"] * 2])
        conditions = [MatchCondition("prefix" if kind == "prefix" else "suffix", self.namespace(0)) for kind in kinds]
        depth = self.random.choice([None, None, 0, 1, 2, 5])
        page = (self.random.randrange(4), self.random.randrange(4)) if self.pages else (MANY, 0)
        return ListNamespacesOp(tuple(conditions), depth, *page)


def play(store: CairnStore, seed: int, operations: int) -> None:
    both = Both(store, Random(seed))  # noqa: S311 - commands that anybody may guess
    while both.done < operations:
        try:
            both.step()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, operation {both.done}") from error


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_operations_answer_as_the_store_in_memory_does(seed: int) -> None:
    play(CairnStore(memory_in_memory()[0], fields=["text"]), seed, OPERATIONS)


def test_random_operations_answer_so_in_a_directory_and_of_a_server(place: Place) -> None:
    play(CairnStore(place.memory(), fields=["text"]), SEEDS, BY_A_DOOR)


def test_the_same_holds_on_a_loop_awaited_or_not(place: Place) -> None:
    awaited, waited = CairnStore(place.counted()[0]), CairnStore(place.memory())

    async def use() -> list[object]:
        await awaited.aput(("notes",), "one", {"text": "Beans need sun."})
        waited.put(("notes",), "two", {"text": "Peas climb."})
        found = await awaited.asearch((), query="What needs sun?")
        return [found[0].key, waited.get(("notes",), "one"), await awaited.aget(("notes",), "two"),
                await awaited.alist_namespaces(), await awaited.adelete(("notes",), "two"),
                waited.get(("notes",), "two")]  # fmt: skip

    best, one, two, namespaces, _, gone = asyncio.run(use())

    assert (best, namespaces, gone) == ("one", [("notes",)], None)
    assert isinstance(one, Item)
    assert isinstance(two, Item)
    assert (one.value, two.value) == ({"text": "Beans need sun."}, {"text": "Peas climb."})


def test_a_search_ranks_by_words_and_puts_last_what_has_no_index(place: Place) -> None:
    store = CairnStore(place.memory(), fields=["text"])
    store.put(("notes", "a"), "sun", {"text": "The north bed gets four hours of sun.", "rows": 1})
    store.put(("notes", "b"), "rain", {"text": "It rained all of March.", "rows": 2})
    store.put(("notes",), "plain", {"text": "How many hours of sun"}, index=False)
    store.put(("notes",), "title", {"text": "no", "title": "hours of sun", "rows": 2}, index=["title"])

    found = store.search(("notes",), query="How many hours of sun does the bed get?")
    some = store.search(("notes",), query="hours of sun", filter={"rows": {"$gte": 2}}, limit=1)

    assert found[0].key == "sun"
    assert found[-1].key == "plain"
    assert found[-1].score is None
    assert all(each.score is not None for each in found[:-1])
    assert [each.key for each in some] == ["title"]


def test_a_question_may_be_as_long_as_a_message() -> None:
    store = CairnStore(memory_in_memory()[0])
    store.put(("notes",), "sun", {"text": "Four hours of sun."})

    assert store.search((), query="word " * 5000 + "How much sun?")[0].key == "sun"


def test_a_path_may_name_several_fields() -> None:
    store = CairnStore(memory_in_memory()[0], fields=["a.{title, text}"])
    store.put(("notes",), "one", {"a": {"title": "Beans", "text": "need sun", "other": "Peas"}})

    assert store.search((), query="sun")[0].score
    assert store.search((), query="Beans")[0].score
    assert not store.search((), query="Peas")[0].score


def test_an_item_lives_as_many_minutes_as_it_was_put_for(place: Place) -> None:
    memory = place.memory()
    store = CairnStore(memory, ttl={"default_ttl": 60})
    store.put(("notes",), "default", {"n": 1})
    store.put(("notes",), "half a minute", {"n": 1}, ttl=0.5)
    store.put(("notes",), "for ever", {"n": 1}, ttl=None)
    store.get(("notes",), "default", refresh_ttl=True)

    kept = {each.key: each for each in memory.documents().search()}

    lives = {
        name: each.expires_at and (each.expires_at - each.updated_at).total_seconds() for name, each in kept.items()
    }
    assert lives == {"default": 3600, "half a minute": 30, "for ever": None}
    with pytest.raises(ValueError, match="refresh_on_read is not supported"):
        CairnStore(memory, ttl={"refresh_on_read": True})


def test_an_item_keeps_when_it_was_first_put(place: Place) -> None:
    store = CairnStore(place.memory())
    for number in range(2):
        store.put(("notes",), "one", {"n": number})

    found = store.get(("notes",), "one")

    assert found
    assert found.created_at < found.updated_at


def test_a_put_whose_answer_was_lost_is_stored_once(place: Place) -> None:
    memory, door = place.counted()
    store = CairnStore(memory)
    door.lose_next = 2

    store.batch([PutOp(("notes",), "one", {"n": 1}), PutOp(("notes",), "two", {"n": 2})])

    assert door.calls == ["memory_put_documents"] * 3
    assert [(each.key, each.value) for each in store.search(())] == [("one", {"n": 1}), ("two", {"n": 2})]


def test_reads_see_what_was_there_before_the_batch_and_the_last_put_counts(place: Place) -> None:
    store = CairnStore(place.memory())
    store.put(("notes",), "one", {"n": 0})

    before = store.batch(
        [
            PutOp(("notes",), "one", {"n": 1}),
            GetOp(("notes",), "one"),
            SearchOp(("notes",)),
            PutOp(("notes",), "one", {"n": 2}),
            PutOp(("new",), "two", {"n": 3}),
            ListNamespacesOp(),
        ]
    )

    assert list(map(told, before)) == [
        None,
        (("notes",), "one", {"n": 0}),
        [(("notes",), "one", {"n": 0}, False)],
        None,
        None,
        [("notes",)],
    ]
    assert [each.value["n"] for each in store.search(())] == [3, 2]


@pytest.mark.parametrize(
    "op",
    [
        GetOp(("a.b",), "k"),
        PutOp(("a", ""), "k", {}),
        SearchOp(("a\x00",)),
        ListNamespacesOp((MatchCondition("prefix", ("a.b",)),)),
        GetOp(("a",) * 10, "k"),
    ],
)
def test_labels_that_are_none_are_refused_before_anything_is_done(op: Op) -> None:
    store = CairnStore(memory_in_memory()[0])

    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("a", "b"), "k", {"n": 1}), op])
    with pytest.raises(InvalidNamespaceError):
        asyncio.run(store.abatch([op]))

    assert store.search(()) == []


def test_what_is_no_operation_is_refused() -> None:
    nothing: list[Any] = [("notes", "one")]
    with pytest.raises(ValueError, match="Unknown operation"):
        CairnStore(memory_in_memory()[0]).batch(nothing)


@pytest.mark.parametrize("letter", ["x", "ü", "漢", "🌱"])
def test_a_value_may_have_a_megabyte_and_a_batch_several(place: Place, letter: str) -> None:
    store = CairnStore(place.memory())
    value = {"text": letter * (900_000 // len(letter.encode())), "n": [1] * 1000}

    store.batch([PutOp(("notes",), str(number), value, index=False) for number in range(2)])

    assert [each.value for each in store.search(("notes",))] == [value] * 2
    with pytest.raises(PayloadTooLarge):
        store.put(("notes",), "larger", {"text": value["text"] * 2})


def test_a_value_that_is_no_json_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        CairnStore(memory_in_memory()[0]).put(("notes",), "one", {"n": {1, 2}})


def test_users_and_projects_never_meet(new_place: Callable[[], Place]) -> None:
    first, second = new_place(), new_place()
    memories = [first.memory(user="ada"), first.memory(user="ben"), first.memory(), second.memory(user="ada")]
    stores = list(map(CairnStore, memories))
    for number, store in enumerate(stores):
        store.put(("notes",), "one", {"n": number, "text": "Beans need sun."})

    stores[0].delete(("notes",), "one")

    assert [[each.value["n"] for each in store.search((), query="beans")] for store in stores] == [[], [1], [2], [3]]
    assert [len(store.list_namespaces()) for store in stores] == [0, 1, 1, 1]


def test_an_operation_is_one_round_trip_and_puts_of_a_batch_share_one(place: Place) -> None:
    memory, door = place.counted()
    store = CairnStore(memory)
    spent = dict[str, int]()

    def count(name: str, *ops: Op) -> None:
        before = len(door.calls)
        store.batch(ops)
        spent[name] = len(door.calls) - before

    count("put", PutOp(("notes",), "one", {"text": "Beans need sun."}))
    count("get", GetOp(("notes",), "one"))
    count("search", SearchOp(("notes",), query="sun", limit=10))
    count("list_namespaces", ListNamespacesOp())
    count("delete", PutOp(("notes",), "one", None))
    puts = [PutOp(("notes",), str(number), {"n": number}) for number in range(100)]
    count("a batch of 40 puts", *puts[:40])
    count("a batch of 100 puts", *puts)
    count("a batch of 100 gets", *(GetOp(("notes",), str(number)) for number in range(100)))

    print(spent)  # noqa: T201 - figures for the table
    assert spent.pop("a batch of 100 puts") == 3
    assert set(spent.values()) == {1}
