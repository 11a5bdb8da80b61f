"""Figures beside peers, measured in one run and printed as ratios."""
