"""The story of one approval, played on a real service: `make demo`, or `python -m demo`."""
