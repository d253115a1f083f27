from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.ground.calibration import Calibration
from cairn.recall import ranker
from cairn.recall.corpus import VECTOR_SCALE, Corpus, Mask, QueryVectors, Scores
from cairn.recall.features import Features
from cairn.recall.meaning import meaning
from cairn.recall.question import Question, question
from cairn.recall.ranker import Tier
from support.recall import Text, Texts, query_vectors, vector

BOAT = (
    Text(said="I sold the boat in March", speaker="Ada", session="one", day=date(2024, 3, 9)),
    Text(said="What did you get for it?", speaker="Ben", session="one", day=date(2024, 3, 9)),
    Text(said="Enough for a new roof", speaker="Ada", session="one", day=date(2024, 3, 9)),
    Text(said="The garden is full of beans", speaker="Ada", session="two", day=date(2024, 6, 1)),
    Text(said="Ada, your beans are enormous", speaker="Ben", session="two", day=date(2024, 6, 1)),
)
EAST, NORTH = vector(1, 0), vector(0, 1)


def asked(corpus: Corpus, text: str) -> Question:
    return question(text, corpus.columns.speakers, date(2024, 6, 2), range(2024, 2025))


def found(
    texts: tuple[Text, ...], text: str, query: tuple[float, ...] | None = None, allowed: Mask | None = None
) -> dict[int, dict[str, float]]:
    """Return the features of each row in the pool."""
    corpus = Texts(*texts)
    means = None if query is None else query_vectors(query)
    features = Features(corpus, asked(corpus, text), means, allowed)
    values = features.of(rows := features.pool())
    return {int(row): {name: float(each[place]) for name, each in values.items()} for place, row in enumerate(rows)}


def similarities(corpus: Corpus, asked: QueryVectors) -> Scores | None:
    means = meaning(corpus, asked)
    return None if means is None else means.scores


def ranked(texts: tuple[Text, ...], text: str) -> list[int]:
    corpus = Texts(*texts)
    return [int(row) for row in ranker.rank(corpus, asked(corpus, text)).rows]


def test_the_text_with_the_question_s_words_comes_first() -> None:
    assert ranked(BOAT, "Who sold a boat?")[0] == 0
    assert ranked(BOAT, "What is the garden full of?")[0] == 3


def test_the_asked_speaker_s_own_words_come_before_what_others_say_to_them() -> None:
    assert ranked(BOAT, "What does Ada say of beans?")[0] == 3
    assert ranked(BOAT, "What does Ben say of beans?")[0] == 4


def test_a_text_takes_part_in_what_is_said_around_it_but_not_in_another_session() -> None:
    of = found(BOAT, "Who sold a boat?")

    assert of[1]["words"] == 0
    assert of[1]["words_before"] == of[0]["words"] > 0
    assert of[2]["words_two_before"] == of[0]["words"]
    assert of[3]["words_before"] == of[3]["words_two_before"] == 0
    assert of[2]["words_of_session"] == 1
    assert of[3]["words_of_session"] == 0


def test_coverage_is_the_share_of_the_question_by_the_rarity_of_its_words() -> None:
    of = found(BOAT, "sold boat beans")

    assert of[0]["coverage"] > of[3]["coverage"] > 0
    assert of[1]["coverage"] == 0
    assert of[1]["coverage_around"] == pytest.approx(of[0]["coverage"])
    assert of[1]["coverage_before"] == pytest.approx(of[0]["coverage"])


def test_words_that_follow_each_other_in_both_count_as_pairs() -> None:
    of = found(BOAT, "Who sold the boat?")

    assert of[0]["pairs"] == pytest.approx(1 / 3)
    assert of[3]["pairs"] == 0


def test_a_text_that_calls_another_by_name_is_told_apart_from_that_one_s_own() -> None:
    of = found(BOAT, "What about Ada's beans?")

    assert of[4]["calls_by_name"] == 1
    assert of[3]["calls_by_name"] == 0
    assert (of[3]["by_the_asked"], of[3]["by_another"]) == (1, 0)
    assert (of[4]["by_the_asked"], of[4]["by_another"]) == (0, 1)


def test_the_day_of_a_text_is_held_against_the_days_of_the_question() -> None:
    of = found(BOAT, "What happened in March 2024?")

    assert of[0]["date"] == 1
    assert of[3]["date"] == 0


def test_meaning_is_the_cosine_with_the_question_and_with_what_was_said_just_before() -> None:
    texts = (Text(said="one", vector=EAST), Text(said="two", vector=NORTH), Text(said="three", vector=NORTH))
    of = found(texts, "other", EAST)

    near = pytest.approx(1, abs=0.02)
    assert of[0]["meaning"] == near
    assert of[0]["meaning_with_before"] == near
    assert of[1]["meaning"] == pytest.approx(0, abs=0.02)
    assert of[1]["meaning_with_before"] == pytest.approx(2**-0.5, abs=0.02)
    assert of[1]["meaning_of_session"] == near


def test_where_fewer_than_half_have_a_vector_words_alone_decide() -> None:
    without = Text(said="two")
    half = (Text(said="one", vector=EAST), without)

    assert "meaning" in found(half, "two", EAST)[1]
    assert "meaning" not in found((*half, without), "two", EAST)[1]


def test_a_text_without_a_vector_counts_as_the_mean_of_the_others() -> None:
    texts = (Text(said="one", vector=EAST), Text(said="two", vector=NORTH), Text(said="three"))
    of = found(texts, "other", EAST)

    assert of[2]["meaning"] == pytest.approx((of[0]["meaning"] + of[1]["meaning"]) / 2)


def test_vectors_of_another_embedder_are_not_compared() -> None:
    corpus = Texts(Text(said="one", vector=EAST), Text(said="two", vector=NORTH))

    assert similarities(corpus, query_vectors(EAST)) is not None
    assert similarities(corpus, query_vectors(EAST, embedder="another")) is None


def test_cosines_are_brought_to_the_range_that_the_ranker_was_fitted_on() -> None:
    corpus = Texts(Text(said="one", vector=EAST), Text(said="two", vector=NORTH))
    plain = similarities(corpus, query_vectors(EAST))
    calibrated = similarities(corpus, query_vectors(EAST)._replace(calibration=Calibration(shift=0.1, scale=0.5)))

    assert plain is not None
    assert calibrated is not None
    assert calibrated == pytest.approx(0.1 + 0.5 * plain)


def test_only_allowed_texts_are_ranked_while_all_count_as_surroundings() -> None:
    of = found(BOAT, "Who sold a boat?", allowed=np.array([False, True, False, False, True]))

    assert set(of) == {1, 4}
    assert of[1]["words_before"] > 0


def test_what_shares_no_word_with_the_question_nor_stands_beside_one_that_does_is_not_matched() -> None:
    corpus = Texts(*BOAT)
    ranking = ranker.rank(corpus, asked(corpus, "boat"))

    matched = {int(row) for row, is_matched in zip(ranking.rows, ranking.matched, strict=True) if is_matched}
    assert matched == {0, 1}


def test_what_is_a_hundredth_as_likely_as_the_best_can_match_though_it_shares_no_word() -> None:
    corpus = Texts(*BOAT)
    ranking = ranker.rank(corpus, asked(corpus, "boat"))
    scores = np.array([9.0, 8.0, 4.5, 4.3, 4.0], np.float32)

    widened = replace(ranking, scores=scores, related=np.arange(5) == 4)
    everything = np.ones(5, np.bool_)

    assert widened.with_the_nearly_best(everything).matched.tolist() == [True, True, True, False, True]
    assert widened.with_the_nearly_best(~everything).matched.tolist() == [False] * 4 + [True]
    assert not ranker.NOTHING.with_the_nearly_best(everything).matched.any()


def test_texts_stand_in_the_order_of_their_scores_and_ranks_are_those_among_what_matches() -> None:
    said = ["Boat?", *(f"Nothing to see here, {number} times already this week." for number in range(6))]
    corpus = Texts(
        *(Text(said=each, session=each, speaker="user" if row else "assistant") for row, each in enumerate(said))
    )
    ranking = ranker.rank(corpus, asked(corpus, "Which colour would suit wooden furniture, curtains, walls or a boat?"))

    (place,) = np.flatnonzero(ranking.matched).tolist()
    assert place > 0
    assert ranking.scores.tolist() == sorted(ranking.scores.tolist(), reverse=True)
    assert ranking.explanation(place).rank == 1


@pytest.mark.parametrize("tier", ["words", "meaning", "tokens"])
def test_no_feature_grows_with_the_length_of_a_text(tier: Tier) -> None:
    assert not {"length_z", "by_assistant_length"} & set(ranker.fitted(tier).names)


def test_what_a_user_said_comes_before_a_long_reply_that_repeats_it() -> None:
    advice = "That is worth a thought, and many people do it; write a list, take your time and compare. " * 8
    told = (
        Text(said="I sold the boat to Mr Hale", session="one"),
        Text(said=f"You sold the boat to Mr Hale. {advice}The boat is sold.", speaker="assistant", session="one"),
        *(Text(said=f"Today I walked the dog, part {number}", session=f"{number}") for number in range(30)),
    )

    assert ranked(told, "Who did I sell the boat to?")[0] == 0


def test_an_empty_corpus_and_a_question_without_words_are_fine() -> None:
    assert ranked((), "boat") == []
    assert set(ranked(BOAT, "?!")) == set(range(5))


def test_quantized_vectors_keep_their_cosines() -> None:
    random = np.random.default_rng(7).normal(size=(50, 384)).astype(np.float32)
    unit = random / np.linalg.norm(random, axis=1, keepdims=True)

    kept = similarities(Texts(*(Text(said="", vector=tuple(each)) for each in unit)), query_vectors(unit[0]))

    assert kept is not None
    assert np.abs(kept - unit @ unit[0]).max() < 0.01
    assert np.abs(unit).max() < VECTOR_SCALE * 127


@given(
    said=st.lists(st.sampled_from(["boat", "sold", "roof", "beans", "?", ""]), min_size=1, max_size=12),
    text=st.text(max_size=20),
)
def test_every_feature_of_any_corpus_is_a_finite_number(said: list[str], text: str) -> None:
    texts = tuple(Text(said=each, speaker=f"user{n % 2}", session=f"{n % 3}") for n, each in enumerate(said))

    of = found(texts, f"boat {text}")

    assert all(np.isfinite(value) for values in of.values() for value in values.values())


@pytest.mark.parametrize("query", [None, EAST], ids=["words", "meaning"])
def test_an_explanation_adds_up_and_a_rank_without_a_signal_is_that_with_its_features_at_zero(
    query: tuple[float, ...] | None,
) -> None:
    vectors = [EAST, NORTH, vector(1, 1), vector(2, 1), vector(1, 3)]
    corpus = Texts(*(replace(text, vector=vectors[row]) for row, text in enumerate(BOAT)))
    means = None if query is None else query_vectors(query)
    ranking = ranker.rank(corpus, asked(corpus, "What did Ada say of the garden and her beans in March 2024?"), means)
    names = set(ranking.weights.names)
    assert names <= {name for members in ranker.SIGNALS.values() for name in members}

    shares = ranking.shares()
    assert shares.sum() == pytest.approx(1)
    for rank, place in enumerate(np.flatnonzero(ranking.matched).tolist(), 1):
        why = ranking.explanation(place)
        assert why.rank == rank
        assert sum(why.signals.values()) == pytest.approx(float(ranking.scores[place]), abs=1e-4)
        assert sum(why.features.values()) == pytest.approx(float(ranking.scores[place]), abs=1e-4)
        assert [abs(each) for each in why.features.values()] == sorted(map(abs, why.features.values()), reverse=True)
        first = int(np.flatnonzero(ranking.matched)[0])
        apart = sum(why.signals.values()) - sum(ranking.explanation(first).signals.values())
        assert float(shares[place] / shares[first]) == pytest.approx(np.exp(apart), rel=1e-3)
        for signal, members in ranker.SIGNALS.items():
            muted = {name: values * np.float32(name not in members) for name, values in ranking.features.items()}
            scores = ranking.weights.score(muted, len(ranking.rows))
            above = ranking.matched & (scores > scores[place] + 1e-4)
            assert why.rank_without[signal] == 1 + int(above.sum()), signal
    assert any(
        why.rank_without[signal] != why.rank
        for why in map(ranking.explanation, range(len(ranking.rows)))
        for signal in why.signals
    )
