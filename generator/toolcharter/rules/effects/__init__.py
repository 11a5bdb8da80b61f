"""Rules on what a tool does to the world, and on the guards of a write."""
