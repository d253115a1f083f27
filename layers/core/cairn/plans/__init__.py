"""Plans: what an operator's command would change, kept so that exactly that is done, and taken back."""
