"""The labelled sentences and stories hold what benches rely on."""

from __future__ import annotations

from collections import Counter

from statement_sets import ABOUT, KINDS, NEGATIVES, RELATIONS, subjects
from truth_sets import Story, fillers, stories, tells


def test_sentences_cover_many_subjects_hands_and_languages() -> None:
    found = subjects()
    sentences = [sentence for subject in found for sentence in subject.sentences()]

    assert len(found) >= 150
    assert len({subject.hand for subject in found}) >= 6
    assert len({subject.language for subject in found}) >= 6
    assert len(sentences) >= 6000
    assert sum(len(subject.pairs) for subject in found) >= 3000
    assert len({sentence.text for sentence in sentences}) > 0.99 * len(sentences)


def test_labels_are_of_the_closed_lists() -> None:
    for subject in subjects():
        for sentence in subject.sentences():
            assert sentence.kind in KINDS
            assert sentence.about in ABOUT
            assert sentence.negative is None or sentence.negative in NEGATIVES
        assert {pair.relation for pair in subject.pairs} <= set(RELATIONS)


def test_nearly_half_of_the_sentences_are_hard_negatives_of_every_kind() -> None:
    negatives = Counter(sentence.negative for subject in subjects() for sentence in subject.sentences())
    rest = negatives.pop(None)

    assert negatives.keys() == set(NEGATIVES)
    assert 0.4 < negatives.total() / (negatives.total() + rest) < 0.6


def test_stories_fall_into_halves_that_stay_and_share_none() -> None:
    seen, kept = stories(held_out=False), stories(held_out=True)

    assert len(seen) + len(kept) >= 30
    assert abs(len(seen) - len(kept)) <= 1
    assert {each.name for each in seen}.isdisjoint(each.name for each in kept)
    assert [each.name for each in seen] == [each.name for each in stories(held_out=False)]


def test_stories_are_of_several_domains_and_languages_with_ordinary_turns_for_each() -> None:
    told = [*stories(held_out=False), *stories(held_out=True)]

    assert len({story.domain for story in told}) >= 6
    assert len({story.language for story in told}) >= 4
    assert all(len(fillers(story.language)) >= 120 for story in told)


def test_every_label_of_a_story_is_in_the_turn_that_it_names() -> None:
    for story in [*stories(held_out=False), *stories(held_out=True)]:
        said = {turn.id: turn.user for sitting in story.sittings for turn in sitting.turns}
        for fact in story.facts:
            for state in fact.states:
                assert state.quote in said[state.turn], (story.name, fact.id)
                assert not state.words or tells(state.quote, state.words), (story.name, fact.id)
        assert all(any(trap in text for text in said.values()) for trap in story.traps), story.name
        assert {query.fact for query in story.queries} <= {fact.id for fact in story.facts}, story.name
        assert _asks_of_changes(story) >= 3, story.name


def _asks_of_changes(story: Story) -> int:
    changed = {fact.id for fact in story.facts if fact.changed}
    return sum(query.fact in changed for query in story.queries)
