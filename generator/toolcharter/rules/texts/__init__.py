"""Rules on what a model and an approver read."""
