"""The program: `squadbuilder`, or `python -m squadbuilder`."""

import sys

INTERRUPTED = 130


def main() -> int:
    """Run one command, and end quietly on Ctrl-C even while libraries are still being loaded."""
    try:
        from squadbuilder.cli import main as run

        return run()
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
