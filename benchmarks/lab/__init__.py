"""The lab: one small API on which every peer was measured, and what the boundary does with the same calls."""
