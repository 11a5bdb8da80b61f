"""`python -m toolcharter` is the command `toolcharter`."""

from __future__ import annotations

from toolcharter.cli import main

if __name__ == "__main__":
    main()
