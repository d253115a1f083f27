"""`python -m cairn.local` is the `cairn` command."""

from cairn.local.cli import main

if __name__ == "__main__":
    main()
