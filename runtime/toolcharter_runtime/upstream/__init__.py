"""The HTTP ring: requests out of contracts, answers into views. The only ring that uses the network."""
