"""`cairn backup`, `cairn restore` and `cairn drill`: copies of a whole store, and the proof that they are good."""
