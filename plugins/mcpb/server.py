"""Run `cairn stdio`: what desktop clients start out of this bundle."""  # noqa: INP001 - the program of a bundle, which no package holds

import sys

from cairn.local.start import main

sys.argv[1:] = ["stdio", "--profile", "agent"]
main()
