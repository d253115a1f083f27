"""`python -m cairn.local` is the `cairn` command."""

from cairn.local.start import main

if __name__ == "__main__":
    main()
