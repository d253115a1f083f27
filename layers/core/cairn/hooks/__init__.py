"""Coding agents' hooks: what each tells at which moment, and in which form it takes what memory adds."""
