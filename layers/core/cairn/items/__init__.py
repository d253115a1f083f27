"""Keep item logs: ordered items of any JSON, each stored once, of which the newest can be taken back."""
