"""Rules on names: unique, stable, short enough for every surface."""
