"""Matters of a site beside its pages: redirects, navigation, and the history of changes."""
