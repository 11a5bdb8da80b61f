"""Rules on unions: each branch can be told apart by what is written, not by luck."""
