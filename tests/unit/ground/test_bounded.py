"""A bounded cache keeps what was used last and never more than its bounds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from hypothesis import given
from hypothesis import strategies as st

from cairn.ground.bounded import BoundedCache

THREADS = 8
STEPS = st.lists(st.tuples(st.sampled_from(("put", "get", "peek", "evict")), st.integers(0, 6), st.integers(0, 5)))


def weighed(most: int, entries: int | None = None) -> BoundedCache[int, str]:
    return BoundedCache(entries=entries, weight=most, weigh=len)


def kept(cache: BoundedCache[int, str]) -> list[int]:
    return [key for key in range(10) if cache.peek(key) is not None]


def test_beyond_its_entries_it_evicts_the_one_put_longest_ago() -> None:
    cache: BoundedCache[int, str] = BoundedCache(entries=2)
    for key in (1, 2, 3):
        cache.put(key, "value")

    assert kept(cache) == [2, 3]
    assert len(cache) == 2


def test_an_entry_that_was_used_or_put_again_is_evicted_after_the_others() -> None:
    cache: BoundedCache[int, str] = BoundedCache(entries=3)
    for key in (1, 2, 3):
        cache.put(key, "value")
    assert cache.get(1) == "value"
    cache.put(2, "another")

    cache.put(4, "value")
    assert kept(cache) == [1, 2, 4]
    assert cache.peek(2) == "another"


def test_an_entry_that_was_only_looked_at_is_evicted_no_later_for_it() -> None:
    cache: BoundedCache[int, str] = BoundedCache(entries=2)
    for key in (1, 2):
        cache.put(key, "value")
    assert cache.peek(1) == "value"

    cache.put(3, "value")
    assert kept(cache) == [2, 3]


def test_beyond_its_weight_it_evicts_as_many_as_it_takes() -> None:
    cache = weighed(10)
    for key in (1, 2, 3):
        cache.put(key, "abc")
    cache.put(4, "abcde")

    assert kept(cache) == [3, 4]
    assert cache.weight == 8


def test_whichever_of_two_bounds_is_met_first_holds() -> None:
    cache = weighed(10, entries=3)
    for key in range(1, 5):
        cache.put(key, "a")
    assert kept(cache) == [2, 3, 4]

    cache.put(5, "abcdefghi")
    assert kept(cache) == [4, 5]


def test_an_entry_put_again_counts_with_its_new_weight_alone() -> None:
    cache = weighed(10)
    cache.put(1, "abcdef")
    cache.put(1, "ab")
    cache.put(2, "abcdefgh")

    assert kept(cache) == [1, 2]
    assert cache.weight == 10


def test_an_entry_whose_value_has_grown_weighs_more_once_it_is_put_again() -> None:
    cache: BoundedCache[int, list[int]] = BoundedCache(weight=4, weigh=len)
    for key in (1, 2):
        cache.put(key, [0])
    grown = cache.get_or_put(2, list)
    grown += [0, 0, 0]
    assert cache.weight == 2

    cache.put(2, grown)
    assert (cache.peek(1), cache.weight) == (None, 4)


def test_an_entry_heavier_than_the_whole_cache_is_not_kept() -> None:
    cache = weighed(3)
    cache.put(1, "a")
    cache.put(1, "abcd")

    assert kept(cache) == []
    assert cache.weight == 0


def test_an_evicted_entry_is_gone_and_weighs_nothing_and_one_that_is_not_there_is_no_error() -> None:
    cache = weighed(3)
    cache.put(1, "abc")
    for _ in range(2):
        cache.evict(1)

    assert (kept(cache), len(cache), cache.weight) == ([], 0, 0)


def test_a_value_is_made_only_where_there_is_none_and_counts_as_used() -> None:
    cache: BoundedCache[int, str] = BoundedCache(entries=2)
    made: list[int] = []

    def make(key: int) -> str:
        made.append(key)
        return "value"

    for key in (1, 2, 1, 3, 1):
        assert cache.get_or_put(key, lambda key=key: make(key)) == "value"
    assert made == [1, 2, 3]
    assert kept(cache) == [1, 3]


@given(STEPS)
def test_after_any_steps_it_holds_what_a_plain_list_of_the_newest_would(steps: list[tuple[str, int, int]]) -> None:
    cache = weighed(8, entries=3)
    expected: dict[int, str] = {}
    for step, key, size in steps:
        value = "x" * size
        match step:
            case "put":
                cache.put(key, value)
                expected.pop(key, None)
                expected[key] = value
                while len(expected) > 3 or sum(map(len, expected.values())) > 8:
                    del expected[next(iter(expected))]
            case "get":
                assert cache.get(key) == expected.get(key)
                if key in expected:
                    expected[key] = expected.pop(key)
            case "peek":
                assert cache.peek(key) == expected.get(key)
            case _:
                cache.evict(key)
                expected.pop(key, None)
        assert {each: cache.peek(each) for each in kept(cache)} == expected
        assert cache.weight == sum(map(len, expected.values()))


def test_threads_that_share_it_lose_no_step_and_leave_its_weight_right() -> None:
    counts: BoundedCache[int, int] = BoundedCache(entries=4)
    texts = weighed(50)
    together = Barrier(THREADS)

    def work(number: int) -> None:
        together.wait()
        for step in range(300):
            with counts.lock:
                counts.put(0, (counts.get(0) or 0) + 1)
            texts.put(step % 10, "x" * (1 + (number + step) % 9))
            texts.get((number * step) % 10)
            texts.evict((number + step) % 10)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))

    assert counts.peek(0) == THREADS * 300
    assert texts.weight == sum(len(texts.peek(key) or "") for key in kept(texts)) <= 50
