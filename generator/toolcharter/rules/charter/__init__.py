"""Rules on the charter as a document: what is unused, silenced, undecided or going away."""
