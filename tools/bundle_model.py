"""Put the models into the wheel and the source distribution, so that an install has them and fetches nothing.

They are taken from where `make` built them, or from the source distribution, or built now. Where that fails, as without
a package index, the wheel has none: Cairn says so at its start, and `cairn model build` makes up for it.
"""

from __future__ import annotations

import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "cairn_model"
"""Where it lies in a distribution: beside the packages, as in its Lambda layer."""
_MADE = Path(".venv") / "share" / "cairn" / "model"
_RECIPE = Path("layers") / "model"
_OF_THE_RECIPE = (
    *("build_apart.py", "build_model.py", "bert_graph.py", "reader_graph.py", "reviewed.py"),
    *("reader.npz", "requirements.txt", "weights.txt"),
)


class BundleModel(BuildHookInterface[Any]):
    """Adds the model, and the recipe by which an install without it can build it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Say which files go where; an editable install has those of its checkout."""
        if version == "editable":
            return
        files = build_data["force_include"]
        if self.target_name == "wheel":
            files.update({str(self._root / _RECIPE / name): f"{FOLDER}/{name}" for name in _OF_THE_RECIPE})
        model = self._model(build=self.target_name == "wheel")
        if model is None:
            self.app.display_warning("There is no embedding model in this: its memory is found by its words alone")
            return
        files.update({str(model / name): f"{FOLDER}/{name}" for name in self._files})

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was built for this alone."""
        del version, build_data, artifact_path
        if self._scratch is not None:
            self._scratch.cleanup()

    _scratch: tempfile.TemporaryDirectory[str] | None = None

    @property
    def _root(self) -> Path:
        return Path(self.root)

    @property
    def _files(self) -> tuple[str, ...]:
        reviewed = self._reviewed()
        return reviewed.MODEL, reviewed.VOCABULARY, reviewed.READER

    def _reviewed(self) -> Any:
        """Return what the recipe says of the model; where a wheel is built, the recipe is on no path."""
        path = self._root / _RECIPE / "reviewed.py"
        return SimpleNamespace(**runpy.run_path(str(path)))

    def _model(self, *, build: bool) -> Path | None:
        is_whole = self._reviewed().is_whole
        for each in (self._root / _MADE, self._root / FOLDER):
            if is_whole(each):
                return each
        if not build:
            return None
        self._scratch = tempfile.TemporaryDirectory(prefix="cairn-model-")
        made = Path(self._scratch.name)
        subprocess.run([sys.executable, str(self._root / _RECIPE / "build_apart.py"), str(made)], check=False)  # noqa: S603 - our own
        return made if is_whole(made) else None
