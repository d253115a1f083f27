"""The reader while it is trained: MiniLM in JAX (Devlin et al. 2019), with a head for each question.

The embeddings stay as they are, so that it shares them with the embedder. JAX and Optax come from bench/fit_reader.txt.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cairn.statements.heads import KINDS

# Only who trains the reader installs them.
_JAX: Any = importlib.import_module("jax")
_JNP: Any = importlib.import_module("jax.numpy")
_OPTAX: Any = importlib.import_module("optax")

Tree: TypeAlias = dict[str, Any]
"""Arrays by name, or lists of such dicts."""
Floats: TypeAlias = NDArray[np.float32]

PAIR = 3 + len(KINDS)
"""The place of what is asked of two texts, after what is asked of one: lasts, changes, of a project, of each kind."""
_LAYERS, _HEADS, _WIDTH = 6, 12, 384
_EPSILON, _HIDDEN = 1e-12, -1e9
_LAYER = "encoder.layer.{}."
_LENGTHS = (16, 24, 32, 48, 64, 96, 112)
"""To how many pieces a batch is filled up: each length is compiled once."""
_DROPOUT, _PEAK, _LAST, _DECAY, _LONGEST_STEP = 0.1, 1.5e-4, 0.02, 0.01, 1.0
_WARM_UP = 12
"""Which part of all steps the rate rises for."""
_OF_PROJECT, _OF_KIND, _OF_PAIR = 0.3, 0.5, 2.0
"""What the loss of a question counts, against whether a text lasts."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """The numbers of a text's pieces, or of a newer and an older one's; `first` are of the newer."""

    numbers: Sequence[int]
    first: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Arrays by name, each with a row for each text: pieces and what is true of them."""

    of: Literal["single", "pair"]
    arrays: Mapping[str, NDArray[Any]]


def packed(texts: Sequence[Pieces]) -> dict[str, NDArray[np.int32]]:
    """Return `pieces` and `types` of shape (texts, pieces), where what is filled up is 0."""
    longest = max(len(text.numbers) for text in texts)
    length = next((each for each in _LENGTHS if longest <= each), _LENGTHS[-1])
    pieces = np.zeros((len(texts), length), np.int32)
    types = np.zeros_like(pieces)
    for row, text in enumerate(texts):
        numbers = text.numbers[:length]
        pieces[row, : len(numbers)] = numbers
        types[row, text.first : len(numbers)] = 1
    return {"pieces": pieces, "types": types}


class Training:
    """Trains the layers and the heads, a batch a step."""

    def __init__(self, weights: Mapping[str, Floats]) -> None:
        """Take the weights of MiniLM."""
        layers = [_below(weights, _LAYER.format(number)) for number in range(_LAYERS)]
        self._net = _Net(_below(weights, "embeddings."))
        self._trained: Tree = {"layers": layers, **_heads()}
        self._logits = _JAX.jit(self._net.logits)
        self._key = _JAX.random.PRNGKey(0)

    def begin(self, steps: int) -> None:
        """Begin a stage of so many steps, in which the rate rises and falls once."""
        rate = _OPTAX.warmup_cosine_decay_schedule(0, _PEAK, steps // _WARM_UP, steps, _PEAK * _LAST)
        adam = _OPTAX.adamw(rate, weight_decay=_DECAY, mask=_matrices)
        self._optimizer = _OPTAX.chain(_OPTAX.clip_by_global_norm(_LONGEST_STEP), adam)
        self._state = self._optimizer.init(self._trained)
        self._steps = {"single": self._compiled(self._net.loss), "pair": self._compiled(self._net.pair_loss)}

    def step(self, batch: Batch) -> Any:
        """Learn from a batch and return its loss, a number that may not be computed yet."""
        self._key, key = _JAX.random.split(self._key)
        self._trained, self._state, loss = self._steps[batch.of](self._trained, self._state, dict(batch.arrays), key)
        return loss

    def logits(self, texts: Sequence[Pieces]) -> Floats:
        """Return log-odds of shape (texts, PAIR + 1)."""
        return np.asarray(self._logits(self._trained, packed(texts)), np.float32)

    def trained(self) -> dict[str, Floats]:
        """Return what was trained by the names of layers/model/reader_graph.py."""
        layers: list[Tree] = self._trained["layers"]
        found = {
            _LAYER.format(number) + name: np.asarray(values, np.float32)
            for number, layer in enumerate(layers)
            for name, values in layer.items()
        }
        single, pair = np.asarray(self._trained["single"]), np.asarray(self._trained["pair"])
        found["heads.weight"] = np.ascontiguousarray(np.column_stack([single, pair]).T, np.float32)
        found["heads.bias"] = np.append(self._trained["single_bias"], self._trained["pair_bias"]).astype(np.float32)
        return found

    def _compiled(self, loss: Callable[..., Any]) -> Callable[..., Any]:
        def step(trained: Tree, state: Any, arrays: Tree, key: Any) -> tuple[Tree, Any, Any]:
            value, slopes = _JAX.value_and_grad(loss)(trained, arrays, key)
            updates, state = self._optimizer.update(slopes, state, trained)
            return _OPTAX.apply_updates(trained, updates), state, value

        return _JAX.jit(step)


def _below(weights: Mapping[str, Floats], prefix: str) -> Tree:
    return {name.removeprefix(prefix): _JNP.array(of) for name, of in weights.items() if name.startswith(prefix)}


def _heads() -> Tree:
    single, pair = _JNP.zeros((2 * _WIDTH, PAIR)), _JNP.zeros(2 * _WIDTH)
    return {"single": single, "single_bias": _JNP.zeros(PAIR) - 1.0, "pair": pair, "pair_bias": _JNP.array(-1.0)}


def _matrices(tree: Tree) -> Any:
    """Tell of each array whether its weights decay."""
    return _JAX.tree.map(_is_matrix, tree)


def _is_matrix(values: Any) -> bool:
    return values.ndim > 1


@dataclass(frozen=True, slots=True)
class _Net:
    """The embeddings, which are not trained; what is trained comes with each call."""

    embeddings: Tree

    def loss(self, trained: Tree, batch: Tree, key: Any) -> Any:
        """Return the mean loss of single texts, each as often as it is worth."""
        logits = self._features(trained, batch, key) @ trained["single"] + trained["single_bias"]
        project = _OF_PROJECT * _cross_entropy(logits[:, 2], batch["project"])
        of_kind = _JAX.nn.one_hot(batch["kind"], len(KINDS))
        kind = -_OF_KIND * (_JAX.nn.log_softmax(logits[:, 3:], -1) * of_kind).sum(-1)
        both = _cross_entropy(logits[:, 0], batch["lasts"]) + _cross_entropy(logits[:, 1], batch["changes"])
        # Of what does not last nobody asks the rest.
        whole = both + (project + kind) * batch["lasts"]
        return (whole * batch["worth"]).sum() / batch["worth"].sum()

    def pair_loss(self, trained: Tree, batch: Tree, key: Any) -> Any:
        """Return the mean loss of pairs of texts."""
        logits = self._features(trained, batch, key) @ trained["pair"] + trained["pair_bias"]
        return _OF_PAIR * _cross_entropy(logits, batch["is_changed"]).mean()

    def logits(self, trained: Tree, batch: Tree) -> Any:
        """Return all that is asked, without dropout, of shape (texts, PAIR + 1)."""
        features = self._features(trained, batch, None)
        single = features @ trained["single"] + trained["single_bias"]
        pair = features @ trained["pair"] + trained["pair_bias"]
        return _JNP.concatenate([single, pair[:, None]], -1)

    def _features(self, trained: Tree, batch: Tree, key: Any) -> Any:
        """Return the first piece and the mean of all, of shape (texts, 2 * width); without a key nothing is dropped."""
        is_there = batch["pieces"] > 0
        hidden, mask = self._embedded(batch), _JNP.where(is_there, 0.0, _HIDDEN)[:, None, None, :]
        for number, layer in enumerate(trained["layers"]):
            hidden = _layer(layer, hidden, mask, None if key is None else _JAX.random.fold_in(key, number))
        mean = (hidden * is_there[:, :, None]).sum(1) / is_there.sum(1)[:, None]
        return _JNP.concatenate([hidden[:, 0], mean], -1)

    def _embedded(self, batch: Tree) -> Any:
        words = self.embeddings["word_embeddings.weight"][batch["pieces"]]
        places = self.embeddings["position_embeddings.weight"][: batch["pieces"].shape[1]]
        types = self.embeddings["token_type_embeddings.weight"][batch["types"]]
        return _normed(self.embeddings, words + places + types, "LayerNorm")


def _layer(weights: Tree, hidden: Any, mask: Any, key: Any) -> Any:
    first, second = (None, None) if key is None else _JAX.random.split(key)
    attended = _dense(weights, _attention(weights, hidden, mask), "attention.output.dense")
    hidden = _normed(weights, hidden + _dropped(attended, first), "attention.output.LayerNorm")
    wide = _JAX.nn.gelu(_dense(weights, hidden, "intermediate.dense"), approximate=False)
    narrow = _dropped(_dense(weights, wide, "output.dense"), second)
    return _normed(weights, hidden + narrow, "output.LayerNorm")


def _attention(weights: Tree, hidden: Any, mask: Any) -> Any:
    apart = (*hidden.shape[:2], _HEADS, _WIDTH // _HEADS)
    query, key, value = (
        _dense(weights, hidden, f"attention.self.{name}").reshape(apart).transpose(0, 2, 1, 3)
        for name in ("query", "key", "value")
    )
    scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(_WIDTH // _HEADS) + mask
    return (_JAX.nn.softmax(scores, -1) @ value).transpose(0, 2, 1, 3).reshape(hidden.shape)


def _dense(weights: Tree, rows: Any, name: str) -> Any:
    return rows @ weights[name + ".weight"].T + weights[name + ".bias"]


def _normed(weights: Tree, rows: Any, name: str) -> Any:
    centred = rows - rows.mean(-1, keepdims=True)
    deviation = _JNP.sqrt((centred**2).mean(-1, keepdims=True) + _EPSILON)
    return centred / deviation * weights[name + ".weight"] + weights[name + ".bias"]


def _dropped(rows: Any, key: Any) -> Any:
    if key is None:
        return rows
    return rows * _JAX.random.bernoulli(key, 1 - _DROPOUT, rows.shape) / (1 - _DROPOUT)


def _cross_entropy(logits: Any, answers: Any) -> Any:
    return _JNP.maximum(logits, 0) - logits * answers + _JNP.log1p(_JNP.exp(-_JNP.abs(logits)))
