"""The foundation of every room: errors, names, items of the table, ports."""
