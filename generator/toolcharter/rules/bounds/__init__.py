"""Rules on bounds and forms: every omitted limit is a value that an agent may try."""
