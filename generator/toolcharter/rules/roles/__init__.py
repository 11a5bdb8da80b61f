"""Rules on roles: who may call what."""
