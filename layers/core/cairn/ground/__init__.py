"""What every room stands on: errors, names, items of the table, ports."""
