"""Run with ``python -m attention_explorer``."""

from __future__ import annotations

import sys

from attention_explorer.cli import main

if __name__ == "__main__":
    sys.exit(main())
