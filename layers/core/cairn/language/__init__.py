"""How a text is read: terms, dates, persons."""
