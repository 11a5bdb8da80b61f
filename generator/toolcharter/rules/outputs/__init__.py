"""Rules on what goes out to the model."""
