"""Rules on what a model must never supply: keys, preconditions, credentials, approvals."""
