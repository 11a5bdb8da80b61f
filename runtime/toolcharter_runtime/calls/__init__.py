"""One call from its name to its reply: dispatch, then read, preview or commit, and what follows a lost answer."""
