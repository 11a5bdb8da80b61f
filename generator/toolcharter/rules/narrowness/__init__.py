"""Rules on how narrow an operation is: what a model could choose, and whether it should."""
