"""The estimate against reference counts of o200k_base, kept with the samples in token_samples.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.conversation.token_count import IMAGE_TOKENS, ITEM_TOKENS, count, count_items

SAMPLES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("token_samples.json").read_text("utf-8"))
CLOSE = {"prose", "dialogue", "markdown", "python", "typescript", "sql", "code", "json", "chinese", "mixed"}


@pytest.mark.req("R025")
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["name"])
def test_the_estimate_is_near_a_real_encoder(sample: dict[str, Any]) -> None:
    error = count(sample["text"]) / sample["tokens"] - 1
    assert abs(error) <= (0.10 if sample["kind"] in CLOSE else 0.20)


@pytest.mark.parametrize("kind", sorted({sample["kind"] for sample in SAMPLES}))
def test_over_all_samples_of_a_kind_the_estimate_is_near_too(kind: str) -> None:
    samples = [sample for sample in SAMPLES if sample["kind"] == kind]
    error = sum(count(sample["text"]) for sample in samples) / sum(sample["tokens"] for sample in samples) - 1
    assert abs(error) <= (0.08 if kind in CLOSE else 0.15)


def test_nothing_costs_nothing_and_something_at_least_one() -> None:
    assert count("") == 0
    assert count(" ") == count("a") == count("语") == 1


TEXTS = st.text(alphabet=st.sampled_from("aAbZ eé'._-{}\"\n\t 019语ですж한😀")) | st.sampled_from(
    [sample["text"][:200] for sample in SAMPLES]
)


@given(TEXTS, TEXTS)
def test_joining_two_texts_costs_about_what_they_cost_apart(first: str, second: str) -> None:
    assert count(first + second) <= count(first) + count(second) + 6


@given(TEXTS, TEXTS)
def test_more_text_never_costs_less_than_a_token_under(first: str, second: str) -> None:
    assert count(first + second) >= count(first) - 1


@pytest.mark.req("R025")
def test_an_item_counts_its_texts_arguments_outputs_and_unknown_fields() -> None:
    bare = count_items([{"type": "message", "role": "user", "content": "hello there"}])
    assert bare == ITEM_TOKENS + count("hello there")
    parts = count_items(
        [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello there"}]}]
    )
    assert parts == bare
    for field in ("arguments", "output", "my_field"):
        assert count_items([{"type": "x", field: "many more words here"}]) >= ITEM_TOKENS + count(
            "many more words here"
        )
    assert count_items([]) == 0


def test_an_image_costs_the_same_whatever_its_bytes() -> None:
    for url in ("https://example.org/a.png", "data:image/png;base64," + "Qk0" * 5000):
        item = {"role": "user", "content": [{"type": "input_image", "image_url": url}]}
        assert count_items([item]) == ITEM_TOKENS + IMAGE_TOKENS
