"""Spaces of GitBook, as they are kept in git."""
