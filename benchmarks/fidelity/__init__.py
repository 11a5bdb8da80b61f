"""Fidelity: does a contract mean what the description says? Three voices on the same values."""
