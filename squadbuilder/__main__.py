"""`python -m squadbuilder`."""

import sys

from squadbuilder.cli import main

sys.exit(main())
