"""Exports of accounts: a zip of all that one has, for its owner."""
