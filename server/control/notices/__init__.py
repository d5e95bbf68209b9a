"""Notices to accounts about what breaks: what they say, where they go, and those that are on their way."""
